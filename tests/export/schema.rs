//! The columns are pinned: a change breaks the queries of users.

use gdwire::export::{Rows, Table};
use std::fmt::Write;

const PAGE: &str = include_str!("../../src/docs/tables.rs");

#[test]
fn the_documentation_has_the_columns_in_order() {
    for table in Table::ALL {
        let rows = Rows::new();
        let fields = rows.schema(*table).fields().clone();
        let columns = table.columns();
        assert_eq!(fields.len(), columns.len());
        let mut expected = String::new();
        for (field, column) in fields.iter().zip(columns) {
            assert_eq!(field.name(), column.name);
            let meaning = column.meaning;
            writeln!(expected, "//! | `{}` | {} | {meaning} |", field.name(), column.column_type)
                .unwrap();
        }
        let heading = format!("//! # The table `{}`\n", table.name());
        let (_, section) = PAGE.split_once(&heading).expect(&heading);
        let actual = section.lines().skip_while(|line| !line.starts_with("//! | `"));
        let actual = actual.take_while(|line| line.starts_with("//! |"));
        let actual = actual.fold(String::new(), |text, line| text + line + "\n");
        assert_eq!(actual, expected, "src/docs/tables.rs, {}", table.name());
    }
}
