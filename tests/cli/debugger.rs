//! How the command shows a connection of the remote debugger.

use crate::cli::run::{on_capture, parsed_lines};
use crate::common::lines;
use serde_json::{Value as Json, json};

const NAME: &str = "godot3-debugger.pcapng";

/// The lines of the messages that options select.
fn selected(selection: &[&str]) -> Vec<String> {
    let run = on_capture(&[&["decode", "--plain"], selection].concat(), NAME);
    assert_eq!(run.code, 0, "{selection:?} {}", run.stderr);
    run.lines().into_iter().map(str::to_owned).collect()
}

#[test]
fn messages_are_commands_with_arguments() {
    let sent: Vec<Json> = lines(&format!("captures/{}", NAME.replace("pcapng", "ndjson")));
    let shown = selected(&[]);
    assert_eq!(shown.len(), sent.len());
    for line in [
        "breakpoint(\"res://godot3_debugger.gd\", 14, true)",
        "request_scene_tree()",
        "message:scene_tree(1, \"root\", \"Viewport\", 1282, 0, \"Player\", \"Node\", 1292)",
        "debug_enter(true, \"Breakpoint\")",
        "output([ \"100\", 0 ])",
    ] {
        assert!(shown.iter().any(|it| it == line), "{line}");
    }
    let run = on_capture(&["decode", "--verbose"], NAME);
    let verbose = run.stderr.lines().last().unwrap().to_owned();
    let count = sent.len();
    assert!(verbose.ends_with(&format!("values: 0, messages of the debugger: {count}")));
}

#[test]
fn json_has_the_command_and_its_arguments() {
    let run = on_capture(&["decode", "--format", "ndjson", "--hex"], NAME);
    let objects = parsed_lines(&run);
    let breakpoint = objects.iter().find(|it| it["debugger"]["command"] == "breakpoint").unwrap();
    let text = "04000000180000007265733a2f2f676f646f74335f64656275676765722e6764";
    let expected = json!({
        "command": "breakpoint",
        "args": ["res://godot3_debugger.gd", 14, true],
        "args_hex": [text, "020000000e000000", "0100000001000000"],
    });
    assert_eq!(breakpoint["debugger"], expected);
    assert_eq!(breakpoint.get("value"), None);
    for object in &objects {
        assert_eq!(
            object["hex"].as_str().unwrap().len() as u64,
            2 * object["len"].as_u64().unwrap()
        );
    }
    let native = on_capture(&["decode", "--format", "ndjson", "--values", "native"], NAME);
    let native = parsed_lines(&native);
    let entered = native.iter().find(|it| it["debugger"]["command"] == "debug_enter").unwrap();
    assert_eq!(entered["debugger"]["args"], json!([true, "s:Breakpoint"]));
    let documents = parsed_lines(&on_capture(&["decode", "--format", "native"], NAME));
    assert_eq!(documents.len(), native.len());
    assert!(documents.iter().zip(&native).all(|(one, other)| *one == other["debugger"]));
}

#[test]
fn options_select_messages_by_their_command_and_arguments() {
    let all = selected(&[]);
    assert_eq!(selected(&["--command", "debugger"]), all);
    assert_eq!(selected(&["--command", "call"]), [""; 0]);
    assert_eq!(selected(&["--path", "**"]), [""; 0]);
    let outputs = selected(&["--method", "output"]);
    assert!(outputs.len() > 2 && outputs.iter().all(|it| it.starts_with("output(")));
    assert_eq!(selected(&["--where", ".debugger.command == \"output\""]), outputs);
    assert_eq!(selected(&["--grep", r"^output\("]), outputs);
    let with_bools = selected(&["--kind", "bool"]);
    assert_eq!(selected(&["--where", ".debugger.args | any(type == \"boolean\")"]), with_bools);
    assert_eq!(with_bools.len(), 5);
    assert_eq!(selected(&["--where", ".debugger.thread"]), [""; 0]);
    assert_eq!(selected(&["--threads", "2"]), all);
}

#[test]
fn commands_are_counted_like_methods() {
    let run = on_capture(&["stats", "--format", "json"], NAME);
    let stats: Json = serde_json::from_slice(&run.stdout).unwrap();
    let messages = &stats["messages"];
    assert_eq!(stats["commands"][0]["command"], "debugger");
    assert_eq!(stats["commands"][0]["count"], *messages);
    assert_eq!((&stats["flows"][0]["debugger"], &stats["nodes"]), (&json!(true), &json!([])));
    let calls = stats["calls"].as_array().unwrap();
    let total: u64 = calls.iter().map(|it| it["count"].as_u64().unwrap()).sum();
    assert_eq!(json!(total), *messages);
    let output = calls.iter().find(|it| it["method"] == "output").unwrap();
    assert_eq!((&output["command"], &output["path"]), (&json!("debugger"), &json!(null)));
    let table = on_capture(&["stats"], NAME);
    let row = table.lines().into_iter().find(|line| line.contains(" output ")).unwrap().to_owned();
    assert!(row.starts_with("  debugger  output "), "{row}");
    assert!(table.text().contains("godot3, debugger"));
}

#[test]
fn each_frame_of_a_message_is_explained() {
    let run = on_capture(&["decode", "--explain", "--method", "debug_enter", "--limit", "1"], NAME);
    let message: Vec<_> =
        run.lines().into_iter().skip_while(|it| !it.contains("reassembled")).collect();
    let labels: Vec<_> = message[1..].iter().filter_map(|line| line.get(33..)).collect();
    let expected = [
        "command: String, type 4",
        "  length: 11 bytes",
        "  text: \"debug_enter\"",
        "  padding",
        "length: 8 bytes",
        "number of arguments: int, type 2",
        "  number: 2",
        "length: 8 bytes",
        "argument 0: bool, type 1",
        "  bool: true",
        "length: 20 bytes",
        "argument 1: String, type 4",
        "  length: 10 bytes",
        "  text: \"Breakpoint\"",
        "  padding",
    ];
    assert_eq!(labels, expected, "{}", run.text());
}

#[test]
fn other_commands_show_messages_too() {
    let run = on_capture(&["convert", "--to", "godot4", "-o", "-"], NAME);
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains("debugger messages are not values"), "{}", run.stderr);
    let run = on_capture(&["diagnose"], NAME);
    assert_eq!(run.code, 0, "{}", run.text());
}
