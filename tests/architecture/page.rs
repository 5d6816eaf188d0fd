//! Reads the order of the modules from the tables of `src/docs/architecture.rs`.

/// The page with the tables.
pub const PAGE: &str = "src/docs/architecture.rs";

/// The heading before the table of the command's modules.
const COMMAND: &str = "# The command";

/// The modules in the tables of the library, from the ground up, then those of the command.
pub fn tables(page: &str) -> [Vec<Vec<String>>; 2] {
    let mut tables = [Vec::new(), Vec::new()];
    let mut of_command = 0;
    for line in page.lines().filter_map(|line| line.strip_prefix("//! ")) {
        of_command |= usize::from(line == COMMAND);
        let tables: &mut Vec<Vec<String>> = &mut tables[of_command];
        let Some(row) = line.strip_prefix("| ") else { continue };
        match (row.split('`').nth(1), tables.last_mut()) {
            // | [`name`](link) | purpose |
            (Some(name), Some(table)) => table.push(name.to_owned()),
            // | module | purpose |
            _ => tables.push(Vec::new()),
        }
    }
    tables
}
