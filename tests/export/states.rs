//! The table of states has a row for each value that a property gets.

use super::{captures, gdwire, rows, stream, text};
use serde_json::Value;

#[test]
fn states_are_the_values_that_the_command_shows() {
    let mut with_numbers = 0;
    for path in captures() {
        let shown = gdwire(&["states", "--all", "--format", "ndjson", text(&path)]);
        let shown = String::from_utf8(shown.stdout).unwrap();
        let shown: Vec<Value> =
            shown.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let table = gdwire(&["export", "--format", "arrow", "--table", "states", text(&path)]);
        let table = rows(&stream(&table.stdout));
        assert_eq!(table.len(), shown.len(), "{}", path.display());
        for (row, shown) in table.iter().zip(&shown) {
            assert_eq!((&row["frame"], &row["property"]), (&shown["frame"], &shown["property"]));
            let value: Value = serde_json::from_str(row["value"].as_str().unwrap()).unwrap();
            assert_eq!(value, shown["value"], "{}", path.display());
            assert!(row["path"].is_string());
            if let Some(number) = row["number"].as_f64() {
                // Reading JSON rounds differently from reading numbers.
                let is_near = |value: f64| (value - number).abs() <= number.abs() * 1e-15;
                assert!(value.as_f64().is_none_or(is_near), "{value} {number}");
                with_numbers += 1;
            } else {
                // Ids of RIDs are integers in JSON.
                assert!(!value.is_f64(), "{value}");
            }
        }
    }
    assert!(with_numbers > 500, "{with_numbers}");
}
