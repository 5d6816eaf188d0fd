//! How a browser shows the page, and how the page reacts to mouse and keys.

use super::browser::Browser;
use super::corpus;
use super::{LOSSY, capture, captures, datagrams, directory, documents, gdwire, report, stats};
use gdwire::variant;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Checks that the page was shown without errors, and loaded nothing else.
#[track_caller]
pub(crate) fn assert_good(browser: &mut Browser, page: &Path) {
    let (errors, requests) = browser.problems();
    assert_eq!(errors, Vec::<String>::new());
    assert_eq!(requests, [format!("file://{}", page.display())]);
}

fn with_commas(number: &Value) -> String {
    let digits = number.as_u64().unwrap().to_string();
    let mut shown = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    shown
}

/// The pixels of all plots.
fn drawn(browser: &mut Browser) -> Vec<Value> {
    let drawn = "[...document.querySelectorAll('canvas')].map(it => it.toDataURL())";
    browser.value(drawn).as_array().unwrap().clone()
}

/// The cells of a table with a caption, row by row.
fn cells(browser: &mut Browser, caption: &str) -> Vec<Vec<String>> {
    let rows = browser.value(&format!(
        "[...[...document.querySelectorAll('table')].find(it => it.caption.textContent === {}).tBodies[0].rows]\
         .map(row => [...row.cells].map(cell => cell.textContent))",
        json!(caption)
    ));
    serde_json::from_value(rows).unwrap()
}

#[test]
fn recorded_captures_are_shown_with_the_numbers_of_stats() {
    let directory = directory("numbers");
    let Some(mut browser) = Browser::start((1280, 900)) else { return };
    for name in captures() {
        let page = report(&directory, &name, &["--quiet"]);
        browser.open(&page);
        assert_good(&mut browser, &page);
        let stats = stats(&name);
        let messages = browser.text("[data-value=messages]");
        assert_eq!(messages, with_commas(&stats["messages"]), "{name}");
        let status = browser.text("#messages .status, #messages p");
        let expected = format!("{messages} of {messages} message");
        assert!(status.starts_with(&expected), "{name} {status}");

        // Both ends of each connection, with packets and messages as stats counts them.
        let mut expected: Vec<[String; 3]> = Vec::new();
        for flow in stats["flows"].as_array().unwrap() {
            for direction in flow["directions"].as_array().unwrap() {
                let ends = format!(
                    "{} → {}",
                    direction["src"].as_str().unwrap(),
                    direction["dst"].as_str().unwrap()
                );
                if direction["packets"] != 0 {
                    expected.push([
                        ends,
                        with_commas(&direction["packets"]),
                        with_commas(&direction["messages"]),
                    ]);
                }
            }
        }
        let rows = cells(&mut browser, "Connections, by sender and receiver");
        let mut rows: Vec<_> =
            rows.into_iter().map(|it| [it[0].clone(), it[3].clone(), it[5].clone()]).collect();
        expected.sort();
        rows.sort();
        assert_eq!(rows, expected, "{name}");

        let calls = stats["calls"].as_array().unwrap();
        if !calls.is_empty() {
            let shown = cells(&mut browser, "Methods, and properties set by rset");
            let count = |row: &Vec<String>| row[3].replace(',', "").parse::<u64>().unwrap();
            let number = |it: &Value, field: &str| it[field].as_u64().unwrap();
            let mut most: Vec<_> = calls.iter().map(|it| number(it, "bytes")).collect();
            most.sort_unstable_by(|one, other| other.cmp(one));
            let least = most.get(49).copied().unwrap_or(0);
            // If several rows have the same bytes, not all of them may be listed.
            let expected: u64 = calls
                .iter()
                .filter(|it| number(it, "bytes") > least)
                .map(|it| number(it, "count"))
                .sum();
            let listed = shown.iter().map(count).sum::<u64>();
            // Nodes that are alike share a row.
            assert!(shown.len() <= calls.len().min(50) && listed >= expected, "{name}");
            let all = calls.iter().map(|it| number(it, "count")).sum::<u64>();
            assert!(listed <= all && (shown.len() == 50 || listed == all), "{name}");
        }
    }
}

#[test]
fn dragging_and_keys_zoom_all_plots_over_time() {
    let directory = directory("zoom");
    let Some(mut browser) = Browser::start((1280, 900)) else { return };
    let page = report(&directory, LOSSY, &["--quiet"]);
    browser.open(&page);
    browser.settle();
    let before = drawn(&mut browser);
    assert_eq!(browser.text("#range"), "whole capture");

    let [left, top, width, height] = browser.place("#bandwidth .u-over");
    let at = |share: f64| (left + width * share, top + height / 2.0);
    // Pointing shows the values there, in the units of the axis.
    browser.mouse("mouseMoved", at(0.5));
    browser.settle();
    let shown = browser.text("#bandwidth .legend .value");
    assert!(shown.ends_with(" kB/s"), "{shown}");
    let readout = browser.text("#bandwidth .readout");
    assert_eq!(readout, "3.990 to 4.115 s");

    browser.mouse("mousePressed", at(0.25));
    browser.mouse("mouseMoved", at(0.5));
    browser.mouse("mouseReleased", at(0.5));
    browser.settle();
    let range = browser.text("#range");
    let (from, to) = range.strip_suffix(" s").unwrap().split_once(" to ").unwrap();
    let [from, to] = [from, to].map(|it| it.parse::<f64>().unwrap());
    assert!((1.9..2.2).contains(&from) && (3.9..4.3).contains(&to), "{range}");
    // The sizes of messages are not plotted over time. The last plot is that of numbers.
    let after = drawn(&mut browser);
    let same: Vec<bool> = before.iter().zip(&after).map(|(one, other)| one == other).collect();
    assert_eq!(same, [false, false, true, false, false, false]);
    let hidden = "[...document.querySelectorAll('.life')].filter(it => it.hidden).length";
    assert!(browser.value(hidden).as_u64() > Some(3));

    browser.value("document.querySelector('#bandwidth .plot').focus()");
    browser.key("Escape");
    assert_eq!(browser.text("#range"), "whole capture");
    browser.key("+");
    assert_eq!(browser.text("#range"), "2.04 to 6.13 s");
    browser.key("PageUp");
    assert_eq!(browser.text("#range"), "0.00 to 4.09 s");
    browser.key("Escape");
    browser.key("ArrowRight");
    assert_eq!(browser.text("#bandwidth .readout"), "4.115 to 4.240 s");
    browser.key("ArrowLeft");
    assert_eq!(browser.text("#bandwidth .readout"), "3.990 to 4.115 s");

    // A series is hidden with its button.
    browser.value("document.querySelector('#bandwidth .legend button').click()");
    browser.settle();
    assert_ne!(drawn(&mut browser)[0], before[0]);
    // A table has the same values.
    browser.value("document.querySelector('#bandwidth details').open = true");
    browser.settle();
    let rows = browser.value("document.querySelectorAll('#bandwidth details tbody tr').length");
    let [document] = &documents(&fs::read_to_string(&page).unwrap())[..] else { panic!() };
    assert_eq!(rows, document["time"]["resent"].as_array().unwrap().len());
    assert_good(&mut browser, &page);
}

#[test]
fn messages_are_found_by_words_commands_and_frames() {
    let directory = directory("search");
    let Some(mut browser) = Browser::start((1280, 900)) else { return };
    let page = report(&directory, LOSSY, &["--quiet"]);
    let [document] = &documents(&fs::read_to_string(&page).unwrap())[..] else { panic!() };
    let rows = &document["rows"];
    let with = |word: &str| {
        let texts = rows["text"].as_array().unwrap().iter();
        texts.filter(|text| text.as_str().unwrap().contains(word)).count()
    };
    browser.open(&page);
    let listed = "document.querySelectorAll('#messages tbody tr').length";
    assert_eq!(browser.value(listed), 100);
    browser.type_into("#search", "Chat #0");
    let expected = rows["text"].as_array().unwrap().iter().filter(|text| {
        let text = text.as_str().unwrap();
        text.contains("Chat") && text.contains("#0")
    });
    let found = expected.count();
    assert!(found > 10 && found < with("Chat"), "{found}");
    assert_eq!(browser.text("#messages .status"), format!("{found} of 665 messages"));
    assert_eq!(browser.value(listed), found.min(100));

    let choose = "(() => { const it = document.querySelector('#command'); it.value = 'spawn'; \
                  it.dispatchEvent(new Event('change')); })()";
    browser.value("document.querySelector('#search').value = ''");
    browser.value(choose);
    assert_eq!(browser.text("#messages .status"), "15 of 665 messages");

    // The frames of a finding are shown in the table, with the command that shows them whole.
    browser.value("document.querySelector('.finding:last-child a').click()");
    browser.settle();
    assert_eq!(browser.value("document.querySelector('#search').value"), "frame:1060");
    let expected = rows["frame"].as_array().unwrap().iter().filter(|frame| **frame == 1060).count();
    assert_eq!(browser.text("#messages .status"), format!("{expected} of 665 messages"));
    let command = format!("gdwire decode --frames 1060 --quiet {}", capture(LOSSY));
    assert_eq!(browser.text("#messages .hint code"), command);
    assert_good(&mut browser, &page);
}

#[test]
fn the_page_fits_dark_themes_phones_and_paper() {
    let directory = directory("fits");
    let Some(mut browser) = Browser::start((1280, 900)) else { return };
    let page = report(&directory, LOSSY, &["--quiet"]);
    let scheme = |browser: &mut Browser, scheme: &str| {
        let features = json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]});
        browser.call("Emulation.setEmulatedMedia", features);
        browser.settle();
        let back = browser.value("getComputedStyle(document.body).backgroundColor");
        (back, drawn(browser))
    };
    browser.open(&page);
    let light = scheme(&mut browser, "light");
    let dark = scheme(&mut browser, "dark");
    assert_eq!(dark.0, "rgb(20, 23, 27)");
    assert_ne!(light.0, dark.0);
    assert!(light.1.iter().zip(&dark.1).all(|(light, dark)| light != dark));

    // It prints in light colours, and looks as before afterwards.
    let printed = browser.call("Page.printToPDF", json!({}))["data"].as_str().unwrap().len();
    assert!(printed > 50_000, "{printed}");
    browser.settle();
    assert!(drawn(&mut browser) == dark.1);

    browser.resize(390, 844);
    browser.open(&page);
    let width = browser.value("document.documentElement.scrollWidth");
    assert_eq!(width, 390);
    // Nothing within the page scrolls sideways, either.
    let wide = "[...document.querySelectorAll('*')].filter(it => it.scrollWidth > it.clientWidth && \
                ['auto', 'scroll'].includes(getComputedStyle(it).overflowX)).map(it => it.className)";
    assert_eq!(browser.value(wide), json!([]));
    // The names of nodes have the whole width, and their lines end after a slash.
    let broken = "[...document.querySelectorAll('#users td:first-child .name')].filter(name => {\
                  const text = name.textContent; let last = null;\
                  return name.closest('td').clientWidth < 300 || [...name.childNodes].filter(it => it.nodeType === 3).some(part => {\
                  const range = document.createRange(); range.selectNodeContents(part);\
                  return part.length < 24 && range.getClientRects().length > 1; }); }).map(it => it.textContent)";
    assert_eq!(browser.value(broken), json!([]));
    let names = "document.querySelectorAll('#users td:first-child .name').length";
    assert!(browser.value(names).as_u64() > Some(20));
    assert_good(&mut browser, &page);
}

/// Without a file that can be read again, the page says how to keep the messages that it does not
/// list. The note stands above the table.
#[test]
fn the_page_says_how_to_see_messages_beyond_its_table() {
    let directory = directory("beyond");
    let Some(mut browser) = Browser::start((1280, 900)) else { return };
    fs::write(directory.join("long.pcap"), datagrams(&variant!(7), 3_000, 1)).unwrap();
    let page = directory.join("report.html");
    let above = "document.querySelector('#messages .more').compareDocumentPosition(\
                 document.querySelector('#messages table')) & Node.DOCUMENT_POSITION_FOLLOWING";
    let from_file = ["report", "long.pcap", "-o", "report.html"];
    assert_eq!(gdwire(&directory, &from_file).status.code(), Some(0));
    browser.open(&page);
    assert_eq!(browser.text("#messages .status"), "2,000 of the first 2,000 messages");
    let note = browser.text("#messages .more");
    let start = "The search covers the first 2,000 of 3,000 messages. To see the others: ";
    assert_eq!(note, format!("{start}gdwire decode --frames 2000- long.pcap"));
    assert_eq!(browser.value(above), 4);

    let mut command = Command::new(env!("CARGO_BIN_EXE_gdwire"));
    command.current_dir(&directory).args(["report", "-", "-o", "report.html"]);
    let input = fs::File::open(directory.join("long.pcap")).unwrap();
    assert!(command.stdin(input).status().unwrap().success());
    browser.open(&page);
    assert_eq!(browser.text("#messages .status"), "2,000 of the first 2,000 messages");
    let note = browser.text("#messages .more");
    let start = "The search covers the first 2,000 of 3,000 messages. The others came from a pipe";
    assert!(note.starts_with(start) && note.contains("dumpcap -w"), "{note}");
    assert_eq!(browser.value(above), 4);
    assert_good(&mut browser, &page);
}

/// A frame in which no message ends leads to the messages around it.
#[test]
fn frames_without_a_message_lead_to_those_around_them() {
    let directory = directory("around");
    let Some(mut browser) = Browser::start((1280, 900)) else { return };
    let page = report(&directory, LOSSY, &["--quiet"]);
    let [document] = &documents(&fs::read_to_string(&page).unwrap())[..] else { panic!() };
    let frames: Vec<_> = document["rows"]["frame"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it.as_u64().unwrap())
        .collect();
    assert!(!frames.contains(&1));
    let mut sorted = frames.clone();
    sorted.sort_unstable();
    browser.open(&page);
    // The bar of the connection leads to its first packet.
    browser.value("document.querySelector('.life').click()");
    browser.settle();
    let (first, last) = (1, sorted[4]);
    let found = frames.iter().filter(|frame| (first..=last).contains(*frame)).count();
    assert_eq!(browser.value("document.querySelector('#search').value"), format!("frame:1-{last}"));
    assert_eq!(browser.text("#messages .status"), format!("{found} of 665 messages"));
    let hint = browser.text("#messages .hint");
    assert!(
        hint.starts_with("No message ends in frame 1; these are the messages around it."),
        "{hint}"
    );
    let command = format!("gdwire decode --all --frames 1-{last} --quiet {}", capture(LOSSY));
    assert_eq!(browser.text("#messages .hint code"), command);
    assert_good(&mut browser, &page);
}

#[test]
fn one_of_several_captures_is_shown() {
    let directory = directory("choice");
    let Some(mut browser) = Browser::start((1280, 900)) else { return };
    let file = fs::read(capture("godot3-udp-usec.pcap")).unwrap();
    fs::write(directory.join("empty.pcap"), &file[..24]).unwrap();
    let arguments = ["report", &capture("godot4-tcp.pcapng"), "empty.pcap", "-o", "report.html"];
    assert_eq!(gdwire(&directory, &arguments).status.code(), Some(0));
    let page = directory.join("report.html");
    browser.open(&page);
    assert_eq!(browser.text("[data-value=messages]"), "72");
    let choose = "(() => { const it = document.querySelector('#capture'); it.value = '1'; \
                  it.dispatchEvent(new Event('change')); })()";
    browser.value(choose);
    assert_eq!(browser.text(".notice"), "The capture has no packets of UDP or TCP.");
    assert_eq!(browser.text("[data-value=messages]"), "0");
    assert_good(&mut browser, &page);
}

/// Nodes of one scene share a row, which shows them when it is opened.
#[test]
fn a_row_of_nodes_that_are_alike_opens() {
    let directory = directory("alike");
    let Some(mut browser) = Browser::start((1280, 900)) else { return };
    let project = corpus("project/arena");
    let options = ["--quiet", "--project", project.to_str().unwrap()];
    let page = report(&directory, "godot4-game-enet.pcapng", &options);
    browser.open(&page);
    let opened = "(() => { const rows = [...document.querySelectorAll('#users details.alike')];\
                  const row = rows.find(it => it.textContent.includes('Actors/hero*'));\
                  const closed = row.textContent; row.open = true; return closed; })()";
    let closed = browser.value(opened);
    assert_eq!(closed, "Main/World/Actors/hero* (2 nodes of player.tscn)");
    browser.settle();
    let nodes = "[...document.querySelector('details.alike[open] tbody').querySelectorAll('.name')]\
                 .map(it => it.textContent)";
    let nodes = browser.value(nodes);
    assert_eq!(nodes, json!(["Main/World/Actors/hero10", "Main/World/Actors/hero30"]));
    assert_good(&mut browser, &page);
}
