//! Checks the rule of the architecture on the source code: a folder of the library, or a module of
//! the command, uses only those that stand before it in the tables of `src/docs/architecture.rs`.

mod names;
mod page;
mod rules;
mod source;
mod trees;

use names::Tree;
use page::PAGE;
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

#[test]
fn folders_and_modules_use_only_what_stands_before_them() {
    let tree = Tree::of_package();
    let uses = tree.uses();
    let page = fs::read_to_string(PAGE).unwrap();
    for (root, heading) in [("gdwire", page::FOLDERS), ("command", page::COMMAND)] {
        let report = rules::against_the_order(&tree, &uses, root, &page::table(&page, heading));
        assert!(report.is_empty(), "{report}");
    }
}

/// Each file with unsafe code has a row in the table that says why it is right.
#[test]
fn unsafe_code_is_listed() {
    let listed = fs::read_to_string("src/docs/hostile_input.rs").unwrap();
    let table = listed.split("# Unsafe code\n").nth(1).unwrap().split("//! # ").next().unwrap();
    let rows = table.lines().filter_map(|line| line.strip_prefix("//! | `"));
    let files = rows.flat_map(|row| row.split(" | ").next().unwrap().split('`'));
    let listed: BTreeSet<_> = files.filter(|part| part.ends_with(".rs")).collect();
    let tree = Tree::of_package();
    let is_unsafe = |path: &str| {
        let text = fs::read_to_string(path).unwrap();
        text.contains("unsafe {") || text.contains("unsafe fn") || text.contains("unsafe impl")
    };
    let paths = tree.files.iter().map(|file| file.path.as_str()).filter(|path| is_unsafe(path));
    let found: BTreeSet<_> = paths.map(|path| path.strip_prefix("src/").unwrap()).collect();
    assert_eq!(found, listed);
}

#[test]
fn files_that_the_page_names_exist() {
    let mut folders = vec![PathBuf::from("src")];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    let page = fs::read_to_string(PAGE).unwrap();
    let named: Vec<_> = page.split('`').filter(|it| it.ends_with(".rs")).collect();
    assert!(named.len() > 40);
    for name in named {
        assert!(files.iter().any(|file| file.ends_with(name)), "{PAGE} names {name}");
    }
}
