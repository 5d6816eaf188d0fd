//! The first screen of the page, losses in their order, relays, two captures of one session, and the
//! page without a mouse and without a screen.

use super::browser::Browser;
use super::shown::assert_good;
use super::{LOSSY, capture, captures, corpus, directory, documents, gdwire, report, stats};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;

const OTHER_SIDE: &str = "godot4-game-enet-lossy-server-side.pcapng";

/// The document of a capture.
fn document(test: &str, name: &str) -> Value {
    let page = fs::read_to_string(report(&directory(test), name, &["--quiet"])).unwrap();
    documents(&page).remove(0)
}

#[test]
fn the_report_has_the_losses_that_decode_prints() {
    let mut some = 0;
    for name in captures().into_iter().filter(|name| name.contains("enet")) {
        let document = document("losses", &name);
        let arguments = ["decode", "--quiet", "--format", "ndjson", &capture(&name)];
        let run = gdwire(&directory("losses-decoded"), &arguments);
        let lines = std::str::from_utf8(&run.stdout).unwrap().lines();
        let lines = lines.map(|line| serde_json::from_str::<Value>(line).unwrap());
        let lost: Vec<_> = lines.filter(|line| line["lost"].is_string()).collect();
        let listed = document["losses_over_time"].as_array().unwrap();
        assert_eq!(listed.len(), lost.len(), "{name}");
        for (row, line) in listed.iter().zip(&lost) {
            assert_eq!(row["frame"], line["frame"], "{name}");
            let text = row["text"].as_str().unwrap();
            assert!(text.starts_with(line["lost"].as_str().unwrap()), "{name} {text}");
            some += 1;
        }
    }
    assert!(some > 20, "{some}");
}

#[test]
fn relays_say_what_is_inside() {
    let name = "godot4-rpc-three.pcapng";
    let document = document("relays", name);
    let names = |list: &Value| -> BTreeSet<String> {
        list.as_array().unwrap().iter().map(|it| it.as_str().unwrap().to_owned()).collect()
    };
    let of_rows = names(&document["rows"]["command"]);
    let arguments = ["decode", "--quiet", "--format", "ndjson", &capture(name)];
    let run = gdwire(&directory("relays-decoded"), &arguments);
    let expected: BTreeSet<String> = std::str::from_utf8(&run.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter_map(|line| {
            let inner = line["rpc"]["rpc"]["command"].as_str();
            let outer = line["rpc"]["command"].as_str()?;
            Some(inner.map_or(outer.to_owned(), |inner| format!("{outer}: {inner}")))
        })
        .collect();
    assert_eq!(of_rows, expected);
    assert!(of_rows.contains("relay: call"), "{of_rows:?}");
    let plotted = document["time"]["commands"].as_array().unwrap().iter();
    assert_eq!(
        plotted.map(|it| it["command"].as_str().unwrap().to_owned()).collect::<BTreeSet<_>>(),
        of_rows
    );
}

#[test]
fn the_first_screen_answers_three_questions() {
    let directory = directory("glance");
    let Some(mut browser) = Browser::start((1280, 900)) else { return };
    let project = corpus("project/arena");
    let options = ["--quiet", "--project", project.to_str().unwrap()];
    let page = report(&directory, LOSSY, &options);
    browser.open(&page);
    // All of it is on the first screen of a desktop.
    let cards = "[...document.querySelectorAll('#glance .card')].map(it => \
                 [it.querySelector('h3').textContent, it.getBoundingClientRect().bottom <= innerHeight])";
    let expected =
        ["Is it healthy?", "Who uses the bandwidth?", "What is wrong?"].map(|it| json!([it, true]));
    assert_eq!(browser.value(cards), json!(expected));
    assert_eq!(browser.text("#glance .verdict"), "Works, but has problems");
    let facts = browser.text("#glance .facts");
    assert!(
        facts.contains("665 messages over 1 connection") && facts.contains("19 messages missing"),
        "{facts}"
    );
    // The heaviest user is that of stats.
    let run = gdwire(
        &directory,
        &["stats", "--quiet", "--format", "json", options[1], options[2], &capture(LOSSY)],
    );
    let stats: Value = serde_json::from_slice(&run.stdout).unwrap();
    let [document] = &documents(&fs::read_to_string(&page).unwrap())[..] else { panic!() };
    let top =
        ["calls", "properties"].iter().flat_map(|list| document[list]["top"].as_array().unwrap());
    let top = top.max_by_key(|it| it["bytes"].as_u64()).unwrap();
    let user = browser.text("#glance .users li");
    assert!(
        user.starts_with(&format!(
            "{}.{}",
            top["node"].as_str().unwrap(),
            top["member"].as_str().unwrap()
        )),
        "{user}"
    );
    let share = top["bytes"].as_f64().unwrap() * 100.0 / stats["message_bytes"].as_f64().unwrap();
    assert!(user.ends_with(&format!("{share:.1}%")), "{user} {share}");
    // A problem leads to its frames.
    let problems = browser.text("#glance .problems");
    assert!(problems.contains("19 unreliable messages never arrived"), "{problems}");
    browser.value("document.querySelector('#glance .problems a').click()");
    browser.settle();
    let search = browser.value("document.querySelector('#search').value");
    assert!(search.as_str().unwrap().starts_with("frame:"), "{search}");
    // The losses are listed where they lead to their frames, too.
    browser.value("document.querySelector('#network details.lost').open = true");
    browser.settle();
    let listed = document["losses_over_time"].as_array().unwrap();
    let count: u64 = listed.iter().map(|it| it["count"].as_u64().unwrap()).sum();
    assert_eq!(count, 19);
    let rows = "document.querySelectorAll('#network details.lost tbody tr').length";
    assert_eq!(browser.value(rows), listed.len());
    browser.value("document.querySelector('#network details.lost a').click()");
    browser.settle();
    assert_eq!(browser.value("document.querySelector('#search').value"), "frame:32");
    assert_good(&mut browser, &page);
}

#[test]
fn healthy_captures_and_those_without_games_are_called_so() {
    let directory = directory("verdicts");
    let Some(mut browser) = Browser::start((1280, 900)) else { return };
    for name in captures().into_iter().step_by(5) {
        let page = report(&directory, &name, &["--quiet"]);
        browser.open(&page);
        let [document] = &documents(&fs::read_to_string(&page).unwrap())[..] else { panic!() };
        let worst = document["findings"][0]["severity"].as_str();
        let expected = match worst {
            _ if document["messages"] == 0 => "No messages of games",
            Some("error") => "Something is broken",
            Some("warning") => "Works, but has problems",
            _ => "Healthy",
        };
        assert_eq!(browser.text("#glance .verdict"), expected, "{name}");
        if document["messages"] != 0 {
            // Something uses the bandwidth: all shares are shares.
            let shares = "[...document.querySelectorAll('#glance .users strong')].map(it => parseFloat(it.textContent))";
            let shares: Vec<f64> = serde_json::from_value(browser.value(shares)).unwrap();
            assert!(
                !shares.is_empty() && shares.iter().all(|it| (0.0..=100.0).contains(it)),
                "{name} {shares:?}"
            );
        }
        assert_good(&mut browser, &page);
    }
}

#[test]
fn two_captures_of_a_session_are_compared() {
    let directory = directory("both");
    let Some(mut browser) = Browser::start((1280, 900)) else { return };
    let files = [LOSSY, OTHER_SIDE].map(capture);
    let run = gdwire(&directory, &["report", "--quiet", &files[0], &files[1], "-o", "report.html"]);
    assert!(matches!(run.status.code(), Some(0 | 1)));
    let page = directory.join("report.html");
    browser.open(&page);
    // A proxy was between the two ends, so their addresses differ.
    let rows = "[...document.querySelectorAll('#both tbody tr')].map(row => [...row.cells].map(it => it.textContent))";
    let rows: Vec<Vec<String>> = serde_json::from_value(browser.value(rows)).unwrap();
    let senders: Vec<_> =
        rows.iter().map(|row| row[0].rsplit_once("  ").map_or(&*row[0], |it| it.1)).collect();
    assert!(senders.iter().all(|it| it.contains(" → ")), "{senders:?}");
    let packets = |column: usize| -> Vec<u64> {
        rows.iter().map(|row| row[column].replace(',', "").parse().unwrap()).collect()
    };
    for (name, column) in [(LOSSY, 1), (OTHER_SIDE, 2)] {
        let flows = stats(name)["flows"].clone();
        let expected = flows[0]["directions"].as_array().unwrap().iter();
        let mut expected: Vec<_> = expected.map(|it| it["packets"].as_u64().unwrap()).collect();
        // The client sends less than the server.
        expected.sort_unstable();
        assert_eq!(packets(column), expected, "{name}");
    }
    assert_good(&mut browser, &page);
}

/// Presses the tab key, and describes the element that has the focus then.
fn tab(browser: &mut Browser) -> String {
    for event in ["rawKeyDown", "keyUp"] {
        let key = json!({"type": event, "key": "Tab", "code": "Tab", "windowsVirtualKeyCode": 9});
        browser.call("Input.dispatchKeyEvent", key);
    }
    let focused = "(() => { const all = [...document.querySelectorAll('*')]; \
                   return String(all.indexOf(document.activeElement)); })()";
    browser.value(focused).as_str().unwrap().to_owned()
}

#[test]
fn everything_is_reached_by_the_keyboard_and_has_a_name() {
    let directory = directory("keyboard");
    let Some(mut browser) = Browser::start((1280, 900)) else { return };
    let project = corpus("project/arena");
    let options = ["--quiet", "--project", project.to_str().unwrap()];
    let page = report(&directory, LOSSY, &options);
    for (width, height) in [(1280, 900), (390, 844)] {
        browser.resize(width, height);
        browser.open(&page);
        browser.value("document.querySelectorAll('details').forEach(it => it.open = true)");
        browser.settle();
        let all = "(() => { const all = [...document.querySelectorAll('*')]; \
                   return all.filter(it => it.matches('a[href], button, input, select, summary, [tabindex=\"0\"]') \
                   && it.checkVisibility()).map(it => String(all.indexOf(it))); })()";
        let all: BTreeSet<String> = serde_json::from_value(browser.value(all)).unwrap();
        let mut reached = BTreeSet::new();
        // Once around the page, and the browser itself.
        for _ in 0..all.len() + 20 {
            reached.insert(tab(&mut browser));
        }
        let missed: Vec<_> = all.difference(&reached).collect();
        assert_eq!(missed, Vec::<&String>::new(), "{width}");
        assert!(all.len() > 40, "{}", all.len());

        browser.call("Accessibility.enable", json!({}));
        let tree = browser.call("Accessibility.getFullAXTree", json!({}));
        let controls = [
            "button",
            "link",
            "textbox",
            "searchbox",
            "combobox",
            "ComboBoxSelect",
            "MenuListPopup",
            "DisclosureTriangle",
            "application",
            "region",
            "table",
            "columnheader",
            "group",
            "navigation",
            "heading",
            "status",
            "option",
            "MenuListOption",
        ];
        let mut named = 0;
        for node in tree["nodes"].as_array().unwrap() {
            let role = node["role"]["value"].as_str().unwrap_or_default();
            if node["ignored"] == true || !controls.contains(&role) {
                continue;
            }
            let name = node["name"]["value"].as_str().unwrap_or_default();
            // A group without a name is only a figure or the content of a disclosure.
            let is_free = matches!(role, "group" | "status" | "MenuListPopup");
            assert!(is_free || !name.trim().is_empty(), "{role} without a name: {node}");
            named += 1;
        }
        assert!(named > 60, "{named}");
        browser.call("Accessibility.disable", json!({}));
    }
    assert_good(&mut browser, &page);
}
