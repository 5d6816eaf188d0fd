//! Hostile names in captures: a browser only shows them as text.

use super::browser::Browser;
use super::shown::assert_good;
use super::{capture, datagrams, directory, documents, gdwire};
use gdwire::Variant;
use std::fs;

/// A node and a method that are as long as the recorded ones.
const NAMES: [(&str, &str); 3] = [
    ("Game/Players/P1", "<svg/onload=a()"),
    ("Game/World", "\"><b id=x>"),
    ("set_score", "</script>"),
];

#[test]
fn names_from_the_network_are_only_text() {
    let directory = directory("hostile");
    let mut calls = fs::read(capture("godot3-rpc.pcapng")).unwrap();
    for (name, hostile) in NAMES {
        assert_eq!(name.len(), hostile.len());
        let places: Vec<usize> =
            (0..calls.len()).filter(|at| calls[*at..].starts_with(name.as_bytes())).collect();
        assert!(!places.is_empty(), "{name}");
        for at in places {
            calls[at..at + name.len()].copy_from_slice(hostile.as_bytes());
        }
    }
    let text = "</script><script>parent.hacked=1</script><img src=x onerror=hacked=1><!--\u{2028}&lt;\u{202e}";
    let named = "<img src=x onerror='hacked=1'>.pcapng";
    fs::write(directory.join(named), calls).unwrap();
    fs::write(directory.join("values.pcap"), datagrams(&Variant::from(text), 20, 1)).unwrap();
    let run = gdwire(&directory, &["report", named, "values.pcap", "-o", "report.html"]);
    assert_eq!(run.status.code(), Some(0), "{}", String::from_utf8_lossy(&run.stderr));
    let page = directory.join("report.html");
    let html = fs::read_to_string(&page).unwrap();
    // Its own two scripts, the data of two captures, and their comparison.
    assert_eq!(html.matches("</script").count(), 5);
    assert_eq!(html.matches("<script").count(), 5);
    assert!(!html.contains("<img") && !html.contains("<svg/") && !html.contains("<!--"));
    let [calls, values] = &documents(&html)[..] else { panic!() };
    assert_eq!(calls["file"], named);
    assert!(values["rows"]["text"][0].as_str().unwrap().contains("<img src=x onerror=hacked=1>"));

    let Some(mut browser) = Browser::start((1280, 900)) else { return };
    browser.open(&page);
    let shown = browser.text("main");
    for (_, hostile) in NAMES {
        assert!(shown.contains(hostile), "{hostile}");
    }
    assert_eq!(browser.text("#subtitle bdi"), named);
    let made =
        "document.querySelectorAll('main img, main svg, main b, main script, #x, iframe').length";
    assert_eq!(browser.value(made), 0);
    browser.value(
        "(() => { const it = document.querySelector('#capture'); it.value = '1'; \
         it.dispatchEvent(new Event('change')); })()",
    );
    assert!(browser.text("#messages tbody").contains("<img src=x onerror=hacked=1>"));
    assert_eq!(browser.value(made), 0);
    assert_eq!(browser.value("typeof hacked"), "undefined");
    assert_good(&mut browser, &page);
}
