//! Finds out which file uses which: resolves imports and paths to the files that define them.

use crate::architecture::source::{self, Module, Path};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// The path of a module: the first part is `gdwire` for the library, `command` for the command.
pub type Name = Vec<String>;

/// The modules of the library and of the command.
#[derive(Debug, Default)]
pub struct Tree {
    modules: BTreeMap<Name, (Module, usize)>,
    pub files: Vec<File>,
}

#[derive(Debug)]
pub struct File {
    /// Such as `src/format/text/write.rs`.
    pub path: String,
    /// Such as `["gdwire", "text", "write"]`.
    pub module: Name,
}

/// The place where a file uses another.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct Use {
    pub line: usize,
    /// The name that it uses there.
    pub name: String,
}

/// The files that each file uses, and where.
pub type Uses = BTreeMap<(usize, usize), BTreeSet<Use>>;

/// The target of a path.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
enum Found {
    Module(Name),
    Item(usize),
}

impl Tree {
    /// Reads the files of a tree, as the compiler finds them: from each root along `mod name;`.
    /// `read` returns the text of a file.
    pub fn read(roots: &[(&str, &str)], read: &dyn Fn(&str) -> Option<String>) -> Self {
        let mut tree = Self::default();
        for &(name, path) in roots {
            let Some(text) = read(path) else { continue };
            let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
            tree.add_file(vec![name.to_owned()], path, folder, &text, read);
        }
        tree
    }

    /// Reads the tree in the current folder, which is the one of the package in a test.
    pub fn of_package() -> Self {
        let roots = [("gdwire", "src/lib.rs"), ("command", "src/bin/gdwire/main.rs")];
        Self::read(&roots, &|path| fs::read_to_string(path).ok())
    }

    fn add_file(
        &mut self,
        name: Name,
        path: &str,
        folder: &str,
        text: &str,
        read: &dyn Fn(&str) -> Option<String>,
    ) {
        let file = self.files.len();
        self.files.push(File { path: path.to_owned(), module: name.clone() });
        self.add(name, source::module(path, text), file, folder, read);
    }

    fn add(
        &mut self,
        name: Name,
        mut module: Module,
        file: usize,
        folder: &str,
        read: &dyn Fn(&str) -> Option<String>,
    ) {
        for (child, content) in &mut module.children {
            let name = [&name[..], std::slice::from_ref(child)].concat();
            let inner = format!("{folder}/{child}");
            if let Some(content) = content.take() {
                self.add(name, content, file, &inner, read);
                continue;
            }
            for path in [format!("{inner}.rs"), format!("{inner}/mod.rs")] {
                if let Some(text) = read(&path) {
                    self.add_file(name.clone(), &path, &inner, &text, read);
                }
            }
        }
        self.modules.insert(name, (module, file));
    }

    /// The files that each file uses.
    pub fn uses(&self) -> Uses {
        let mut uses = Uses::new();
        for (name, (module, file)) in &self.modules {
            let imports = module.imports.iter().filter(|import| !import.passed_on);
            let imports = imports.map(|import| (&import.path, true));
            let paths = module.paths.iter().map(|path| (path, false));
            for (path, import) in imports.chain(paths) {
                let found = self.resolve(name, path, &mut Vec::new());
                // The name is that of a module, and perhaps also of a function: the paths show
                // which of them is used.
                if import && found.iter().any(|it| matches!(it, Found::Module(_))) {
                    continue;
                }
                for found in found {
                    let Found::Item(used) = found else { continue };
                    if used != *file {
                        let place = Use { line: path.line, name: path.segments.join("::") };
                        uses.entry((*file, used)).or_default().insert(place);
                    }
                }
            }
        }
        uses
    }

    /// The targets of a path in a module. `seen` are the imports on the way here.
    fn resolve(&self, at: &Name, path: &Path, seen: &mut Vec<(Name, String)>) -> BTreeSet<Found> {
        let mut found = BTreeSet::new();
        let mut here = Some(at.clone());
        for (index, segment) in path.segments.iter().enumerate() {
            let last = index + 1 == path.segments.len();
            let root = match segment.as_str() {
                "crate" => Some(at[..1].to_vec()),
                "self" => here.clone(),
                "super" => here.as_ref().map(|here| here[..here.len().max(1) - 1].to_vec()),
                // Only the command can name the library.
                "gdwire" if index == 0 && at[0] != "gdwire" => Some(vec!["gdwire".to_owned()]),
                _ => None,
            };
            if let Some(root) = root {
                found = [Found::Module(root.clone())].into();
                here = Some(root);
                continue;
            }
            found = match here.take() {
                Some(at) if index == 0 => self.find(&at, segment, last, seen),
                _ => {
                    found.into_iter().flat_map(|it| self.inside(it, segment, last, seen)).collect()
                }
            };
        }
        found
    }

    /// The meanings of a name inside of something.
    fn inside(
        &self,
        outer: Found,
        name: &str,
        last: bool,
        seen: &mut Vec<(Name, String)>,
    ) -> BTreeSet<Found> {
        let Found::Module(module) = outer else { return [outer].into() };
        let found = self.find(&module, name, last, seen);
        match self.modules.get(&module) {
            // It may be a name that a macro there makes.
            Some((_, file)) if found.is_empty() => [Found::Item(*file)].into(),
            _ => found,
        }
    }

    /// The meanings of a name in a module. If it is the `last` of a path, it may have several:
    /// `encode` is a module and a function.
    fn find(
        &self,
        at: &Name,
        name: &str,
        last: bool,
        seen: &mut Vec<(Name, String)>,
    ) -> BTreeSet<Found> {
        let mut found = BTreeSet::new();
        let Some((module, file)) = self.modules.get(at) else { return found };
        if name == "_" {
            return found;
        }
        let child = [&at[..], &[name.to_owned()]].concat();
        if self.modules.contains_key(&child) {
            found.insert(Found::Module(child));
            if !last {
                return found;
            }
        }
        if module.definitions.contains(name) {
            found.insert(Found::Item(*file));
        }
        let key = (at.clone(), name.to_owned());
        if seen.contains(&key) {
            return found;
        }
        seen.push(key);
        for import in module.imports.iter().filter(|import| import.name == name) {
            found.extend(self.resolve(at, &import.path, seen));
        }
        if found.is_empty() {
            for import in module.imports.iter().filter(|import| import.name == "*") {
                for outer in self.resolve(at, &import.path, seen) {
                    if let Found::Module(outer) = outer {
                        found.extend(self.find(&outer, name, last, seen));
                    }
                }
            }
        }
        seen.pop();
        if !last && found.iter().any(|it| matches!(it, Found::Module(_))) {
            found.retain(|it| matches!(it, Found::Module(_)));
        }
        found
    }
}
