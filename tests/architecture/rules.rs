//! The rule, and what to do where it is broken.

use crate::architecture::names::{Tree, Use, Uses};
use crate::architecture::page::PAGE;
use std::collections::{BTreeMap, BTreeSet};

/// Advice about a module that uses one after it.
const ORDER: &str = "A module uses only modules whose rows stand before its own. If what it needs \
    belongs further down, move the code. If the rows only stand in the wrong order, move a row.";

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
