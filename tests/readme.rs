//! The table of types in the documentation is the one of the code.

use gdwire::{Dialect, Kind};

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
    let page = include_str!("../src/docs/wire_format.rs");
    let lines: Vec<&str> = page.lines().filter_map(|line| line.strip_prefix("//! ")).collect();
    for &kind in Kind::ALL {
        let row = row(kind);
        assert!(lines.iter().any(|line| line.starts_with(&row)), "wire_format.rs lacks: {row}");
    }
    let rows = lines.iter().skip_while(|line| !line.starts_with("| kind | Godot 3")).skip(2);
    assert_eq!(rows.take_while(|line| line.starts_with('|')).count(), Kind::ALL.len());
}

/// The page on the architecture has a sentence on every module of the crate.
#[test]
fn the_architecture_names_every_module() {
    let page = include_str!("../src/docs/architecture.rs");
    for line in include_str!("../src/lib.rs").lines() {
        let module = line.strip_prefix("pub mod ").or(line.strip_prefix("mod "));
        let Some(module) = module.and_then(|module| module.strip_suffix(';')) else { continue };
        let names = [format!("`{module}`"), format!("`{module}::")];
        assert!(
            page.lines()
                .any(|line| line.starts_with("//! | ")
                    && names.iter().any(|name| line.contains(name))),
            "src/docs/architecture.rs lacks a row on the module {module}"
        );
    }
}
