//! The cases that Rust, Python and JavaScript run alike: `corpus/cases.ndjson`.

use crate::common::{corpus, hex, lines, recorded_values, unhex, without_path_padding};
use gdwire::json::{parse as parse_json, to_plain_string, to_string};
use gdwire::{Dialect, Variant, encode, parse};
use serde::{Deserialize, Serialize};

/// A recorded value, and what every language makes of it.
#[derive(Serialize, Deserialize, PartialEq, Debug)]
struct Case {
    dialect: String,
    /// Whether its engine has double-precision reals.
    double: bool,
    /// The bytes as the engine wrote them.
    hex: String,
    /// The same without what the engine's buffer held in the padding of node paths, if that differs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    written: Option<String>,
    native: String,
    plain: String,
    /// Whether native JSON keeps all of the value, so that it is read back as the same bytes.
    is_lossless: bool,
}

/// Longer values are left out, because they show nothing new.
const LONGEST: usize = 800;

fn case(dialect: Dialect, bytes: &[u8]) -> Case {
    let value = parse(dialect, bytes).unwrap();
    let written = encode(dialect, &value).unwrap();
    let native = to_string(value);
    let read = parse_json(&native).ok().and_then(|read| encode(dialect, &read).ok());
    Case {
        dialect: dialect.name().to_owned(),
        double: dialect.has_double_reals(),
        hex: hex(bytes),
        is_lossless: read.as_ref() == Some(&written),
        written: (written != bytes).then(|| hex(&written)),
        plain: to_plain_string(value),
        native,
    }
}

#[test]
fn cases_are_those_of_the_recorded_values() {
    let mut cases = Vec::new();
    for (dialect, line) in recorded_values() {
        let bytes = unhex(&line.hex);
        if bytes.len() <= LONGEST {
            cases.push(case(dialect, &bytes));
        }
    }
    if std::env::var_os("GDWIRE_RECORD").is_some() {
        let lines = cases.iter().map(|case| serde_json::to_string(case).unwrap() + "\n");
        std::fs::write(corpus("cases.ndjson"), lines.collect::<String>()).unwrap();
    }
    assert_eq!(lines::<Case>("cases.ndjson"), cases);
}

#[test]
fn cases_come_back_with_the_same_bytes() {
    for line in lines::<Case>("cases.ndjson") {
        let dialect = Dialect::from_name(&line.dialect).unwrap();
        let dialect = if line.double { dialect.with_double_reals() } else { dialect };
        let bytes = unhex(&line.hex);
        let value = parse(dialect, &bytes).unwrap();
        let written = line.written.as_ref().unwrap_or(&line.hex);
        assert_eq!(hex(&without_path_padding(value)), *written, "{line:?}");
        let owned = Variant::from(value);
        assert_eq!(hex(&encode(dialect, &owned).unwrap()), *written, "{line:?}");
    }
}
