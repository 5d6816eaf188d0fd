//! The rules, and what to do where one is broken.

use crate::circles::circles;
use crate::names::{Tree, Use, Uses};
use crate::page::PAGE;
use crate::source::Path;
use std::collections::{BTreeMap, BTreeSet};

/// Why two files must not use each other.
const CIRCLE: &str = "Each file below uses the others, directly or through others in the list, so \
    none can be read before the others. Move what they share into a file of its own, below them.";

/// What to do about a module that uses one after it.
const ORDER: &str = "A module uses only modules whose rows stand before its own. If what it needs \
    belongs further down, move the code. If the rows only stand in the wrong order, move a row.";

/// What to do about code in a table of contents.
const CODE: &str = "A folder's mod.rs, as lib.rs, says what the folder is for, lists its modules and \
    passes names on. Move everything else into a file that is named for what it holds.";

/// Files that use each other.
pub fn files_in_circles(tree: &Tree, uses: &Uses) -> String {
    let mut report = String::new();
    for circle in circles(&uses.keys().copied().collect()) {
        report += &format!("\n{} files use each other. {CIRCLE}\n", circle.len());
        for (&(from, to), places) in uses {
            if circle.contains(&from) && circle.contains(&to) {
                report += &format!(
                    "  {} uses {} of {}\n",
                    tree.files[from].path,
                    listed(places),
                    tree.files[to].path
                );
            }
        }
    }
    report
}

/// Code in a `mod.rs` or `lib.rs`.
pub fn code_in_tables_of_contents(tree: &Tree) -> String {
    let mut report = String::new();
    for (file, module) in tree.modules() {
        if !file.path.ends_with("/mod.rs") && !file.path.ends_with("/lib.rs") {
            continue;
        }
        let own_use = module.imports.iter().find(|import| !import.passed_on);
        let path = own_use.map(|import| &import.path).or(module.paths.first());
        if let Some(name) = module.definitions.first() {
            report += &format!("\n{} defines `{name}`. {CODE}\n", file.path);
        } else if let Some(Path { segments, line }) = path {
            let name = segments.join("::");
            report += &format!("\n{} uses `{name}` (line {line}). {CODE}\n", file.path);
        }
    }
    report
}

/// Which module at the top of the library or of the command uses which.
pub fn modules(tree: &Tree, uses: &Uses, root: &str) -> BTreeSet<(String, String)> {
    uses.keys()
        .filter_map(|&(from, to)| Some((top(tree, from, root)?, top(tree, to, root)?)))
        .filter(|(from, to)| from != to)
        .map(|(from, to)| (from.to_owned(), to.to_owned()))
        .collect()
}

/// The top-level module of a file. `None` for the root file, which only declares the modules.
fn top<'a>(tree: &'a Tree, file: usize, root: &str) -> Option<&'a str> {
    let module = &tree.files[file].module;
    if module[0] == root { module.get(1).map(String::as_str) } else { None }
}

/// Modules without a row, rows without a module, and modules that use one after them.
pub fn against_the_order(tree: &Tree, uses: &Uses, root: &str, order: &[String]) -> String {
    let mut report = String::new();
    let modules: BTreeSet<&str> =
        (0..tree.files.len()).filter_map(|file| top(tree, file, root)).collect();
    for module in modules.iter().filter(|&&module| order.iter().all(|row| row != module)) {
        report += &format!(
            "\n{PAGE} has no row for the module `{module}`. Add one below the rows of all modules \
             that it uses.\n"
        );
    }
    for row in order.iter().filter(|row| !modules.contains(row.as_str())) {
        report += &format!("\n{PAGE} has a row for `{row}`, but there is no such module.\n");
    }
    let place = |module: &str| order.iter().position(|row| row == module);
    let mut broken = BTreeMap::<(&str, &str), String>::new();
    for (&(from, to), places) in uses {
        let (Some(user), Some(used)) = (top(tree, from, root), top(tree, to, root)) else {
            continue;
        };
        if place(user).is_some_and(|at| place(used) > Some(at)) {
            *broken.entry((user, used)).or_default() += &format!(
                "  {} uses {} of {}\n",
                tree.files[from].path,
                listed(places),
                tree.files[to].path
            );
        }
    }
    for ((user, used), places) in broken {
        report += &format!(
            "\n`{user}` uses `{used}`, which stands after it in {PAGE}. {ORDER}\n{places}"
        );
    }
    report
}

/// The first few names in a list, with their lines.
fn listed(places: &BTreeSet<Use>) -> String {
    let mut seen = BTreeSet::new();
    let names: Vec<_> = places
        .iter()
        .filter(|place| seen.insert(place.name.rsplit("::").next()))
        .map(|place| format!("`{}` (line {})", place.name, place.line))
        .collect();
    match names.get(4..) {
        Some(rest @ [_, ..]) => format!("{} and {} more", names[..4].join(", "), rest.len()),
        _ => names.join(", "),
    }
}
