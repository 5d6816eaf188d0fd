//! The columns are pinned: a change breaks the queries of users.

use gdwire::export::{Column, Rows, Table};

const PAGE: &str = include_str!("../../src/docs/tables.rs");

#[test]
fn the_documentation_has_the_columns_in_order() {
    for table in Table::ALL {
        let rows = Rows::new();
        let fields = rows.schema(*table).fields().clone();
        let columns = table.columns();
        assert_eq!(fields.len(), columns.len());
        let heading = format!("//! # The table `{}`\n", table.name());
        let (_, section) = PAGE.split_once(&heading).expect(&heading);
        let rows = section.lines().skip_while(|line| !line.starts_with("//! | `"));
        let mut rows = rows.take_while(|line| line.starts_with("//! |"));
        for (field, column) in fields.iter().zip(columns) {
            assert_eq!(field.name(), column.name);
            let Column { name, column_type, meaning, .. } = column;
            let expected = format!("//! | `{name}` | {column_type} | {meaning} |");
            assert_eq!(rows.next(), Some(&*expected), "src/docs/tables.rs, {}", table.name());
        }
        assert_eq!(rows.next(), None, "src/docs/tables.rs, {}", table.name());
    }
}
