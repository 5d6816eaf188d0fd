//! The content of the page, read without a browser.

use super::{LOSSY, capture, captures, datagrams, directory, documents, gdwire, report, stats};
use gdwire::Variant;
use serde_json::{Value, json};
use std::fs;

fn sum<'v>(numbers: impl IntoIterator<Item = &'v Value>) -> u64 {
    numbers.into_iter().map(|number| number.as_u64().unwrap()).sum()
}

#[test]
fn every_recorded_capture_gives_one_small_file_with_the_numbers_of_stats() {
    let directory = directory("every");
    let mut resent = 0;
    for name in captures() {
        let page = fs::read_to_string(report(&directory, &name, &["--quiet"])).unwrap();
        assert!(page.len() < 1_000_000, "{name}: {}", page.len());
        let [document] = &documents(&page)[..] else { panic!("{name}") };
        let stats = stats(&name);
        for field in ["messages", "message_bytes"] {
            assert_eq!(document[field], stats[field], "{name} {field}");
        }
        let flows = stats["flows"].as_array().unwrap();
        assert_eq!(document["flows"], flows.len(), "{name}");
        assert_eq!(document["packets"], sum(flows.iter().map(|it| &it["packets"])), "{name}");
        let commands = document["commands"].as_array().unwrap();
        assert_eq!(commands.len(), stats["commands"].as_array().unwrap().len(), "{name}");
        for command in commands {
            assert!(stats["commands"].as_array().unwrap().contains(command), "{name} {command}");
        }

        // The sums over time are the totals.
        let time = &document["time"];
        let over_time = |list: &str| {
            let list = time[list].as_array().unwrap().iter();
            list.map(|it| sum(it["bytes"].as_array().unwrap())).sum::<u64>()
        };
        assert_eq!(over_time("commands"), document["message_bytes"], "{name}");
        let others = sum(time["others"].as_array().unwrap());
        assert_eq!(over_time("directions") + others, document["wire_bytes"], "{name}");
        resent += sum(time["resent"].as_array().unwrap());
        let rows = &document["rows"];
        let listed = rows["frame"].as_array().unwrap().len() as u64;
        assert_eq!(listed + rows["further"].as_u64().unwrap(), document["messages"], "{name}");
        for column in ["time", "src", "dst", "command", "bytes", "text"] {
            assert_eq!(rows[column].as_array().unwrap().len() as u64, listed, "{name} {column}");
        }
    }
    assert!(resent > 20, "{resent}");
}

#[test]
fn the_page_loads_nothing_from_elsewhere() {
    let page = fs::read_to_string(report(&directory("outside"), LOSSY, &["--quiet"])).unwrap();
    for part in [
        "<link", "<img", "<iframe", "@import", "url(", " src=", " href=", "fetch(", "XMLHttp",
        "import(",
    ] {
        assert!(!page.contains(part), "{part}");
    }
    assert!(page.contains("Copyright (c) 2022 Leon Sorokin"), "the licence of uPlot");
    let policy = page.split("http-equiv=\"Content-Security-Policy\" content=\"").nth(1).unwrap();
    let policy = policy.split_once('"').unwrap().0;
    assert!(policy.starts_with("default-src 'none'; script-src 'sha256-"), "{policy}");
    assert!(!policy.contains("unsafe"), "{policy}");
}

#[test]
fn the_timeline_has_spawned_nodes_and_the_findings_have_frames() {
    let page = report(&directory("timeline"), LOSSY, &["--quiet"]);
    let [document] = &documents(&fs::read_to_string(page).unwrap())[..] else { panic!() };
    let lives = document["nodes_over_time"].as_array().unwrap();
    let first = &lives[0];
    assert_eq!(
        (&first["node"], &first["frames"]),
        (&json!("hero10 (spawned by Main/World/Spawner)"), &json!([10, null]))
    );
    let spawns = stats(LOSSY)["commands"]
        .as_array()
        .unwrap()
        .iter()
        .find(|it| it["command"] == "spawn")
        .unwrap()["count"]
        .clone();
    assert_eq!(lives.len() as u64, spawns);
    let missing = document["findings"]
        .as_array()
        .unwrap()
        .iter()
        .find(|it| it["kind"] == "unreliable_missing")
        .unwrap();
    // The losses have the frames and the times of the messages after them.
    let run = gdwire(&directory("timeline"), &["decode", "--format", "ndjson", &capture(LOSSY)]);
    let lines = std::str::from_utf8(&run.stdout).unwrap().lines();
    let lines = lines.map(|line| serde_json::from_str::<Value>(line).unwrap());
    let mut lost: Vec<_> = lines.filter(|line| line["lost"].is_string()).collect();
    lost.sort_by_key(|line| line["frame"].as_u64());
    let (first, last) = (&lost[0]["frame"], &lost[lost.len() - 1]["frame"]);
    assert_eq!((&missing["frames"][0], &missing["frames"][1]), (first, last));
    assert_eq!((first, last), (&json!(32), &json!(1016)));
    let over_time = document["time"]["missing"].as_array().unwrap();
    assert_eq!(sum(over_time), 19);
    let has_losses = |count: &Value| count.as_u64() > Some(0);
    let intervals = over_time.iter().rposition(has_losses).unwrap()
        - over_time.iter().position(has_losses).unwrap();
    // From 21:36:01.24 to 21:36:08.04.
    let seconds = intervals as f64 * document["time"]["step"].as_f64().unwrap();
    assert!((6.7..6.9).contains(&seconds), "{seconds}");
}

#[test]
fn options_that_select_messages_apply_to_the_report() {
    let directory = directory("selection");
    let options = ["--quiet", "--command", "spawn"];
    let page = fs::read_to_string(report(&directory, LOSSY, &options)).unwrap();
    let [document] = &documents(&page)[..] else { panic!() };
    let listed: Vec<_> = document["rows"]["command"].as_array().unwrap().iter().collect();
    assert_eq!(listed, vec!["spawn"; 15]);
    assert_eq!(document["messages"], 15);
    // Packets are those of the whole connection.
    assert_eq!(document["packets"], 1_059);
    // The command for the rest has the same options, but not the output.
    let expected = format!("--quiet --command spawn {}", capture(LOSSY));
    assert_eq!(document["arguments"], expected);
}

#[test]
fn several_captures_are_one_page_and_joined_ones_are_one_capture() {
    let directory = directory("several");
    let (one, other) = (capture("godot4-tcp.pcapng"), capture("godot4-udp.pcapng"));
    let files = |options: &[&str]| {
        let arguments = [&["report", &one, &other, "-o", "report.html"], options].concat();
        let run = gdwire(&directory, &arguments);
        assert_eq!(run.status.code(), Some(0), "{}", String::from_utf8_lossy(&run.stderr));
        documents(&fs::read_to_string(directory.join("report.html")).unwrap())
    };
    let each = files(&[]);
    assert_eq!([&each[0]["file"], &each[1]["file"]], [&json!(one), &json!(other)]);
    assert_eq!(each.len(), 2);
    assert_eq!(each[1]["arguments"], json!(other));
    let joined = files(&["--join"]);
    assert_eq!((joined.len(), &joined[0]["messages"]), (1, &json!(144)));
    assert_eq!(joined[0]["arguments"], format!("--join {one} {other}"));
}

#[test]
fn long_captures_are_cut_and_the_command_for_the_rest_is_given() {
    let directory = directory("long");
    let long = Variant::from("long ".repeat(200));
    fs::write(directory.join("long.pcap"), datagrams(&long, 20_000, 1)).unwrap();
    let run = gdwire(&directory, &["report", "long.pcap"]);
    assert_eq!(run.status.code(), Some(0), "{}", String::from_utf8_lossy(&run.stderr));
    let page = String::from_utf8(run.stdout).unwrap();
    assert!(page.len() < 1_000_000, "{}", page.len());
    let [document] = &documents(&page)[..] else { panic!() };
    let rows = &document["rows"];
    assert_eq!(
        (rows["frame"].as_array().unwrap().len(), &rows["further"]),
        (2_000, &json!(18_000))
    );
    assert_eq!(rows["text"][0].as_str().unwrap().chars().count(), 161);
    // More than five hours are plotted with only as many steps as can be seen.
    assert_eq!(document["time"]["step"], 128.0);
    assert!(document["time"]["missing"].as_array().unwrap().len() <= 160);
}

#[test]
fn the_busiest_connections_are_plotted_and_the_others_together() {
    let directory = directory("many");
    let value = Variant::from("a value of some length");
    fs::write(directory.join("many.pcap"), datagrams(&value, 630, 60)).unwrap();
    let run = gdwire(&directory, &["report", "many.pcap"]);
    assert_eq!(run.status.code(), Some(0), "{}", String::from_utf8_lossy(&run.stderr));
    let [document] = &documents(std::str::from_utf8(&run.stdout).unwrap())[..] else { panic!() };
    let connections = document["connections"].as_array().unwrap();
    assert_eq!((connections.len(), &document["flows"]), (48, &json!(60)));
    // 30 have 11 datagrams, the others 10.
    let packets = |at: usize| &connections[at]["directions"][0]["packets"];
    assert_eq!((packets(29), packets(30)), (&json!(11), &json!(10)));
    assert_eq!(connections.iter().filter(|it| it["plotted"] == true).count(), 8);
    let time = &document["time"];
    assert_eq!(time["directions"].as_array().unwrap().len(), 16);
    let each = document["wire_bytes"].as_u64().unwrap() / 630;
    assert_eq!(sum(time["others"].as_array().unwrap()), each * (630 - 8 * 11));
}

#[test]
fn an_empty_capture_is_reported_as_empty() {
    let directory = directory("empty");
    let file = fs::read(capture("godot3-udp-usec.pcap")).unwrap();
    fs::write(directory.join("empty.pcap"), &file[..24]).unwrap();
    let run = gdwire(&directory, &["report", "empty.pcap"]);
    assert_eq!(run.status.code(), Some(0));
    let [document] = &documents(std::str::from_utf8(&run.stdout).unwrap())[..] else { panic!() };
    assert_eq!((&document["packets"], &document["time"]), (&json!(0), &Value::Null));
}

#[test]
fn files_that_are_not_captures_give_no_report() {
    let directory = directory("refused");
    fs::write(directory.join("report.html"), "old").unwrap();
    let save = capture("godot3-file.bin");
    let run = gdwire(&directory, &["report", &save, "-o", "report.html"]);
    let stderr = String::from_utf8(run.stderr).unwrap();
    assert_eq!(run.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("neither a pcap nor a pcapng file"), "{stderr}");
    assert!(stderr.contains("the output file was not written"), "{stderr}");
    let run = gdwire(&directory, &["report", "--input", "framed", &save]);
    assert_eq!((run.status.code(), run.stdout.len()), (Some(2), 0));

    // An input is not overwritten.
    fs::copy(capture(LOSSY), directory.join("game.pcapng")).unwrap();
    let run = gdwire(&directory, &["report", "game.pcapng", "-o", "game.pcapng"]);
    assert_eq!(run.status.code(), Some(2));
    assert_eq!(fs::read(directory.join("game.pcapng")).unwrap(), fs::read(capture(LOSSY)).unwrap());
    assert_eq!(fs::read(directory.join("report.html")).unwrap(), b"old");
    assert_eq!(fs::read_dir(&directory).unwrap().count(), 2);
}
