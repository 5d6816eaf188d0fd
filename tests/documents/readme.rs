//! The tables in the documentation agree with the code and with `Cargo.toml`.

use gdwire::{Dialect, Kind};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The row of a kind: its type number in every dialect.
fn row(kind: Kind) -> String {
    let number = |dialect: &Dialect| {
        dialect.type_number(kind).map_or("–".to_string(), |number| number.to_string())
    };
    let numbers: Vec<String> = Dialect::ALL.iter().map(number).collect();
    format!("| {kind} | {} |", numbers.join(" | "))
}

#[test]
fn the_table_of_types_is_right() {
    let page = include_str!("../../src/docs/wire_format.rs");
    let lines: Vec<&str> = page.lines().filter_map(|line| line.strip_prefix("//! ")).collect();
    for &kind in Kind::ALL {
        let row = row(kind);
        assert!(lines.iter().any(|line| line.starts_with(&row)), "wire_format.rs lacks: {row}");
    }
    let rows = lines.iter().skip_while(|line| !line.starts_with("| kind | Godot 3")).skip(2);
    assert_eq!(rows.take_while(|line| line.starts_with('|')).count(), Kind::ALL.len());
}

/// For each feature, in `Cargo.toml` or in the table: the features that it includes, and the crates
/// that it adds.
type Features = BTreeMap<String, [BTreeSet<String>; 2]>;

/// The parts of a text between marks.
fn marked(text: &str, mark: char) -> impl Iterator<Item = &str> {
    text.split(mark).skip(1).step_by(2)
}

fn features() -> Features {
    let manifest = include_str!("../../Cargo.toml");
    let section = |name: &str| manifest.split(name).nth(1).unwrap().split("\n[").next().unwrap();
    let mut features = Features::new();
    // Each feature begins on a line with its name, and ends with a bracket.
    for feature in section("\n[features]\n").split("]\n") {
        let Some((name, parts)) = feature.split_once(" = [") else { continue };
        let [includes, crates] = features.entry(name.trim().to_owned()).or_default();
        for part in marked(parts, '"').filter(|part| !part.contains('/')) {
            match part.strip_prefix("dep:") {
                Some(name) => crates.insert(name.to_owned()),
                None => includes.insert(part.to_owned()),
            };
        }
    }
    let always = section("\n[dependencies]\n").lines().filter(|line| !line.contains("optional"));
    let always = always.filter_map(|line| Some(line.split_once(" = ")?.0.to_owned()));
    features.insert("none".to_owned(), [BTreeSet::new(), always.collect()]);
    features
}

/// The page on the dependencies has a row on every feature.
#[test]
fn the_table_of_dependencies_is_right() {
    let page = include_str!("../../src/docs/dependencies.rs");
    let mut table = Features::new();
    for row in page.lines().filter_map(|line| line.strip_prefix("//! | ")).skip(1) {
        let [name, includes, crates, ..] = row.split('|').collect::<Vec<_>>()[..] else {
            panic!("{row}");
        };
        // The reasons are in parentheses.
        let crates = crates.split('(').map(|part| part.rsplit_once(')').map_or(part, |it| it.1));
        let crates = crates.flat_map(|part| marked(part, '`')).map(str::to_owned).collect();
        let includes = marked(includes, '`').map(str::to_owned).collect();
        table.insert(name.trim().trim_matches('`').to_owned(), [includes, crates]);
    }
    let features = features();
    for (name, parts) in &features {
        assert_eq!(table.get(name), Some(parts), "src/docs/dependencies.rs: {name}");
    }
    assert_eq!(table.len(), features.len(), "src/docs/dependencies.rs has a row too many");
    assert!(features.len() > 10 && features["none"][1].len() >= 5);
}

/// The table in the documentation of the crate has a row on every feature.
#[test]
fn the_crate_names_every_feature() {
    let page = include_str!("../../src/lib.rs");
    for name in features().keys().filter(|name| !["default", "none"].contains(&name.as_str())) {
        let is_row = |line: &str| line.starts_with(&format!("//! | `{name}` "));
        assert!(page.lines().any(is_row), "src/lib.rs lacks a row on the feature {name}");
    }
}

/// The job on the page of tables is the one that `tests/tables/mod.rs` runs.
#[test]
fn the_page_of_tables_has_the_job_for_spark() {
    let job = include_str!("../tables/spark_job.py").lines();
    let job: String = job.map(|line| format!("//! {line}").trim_end().to_owned() + "\n").collect();
    assert!(
        include_str!("../../src/docs/tables.rs").contains(&job),
        "src/docs/tables.rs lacks tests/tables/spark_job.py"
    );
}

/// Contributors are sent to files that exist, apart from those that they are to write.
#[test]
fn the_files_that_contributors_are_told_of_exist() {
    let text = include_str!("../../CONTRIBUTING.md");
    let folders = ["src/", "tests/", "benches/", "corpus/", ".ci/"];
    let is_to_be_written = |path: &str| {
        let is_placeholder = |part: &str| part.len() > 1 && part.chars().all(char::is_uppercase);
        path.split('/')
            .any(|part| is_placeholder(part) || part.starts_with("csv.") || part == "artifacts")
    };
    let named =
        text.split('`').skip(1).step_by(2).filter_map(|code| code.split_whitespace().next());
    let paths = named.filter(|path| folders.iter().any(|folder| path.starts_with(folder)));
    let paths: BTreeSet<&str> = paths.filter(|path| !is_to_be_written(path)).collect();
    assert!(paths.len() > 40, "{paths:?}");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let missing: Vec<&&str> = paths.iter().filter(|path| !root.join(path).exists()).collect();
    assert!(missing.is_empty(), "CONTRIBUTING.md names files that do not exist: {missing:?}");
}
