//! Checks the rules of the architecture on the source code: no files use each other, a module
//! uses only modules that stand before it in the tables of `src/docs/architecture.rs`, and a `mod.rs`
//! has no code.

mod circles;
mod diagram;
mod layers;
mod names;
mod page;
mod rules;
mod source;
mod trees;

use layers::Layers;
use names::{Tree, Uses};
use page::PAGE;
use std::fs;
use std::sync::LazyLock;

/// The tree of this package, which is read once for all tests.
static TREE: LazyLock<(Tree, Uses)> = LazyLock::new(|| {
    let tree = Tree::of_package();
    let uses = tree.uses();
    (tree, uses)
});

#[test]
fn no_files_use_each_other() {
    let (tree, uses) = &*TREE;
    let report = rules::files_in_circles(tree, uses);
    assert!(report.is_empty(), "{report}");
}

#[test]
fn tables_of_contents_have_no_code() {
    let (tree, _) = &*TREE;
    let report = rules::code_in_tables_of_contents(tree);
    assert!(report.is_empty(), "{report}");
}

#[test]
fn modules_of_the_library_use_only_what_stands_before_them() {
    let (tree, uses) = &*TREE;
    let [library, _] = page::tables(&fs::read_to_string(PAGE).unwrap());
    let report = rules::against_the_order(tree, uses, "gdwire", &library.concat());
    assert!(report.is_empty(), "{report}");
}

#[test]
fn modules_of_the_command_use_only_what_stands_before_them() {
    let (tree, uses) = &*TREE;
    let [_, command] = page::tables(&fs::read_to_string(PAGE).unwrap());
    let report = rules::against_the_order(tree, uses, "command", &command.concat());
    assert!(report.is_empty(), "{report}");
}

/// The picture on the page.
const DIAGRAM: &str = "src/docs/architecture.svg";

#[test]
fn the_diagram_shows_the_code() {
    let (tree, uses) = &*TREE;
    let [tables, _] = page::tables(&fs::read_to_string(PAGE).unwrap());
    let mut order = tables.concat();
    let place = |module: &String| order.iter().position(|row| row == module);
    // The test above reports the others.
    let mut arrows = rules::modules(tree, uses, "gdwire");
    arrows.retain(|(from, to)| place(to).is_some() && place(to) < place(from));
    // Nothing uses the pages.
    order.retain(|module| arrows.iter().any(|(from, to)| from == module || to == module));
    let used_by = |module: &str| {
        let used =
            order.iter().filter(|used| arrows.contains(&(module.to_owned(), used.to_string())));
        used.cloned().collect()
    };
    let layers = Layers::new(&order, &layers::reduced(&arrows));
    let diagram = diagram::draw(&layers, &tables, &used_by);
    if std::env::var_os("GDWIRE_DRAW").is_some() {
        fs::write(DIAGRAM, &diagram).unwrap();
    }
    let drawn = fs::read_to_string(DIAGRAM).unwrap_or_default().replace("\r\n", "\n");
    assert!(
        drawn == diagram,
        "{DIAGRAM} does not show which module uses which. To draw it again: \
         GDWIRE_DRAW=1 cargo test --all-features --test architecture"
    );
}
