//! Tests everything that is read from some scripts, and how it differs if a token of them is missing or
//! replaced: `tests/project/gdscript.txt` and `tests/project/csharp.txt`.

use super::{Language, MemberKind, Scripts, cs_parser, csharp, gd_parser, gdscript};
use crate::game::project::altered::{altered, number, written_down};
use crate::game::project::ids::{Interner, NameId};
use crate::game::project::problems::Problems;
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::Debug;

/// Shows something with its names instead of their numbers.
fn shown(what: impl Debug, names: &Interner) -> String {
    let text = format!("{what:?}");
    let mut parts = text.split("NameId(");
    let mut shown = String::from(parts.next().unwrap_or(""));
    for part in parts {
        let (number, rest) = part.split_once(')').expect("it ends");
        let number = number.parse().expect("it is a number");
        shown += names.text(NameId(number));
        shown += rest;
    }
    shown
}

/// All words and strings of a text, so that they have the same numbers if one is missing.
pub(super) fn interned(text: &str) -> Interner {
    let mut names = Interner::default();
    text.split(|c: char| c != '_' && !c.is_alphanumeric()).chain(text.split('"')).for_each(
        |word| {
            names.add(word);
        },
    );
    names
}

pub(super) fn facts(is_csharp: bool, names: &mut Interner, text: &str) -> Vec<String> {
    let mut scripts = Scripts::default();
    let mut problems = Problems::default();
    match is_csharp {
        true => drop(csharp::read(text, "Main.cs", &mut scripts, names, &mut problems)),
        false => drop(gdscript::read(text, "main.gd", &mut scripts, names, &mut problems)),
    }
    let mut facts: Vec<_> = problems.kept.iter().map(ToString::to_string).collect();
    for (class, number) in scripts.classes.iter().zip(0..) {
        let super::ScriptClass { line, name, outer, extends, is_damaged, language, .. } = class;
        let is_damaged = if *is_damaged { ", damaged" } else { "" };
        let namespace = match language {
            Language::Gdscript => "",
            Language::Csharp { namespace } => names.text(*namespace),
        };
        let named = shown((name, outer, extends), names);
        facts.push(format!("class {number} {line} {named} {namespace}{is_damaged}"));
        for (name, parameters) in &class.functions {
            let parameters = parameters.and_then(|id| scripts.signatures.get(id));
            facts.push(format!("class {number} has {} {parameters:?}", names.text(*name)));
        }
        for method in &class.methods {
            facts.push(format!("class {number} rpc {} {:?}", names.text(method.name), method.rpc));
        }
    }
    let Scripts { mentions, sources, grants, .. } = &scripts;
    let effects = sources.effects.first().map(|(_, effects)| *effects).unwrap_or_default();
    for (what, fact) in [
        ("global", shown(&scripts.global, names)),
        ("nested", shown(&scripts.inner, names)),
        ("named", shown(&scripts.csharp, names)),
        ("mentions", shown(mentions.names.keys().collect::<BTreeSet<_>>(), names)),
        ("mentions files", shown(&mentions.paths, names)),
        ("makes itself", shown(&mentions.selves, names)),
        ("assigns functions", shown(&sources.assigning.functions, names)),
        ("changes lists", shown(&sources.listing.functions, names)),
        ("changes", shown(&sources.changed, names)),
        ("changes anywhere", shown(&sources.changed_anywhere, names)),
        ("changes inside", shown(&sources.changed_inside, names)),
        ("paths", shown(&sources.paths, names)),
        ("grants", shown(&grants.of_scripts, names)),
        ("granting", shown(&grants.of_classes, names)),
        ("made remote", shown(&scripts.candidates, names)),
        ("maybe made remote", shown(&scripts.loose, names)),
        ("words", shown(&scripts.words, names)),
    ] {
        facts.extend((fact.len() > 2).then(|| format!("{what} {fact}")));
    }
    for (is_true, fact) in [
        (grants.is_any, "grants any"),
        (mentions.loads_any, "loads any"),
        (mentions.gives_any, "gives any"),
        (sources.assigning.elsewhere, "assigns elsewhere"),
        (sources.listing.elsewhere, "changes lists elsewhere"),
        (effects.computes_paths, "computes paths"),
        (effects.reads_paths, "reads paths"),
        (effects.makes_synchronizers, "makes synchronizers"),
        (effects.changes_spawners, "changes spawners"),
        (effects.adds_properties, "adds properties"),
        (effects.reads_configs, "reads configs"),
        (effects.changes_properties, "changes properties"),
    ] {
        facts.extend(is_true.then(|| fact.to_string()));
    }
    for ((class, name), kind) in &scripts.variables {
        facts.push(format!("class {class} var {} {kind:?}", names.text(*name)));
    }
    for ((class, name), member) in &sources.members {
        let code = match (member.kind, is_csharp) {
            (MemberKind::Function, false) => {
                code(gd_parser::function(text, member.at, names), names)
            }
            (MemberKind::Function, true) => {
                code(cs_parser::function(text, member.at, names), names)
            }
            (_, false) => code(gd_parser::initial(text, member.at, names), names),
            (_, true) => code(cs_parser::initial(text, member.at, names), names),
        };
        facts.push(format!("class {class} {:?} {} {code}", member.kind, names.text(*name)));
    }
    facts
}

/// A short number for the parsed form of a function or value.
fn code(code: Option<impl Debug>, names: &Interner) -> String {
    code.map_or("unread".to_string(), |code| format!("{:08x}", number(&shown(code, names))))
}

const GDSCRIPT: &str = include_str!("../../../../tests/project/gdscript.txt");
const CSHARP: &str = include_str!("../../../../tests/project/csharp.txt");

/// Describes the scripts in a file of the tests. Each line of them begins with `| `. To add a script,
/// add its lines after a blank line, and write the file anew.
fn described(is_csharp: bool, file: &str) -> String {
    let described = file.split("\n\n").map(|part| {
        let lines = part.lines().filter_map(|line| line.strip_prefix("| "));
        let script: String = lines.flat_map(|line| [line, "\n"]).collect();
        let mut names = interned(&script);
        altered(&script, |text| facts(is_csharp, &mut names, text))
    });
    described.collect::<Vec<_>>().join("\n")
}

#[test]
fn each_token_of_gdscript_means_what_is_written_down() {
    written_down("tests/project/gdscript.txt", &described(false, GDSCRIPT));
}

#[test]
fn each_token_of_csharp_means_what_is_written_down() {
    written_down("tests/project/csharp.txt", &described(true, CSHARP));
}
