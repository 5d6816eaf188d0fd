//! The tables have what `gdwire decode --format ndjson` prints, for every recorded capture.

use super::dataset::all_rows;
use super::{captures, directory, gdwire, rows, stream, text, whole};
use crate::cli::threads::long_capture;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A time such as `2026-11-21T07:55:16.103423Z` in nanoseconds.
fn nanoseconds(time: &Value) -> Value {
    let Some(time) = time.as_str() else { return Value::Null };
    let time = time.parse::<jiff::Timestamp>().unwrap();
    i64::try_from(time.as_nanosecond()).unwrap().into()
}

fn address(line: &Value, key: &str) -> [Value; 2] {
    let address: std::net::SocketAddr = line[key].as_str().unwrap().parse().unwrap();
    [address.ip().to_string().into(), address.port().into()]
}

fn document(cell: &Value) -> Value {
    cell.as_str().map_or(Value::Null, |text| serde_json::from_str(text).unwrap())
}

fn lines(output: &[u8]) -> Vec<Value> {
    let text = str::from_utf8(output).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Runs the command on all recorded captures.
fn of_all(options: &[&str]) -> Vec<u8> {
    let captures = captures();
    let files = captures.iter().map(|path| text(path));
    gdwire(&options.iter().copied().chain(files).collect::<Vec<_>>()).stdout
}

#[test]
fn messages_and_losses_agree_with_ndjson() {
    let is_loss = |line: &Value| line.get("lost").is_some() || line.get("damaged").is_some();
    let decoded = lines(&of_all(&["decode", "--format", "ndjson", "--hex"]));
    let (lost, decoded): (Vec<_>, Vec<_>) = decoded.into_iter().partition(is_loss);
    assert!(decoded.len() > 8_000 && lost.len() > 20, "{} {}", decoded.len(), lost.len());

    let exported = rows(&stream(&of_all(&["export", "--format", "arrow"])));
    assert_eq!(exported.len(), decoded.len());
    for (row, line) in exported.iter().zip(&decoded) {
        for key in ["file", "frame", "transport", "channel", "mode", "offset", "len", "kind"] {
            assert_eq!(row[key], line[key], "{key} {line}");
        }
        assert_eq!(row["time_ns"], nanoseconds(&line["time"]), "{line}");
        let micros = row["time_ns"].as_i64().map(|time| time.div_euclid(1_000));
        assert_eq!(row["time"], json!(micros));
        let sender = ["src_address", "src_port"].map(|field| row[field].clone());
        assert_eq!(sender, address(line, "src"));
        let receiver = ["dst_address", "dst_port"].map(|field| row[field].clone());
        assert_eq!(receiver, address(line, "dst"));
        assert_eq!(row["source_peer"], line["peer"]["source"]);
        assert_eq!(row["target_peer"], line["peer"]["target"]);
        assert_eq!(row["bytes"], line["hex"]);
        // Both are plain JSON, but --hex adds the bytes of arguments.
        let rpc = document(&row["rpc"]);
        assert_eq!(rpc, without_hex(&line["rpc"]), "{line}");
        if line["rpc"].is_null() {
            assert_eq!(document(&row["value"]), line["value"]);
        }
        if let Some(debugger) = line.get("debugger") {
            assert_eq!(row["command"], "debugger");
            assert_eq!(row["method"], debugger["command"]);
            assert_eq!(document(&row["arguments"]), debugger["args"]);
            continue;
        }
        assert_eq!(row["command"], line["rpc"]["command"]);
        if row["command"] == "call" {
            assert_eq!(row["path"], rpc["path"]);
            let method = [&row["method"], &row["method_number"]];
            assert_eq!(method.into_iter().find(|it| !it.is_null()), Some(&rpc["method"]));
            assert_eq!(document(&row["arguments"]), rpc["args"]);
        }
    }

    assert_frames_are_larger(&exported);

    let exported = rows(&stream(&of_all(&["export", "--format", "arrow", "--table", "losses"])));
    assert_eq!(exported.len(), lost.len());
    for (row, line) in exported.iter().zip(&lost) {
        assert_eq!((&row["file"], &row["frame"]), (&line["file"], &line["frame"]));
        let what = row["what"].as_str().unwrap();
        assert_eq!(row["text"], line[what], "{line}");
    }
}

/// The frames of a message have at least as many bytes as the message, unless its datagram is
/// compressed.
fn assert_frames_are_larger(rows: &[Value]) {
    let is_compressed = |row: &Value| {
        let file = row["file"].as_str().unwrap();
        ["compressed", "zlib", "zstd", "fastlz", "range", "deflate"]
            .iter()
            .any(|word| file.contains(word))
    };
    let rows = rows.iter().filter(|row| !is_compressed(row)).collect::<Vec<_>>();
    for row in &rows {
        let (wire, len) = (row["wire_len"].as_i64().unwrap(), row["len"].as_i64().unwrap());
        assert!(wire > len, "{row}");
    }
    // Messages in several frames have the headers of each.
    let large = rows.iter().filter(|row| row["len"].as_i64() > Some(5_000));
    let large = large.filter(|row| row["transport"] == "enet").collect::<Vec<_>>();
    assert!(large.len() > 10);
    for row in large {
        let frames = row["frame"].as_i64().unwrap() - row["first_frame"].as_i64().unwrap();
        assert!(frames > 2, "{row}");
        assert!(row["wire_len"].as_i64().unwrap() < row["len"].as_i64().unwrap() * 2, "{row}");
    }
}

fn without_hex(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let kept = fields.iter().filter(|(key, _)| !key.ends_with("_hex"));
            Value::Object(kept.map(|(key, value)| (key.clone(), without_hex(value))).collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(without_hex).collect()),
        other => other.clone(),
    }
}

#[test]
fn the_rows_do_not_depend_on_the_number_of_threads() {
    for (options, threads) in
        [(&["--all"][..], "2"), (&["--table", "states"], "8"), (&["--table", "losses"], "8")]
    {
        let run = |threads| {
            let export = ["export", "--format", "arrow", "--threads", threads];
            whole(&of_all(&[&export[..], options].concat()))
        };
        let one = run("1");
        assert!(one.num_rows() > 0);
        assert!(one == run(threads), "{options:?}");
    }
}

/// A long capture has several pieces, in which the rows of all threads are put in order.
#[test]
fn the_rows_of_a_long_capture_do_not_depend_on_the_number_of_threads() {
    let directory = directory("export-threads");
    let path = directory.join("long.pcap");
    long_capture(&path);
    for (options, threads) in [
        (&["--all"][..], "8"),
        (&["--table", "losses"], "2"),
        (&["--table", "connections"], "8"),
        (&["--max-memory", "12M"], "8"),
        (&["--where", ".rpc.command == \"call\"", "--from", "1s"], "2"),
        (&["--limit", "1000", "--columns", "connection,frame"], "8"),
    ] {
        let run = |threads| {
            let export = ["export", "--format", "arrow", "--threads", threads, text(&path)];
            whole(&gdwire(&[&export[..], options].concat()).stdout)
        };
        let one = run("1");
        assert!(one.num_rows() > 10, "{options:?}: {}", one.num_rows());
        assert!(run(threads) == one, "{options:?}");
    }
    let folders = ["1", "3"].map(|threads| {
        let folder = directory.join(threads);
        gdwire(&["export", "-o", text(&folder), "--threads", threads, text(&path)]);
        // How rows are divided into files and row groups may differ.
        let mut rows: Vec<_> = all_rows(&folder).iter().map(Value::to_string).collect();
        rows.sort();
        rows
    });
    assert!(folders[0].len() > 10_000 && folders[0] == folders[1], "{}", folders[0].len());
}

/// The connections have the counts of `gdwire stats`.
#[test]
fn connections_agree_with_stats() {
    let stats = lines(&of_all(&["stats", "--format", "json"]));
    let options = ["export", "--format", "arrow", "--table", "connections"];
    let rows = rows(&stream(&of_all(&options)));
    for stats in &stats {
        let rows = rows.iter().filter(|row| row["file"] == stats["file"]).collect::<Vec<_>>();
        let flows = stats["flows"].as_array().unwrap();
        assert_eq!(rows.len(), 2 * flows.len());
        for key in ["packets", "payload_bytes", "wire_bytes", "messages", "message_bytes", "resent"]
        {
            let directions = flows.iter().flat_map(|flow| flow["directions"].as_array().unwrap());
            let expected = directions.filter_map(|it| it[key].as_i64()).sum::<i64>();
            let actual = rows.iter().filter_map(|row| row[key].as_i64()).sum::<i64>();
            assert_eq!(actual, expected, "{} {key}", stats["file"]);
        }
    }
    assert!(stats.len() > 40 && rows.len() >= 2 * stats.len());
}

/// With `--all`, the losses have the counts of `gdwire stats`, by their reasons.
#[test]
fn losses_agree_with_stats() {
    let options = ["export", "--all", "--format", "arrow", "--table", "losses"];
    let mut counts = BTreeMap::<_, i64>::new();
    for row in rows(&stream(&of_all(&options))) {
        let of = (row["file"].to_string(), row["reason"].to_string());
        *counts.entry(of).or_default() += row["count"].as_i64().unwrap();
    }
    let mut expected = BTreeMap::new();
    for stats in lines(&of_all(&["stats", "--format", "json"])) {
        for (list, name) in [("losses", "what"), ("errors", "reason")] {
            for count in stats[list].as_array().unwrap() {
                let of = (stats["file"].to_string(), count[name].to_string());
                expected.insert(of, count["count"].as_i64().unwrap());
            }
        }
    }
    assert_eq!(counts, expected);
}

/// Files that are read as one capture have one name.
#[test]
fn joined_files_are_one_input() {
    let files = ["godot4-tcp", "godot4-udp"].map(|name| {
        crate::common::corpus(&format!("captures/{name}.pcapng")).to_str().unwrap().to_owned()
    });
    let run = gdwire(&["export", "--format", "arrow", "--join", &files[0], &files[1]]);
    let rows = rows(&stream(&run.stdout));
    assert_eq!(rows.len(), 144);
    let name = format!("{} and 1 more file", files[0]);
    assert!(rows.iter().all(|row| row["file"] == *name), "{}", rows[0]);
}

#[test]
fn a_selection_selects_rows_and_columns() {
    let path = common_capture();
    let run = gdwire(&[
        "export",
        "--format",
        "arrow",
        "--columns",
        "method_number,len,method_number",
        "--where",
        ".rpc.command == \"call\"",
        &path,
    ]);
    let batches = stream(&run.stdout);
    assert_eq!(batches[0].num_columns(), 2);
    let printed = gdwire(&["decode", "--where", ".rpc.command == \"call\"", &path]).stdout;
    let count = printed.iter().filter(|byte| **byte == b'\n').count();
    assert_eq!(batches.iter().map(|batch| batch.num_rows()).sum::<usize>(), count);
    assert!(count > 50);
}

#[test]
fn columns_belong_to_the_table_of_the_stream() {
    let path = common_capture();
    let export = |columns: &str| {
        let table = ["--format", "arrow", "--table", "connections", "--columns", columns];
        gdwire(&[&["export"][..], &table, &[&path]].concat())
    };
    let batches = stream(&export("missing_reliable,file").stdout);
    let schema = batches[0].schema();
    let names: Vec<&String> = schema.fields().iter().map(|field| field.name()).collect();
    assert_eq!(names, ["missing_reliable", "file"]);

    let refused = export("file,method");
    assert_eq!(refused.status.code(), Some(2));
    let problem = String::from_utf8(refused.stderr).unwrap();
    assert!(problem.contains("the table connections has no column method"), "{problem}");
}

fn common_capture() -> String {
    text(&crate::common::corpus("captures/godot4-rpc.pcapng")).to_owned()
}
