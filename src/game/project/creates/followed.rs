//! Tests which expressions are followed, and how far: `tests/project/followed.txt`.

use super::tests::{SCENE as MAIN, csharp_spawn, made, own, project, project_of, shown};
use crate::game::project::Project;
use crate::game::project::altered::{largest, written_down};
use crate::{Variant, variant};

const MEMBERS: &str = "const X = 1\nvar Y = 1\nfunc _set_y(): Y = 2\n\
    func _half(d):\n\tif d: return 1\n\
    func _both(d):\n\tif d: return 1\n\telse: return 1\n\
    func _two(a, b = 1): return b\n\
    func _scene(s): return s\n";

fn argument() -> Variant {
    let texts = Variant::PackedStringArray(["c", "d"].map(String::from).to_vec());
    variant!({
        "kind": 1, "name": "x/b", "list": [2, "b"], "none": null, "real": 0.5, "yes": true,
        "empty": {}, "texts": texts, "zero": 0.0, "one": 1.0, "x/b": 3
    })
}

/// The scenes that a spawn function creates from one argument, and from any argument.
fn created(project: &Project) -> String {
    let one = shown(project, &made(project, Some(&argument())));
    let any = shown(project, &made(project, None));
    format!("{one:4}{any:4}")
}

/// The same for a function of the spawner with this body.
fn created_by(body: &str) -> String {
    created(&own(body, MEMBERS))
}

/// A function that returns a scene after as many other parts of some sort.
type Repeated = (&'static str, usize, fn(usize) -> Project);

const SCENE: &str = "return preload(\"a.tscn\").instantiate()";

/// A value before the scene, with a text before and after it as often.
fn nested(count: usize, before: &str, after: &str) -> Project {
    let value = format!("{}1{}", before.repeat(count), after.repeat(count));
    own(&format!("var x = {value}\n{SCENE}"), "")
}

/// The same in C#.
fn nested_csharp(count: usize, before: &str, after: &str) -> Project {
    let value = format!("{}1{}", before.repeat(count), after.repeat(count));
    let scene = "return GD.Load<PackedScene>(\"res://a.tscn\").Instantiate();";
    csharp_spawn(&format!("var x = {value}; {scene}"), "")
}

/// A scene whose path has this many bytes, and a function that loads it.
fn with_path(len: usize, path: fn(&str) -> String) -> Project {
    let name = "n".repeat(len.saturating_sub("res://.tscn".len()));
    let body = format!("return load({}).instantiate()", path(&name));
    let spawner = format!(
        "extends MultiplayerSpawner\nfunc _init(): spawn_function = _spawn\n\
         func _spawn(_d): {body}\n"
    );
    let scene = "[gd_scene]\n[node name=\"N\" type=\"Node\"]\n";
    project("extends Node\n", &spawner, &[(&format!("{name}.tscn"), scene)])
}

const LIMITS: &[Repeated] = &[
    ("parentheses", 512, |count| nested(count, "(", ")")),
    ("lists", 512, |count| nested(count, "[", "]")),
    ("dictionaries", 512, |count| nested(count, "{1: ", "}")),
    ("arguments", 512, |count| nested(count, "f(", ")")),
    ("signs", 512, |count| nested(count, "-", "")),
    ("negations", 512, |count| nested(count, "not ", "")),
    ("operators", 512, |count| nested(count, "1 + ", "")),
    ("weaker operators", 512, |count| nested(count, "", " or 1")),
    ("choices", 512, |count| nested(count, "1 if x else ", "")),
    ("members", 512, |count| nested(count, "", "[0].x")),
    ("indexes", 512, |count| nested(count, "", "[0]")),
    ("calls", 512, |count| nested(count, "", "()")),
    ("conversions", 512, |count| nested(count, "", " as Node")),
    ("C# parentheses", 512, |count| nested_csharp(count, "(", ")")),
    ("C# arguments", 512, |count| nested_csharp(count, "F(", ")")),
    ("C# negations", 512, |count| nested_csharp(count, "!", "")),
    ("C# operators", 512, |count| nested_csharp(count, "1 + ", "")),
    ("C# choices", 512, |count| nested_csharp(count, "x ? 1 : ", "")),
    ("C# members", 512, |count| nested_csharp(count, "", ".X")),
    ("C# indexes", 512, |count| nested_csharp(count, "", "[0]")),
    ("C# calls", 512, |count| nested_csharp(count, "", "()")),
    ("C# types", 512, |count| nested_csharp(count, "(int)", "")),
    ("C# lambdas", 512, |count| nested_csharp(count, "x => ", "")),
    ("blocks", 512, |count| {
        let blocks: String =
            (0..count).map(|depth| format!("{}if x:\n", "\t".repeat(depth))).collect();
        own(&format!("{blocks}{}pass\n{SCENE}", "\t".repeat(count)), "")
    }),
    ("C# blocks", 512, |count| {
        let body = format!("{}{}", "{ ".repeat(count), "} ".repeat(count));
        csharp_spawn(
            &format!("{body} return GD.Load<PackedScene>(\"res://a.tscn\").Instantiate();"),
            "",
        )
    }),
    ("statements", 1 << 15, |count| own(&format!("{}{SCENE}", "x\n".repeat(count)), "")),
    ("C# statements", 1 << 15, |count| {
        let body = "x();".repeat(count);
        csharp_spawn(
            &format!("{body} return GD.Load<PackedScene>(\"res://a.tscn\").Instantiate();"),
            "",
        )
    }),
    ("functions that call each other", 512, |count| {
        let calls: String =
            (1..count).map(|n| format!("func f{n}(): return f{}()\n", n + 1)).collect();
        let last = format!("func f{count}(): {SCENE}\n");
        own("return f1()", &(calls + &last))
    }),
    ("local variables and conditions", 1 << 12, |count| {
        let variables: String = (0..count).map(|n| format!("var v{n} = 1\n")).collect();
        own(&format!("{variables}{}{SCENE}", "if x(): x()\n".repeat(8)), "")
    }),
    ("values of an expression", 1 << 10, |count| {
        let zeros = "0, ".repeat(count);
        let scenes = "[preload(\"a.tscn\"), preload(\"x/b.tscn\")]";
        own(&format!("return {scenes}[[{zeros}].pick_random()].instantiate()"), "")
    }),
    ("bytes of a path with an end", 1 << 13, |count| {
        with_path(count, |name| format!("\"res://{name}\" + \".tscn\""))
    }),
    ("bytes of a path with a name", 1 << 13, |count| {
        with_path(count, |name| format!("\"res://%s.tscn\" % \"{name}\""))
    }),
    ("functions of a spawner", 512, |count| {
        let spawn = "func(_d): return preload(\"a.tscn\").instantiate()";
        let all: String =
            (0..count).map(|n| format!("func f{n}(): spawn_function = {spawn}\n")).collect();
        let text = format!("extends MultiplayerSpawner\n{all}");
        project("extends Node\n", &text, &[])
    }),
    ("nodes with an exported variable", 1 << 13, |count| {
        let node = |n| {
            format!(
                "[node name=\"N{n}\" type=\"MultiplayerSpawner\" parent=\".\"]\n\
                 script = ExtResource(\"2\")\n"
            )
        };
        let nodes: String = (1..count).map(node).collect();
        let spawner = "extends MultiplayerSpawner\n@export var x = preload(\"a.tscn\")\n\
            func _init(): spawn_function = _spawn\nfunc _spawn(_d): return x.instantiate()\n";
        project_of(&format!("{MAIN}{nodes}"), "extends Node\n", spawner, &[])
    }),
    ("scripts that extend each other", 512, |count| {
        let of = |n: usize| match n {
            0 => {
                "class_name C0 extends MultiplayerSpawner\nfunc _init(): spawn_function = _spawn\n\
                  func _spawn(_d): return preload(\"a.tscn\").instantiate()\n"
                    .to_owned()
            }
            n => format!("class_name C{n} extends C{}\n", n - 1),
        };
        let texts: Vec<_> = (0..count).map(|n| (format!("c{n}.gd"), of(n))).collect();
        let files: Vec<_> = texts.iter().map(|(name, text)| (&**name, &**text)).collect();
        project("extends Node\n", &format!("extends C{}\n", count - 1), &files)
    }),
];

/// The cases in a part of the file: the text after the results. To add one, add a line with any results,
/// and write the file anew.
fn cases(title: &str) -> impl Iterator<Item = &'static str> {
    let text = concat!("\n", include_str!("../../../../tests/project/followed.txt"));
    let mut parts = text.split("\n# ").filter_map(|part| part.split_once('\n'));
    let (_, cases) = parts.find(|(other, _)| *other == title).expect("the file has this part");
    cases.lines().map(|line| &line[8..])
}

/// The scenes that are created by a function that decides between A and B. If the condition is not
/// decided, both are possible, or anything.
fn created_if(condition: &str) -> String {
    created_by(&format!(
        "if {condition}: return preload(\"a.tscn\").instantiate()\n\
         return preload(\"x/b.tscn\").instantiate()"
    ))
}

/// The scenes that are created by a function that returns this value.
fn created_from(value: &str) -> String {
    let others =
        [("a.gd", "static func make(x): return load(\"res://x/b.tscn\")\n"), ("a.glb", "")];
    let spawner = format!(
        "extends MultiplayerSpawner\n{MEMBERS}\nfunc _init(): spawn_function = _spawn\n\
         func _spawn(data):\n\treturn {value}\n"
    );
    created(&project("extends Node\n", &spawner, &others))
}

/// The scenes that are created after this assignment of a function with one scene. The class also has
/// an exported variable.
fn created_after(assignment: &str) -> String {
    let assignment = assignment.replace("; ", "\n\t");
    let main = format!(
        "extends Node\n@export var spawner: MultiplayerSpawner\n\
         @onready var ready = $Spawner\nvar member\n\
         func _spawn(_d): return preload(\"a.tscn\").instantiate()\n\
         func _other(_d): return preload(\"x/b.tscn\").instantiate()\n\
         func _ready():\n\t{assignment}\n\tprint()\n"
    );
    created(&project(&main, "extends MultiplayerSpawner\n", &[]))
}

/// A part of the file: its title, and the function for the results of a case.
type CasesPart = (&'static str, fn(&str) -> String);

const PARTS: [CasesPart; 4] = [
    ("what is decided for an argument, and for any", created_if),
    ("what is created", created_from),
    ("what bodies create that change the values that they use", |body| {
        created_by(&body.replace("; ", "\n"))
    }),
    ("what a function that is assigned so creates", created_after),
];

#[test]
fn each_expression_gives_what_is_written_down() {
    let mut text = String::new();
    for (title, created) in PARTS {
        text += &format!("# {title}\n");
        for case in cases(title) {
            text += &format!("{}{case}\n", created(case));
        }
    }
    text += "# how many of some parts are followed\n";
    for (part, bound, of) in LIMITS {
        let count = largest(*bound, |count| {
            let project = of(count);
            matches!(&*shown(&project, &made(&project, None)), "A" | "N")
        });
        text += &format!("{part}: {count}\n");
    }
    written_down("tests/project/followed.txt", &text);
}
