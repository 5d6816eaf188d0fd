//! Reads the order of the folders and modules from two tables of `src/docs/architecture.rs`.

/// The page with the tables.
pub const PAGE: &str = "src/docs/architecture.rs";

/// The headings above the tables: of the library's folders, and of the command's modules.
pub const FOLDERS: &str = "# The folders";
pub const COMMAND: &str = "# The command";

/// The first column of the table below a heading.
pub fn table(page: &str, heading: &str) -> Vec<String> {
    let lines = page.lines().filter_map(|line| line.strip_prefix("//! "));
    let section = lines.skip_while(|line| *line != heading).skip(1);
    let rows = section.take_while(|line| !line.starts_with('#'));
    // | [`name`](link) | purpose |
    let name = |row: &str| Some(row.strip_prefix("| ")?.split('`').nth(1)?.to_owned());
    rows.filter_map(name).collect()
}
