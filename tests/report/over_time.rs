//! When methods were called, and which numbers properties had: the data, and how a browser shows them.

use super::browser::Browser;
use super::shown::assert_good;
use super::{LOSSY, capture, corpus, directory, documents, gdwire, report};
use gdwire::capture::PacketWriter;
use gdwire::multiplayer::{Method, MultiplayerProtocol, Node, PacketEncoder};
use gdwire::packet::{Time, UdpDatagram};
use gdwire::{Dialect, Variant};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::net::SocketAddr;
use std::path::Path;

const GAMES: [&str; 4] =
    ["godot4-game-enet.pcapng", LOSSY, "godot3-rpc-three.pcapng", "godot4-game-websocket.pcapng"];

fn project() -> String {
    corpus("project/arena").to_str().unwrap().to_owned()
}

/// The data of the report of a recorded capture.
fn document(directory: &Path, name: &str) -> Value {
    let page = report(directory, name, &["--quiet", "--project", &project()]);
    documents(&fs::read_to_string(page).unwrap()).remove(0)
}

/// The lines that a command writes about a recorded capture, as JSON.
fn lines(name: &str, command: &[&str]) -> Vec<Value> {
    let (project, capture) = (project(), capture(name));
    let arguments = [command, &["--quiet", "--project", &project, &capture]].concat();
    let output = gdwire(Path::new("."), &arguments).stdout;
    let lines = output.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines.map(|line| serde_json::from_slice(line).unwrap()).collect()
}

/// The seconds of a time since its day began.
fn seconds(time: &Value) -> f64 {
    let time = time.as_str().unwrap().trim_end_matches('Z').split_once('T').unwrap().1;
    time.split(':').fold(0.0, |sum, part| sum * 60.0 + part.parse::<f64>().unwrap())
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap()
}

/// Calls by method and by the place of their interval.
type Calls = BTreeMap<(String, usize), u64>;

/// The calls that `stats` counts on the intervals of the page.
fn counted(name: &str, document: &Value) -> Calls {
    let time = &document["time"];
    let step = time["step"].as_f64().unwrap();
    let start = seconds(&document["start"]) + time["start"].as_f64().unwrap();
    let interval = format!("{}ms", step * 1e3);
    let stats = &lines(name, &["stats", "--format", "json", "--interval", &interval])[0];
    let mut calls = Calls::new();
    for method in stats["method_intervals"].as_array().unwrap() {
        for cell in method["intervals"].as_array().unwrap() {
            let place = ((seconds(&cell["from"]) - start) / step).round() as usize;
            let key = (method["method"].as_str().unwrap().to_owned(), place);
            *calls.entry(key).or_default() += number(&cell["count"]);
        }
    }
    calls
}

#[test]
fn methods_have_the_calls_that_stats_counts_in_each_interval() {
    let directory = directory("methods");
    for name in GAMES {
        let document = document(&directory, name);
        let methods = &document["time"]["methods"];
        let mut found = Calls::new();
        let top = methods["top"].as_array().unwrap();
        for method in top {
            let counts = method["counts"].as_array().unwrap();
            assert_eq!(counts.len(), document["time"]["resent"].as_array().unwrap().len());
            assert_eq!(number(&method["count"]), counts.iter().map(number).sum::<u64>());
            for (place, count) in counts.iter().enumerate().filter(|(_, count)| **count != 0) {
                let key = (method["method"].as_str().unwrap().to_owned(), place);
                found.insert(key, number(count));
            }
        }
        assert!(top.is_sorted_by_key(|it| std::cmp::Reverse(number(&it["count"]))), "{name}");
        assert_eq!(found, counted(name, &document), "{name}");
        assert!(top.len() > 8 && found.len() > 20, "{name} {}", found.len());
        assert_eq!((&methods["others"]["methods"], &methods["further"]), (&json!(0), &json!(0)));
    }
}

/// The numbers that `states` lists as changes, with their times, by node and property.
fn listed(name: &str) -> BTreeMap<(String, String), Vec<(f64, f64)>> {
    let mut listed = BTreeMap::<_, Vec<_>>::new();
    for row in lines(name, &["states", "--format", "ndjson"]) {
        if let Some(value) = row["value"].as_f64() {
            let [node, property] =
                ["node", "property"].map(|field| row[field].as_str().unwrap().to_owned());
            listed.entry((node, property)).or_default().push((seconds(&row["time"]), value));
        }
    }
    listed
}

#[test]
fn numbers_are_the_changes_that_states_lists() {
    let directory = directory("changes");
    // In Godot 3, `states` shows RIDs as numbers, too.
    for name in GAMES.into_iter().filter(|name| name.starts_with("godot4")) {
        let document = document(&directory, name);
        let numbers = &document["numbers"];
        let start = seconds(&document["start"]);
        let mut expected = listed(name);
        for series in numbers["top"].as_array().unwrap() {
            let [node, property] =
                ["node", "property"].map(|field| series[field].as_str().unwrap().to_owned());
            // Names that only one end has are followed by its address.
            let node = node.split(" (from ").next().unwrap().to_owned();
            let (times, found) = (series["time"].as_array(), series["number"].as_array());
            let found: Vec<_> = times.unwrap().iter().zip(found.unwrap()).collect();
            let mut expected = expected.remove(&(node, property)).unwrap();
            // Messages that arrived late are listed when they arrived.
            expected.sort_by(|one, other| one.0.total_cmp(&other.0));
            assert_eq!(
                (number(&series["changes"]), &series["every"]),
                (found.len() as u64, &json!(1))
            );
            assert_eq!(found.len(), expected.len(), "{name} {series}");
            for ((time, number), (at, value)) in found.into_iter().zip(expected) {
                assert!((time.as_f64().unwrap() - (at - start)).abs() < 2e-6, "{name} {series}");
                // Numbers of single precision are written with fewer digits.
                assert_eq!(number.as_f64().unwrap() as f32, value as f32, "{name} {series}");
            }
        }
        let left = expected.values().map(|it| it.len() as u64).sum::<u64>();
        assert_eq!(left, number(&numbers["further"]), "{name} {:?}", expected.keys());
        assert!(numbers["top"].as_array().unwrap().len() > 30, "{name}");
    }
}

/// A capture of the calls that a client of Godot 3 sends over ENet, one in each millisecond: the node, the
/// method and its argument.
fn calls(calls: &[(String, String, Variant)]) -> Vec<u8> {
    let encoder = PacketEncoder::new(MultiplayerProtocol::Godot3, Dialect::GODOT_3);
    let [client, server]: [SocketAddr; 2] =
        [50_000, 7777].map(|port| SocketAddr::from(([127, 0, 0, 1], port)));
    let mut writer = PacketWriter::new(Vec::new()).unwrap();
    for (at, (node, method, argument)) in calls.iter().enumerate() {
        // The source and the target.
        let mut packet = [1_454_153_183_u32, 1].map(u32::to_le_bytes).concat();
        let (node, method) = (Node::Path(node), Method::Name(method));
        packet = encoder.call(node, method, std::slice::from_ref(argument), packet).unwrap();
        let [high, low] = u16::try_from(at + 1).unwrap().to_be_bytes();
        let [most, least] = u16::try_from(packet.len()).unwrap().to_be_bytes();
        // A datagram with its sent time, and one reliable command on channel 1.
        let head = [0x80, 0, high, low, 0x86, 1, high, low, most, least];
        let time = Time::from_nanos(1_700_000_000_000_000_000 + at as i64 * 1_000_000, 9);
        let payload = [&head[..], &packet].concat();
        writer.datagram(time, &UdpDatagram::new(client, server, &payload)).unwrap();
    }
    writer.into_inner()
}

/// The numbers at the ends of what an axis can show.
const EXTREMES: [f64; 10] =
    [f64::NAN, f64::INFINITY, f64::MAX, f64::MIN, 1e300, -1e300, 5e-324, -0.0, 9e18, 1e17];

#[test]
fn numbers_of_several_servers_are_kept_apart() {
    let names = ["godot4-game-enet.pcapng", LOSSY];
    let directory = directory("servers");
    fs::write(
        directory.join("both.pcapng"),
        names.map(|it| fs::read(capture(it)).unwrap()).concat(),
    )
    .unwrap();
    let arguments = ["report", "both.pcapng", "-o", "report.html", "--project", &project()];
    let run = gdwire(&directory, &arguments);
    assert_eq!(run.status.code(), Some(0), "{}", String::from_utf8_lossy(&run.stderr));
    let html = fs::read_to_string(directory.join("report.html")).unwrap();
    let both = documents(&html).remove(0);
    let series = |document: &Value| -> BTreeMap<_, _> {
        let top = document["numbers"]["top"].as_array().unwrap().iter();
        let name =
            |it: &Value| ["node", "property"].map(|field| it[field].as_str().unwrap().to_owned());
        top.map(|it| (name(it), it["number"].clone())).collect()
    };
    let mut both = series(&both);
    for (name, server) in names.into_iter().zip(["127.0.0.1:7777", "127.0.0.1:7790"]) {
        let alone = series(&document(&directory, name));
        let mut found = 0;
        for ([node, property], numbers) in alone {
            if let Some(shown) = both.remove(&[format!("{server}: {node}"), property]) {
                assert_eq!(shown, numbers, "{server} {node}");
                found += 1;
            }
        }
        assert!(found > 10, "{name} {found}");
    }
    assert!(both.is_empty(), "{:?}", both.keys());
}

#[test]
fn many_properties_and_methods_make_a_small_page() {
    let directory = directory("many");
    let mut all = Vec::new();
    let mut call =
        |node: String, method: String, argument: Variant| all.push((node, method, argument));
    // Properties that never change, with names that hold markup.
    for place in 0..2_000 {
        let node = format!("<b id=x>{place}/{}", "Zoë".repeat(30));
        call(node, format!("once{}", place % 40), Variant::from(place));
    }
    for change in 0..9_000 {
        call("Game/Clock".into(), "tick".into(), Variant::from(change));
    }
    // Numbers that take the most digits.
    for change in 1..200_i32 {
        for place in 0..70 {
            let argument = -f64::from(change) / f64::from(place + 7) / 1e9;
            call(format!("{}/{place}", "Deep".repeat(60)), "move".into(), Variant::from(argument));
        }
    }
    for (place, number) in EXTREMES.into_iter().cycle().take(3_000).enumerate() {
        call("Game/Extreme".into(), format!("to{}", place % 2), Variant::from(number));
    }
    for place in 0..3_000 {
        call("Game/Id".into(), "close".into(), Variant::from(i64::MAX - 1024 * (place % 2)));
    }
    // Longer than the names that are kept.
    call("Long".repeat(200), "name".into(), Variant::from(1));
    let count = all.len();
    fs::write(directory.join("many.pcapng"), calls(&all)).unwrap();
    let run = gdwire(&directory, &["report", "many.pcapng", "-o", "report.html"]);
    assert_eq!(run.status.code(), Some(0), "{}", String::from_utf8_lossy(&run.stderr));
    let page = directory.join("report.html");
    let html = fs::read_to_string(&page).unwrap();
    assert!(html.len() < 1_000_000, "{}", html.len());
    let document = documents(&html).remove(0);
    assert_eq!(document["messages"], count);

    let numbers = &document["numbers"];
    let top = numbers["top"].as_array().unwrap();
    assert_eq!(top.len(), 64);
    let changes = top.iter().map(|it| number(&it["changes"])).sum::<u64>();
    assert_eq!(changes + number(&numbers["further"]), count as u64);
    assert_eq!((&top[0]["node"], &top[0]["changes"]), (&json!("Game/Clock"), &json!(9_000)));
    let every = number(&top[0]["every"]);
    let ticks: Vec<_> = top[0]["number"].as_array().unwrap().iter().map(number).collect();
    let expected: Vec<_> = (0..9_000).step_by(every as usize).chain([8_999]).collect();
    assert_eq!(ticks, expected);
    let points: usize = top.iter().map(|it| it["time"].as_array().unwrap().len()).sum();
    assert!((3_000..11_000).contains(&points), "{points}");

    let methods = &document["time"]["methods"];
    assert_eq!(methods["top"].as_array().unwrap().len(), 20);
    // once0 to once39, tick, move, to0, to1, close and name.
    assert_eq!((&methods["others"]["methods"], &methods["further"]), (&json!(26), &json!(0)));
    let sum = |counts: &Value| counts.as_array().unwrap().iter().map(number).sum::<u64>();
    let called = methods["top"].as_array().unwrap().iter().map(|it| sum(&it["counts"]));
    assert_eq!(called.sum::<u64>() + sum(&methods["others"]["counts"]), count as u64);

    let Some(mut browser) = Browser::start((390, 844)) else { return };
    browser.open(&page);
    let rows = "[...document.querySelectorAll('.matrix .row:not(.axis) .label')].map(it => it.textContent)";
    let rows = browser.value(rows);
    assert_eq!(
        (&rows[0], &rows[20], &rows[21]),
        (&json!("move"), &json!("26 other methods"), &Value::Null)
    );
    for (node, property) in [
        ("Game/Clock", "tick"),
        ("Game/Extreme", "to0"),
        ("Game/Extreme", "to1"),
        ("Game/Id", "close"),
    ] {
        choose(&mut browser, "node", node);
        choose(&mut browser, "property", property);
        assert!(browser.text("#values .legend").starts_with(property), "{node} {property}");
    }
    assert_eq!(browser.value("document.documentElement.scrollWidth"), 390);
    browser.resize(1280, 900);
    browser.settle();
    assert_eq!(browser.value("document.documentElement.scrollWidth <= 1280"), true);
    assert_eq!(browser.value("document.querySelectorAll('#x').length"), 0);
    assert_good(&mut browser, &page);
}

fn choose(browser: &mut Browser, select: &str, value: &str) {
    browser.value(&format!(
        "(() => {{ const it = document.querySelector('#{select}'); it.value = {}; \
         it.dispatchEvent(new Event('change')); }})()",
        json!(value)
    ));
    browser.settle();
}

/// The calls that the cells of the matrix show, by method.
fn shaded(browser: &mut Browser) -> BTreeMap<String, u64> {
    let titles = "[...document.querySelectorAll('.matrix .cell')].map(it => it.title)";
    let mut calls = BTreeMap::new();
    for title in browser.value(titles).as_array().unwrap() {
        let (method, rest) = title.as_str().unwrap().split_once(": ").unwrap();
        let count: u64 = rest.split_once(" call").unwrap().0.parse().unwrap();
        *calls.entry(method.to_owned()).or_default() += count;
    }
    calls
}

#[test]
fn the_matrix_shows_all_calls_at_every_width_and_follows_keys() {
    let directory = directory("matrix");
    let Some(mut browser) = Browser::start((1280, 900)) else { return };
    let name = GAMES[0];
    let page = report(&directory, name, &["--quiet", "--project", &project()]);
    let document = documents(&fs::read_to_string(&page).unwrap()).remove(0);
    let mut expected = BTreeMap::<_, u64>::new();
    for ((method, _), count) in counted(name, &document) {
        *expected.entry(method).or_default() += count;
    }
    let cells = "document.querySelectorAll('.matrix .cell').length";
    let mut counts = Vec::new();
    for width in [1280, 390] {
        browser.resize(width, 844);
        browser.open(&page);
        browser.settle();
        assert_eq!(shaded(&mut browser), expected, "{width}");
        counts.push(number(&browser.value(cells)));
    }
    assert!(counts[0] > counts[1] && counts[1] >= 8 * expected.len() as u64, "{counts:?}");
    // A window that becomes wider gets more cells again.
    browser.resize(1280, 844);
    browser.settle();
    assert_eq!(number(&browser.value(cells)), counts[0]);

    // Cells with more calls are darker, and the colours follow the theme.
    let mut colours = |scheme: &str| {
        let features = json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]});
        browser.call("Emulation.setEmulatedMedia", features);
        browser.settle();
        browser.value(
            "[...new Set([...document.querySelectorAll('.matrix .cell')].map(it => \
             getComputedStyle(it).backgroundColor))].sort()",
        )
    };
    let (dark, light) = (colours("dark"), colours("light"));
    assert!(light.as_array().unwrap().len() > 3, "{light}");
    assert_ne!(dark, light);

    // With keys alone.
    browser.value("document.querySelector('.matrix').focus()");
    let note = browser.text("#calls .readout");
    assert!(note.starts_with("emote is called most: 32 of "), "{note}");
    let first = number(&document["time"]["methods"]["top"][0]["counts"][0]);
    browser.key("ArrowRight");
    assert!(
        browser.text("#calls .readout").starts_with(&format!("emote: {first} calls, 0.000 to "))
    );
    browser.key("ArrowDown");
    assert!(browser.text("#calls .readout").starts_with("take_hit: "));
    assert_eq!(browser.value("document.querySelectorAll('.cell.chosen').length"), 1);
    browser.key("+");
    assert!(shaded(&mut browser).values().sum::<u64>() < expected.values().sum());
    assert_ne!(browser.text("#range"), "whole capture");
    browser.key("Escape");
    assert_eq!(browser.text("#range"), "whole capture");
    assert_eq!(browser.text("#calls .readout"), note);

    // A table has the same numbers.
    browser.value("document.querySelector('#calls details').open = true");
    browser.settle();
    let table = browser.value(
        "[...document.querySelectorAll('#calls tbody tr')].map(row => \
         [...row.cells].slice(1).map(cell => Number(cell.textContent)))",
    );
    let sum: u64 =
        table.as_array().unwrap().iter().flat_map(|row| row.as_array().unwrap()).map(number).sum();
    assert_eq!(sum, expected.values().sum::<u64>());
    assert_good(&mut browser, &page);
}

#[test]
fn the_numbers_of_a_chosen_property_are_plotted() {
    let directory = directory("chosen");
    let Some(mut browser) = Browser::start((1280, 900)) else { return };
    let name = GAMES[0];
    let page = report(&directory, name, &["--quiet", "--project", &project()]);
    browser.open(&page);
    let options = |browser: &mut Browser, select: &str| -> Vec<String> {
        let names = browser.value(&format!(
            "[...document.querySelectorAll('#{select} option')].map(it => it.textContent)"
        ));
        serde_json::from_value(names).unwrap()
    };
    let expected = listed(name);
    let mut nodes: Vec<_> = expected.keys().map(|(node, _)| node.clone()).collect();
    nodes.dedup();
    assert_eq!(options(&mut browser, "node"), nodes);
    let mut plots = Vec::new();
    for ((node, property), numbers) in expected.iter().filter(|(_, numbers)| numbers.len() > 3) {
        choose(&mut browser, "node", node);
        let of_node = expected.keys().filter(|(other, _)| other == node);
        assert!(options(&mut browser, "property").iter().eq(of_node.map(|(_, property)| property)));
        choose(&mut browser, "property", property);
        let legend = browser.text("#values .legend");
        assert_eq!(legend, format!("{property}{} changes", numbers.len()));
        browser.value("document.querySelector('#values details').open = true");
        browser.settle();
        let shown = browser.value(
            "[...document.querySelectorAll('#values tbody td:last-child')].map(it => it.textContent)",
        );
        let shown: Vec<f32> = shown
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it.as_str().unwrap().parse().unwrap())
            .collect();
        let numbers: Vec<f32> = numbers.iter().map(|(_, number)| *number as f32).collect();
        assert_eq!(shown, numbers, "{node} {property}");
        plots.push(browser.value("document.querySelector('#values canvas').toDataURL()"));
        assert_eq!(browser.value("document.querySelectorAll('#values canvas').length"), 1);
    }
    let count = plots.len();
    plots.sort_by_key(Value::to_string);
    plots.dedup();
    assert!(count > 8 && plots.len() > 8, "{count} {}", plots.len());

    // The labels name the selects, and keys show the values and zoom all plots.
    let names = "['node', 'property'].map(it => document.getElementById(it).labels[0].textContent)";
    let names = browser.value(names);
    assert!(names[0].as_str().unwrap().starts_with("Node "), "{names}");
    choose(&mut browser, "node", "Main/World/Actors/hero10");
    choose(&mut browser, "property", "mana");
    browser.value("document.querySelector('#values .plot').focus()");
    browser.key("ArrowRight");
    let first = expected[&("Main/World/Actors/hero10".to_owned(), "mana".to_owned())][0].1;
    assert_eq!(browser.text("#values .legend .value"), first.to_string());
    browser.key("+");
    assert_ne!(browser.text("#range"), "whole capture");
    browser.key("Escape");
    assert_good(&mut browser, &page);
}
