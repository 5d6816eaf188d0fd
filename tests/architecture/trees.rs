//! Tests the checks themselves, on small trees.

use crate::architecture::names::Tree;
use crate::architecture::{page, rules};

/// A tree of these files; the roots are `lib.rs` and `main.rs`.
fn tree(files: &[(&str, &str)]) -> Tree {
    let read = |path: &str| {
        let file = files.iter().find(|file| file.0 == path);
        file.map(|file| file.1.to_owned())
    };
    Tree::read(&[("gdwire", "src/lib.rs"), ("command", "src/bin/gdwire/main.rs")], &read)
}

/// The uses between files, as arrows of names without `src/` and `.rs`.
fn arrows(files: &[(&str, &str)]) -> Vec<String> {
    let tree = tree(files);
    let name =
        |file: usize| tree.files[file].path.trim_start_matches("src/").trim_end_matches(".rs");
    tree.uses().keys().map(|&(from, to)| format!("{} > {}", name(from), name(to))).collect()
}

/// The files that `src/a.rs` with this content uses, next to a few others.
fn used(a: &str) -> Vec<String> {
    let arrows = arrows(&[
        ("src/lib.rs", "mod a; mod b; mod c; mod shapes; pub use b::Beam;"),
        ("src/a.rs", a),
        ("src/b.rs", "pub struct Beam; pub fn build() {}"),
        ("src/c.rs", "macro_rules! made { () => {} } made!(Crane);"),
        (
            "src/shapes/mod.rs",
            "mod round; pub mod square; pub use round::*; pub use square::Square;",
        ),
        ("src/shapes/round.rs", "pub struct Circle;"),
        ("src/shapes/square.rs", "pub struct Square; pub fn square() {}"),
    ]);
    arrows.iter().filter_map(|it| Some(it.strip_prefix("a > ")?.to_owned())).collect()
}

#[test]
fn imports_lead_to_the_file_that_defines_the_name() {
    assert_eq!(used("use crate::b::Beam;"), ["b"]);
    assert_eq!(used("use crate::Beam as Other;"), ["b"]);
    assert_eq!(used("use super::{b::{self, build}, shapes::Square};"), ["b", "shapes/square"]);
    assert_eq!(used("use crate::shapes::Circle;"), ["shapes/round"]);
    assert_eq!(used("use crate::c::Crane;"), ["c"]);
    assert_eq!(used("use crate::shapes; use std::fmt;"), [""; 0]);
    assert_eq!(used("mod inner { use super::super::b::Beam; }"), ["b"]);
}

#[test]
fn paths_lead_there_too() {
    assert_eq!(used("fn f() { crate::b::build() }"), ["b"]);
    assert_eq!(used("use crate::shapes; fn f(c: &shapes::Circle) {}"), ["shapes/round"]);
    assert_eq!(used("use crate::shapes::square; fn f() { square::square() }"), ["shapes/square"]);
    assert_eq!(used("fn f() { println!(\"{}\", crate::b::build()) }"), ["b"]);
    assert_eq!(used("macro_rules! m { () => { $crate::b::build() } }"), ["b"]);
    assert_eq!(used("use crate::shapes::*; fn f(it: Circle) {}"), ["shapes/round"]);
    assert_eq!(used("fn f(shapes: u8) { shapes.square(); Self::b() }"), [""; 0]);
}

#[test]
fn tests_and_documentation_do_not_count() {
    assert_eq!(used("#[cfg(test)] mod tests { use crate::b::Beam; }"), [""; 0]);
    assert_eq!(used("#[cfg(test)] use crate::b::Beam; fn f() {}"), [""; 0]);
    assert_eq!(used("#[cfg(all(test, unix))] #[test] fn f() -> crate::b::Beam {}"), [""; 0]);
    assert_eq!(used("/// See [`Beam`](crate::b::Beam).\nfn f() {} // crate::b::build()"), [""; 0]);
    assert_eq!(used("#[cfg(test)] fn f() {} #[cfg(not(test))] use crate::b::Beam;"), ["b"]);
}

#[test]
fn a_table_of_contents_uses_nothing() {
    let children =
        [("src/lib.rs", "mod a;"), ("src/a/b.rs", "use super::c::C;"), ("src/a/c.rs", "struct C;")];
    let with =
        |parent: &'static str| arrows(&[&children[..], &[("src/a/mod.rs", parent)]].concat());
    assert_eq!(with("mod b; mod c; pub use c::C;"), ["a/b > a/c"]);
    assert_eq!(with("mod b; mod c; use c::C;"), ["a/mod > a/c", "a/b > a/c"]);
    assert_eq!(with("mod b; mod c; pub use c::C; fn f() -> C {}"), ["a/mod > a/c", "a/b > a/c"]);
}

#[test]
fn the_command_may_use_the_library() {
    let arrows = arrows(&[
        ("src/lib.rs", "mod a; pub use a::A;"),
        ("src/a.rs", "pub struct A;"),
        ("src/bin/gdwire/main.rs", "mod run; use run::run;"),
        ("src/bin/gdwire/run.rs", "use gdwire::A; pub fn run() {}"),
    ]);
    assert_eq!(arrows, ["bin/gdwire/main > bin/gdwire/run", "bin/gdwire/run > a"]);
}

#[test]
fn a_use_against_the_order_is_reported() {
    let tree = tree(&[
        ("src/lib.rs", "mod low; mod high; mod other;"),
        ("src/low/mod.rs", "mod part;"),
        ("src/low/part.rs", "\nuse crate::high::High;"),
        ("src/high.rs", "pub struct High;"),
        ("src/other.rs", "use crate::high::High;"),
    ]);
    let report = |page: &str| {
        let order = page::table(page, page::FOLDERS);
        rules::against_the_order(&tree, &tree.uses(), "gdwire", &order)
    };
    let page = "//! # The folders\n//! | module | purpose |\n//! |---|---|\n//! | `low` | a |\n//! | [`high`](x) | a |\n\
        //! | `other` | a |\n//! # The command\n//! | module | x |\n//! | `low` | x |\n";
    let against = report(page);
    assert!(against.contains("`low` uses `high`, which stands after it"), "{against}");
    let line = "src/low/part.rs uses `crate::high::High` (line 2) of src/high.rs";
    assert!(against.contains(line) && !against.contains("other"), "{against}");

    let page = "//! # The folders\n//! | module | purpose |\n//! | `high` | a |\n//! | `low` | a |\n//! | `old` | a |\n";
    let rows = report(page);
    assert!(rows.contains("no row for the module `other`"), "{rows}");
    assert!(rows.contains("a row for `old`, but there is no such module"), "{rows}");
    assert!(!rows.contains("stands after"), "{rows}");
}
