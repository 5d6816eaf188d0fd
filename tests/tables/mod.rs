//! Analysis engines read the tables that `gdwire export` writes, and give the same answers as
//! `gdwire decode` and `gdwire stats`.
//!
//! These tests need the Python packages in `tests/tables/requirements.txt`. Without them they
//! print a note and pass, unless `GDWIRE_ENGINE_TESTS=required` is set.

use crate::common::{corpus, missing, wireshark, without_engines};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const SCRIPTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tables");

/// The questions of `tests/tables/`, in SQL that all engines read.
const QUESTIONS: [&str; 3] = ["bandwidth", "digests", "loss"];

/// The rows of the answers to all questions, as JSON.
type Answers = BTreeSet<String>;

/// Python with the packages; `None` if it is not installed or left out.
fn python() -> Option<PathBuf> {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let python = std::env::var_os("GDWIRE_PYTHON")
        .map_or_else(|| target.join("venv/bin/python"), PathBuf::from);
    if without_engines() {
        return None;
    }
    if !python.exists() {
        let install = "python3 -m venv target/venv && \
                       target/venv/bin/pip install -r tests/tables/requirements.txt";
        missing(python.to_str().unwrap(), install);
        return None;
    }
    Some(python)
}

fn question(name: &str) -> PathBuf {
    Path::new(SCRIPTS).join(name).with_extension("sql")
}

/// An empty folder for a test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Runs a program that ends with one of these exit codes, and returns its output.
fn run(command: &mut Command, codes: &[i32]) -> Output {
    let output = command.output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code().is_some_and(|it| codes.contains(&it)), "{command:?}: {errors}");
    output
}

/// The JSON objects that a command of gdwire prints about some captures. Some captures lack packets.
fn gdwire(arguments: &[&str], captures: &[PathBuf]) -> Vec<Value> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gdwire"));
    objects(&run(command.args(arguments).args(captures), &[0, 1]))
}

fn objects(output: &Output) -> Vec<Value> {
    let text = std::str::from_utf8(&output.stdout).unwrap();
    let lines = text.lines().filter(|line| line.starts_with('{'));
    lines.map(|line| serde_json::from_str(line).expect(line)).collect()
}

fn row(question: &str, row: &Value) -> String {
    format!("{question}: {row}")
}

/// The recorded captures whose names are selected, and one in which a client has other scripts.
fn captures(folder: &Path, selects: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    for entry in fs::read_dir(corpus("captures")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if name.contains(".pcap") && selects(name) {
            fs::copy(&path, folder.join(name)).unwrap();
        }
    }
    let changed = with_other_digests(fs::read(corpus("captures/godot4-rpc.pcapng")).unwrap());
    fs::write(folder.join("changed.pcapng"), changed).unwrap();
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
}

/// A client announces another digest for one node, and the server does not confirm that of another.
fn with_other_digests(mut capture: Vec<u8>) -> Vec<u8> {
    let announced = b"\x016efb67b63067ddd3dfcb74475d4a4d28\0\x06\0\0\0Game/Players/P1\0";
    let confirmed = b"\x13\0\x06\x02\x01\x05\0\0\0";
    for (bytes, place, byte) in [(&announced[..], 1, b'7'), (confirmed, 4, 0)] {
        let places: Vec<usize> =
            (0..capture.len()).filter(|&at| capture[at..].starts_with(bytes)).collect();
        assert_eq!(places.len(), 1, "{bytes:?}");
        capture[places[0] + place] = byte;
    }
    capture
}

/// The answers to the questions, from the other commands of gdwire.
fn expected(captures: &[PathBuf]) -> Answers {
    let mut answers = Answers::new();
    let mut calls = BTreeMap::<_, (u64, u64)>::new();
    let mut digests = BTreeMap::<_, BTreeSet<String>>::new();
    let mut transports = BTreeMap::<_, u64>::new();
    let mut missing = BTreeMap::<_, u64>::new();
    for line in gdwire(&["decode", "--quiet", "--format", "ndjson"], captures) {
        let text = |name: &str| line[name].as_str().map(str::to_owned);
        let file = text("file").unwrap();
        if line["lost"].is_string() {
            *missing.entry(file).or_default() += line["messages"].as_u64().unwrap_or(0);
            continue;
        }
        let (time, transport) = (text("time").unwrap(), text("transport"));
        *transports.entry((time[..10].to_owned(), transport)).or_default() += 1;

        let called =
            if line["rpc"]["rpc"].is_object() { &line["rpc"]["rpc"] } else { &line["rpc"] };
        let method = match (called["command"].as_str(), &called["method"]) {
            (_, Value::String(name)) => Some(name.clone()),
            (_, Value::Number(number)) => Some(format!("#{number}")),
            _ => None,
        };
        if let Some(method) = method {
            let counts = calls.entry((format!("{}:00.000Z", &time[..16]), method)).or_default();
            *counts = (counts.0 + 1, counts.1 + line["len"].as_u64().unwrap());
        }

        let digest = match (line["rpc"]["md5"].as_str(), line["rpc"]["valid"].as_bool()) {
            (None, Some(false)) => Some("not that of the other end"),
            (digest, _) => digest,
        };
        if let Some(digest) = digest {
            let is_server = line["peer"]["source"] == 1;
            let client = text(if is_server { "dst" } else { "src" }).unwrap();
            let path = line["rpc"]["path"].as_str().unwrap().to_owned();
            digests.entry((file, client, path)).or_default().insert(digest.to_owned());
        }
    }
    for ((minute, method), (calls, bytes)) in calls {
        let call = json!({"minute": minute, "method": method, "calls": calls, "bytes": bytes});
        answers.insert(row("bandwidth", &call));
    }
    for ((date, transport), messages) in transports {
        let count = json!({"date": date, "transport": transport, "messages": messages});
        answers.insert(row("transports", &count));
    }
    for ((file, client, path), digests) in digests {
        if digests.len() > 1 {
            let (address, port) = client.rsplit_once(':').unwrap();
            let port: u16 = port.parse().unwrap();
            let client = json!({"file": file, "address": address, "port": port, "path": path});
            answers.insert(row("digests", &client));
        }
    }
    for stats in gdwire(&["stats", "--quiet", "--format", "json"], captures) {
        let missing = missing.get(stats["file"].as_str().unwrap()).copied().unwrap_or(0);
        let flows = stats["flows"].as_array().unwrap().iter();
        let messages: u64 = flows.map(|flow| flow["messages"].as_u64().unwrap()).sum();
        if missing * 100 > messages {
            let file = json!({"file": stats["file"], "messages": messages, "missing": missing});
            answers.insert(row("loss", &file));
        }
    }
    answers
}

fn count(answers: &Answers, question: &str) -> usize {
    answers.iter().filter(|row| row.starts_with(question)).count()
}

/// Starts a script on Spark, with little time for compilation and little memory.
fn spark(python: &Path, master: &str) -> Command {
    let mut command = Command::new(python.with_file_name("spark-submit"));
    command.env("PYSPARK_PYTHON", python).env("SPARK_LOCAL_IP", "127.0.0.1");
    command.args(["--master", master, "--driver-memory", "512m"]);
    command.args(["--driver-java-options", "-XX:TieredStopAtLevel=1"]);
    for option in [
        "spark.executor.extraJavaOptions=-XX:TieredStopAtLevel=1",
        "spark.sql.session.timeZone=UTC",
        "spark.sql.shuffle.partitions=2",
        "spark.ui.enabled=false",
    ] {
        command.args(["--conf", option]);
    }
    command
}

/// Writes the captures as a data set.
fn tables(folder: &Path, captures: &[PathBuf]) -> PathBuf {
    let tables = folder.join("tables");
    let export = ["export", "--quiet", "--partition", "date,transport", "-o"];
    gdwire(&[&export[..], &[tables.to_str().unwrap()]].concat(), captures);
    tables
}

/// The rows that an engine returns for questions in files, with the names of the questions.
fn answers(mut engine: Command, name: &str, tables: &Path, questions: &[PathBuf]) -> Vec<Value> {
    engine.arg(format!("{SCRIPTS}/tables.py")).arg(name).arg(tables).args(questions);
    objects(&run(&mut engine, &[0]))
}

#[test]
fn four_engines_give_the_same_answers_from_a_data_set() {
    let Some(python) = python() else { return };
    let folder = folder("engines-tables");
    let captures = captures(&folder, |_| true);
    let tables = tables(&folder, &captures);
    let expected = expected(&captures);
    for (question, rows) in [("bandwidth", 70), ("digests", 2), ("loss", 3), ("transports", 4)] {
        assert!(count(&expected, question) >= rows, "{question}: {expected:#?}");
    }

    let questions = QUESTIONS.map(question).into_iter().chain([question("transports")]);
    let questions: Vec<PathBuf> = questions.collect();
    for name in ["duckdb", "polars", "datafusion", "spark"] {
        let engine =
            if name == "spark" { spark(&python, "local[2]") } else { Command::new(&python) };
        let rows = answers(engine, name, &tables, &questions);
        let answers: Answers =
            rows.iter().map(|it| row(it["question"].as_str().unwrap(), &it["row"])).collect();
        assert_eq!(answers, expected, "{name}");
        assert_eq!(rows.len(), expected.len(), "{name}");
    }

    let script = "import pandas, sys; print(len(pandas.read_parquet(sys.argv[1])))";
    let mut pandas = Command::new(&python);
    let output = run(pandas.args(["-c", script]).arg(tables.join("messages")), &[0]);
    let messages = gdwire(&["decode", "--quiet", "--format", "ndjson"], &captures);
    let messages = messages.iter().filter(|line| line["lost"].is_null()).count();
    assert_eq!(String::from_utf8(output.stdout).unwrap().trim(), messages.to_string());
}

/// Nothing is lost in this capture, and it has no states.
#[test]
fn four_engines_read_tables_without_rows() {
    let Some(python) = python() else { return };
    let folder = folder("engines-empty");
    let question = folder.join("empty.sql");
    let sql = "SELECT (SELECT count(property) FROM states) AS states, \
               (SELECT count(reason) FROM losses) AS losses";
    fs::write(&question, sql).unwrap();
    let tables = tables(&folder, &[corpus("captures/godot4-udp.pcapng")]);
    for name in ["duckdb", "polars", "datafusion", "spark"] {
        let engine =
            if name == "spark" { spark(&python, "local[2]") } else { Command::new(&python) };
        let rows = answers(engine, name, &tables, std::slice::from_ref(&question));
        assert_eq!(
            rows,
            [json!({"question": "empty", "row": {"states": 0, "losses": 0}})],
            "{name}"
        );
    }
}

/// The query plans of the engines show what they read.
#[test]
fn engines_read_only_the_columns_and_row_groups_that_a_question_needs() {
    let Some(python) = python() else { return };
    let folder = folder("engines-plans");
    let captures = captures(&folder, |name| {
        ["godot4-game-enet.", "godot4-tcp.", "godot4-udp."].iter().any(|it| name.starts_with(it))
    });
    let tables = tables(&folder, &captures);
    let plans = |name: &str, sql: &str| {
        let question = folder.join("plan.sql");
        fs::write(&question, sql).unwrap();
        let rows = answers(Command::new(&python), name, &tables, &[question]);
        let texts = rows.iter().flat_map(|it| it["row"].as_object().unwrap().values());
        let text: Vec<&str> = texts.map(|it| it.as_str().unwrap()).collect();
        text.join("\n")
    };

    let columns = "EXPLAIN SELECT method, sum(len) FROM messages GROUP BY method";
    let plan = plans("duckdb", columns);
    let (_, scan) = plan.split_once("Parquet Scan").expect(&plan);
    let words: Vec<&str> = scan.split_whitespace().filter(|it| *it != "│").collect();
    let read = words.iter().skip_while(|it| **it != "Projections:").skip(1);
    let read: Vec<&&str> = read.take_while(|it| !it.starts_with('~')).collect();
    assert_eq!(read, [&"len,", &"method"], "{plan}");
    assert!(plans("datafusion", columns).contains("projection=[len, method], file_type=parquet"));
    assert!(plans("polars", columns).contains("PROJECT 2/39 COLUMNS"));

    // The file of each of the three transports has one row group, and only ENet was recorded after
    // this time.
    let time = "EXPLAIN ANALYZE SELECT sum(len) FROM messages WHERE time >= '2026-11-21T20:00:00Z'";
    let plan = plans("duckdb", time);
    assert!(plan.contains("Row Groups Scanned: 1 / 3"), "{plan}");
    let plan = plans("datafusion", time);
    assert!(plan.contains("files_ranges_pruned_statistics=3 total → 1 matched"), "{plan}");
}

/// The answers that a job on Spark wrote.
fn written(folder: &Path) -> Answers {
    let mut answers = Answers::new();
    for question in QUESTIONS {
        for entry in fs::read_dir(folder.join(question)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|it| it == "json") {
                let rows = fs::read_to_string(path).unwrap();
                let rows = rows.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
                answers.extend(rows.map(|it| row(question, &it)));
            }
        }
    }
    answers
}

#[test]
fn spark_decodes_captures_on_executors_and_repeats_what_fails() {
    let Some(python) = python() else { return };
    let folder = folder("engines-spark");
    fs::create_dir(folder.join("captures")).unwrap();
    let captures = captures(&folder.join("captures"), |name| {
        ["godot3-enet.", "godot4-game-", "godot4-rpc", "godot4-tcp."]
            .iter()
            .any(|start| name.starts_with(start))
    });
    assert_eq!(captures.len(), 14);

    let (program, script) = (folder.join("gdwire"), format!("{SCRIPTS}/failing.sh"));
    let gdwire = env!("CARGO_BIN_EXE_gdwire");
    let start = format!("#!/bin/sh\nFOLDER='{}'\nGDWIRE='{gdwire}'\n", folder.display());
    fs::write(&program, start + &fs::read_to_string(script).unwrap()).unwrap();
    let mut job = spark(&python, "local-cluster[2,1,1024]");
    job.arg("--files").arg(&program).arg(format!("{SCRIPTS}/spark_job.py"));
    job.arg(folder.join("captures")).arg(folder.join("answers"));
    let output = run(job.args(QUESTIONS.map(question)), &[0]);

    let log = String::from_utf8_lossy(&output.stderr);
    assert!(log.contains("godot4-game-enet-zlib.pcapng: gdwire ended with exit code 2"), "{log}");
    assert!(folder.join("killed").exists() && log.contains("Lost executor"), "{log}");
    let mut expected = expected(&captures);
    expected.retain(|row| !row.starts_with("transports"));
    assert_eq!(written(&folder.join("answers")), expected);
}

/// The statements of the page about Zeek, joined with a log in Zeek's form that has tshark's Community IDs.
#[test]
fn tables_join_with_the_logs_of_zeek() {
    let Some(python) = python() else { return };
    let folder = folder("engines-zeek");
    let capture = corpus("captures/godot3-rpc.pcapng");
    let fields = ["communityid", "frame.time_epoch"];
    let file = capture.to_str().unwrap();
    let mut arguments = vec!["-n", "-r", file, "--enable-protocol", "communityid", "-T", "fields"];
    fields.iter().for_each(|field| arguments.extend(["-e", field]));
    let Some(lines) = wireshark("tshark", &arguments) else { return };
    let mut flows = BTreeMap::<String, (f64, f64)>::new();
    for line in lines {
        let [id, time] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let time: f64 = time.parse().unwrap();
        let (first, last) = flows.entry(id.to_owned()).or_insert((time, time));
        (*first, *last) = (first.min(time), last.max(time));
    }
    let log = flows.iter().map(|(id, (first, last))| {
        let row = json!({"uid": id, "community_id": id, "ts": first, "duration": last - first});
        format!("{row}\n")
    });
    fs::write(folder.join("conn.log"), log.collect::<String>()).unwrap();
    let captures = [capture.clone()];
    tables(&folder, &captures);

    let page = include_str!("../../src/docs/zeek.rs").replace("//! ", "").replace("//!\n", "\n");
    let statements = page.split("```sql\n").skip(1).map(|part| part.split("```").next().unwrap());
    let statements: String = statements.collect();
    let script = "import duckdb, json, sys\n\
        session = duckdb.connect()\n\
        for sql in filter(str.strip, sys.argv[1].split(';')):\n    \
            if sql.strip().startswith('create'): session.execute(sql)\n    \
            else: print(json.dumps({'rows': session.sql(sql).fetchall()}))\n\
        for view in ['godot_messages', 'ecs_messages', 'ecs_connections']:\n    \
            print(json.dumps({'rows': session.sql(f'select count(*) from {view}').fetchall()}))\n";
    let mut duckdb = Command::new(&python);
    duckdb.current_dir(&folder).args(["-c", script, &statements]);
    let answers = objects(&run(&mut duckdb, &[0]));

    // The same question, answered from the JSON lines.
    let mut expected = BTreeMap::<(String, String), (u64, u64)>::new();
    let lines = gdwire(&["decode", "--quiet", "--format", "ndjson"], &captures);
    let messages: Vec<&Value> = lines.iter().filter(|line| line["lost"].is_null()).collect();
    for line in &messages {
        if let Some(method) = line["rpc"]["method"].as_str() {
            let id = line["community_id"].as_str().unwrap().to_owned();
            let (count, bytes) = expected.entry((id, method.to_owned())).or_default();
            (*count, *bytes) = (*count + 1, *bytes + line["len"].as_u64().unwrap());
        }
    }
    assert!(!expected.is_empty());
    let rows = answers[0]["rows"].as_array().unwrap().iter().map(|row| {
        let name = |at: usize| row[at].as_str().unwrap().to_owned();
        ((name(0), name(1)), (row[2].as_u64().unwrap(), row[3].as_u64().unwrap()))
    });
    assert_eq!(rows.collect::<BTreeMap<_, _>>(), expected);
    assert_eq!(answers[1], json!({"rows": [[messages.len()]]}));
    assert_eq!(answers[2], json!({"rows": [[messages.len()]]}));
    assert!(answers[3]["rows"][0][0].as_u64().unwrap() >= 2);
}
