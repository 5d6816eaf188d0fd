//! Tests of what functions of spawners create.

use super::{MadeScenes, Others};
use crate::game::project::altered::{altered, written_down};
use crate::game::project::{NodeRole, Project, SceneId, ScriptEffect, SpawnerId};
use crate::{Dialect, Variant, encode, parse, variant};

pub(super) const SCENE: &str = "[gd_scene format=3]\n\
    [ext_resource type=\"Script\" path=\"res://main.gd\" id=\"1\"]\n\
    [ext_resource type=\"Script\" path=\"res://spawner.gd\" id=\"2\"]\n\
    [ext_resource type=\"PackedScene\" path=\"res://a.tscn\" id=\"3\"]\n\
    [ext_resource type=\"PackedScene\" path=\"res://x/b.tscn\" id=\"4_b\"]\n\
    [node name=\"Main\" type=\"Node\"]\n\
    script = ExtResource(\"1\")\n\
    one = ExtResource(\"3\")\n\
    two = Array[PackedScene]([ExtResource(\"3\"), ExtResource(\"4_b\")])\n\
    by_name = Dictionary[String, PackedScene]({\n\"a\": ExtResource(\"3\"),\n\"b\": ExtResource(\"4_b\")\n})\n\
    path = \"res://x/c.tscn\"\n\
    spawner = NodePath(\"Spawner\")\n\
    [node name=\"Spawner\" type=\"MultiplayerSpawner\" parent=\".\"]\n\
    unique_name_in_owner = true\n\
    script = ExtResource(\"2\")\n";

/// A project with a scene of a spawner, which has the script `spawner.gd`, and three other scenes.
/// The root has the script `main.gd`.
pub(super) fn project(main: &str, spawner: &str, others: &[(&str, &str)]) -> Project {
    project_of(SCENE, main, spawner, others)
}

/// The same with another scene.
pub(super) fn project_of(
    main_scene: &str,
    main: &str,
    spawner: &str,
    others: &[(&str, &str)],
) -> Project {
    let scene = |name: &str| format!("[gd_scene format=3]\n[node name=\"{name}\" type=\"Node\"]\n");
    let (a, b, c) = (scene("A"), scene("B"), scene("C"));
    let mut files = vec![
        ("project.godot", "[application]\nrun/main_scene=\"res://main.tscn\"\n"),
        ("main.tscn", main_scene),
        ("main.gd", main),
        ("spawner.gd", spawner),
        ("a.tscn", &a),
        ("x/b.tscn", &b),
        ("x/c.tscn", &c),
    ];
    files.extend(others);
    Project::from_files(files)
}

fn spawner(project: &Project, path: &str) -> SpawnerId {
    match project.node(path).expect("the scene has this node").role {
        NodeRole::Spawner(spawner) => spawner,
        role => panic!("{role:?}"),
    }
}

pub(super) fn made(project: &Project, argument: Option<&Variant>) -> MadeScenes {
    let spawner = spawner(project, "Main/Spawner");
    let Some(argument) = argument else { return project.made_by_function(spawner, None) };
    let bytes = encode(Dialect::GODOT_4, argument).expect("it is short");
    let argument = parse(Dialect::GODOT_4, &bytes).expect("it is whole");
    project.made_by_function(spawner, Some(&argument))
}

/// The names of the scenes, with `+` for nodes of no scene and `?` for anything.
pub(super) fn shown(project: &Project, made: &MadeScenes) -> String {
    let name = |scene: &SceneId| project.scene(*scene).root_name().unwrap_or("no root");
    let mut names: Vec<&str> = made.scenes.iter().map(name).collect();
    names.sort_unstable();
    let others = match made.others {
        Others::Nothing => "",
        Others::NoScene => "+",
        Others::Anything => "?",
    };
    names.concat() + others
}

#[track_caller]
fn check(project: &Project, argument: Option<&Variant>, expected: &str) {
    assert_eq!(known(project, argument), expected);
}

/// A spawner whose own script has this body of `_spawn`, and these lines before it.
pub(super) fn own(body: &str, before: &str) -> Project {
    let body = body.replace('\n', "\n\t");
    project(
        "extends Node\n",
        &format!(
            "extends MultiplayerSpawner\n{before}\nfunc _init():\n\tspawn_function = _spawn\n\n\
             func _spawn(data):\n\t{body}\n\nfunc _other():\n\tpass\n"
        ),
        &[],
    )
}

/// The scenes that the function of the spawner creates; `?` if that is not known.
fn known(project: &Project, argument: Option<&Variant>) -> String {
    let made = made(project, argument);
    match made.others {
        // The scenes are only possible ones.
        Others::Anything => "?".to_owned(),
        _ => shown(project, &made),
    }
}

/// Checks the rows of a part of `spawned.txt`: what is created, and in the other columns from what.
fn check_rows(title: &str, of: impl Fn(&[String]) -> String) {
    let text = concat!("\n", include_str!("../../../../tests/project/spawned.txt"));
    let part = text.split("\n# ").find(|part| part.lines().next() == Some(title));
    for row in part.expect("the file has this part").lines().skip(1) {
        let cell = |cell: &str| cell.replace("\\n", "\n").replace("\\t", "\t");
        let mut cells = row.split('\t').map(cell).chain([String::new()]);
        let expected = cells.next().unwrap_or_default();
        let found = of(&cells.collect::<Vec<_>>());
        assert_eq!(found, expected.replace("nothing", ""), "{row}");
    }
}

/// The scenes that may be created from this argument, and those from an argument that is not known.
fn of_both(project: &Project, argument: &str) -> String {
    let argument = crate::text::parse(argument).expect("it is a literal");
    format!("{} {}", known(project, Some(&argument)), known(project, None))
}

#[test]
fn functions_create_what_is_written_down() {
    check_rows("the body of a function, and the members before it", |row| {
        known(&own(&row[0], &row[1]), None)
    });
    let all = "const X = [preload(\"a.tscn\"), preload(\"x/b.tscn\"), preload(\"x/c.tscn\")]\n\
        const Y = {\"a\": preload(\"a.tscn\"), \"b\": preload(\"x/b.tscn\")}";
    check_rows("the same for an argument and for any, the argument, and the body", |row| {
        of_both(&own(&row[1], all), &row[0])
    });
    check_rows("an assignment in a script, and the members before it", |row| {
        let main = format!(
            "extends Node\n{}func _spawn(_d): return preload(\"a.tscn\").instantiate()\n\
             func _ready():\n\t{}\n\tprint()\n",
            row[1], row[0]
        );
        known(&project(&main, "extends MultiplayerSpawner\n", &[]), None)
    });
    let change = "func change(list): list[0] = \"res://a.tscn\"\nvar list = [0]";
    check_rows("a function that may change what it was given", |row| {
        known(&own(&row[0], change), Some(&variant!(["res://x/b.tscn"])))
    });
    check_rows("a variable, its value, and a statement that may change it", |row| {
        let scenes = |text: &str| {
            text.replace('A', "preload(\"a.tscn\")").replace('B', "preload(\"x/b.tscn\")")
        };
        let before = format!("const X = [A, B]\nvar x = {}\nfunc _f(y):\n\t{}", row[1], row[2]);
        known(&own(&format!("return {}.instantiate()", row[0]), &scenes(&before)), None)
    });
    // Another script may change the variable.
    let text = "extends MultiplayerSpawner\nvar x = preload(\"a.tscn\")\n\
        func _init(): spawn_function = _spawn\nfunc _spawn(_d): return x.instantiate()\n";
    for (other, expected) in [
        ("func f(s): s.x = null\n", "?"),
        ("func f(s): x = s\n", "A"),
        ("extends \"spawner.gd\"\nfunc f(s): x = s\n", "?"),
        ("extends \"main.gd\"\nfunc f(s): x = s\n", "A"),
    ] {
        check(&project("", text, &[("z.gd", other)]), None, expected);
    }
}

/// Several spawners have one script, and each has values of its own.
#[test]
fn exported_variables_have_the_values_of_their_node() {
    let node = |name: &str, values: &str| {
        format!(
            "[node name=\"{name}\" type=\"MultiplayerSpawner\" parent=\".\"]\n\
             script = ExtResource(\"1\")\n{values}"
        )
    };
    let scene = format!(
        "[gd_scene format=3]\n\
         [ext_resource type=\"Script\" path=\"res://spawner.gd\" id=\"1\"]\n\
         [ext_resource type=\"PackedScene\" path=\"res://a.tscn\" id=\"2\"]\n\
         [ext_resource type=\"PackedScene\" path=\"res://x/b.tscn\" id=\"3\"]\n\
         [node name=\"Main\" type=\"Node\"]\n{}{}{}{}",
        node("One", "scene = ExtResource(\"2\")\n"),
        node("Two", "scene = ExtResource(\"3\")\nlimit = 4\n"),
        node("Limited", "limit = 4\n"),
        node("None", ""),
    );
    let text = "extends MultiplayerSpawner\n@export var scene: PackedScene\n\
        @export var limit := 1\nfunc _ready(): spawn_function = _make\n\
        func _make(_d): return _scene().instantiate()\nfunc _scene(): return scene\n";
    let changed = format!("{text}func change(x): scene = x\n");
    let autoload = "[application]\nrun/main_scene=\"res://main.tscn\"\n\
        [autoload]\nOther=\"*res://spawner.gd\"\n";
    let text_of_autoload = text.replace("return scene", "return Other.scene");
    for (text, settings, expected) in
        [(text, "", "A B ? ?"), (&changed, "", "? ? ? ?"), (&text_of_autoload, autoload, "? ? ? ?")]
    {
        let mut files = vec![];
        if !settings.is_empty() {
            files.push(("project.godot", settings));
        }
        let project = project_of(&scene, "extends Node\n", text, &files);
        let found = ["One", "Two", "Limited", "None"].map(|name| {
            let spawner = spawner(&project, &format!("Main/{name}"));
            shown(&project, &project.made_by_function(spawner, None))
        });
        assert_eq!(found.join(" "), expected);
    }
}

#[test]
fn base_classes_autoloads_and_static_functions_are_followed() {
    let others: &[(&str, &str)] = &[
        (
            "base.gd",
            "class_name Base extends MultiplayerSpawner\nfunc _ready(): spawn_function = _spawn\nfunc _spawn(_d): return _make().instantiate()\nfunc _make(): return preload(\"a.tscn\")\n",
        ),
        (
            "kinds.gd",
            "class_name Kinds\nconst C = preload(\"x/c.tscn\")\nstatic func make(): return C.instantiate()\n",
        ),
    ];
    check_rows("the script of a spawner, which may extend others", |row| {
        known(&project("extends Node\n", &row[0], others), None)
    });
    let text = "extends MultiplayerSpawner\nfunc _init(): spawn_function = func(_d): return Globals.BOMB.instantiate()\n";
    // No node of a scene has the script, so exported variables keep their first value.
    for kind in ["const", "var", "@export var", "static var"] {
        let globals = format!("extends Node\n{kind} BOMB = preload(\"bomb.tscn\")\n");
        let project = Project::from_files([
            (
                "project.godot",
                "[application]\nrun/main_scene=\"res://main.tscn\"\n[autoload]\nGlobals=\"*res://globals.gd\"\n",
            ),
            ("globals.gd", &globals),
            ("bomb.tscn", "[gd_scene]\n[node name=\"Bomb\" type=\"Node\"]\n"),
            ("spawner.gd", text),
            (
                "main.tscn",
                "[gd_scene]\n[ext_resource type=\"Script\" path=\"res://spawner.gd\" id=\"1\"]\n[node name=\"Main\" type=\"Node\"]\n[node name=\"Spawner\" type=\"MultiplayerSpawner\" parent=\".\"]\nscript = ExtResource(\"1\")\n",
            ),
        ]);
        check(&project, None, "Bomb");
    }
}

#[test]
fn what_a_function_does_to_other_nodes_does_not_matter() {
    let helpers = "func _visit(node):\n\tif not node: return\n\tif node is Node2D:\n\t\tnode.show()\n\
                   \tfor child in node.get_children(): _visit(child)\n";
    let spawned = variant!([3, "res://x/b.tscn", 1.5]);
    for body in [
        "var id = data[0]\nvar scene = data[1]\nvar object = load(scene).instantiate()\nobject.name = str(id)\n_visit(object)\nreturn object",
        "print(data)\nvar scene = data[1]\nobject = load(scene)\nvar object = load(scene).instantiate()\nadd_to_group(str(_visit(self)))\nreturn object",
        "_visit($Sprite)\nreturn load(data[1]).instantiate()",
    ] {
        check(&own(body, helpers), Some(&spawned), "B");
        check(&own(body, helpers), None, "?");
    }
}

/// A project whose root has a script in C# with these members.
fn csharp(members: &str) -> Project {
    let scene = |name: &str| format!("[gd_scene]\n[node name=\"{name}\" type=\"Node\"]\n");
    let script = format!(
        "using Godot;\nnamespace Game;\n\npublic partial class Main : Node\n{{\n{members}\n}}\n"
    );
    Project::from_files([
        ("project.godot", "[application]\nrun/main_scene=\"res://main.tscn\"\n"),
        (
            "main.tscn",
            "[gd_scene]\n[ext_resource type=\"Script\" path=\"res://Main.cs\" id=\"1\"]\n\
             [ext_resource type=\"PackedScene\" path=\"res://a.tscn\" id=\"2\"]\n\
             [ext_resource type=\"PackedScene\" path=\"res://x/b.tscn\" id=\"3\"]\n\
             [node name=\"Main\" type=\"Node\"]\nscript = ExtResource(\"1\")\n\
             One = ExtResource(\"2\")\n\
             Two = [ExtResource(\"2\"), ExtResource(\"3\")]\n\
             Number = 1\n\
             [node name=\"Spawner\" type=\"MultiplayerSpawner\" parent=\".\"]\n",
        ),
        ("Main.cs", &script),
        ("a.tscn", &scene("A")),
        ("x/b.tscn", &scene("B")),
        ("x/c.tscn", &scene("C")),
    ])
}

/// The same with a function of the spawner.
pub(super) fn csharp_spawn(body: &str, members: &str) -> Project {
    csharp(&format!(
        "{members}\npublic override void _Ready()\n{{\n\
         GetNode<MultiplayerSpawner>(\"Spawner\").SpawnFunction = new Callable(this, MethodName.Make);\n}}\n\
         private Node Make(Variant data)\n{{\n{body}\n}}\nvoid Other() {{ }}"
    ))
}

#[test]
fn functions_in_csharp_create_what_is_written_down() {
    let make = "private Node Make(Variant data) => GD.Load<PackedScene>(\"res://a.tscn\").Instantiate();\n";
    check_rows("an assignment in C#", |row| known(&csharp(&format!("{make}{}", row[0])), None));
    let all = "private PackedScene[] _x = { GD.Load<PackedScene>(\"res://a.tscn\"), GD.Load<PackedScene>(\"res://x/b.tscn\") };\n\
               private static readonly Dictionary<string, string> Paths = new() { { \"a\", \"res://a.tscn\" }, { \"c\", \"res://x/c.tscn\" } };\n\
               private const string Path = \"res://x/b.tscn\";\n\
               [Export] public PackedScene One { get; set; }\n\
               [Export]\nprivate Godot.Collections.Array<PackedScene> Two;\n\
               [Export] public int Number = 0;\n\
               private PackedScene _changed = GD.Load<PackedScene>(\"res://a.tscn\");\n\
               private PackedScene Bomb => ResourceLoader.Load<PackedScene>(\"res://x/c.tscn\");\n\
               private void Change(PackedScene s) { _changed = s; }\n\
               private Node Same(int n) { return null; }\nprivate Node Same(string n) { return One.Instantiate(); }\n";
    check_rows("the same for an argument and for any in C#, the argument, and the body", |row| {
        of_both(&csharp_spawn(&row[1], all), &row[0])
    });
    let load = |path| format!("GD.Load<PackedScene>(\"res://{path}.tscn\")");
    let scenes = format!("PackedScene[] X = {{ {}, {} }};", load("a"), load("x/b"));
    check_rows("the same in C#", |row| {
        let members = format!("{scenes}\n{};\n{}", row[1], row[2]);
        known(&csharp_spawn(&format!("return {}.Instantiate();", row[0]), &members), None)
    });
}

#[test]
fn lists_have_the_scenes_that_scripts_add() {
    let scene = SCENE.to_owned() + "_spawnable_scenes = PackedStringArray(\"res://x/c.tscn\")\n";
    let listed = |scene: &str, main: &str, others: &[(&str, &str)]| {
        let project = project_of(scene, main, "extends MultiplayerSpawner\n", others);
        let list = project.spawner(spawner(&project, "Main/Spawner"));
        let scenes = (0..u8::MAX).map_while(|number| list.scene(number));
        scenes.filter_map(|scene| project.scene(scene).root_name()).collect::<String>()
    };
    check_rows(
        "the list of a spawner whose scene lists C, the body of a function of its parent, and the members before it",
        |row| {
            let body = row[0].replace('\n', "\n\t");
            listed(&scene, &format!("extends Node\n{}\nfunc _ready():\n\t{body}\n", row[1]), &[])
        },
    );
    check_rows("the same for a script in C#", |row| {
        let main = format!(
            "using Godot;\npublic partial class Main : Node {{\n{}\npublic override void _Ready() {{\n{}\n}}\n}}\n",
            row[1], row[0]
        );
        listed(&scene.replace("main.gd", "Main.cs"), "", &[("Main.cs", &main)])
    });
}

#[test]
fn spawners_that_scripts_make_are_known() {
    let title = "the list of a spawner that a script makes as its child, its path to other nodes, and the script";
    check_rows(title, |row| {
        let script = format!("extends Node\n{}", row[0]);
        let project = project(&script, "extends MultiplayerSpawner\n", &[]);
        let Some(NodeRole::Spawner(spawner)) = project.node("Main/S").map(|node| node.role) else {
            return "none".to_owned();
        };
        let spawner = project.spawner(spawner);
        let scenes = (0..u8::MAX).map_while(|number| spawner.scene(number));
        let names: String = scenes.filter_map(|scene| project.scene(scene).root_name()).collect();
        [&names, spawner.spawn_path().unwrap_or("")].join(" ").trim().to_owned()
    });
}

#[test]
fn hostile_functions_of_csharp_are_followed_only_so_far() {
    let deep = |open: &str, close: &str| {
        let text = format!("{}1{}", open.repeat(5_000), close.repeat(5_000));
        format!("var x = {text}; return GD.Load<PackedScene>(\"res://a.tscn\").Instantiate();")
    };
    for (open, close) in [
        ("(", ")"),
        ("[", "]"),
        ("f(", ")"),
        ("-", ""),
        ("!", ""),
        ("x.", ""),
        ("1 + ", ""),
        ("(int)", ""),
        ("x => ", ""),
        ("() => { return ", "; }"),
        ("new X { ", "}"),
        ("a<", ""),
        ("x ? ", " : 2"),
        ("1 switch { 2 => ", "}"),
        ("1 switch { _ => 1 } switch { _ => ", "}"),
    ] {
        check(&csharp_spawn(&deep(open, close), ""), None, "?");
    }
    let good = "return GD.Load<PackedScene>(\"res://a.tscn\").Instantiate();";
    for opening in ["{", "if (x) ", "while (x) ", "switch (x) { case 1: "] {
        check(&csharp_spawn(&(opening.repeat(5_000) + good), ""), None, "?");
    }
    check(&csharp_spawn(&("x();".repeat(100_000) + good), ""), None, "?");
    // The code after a function does not count towards its limit.
    let others = "int x; ".repeat(20_000);
    let spawner = "GetNode<MultiplayerSpawner>(\"Spawner\")";
    let members = format!(
        "public override void _Ready() {{ {spawner}.SpawnFunction = new Callable(this, MethodName.Make); }}\n\
         private Node Make(Variant data) {{ if (x) {{ }} {good} }}\n{others}"
    );
    check(&csharp(&members), None, "A");
}

#[test]
fn hostile_functions_are_followed_only_so_far() {
    let deep = |open: &str, close: &str| {
        let text = format!("{}1{}", open.repeat(5_000), close.repeat(5_000));
        own(&format!("var x = {text}\nreturn preload(\"a.tscn\").instantiate()"), "")
    };
    for (open, close) in
        [("(", ")"), ("[", "]"), ("f(", ")"), ("-", ""), ("not ", ""), ("x.", ""), ("1 + ", "")]
    {
        check(&deep(open, close), None, "?");
    }
    let calls: String = (0..100_000).fold(String::new(), |text, n| {
        text + &format!("func f{n}(d): return f{}(d)\n", (n + 1) % 100_000)
    });
    check(&own("return f0(data)", &calls), None, "?");
    let doubling: String = (0..64).fold(String::new(), |text, n| {
        text + &format!("func f{n}(d):\n\tif d: return f{}(d)\n\treturn f{}(d)\n", n + 1, n + 1)
    });
    check(&own("return f0(data)", &doubling), None, "?");
    let many = "preload(\"a.tscn\"),".repeat(100_000);
    check(&own("return X[data].instantiate()", &format!("const X = [{many}]")), None, "?");
    let circle = "const X = Y\nconst Y = X";
    check(&own("return X.instantiate()", circle), None, "?");
    let assigning: String = (0..20_000)
        .fold(String::new(), |text, n| text + &format!("func a{n}(): spawn_function = _spawn\n"));
    let many = own("return preload(\"a.tscn\").instantiate()", &assigning);
    check(&many, None, "?");
}

/// Each line copies or searches more than the one before, or a long text.
#[test]
fn what_takes_long_takes_many_steps() {
    let lines = |count: usize, line: &dyn Fn(usize) -> String| -> String {
        (0..count).map(|n| line(n) + "\n").collect()
    };
    let text = format!("const T = \"{}\"\n", "x".repeat(20_000));
    let parameters = format!("func f({}): pass\n", lines(5_000, &|n| format!("p{n},")));
    let locals = |count| lines(count, &|n| format!("var v{n} = {n}"));
    let bound = |around: &str, count| {
        let first = format!("{around}var f0 = func(): pass\n");
        first + &lines(count, &|n| format!("var f{} = f{n}.bind({n})", n + 1))
    };
    for (before, few, many) in [
        (&*text, lines(2, &|_| "var x = T % []".into()), lines(400, &|_| "var x = T % []".into())),
        (&text, lines(2, &|_| "var x = T == T".into()), lines(400, &|_| "var x = T == T".into())),
        ("", bound("", 20), bound("", 1_000)),
        ("", bound(&locals(20), 20), bound(&locals(300), 300)),
        (&parameters, lines(2, &|_| "f()".into()), lines(1, &|_| "var x = f()".into()).repeat(400)),
        ("", locals(20) + "while x: pass", locals(300) + &"while x: pass\n".repeat(300)),
        ("", locals(20) + "while x: v1 = 2", locals(2_000) + &"v0 = 1\n".repeat(2_000)),
    ] {
        let end = "\nreturn preload(\"a.tscn\").instantiate()";
        check(&own(&(few + end), before), None, "A");
        check(&own(&(many + end), before), None, "?");
    }
}

/// The functions of all spawners share the steps. One of many nodes is followed once, and short ones
/// leave steps for many others.
#[test]
fn many_functions_are_followed_only_so_far() {
    const NODES: usize = 700;
    let own = "extends \"base.gd\"\nfunc _init(): spawn_function = _spawn\n";
    for (lines, scripts, expected) in [(1_000, 2, "A"), (1_000, NODES, "?"), (1, NODES, "A")] {
        let base = format!(
            "extends MultiplayerSpawner\nfunc _spawn(d):\n{}\t\
             return preload(\"res://a.tscn\").instantiate()\n",
            "\tvar x = 1 + 1 + 1 + 1 + 1 + 1 + 1\n".repeat(lines)
        );
        let mut scene = String::from("[gd_scene format=3]\n");
        let mut nodes = String::from("[node name=\"Main\" type=\"Node\"]\n");
        let mut files = vec![("base.gd".to_owned(), base.clone())];
        for n in 0..scripts {
            scene += &format!("[ext_resource type=\"Script\" path=\"res://s{n}.gd\" id=\"{n}\"]\n");
            files.push((format!("s{n}.gd"), own.to_owned()));
        }
        for n in 0..NODES {
            let name = if n + 1 == NODES { "Spawner".to_owned() } else { format!("S{n}") };
            nodes += &format!(
                "[node name=\"{name}\" type=\"MultiplayerSpawner\" parent=\".\"]\n\
                 script = ExtResource(\"{}\")\n",
                n % scripts
            );
        }
        let files: Vec<_> = files.iter().map(|(path, text)| (&**path, &**text)).collect();
        check(&project_of(&(scene + &nodes), "", "", &files), None, expected);
    }
}

/// A member that is mentioned often is read once.
#[test]
fn each_member_is_read_once() {
    let long = "1, ".repeat(100_000);
    let body = "\tX\n".repeat(2_000);
    let spawner = format!(
        "extends MultiplayerSpawner\nconst X = [{long}]\nfunc _init():\n{body}\tadd_spawnable_scene(\"res://a.tscn\")\n"
    );
    let start = std::time::Instant::now();
    project("extends Node\n", &spawner, &[]);
    // Reading it 2,000 times would take minutes.
    assert!(start.elapsed() < std::time::Duration::from_secs(30), "{:?}", start.elapsed());
}

#[test]
fn an_argument_is_followed_only_so_far() {
    let list = |count: usize| {
        format!("const X = [{} preload(\"a.tscn\")]", "preload(\"x/b.tscn\"), ".repeat(count))
    };
    let argument = variant!({ "kind": 0 });
    // The result of a function that does not depend on the argument is known from reading the
    // project.
    let others = "print(data.kind)\nreturn X[0].instantiate()";
    for (body, count, any, one) in [
        ("return X[data.kind].instantiate()", 100, "AB", "B"),
        ("return X[data.kind].instantiate()", 2_000, "AB", "?"),
        (others, 100, "B", "B"),
        (others, 2_000, "B", "B"),
    ] {
        let project = own(body, &list(count));
        check(&project, None, any);
        check(&project, Some(&argument), one);
    }
    // A long argument takes steps as well.
    let body = "var x = data.scene\n".repeat(20) + "return load(data.scene).instantiate()";
    for (len, expected) in [(1_000, "B"), (100_000, "?")] {
        let bytes: String = "x".repeat(len);
        let argument = variant!({ "scene": "res://x/b.tscn", "other": bytes });
        check(&own(&body, ""), Some(&argument), expected);
    }
    // Each search in a list does so, too.
    let list = format!("var list = [{}]\n", "1, ".repeat(100));
    for (count, expected) in [(1, "A"), (20, "?")] {
        let body = "var x = list[data]\n".repeat(count) + "return load(data).instantiate()";
        let project = own(&(list.clone() + &body), "");
        check(&project, Some(&variant!("res://a.tscn")), expected);
    }
    // Functions that several scripts assign share the steps.
    let assigning = (0..100).fold(String::new(), |text, n| {
        text + &format!("func a{n}(): spawn_function = func(d): return load(d).instantiate()\n")
    });
    check(
        &own("return load(data).instantiate()", &assigning),
        Some(&variant!("res://a.tscn")),
        "?",
    );
}

/// Whether an instance of the scene whose root has a name may be created.
fn can(project: &Project, name: &str) -> bool {
    let scene = (0..10).map(SceneId).find(|scene| project.scene(*scene).root_name() == Some(name));
    project.can_be_created(scene.expect("there is such a scene"))
}

#[test]
fn scenes_that_scripts_name_can_be_created() {
    let scene = |name: &str| format!("[gd_scene]\n[node name=\"{name}\" type=\"Node\"]\n");
    let can_create = |file: &str, text: &str| {
        let project = Project::from_files([
            ("project.godot", "[application]\nrun/main_scene=\"res://main.tscn\"\n"),
            ("main.tscn", &scene("Main")),
            ("x/c.tscn", &scene("C")),
            (file, text),
        ]);
        assert!(can(&project, "Main"));
        can(&project, "C").to_string()
    };
    check_rows("whether a script can create the scene x/c.tscn", |row| {
        can_create("main.gd", &row[0])
    });
    check_rows("whether a statement in C# can create it", |row| {
        let statement = &row[0];
        can_create(
            "Main.cs",
            &format!("class Main : Node {{ void F(string name) {{ {statement} }} }}"),
        )
    });
}

/// A file that is not read may name any scene, and some have or make nodes themselves.
#[test]
fn files_that_are_not_read_are_known() {
    let c = &b"[gd_scene]\n[node name=\"C\" type=\"Node\"]\n"[..];
    for (file, content, names_scenes, has_nodes) in [
        ("x.png", &b"\xff"[..], false, false),
        ("x.gdc", b"", true, true),
        ("x.res", b"", true, false),
        ("x.scn", b"", true, true),
        ("x.gdextension", b"", true, true),
        ("addons/x/x.gdextension", b"", true, false),
        ("x.gd", b"extends Node", false, false),
        ("x.gd", b"extends Nowhere", false, false),
        ("x.gd", b"extends \"y.gd\"", false, false),
        ("x.gd", b"func f():\n\tprint(", true, true),
        ("x.gd", b"# \xff", true, true),
        ("x.cs", b"class X : Node {", true, true),
        ("x.tscn", b"\xff", true, true),
    ] {
        let project = Project::from_files([("x/c.tscn", c), (file, content)]);
        let found = [project.may_lack_synchronizers(), project.may_change_spawners()];
        assert_eq!(found, [has_nodes; 2], "{file}");
        assert_eq!(can(&project, "C"), names_scenes, "{file}");
    }
}

#[test]
fn scripts_that_configure_synchronizers_are_known() {
    // A node of a scene that has the script creates no synchronizers.
    let scene = "[gd_scene]\n[ext_resource type=\"Script\" path=\"res://a.gd\" id=\"1\"]\n\
        [node name=\"S\" type=\"MultiplayerSynchronizer\"]\nscript = ExtResource(\"1\")\n";
    check_rows("whether a script makes synchronizers, or changes their properties", |row| {
        let text = &*row[0];
        let file = if text.contains(';') { "A.cs" } else { "a.gd" };
        let project = Project::from_files([(file, text), ("s.tscn", scene)]);
        let effects =
            [("makes", project.makes_synchronizers()), ("changes", project.changes_properties())];
        effects.into_iter().filter(|(_, may)| *may).map(|(effect, _)| effect).collect()
    });
}

#[test]
fn scripts_that_make_or_change_spawners_are_known() {
    check_rows("whether a script makes or changes spawners", |row| {
        let text = &*row[0];
        let file = if text.contains('{') { "A.cs" } else { "a.gd" };
        let project = Project::from_files([(file, text)]);
        let may_change = project.may_change_spawners();
        let effects = project.script_effects();
        let found = effects.filter(|(effect, _)| *effect == ScriptEffect::ChangesSpawners);
        assert!(found.map(|(_, file)| file).eq(may_change.then_some(file)), "{text}");
        may_change.to_string()
    });
}

/// Removes and replaces each token of some spawn functions, and writes down what they then create.
#[test]
fn each_token_of_a_function_means_what_is_written_down() {
    let shown_made = |project: &Project, argument: Option<&Variant>| {
        let made = made(project, argument);
        alloc::vec![shown(project, &made)]
    };
    let argument = variant!({"kind": 1, "name": "x/b", "list": [2, "b"]});
    let list = variant!([1, "b"]);
    let mut text = String::new();
    for (before, body, argument) in [
        (
            "const K = {1: preload(\"a.tscn\"), 2: preload(\"x/b.tscn\")}\n",
            "var k = K.get(data.kind, K[2])\nif data.has(\"none\"): k = K[2]\n\
             elif data.list[0] > 1 and not data.kind == 2: return k.instantiate()\nreturn K[2].instantiate()",
            Some(&argument),
        ),
        (
            "const MADE = [\"a\", \"x/b\", \"x/c\"]\nfunc path(n): return \"res://%s.tscn\" % n\n",
            "var n = MADE[data[0]] + \"\"\nmatch data[1]:\n\t\"a\": n = MADE[0]\n\t\"b\", \"c\": pass\n\t_: n = MADE[2]\n\
             var f = func(p): return load(p)\nreturn f.call(path(n)).instantiate()",
            Some(&list),
        ),
        (
            "static func of(i): return [load(\"res://a.tscn\"), load(\"res://x/c.tscn\")][i % 2]\n",
            "var n = 0\nfor i in 3: n = 1\nwhile n < 0: n += 1\nvar s = [of(1), of(0)]\n\
             s.append(of(0)) if data else 1\nvar t = of(3)\nreturn (t as PackedScene).instantiate()",
            None,
        ),
        (
            "const A = preload(\"a.tscn\")\nfunc no(): return null\n",
            "var k = \"\"\nif 2 in [1, 2] and not (false or 3 in [1, 2]): k = \"x/%s%s\" % [\"b\", \"\"]\n\
             if {\"a\": [1, 2].pick_random()}.has(\"a\"): return load(\"res://\" + k + \".tscn\").instantiate()\n\
             match data:\n\tvar A when k: return no().instantiate()\nreturn A.instantiate()",
            Some(&argument),
        ),
        (
            "const A = preload(\"a.tscn\")\nconst B = preload(\"x/b.tscn\")\n",
            "var n = A\nif randi(): n = B\nelse: n = A\nif randi(): return n.instantiate()\n\
             match data:\n\tvar n: return n.instantiate()\nreturn n.instantiate()",
            Some(&list),
        ),
    ] {
        let whole = own(body, before);
        assert!(!shown_made(&whole, argument)[0].is_empty());
        text += &altered(body, |body| shown_made(&own(body, before), argument));
        text += &altered(before, |before| shown_made(&own(body, before), argument));
    }
    for (members, body) in [
        (
            "static PackedScene[] s = { GD.Load<PackedScene>(\"res://a.tscn\"), GD.Load<PackedScene>(\"res://x/b.tscn\") };",
            "int i = 0; if (i == 1 || !false) { i = 1; } else i = 2;\n\
             var n = i switch { 1 => s[1], 2 => s[0], _ => null };\nreturn n.Instantiate<Node>();",
        ),
        (
            "[Export] PackedScene One; Node Of(string n) => GD.Load<PackedScene>($\"res://x/{n}.tscn\").Instantiate();",
            "string n = \"b\"; switch (n) { case \"a\": return One.Instantiate(); case \"b\": n = \"c\"; break; }\n\
             do { } while (n == \"c\"); return Of(n);",
        ),
    ] {
        text += &altered(body, |body| shown_made(&csharp_spawn(body, members), None));
        text += &altered(members, |members| shown_made(&csharp_spawn(body, members), None));
    }
    let main = "extends Node\n@export var one: PackedScene\n@export var two: Array[PackedScene]\n\
        @export var by_name: Dictionary\n@export var path: String\n@export var three: PackedScene\n\
        func _ready(): $Spawner.spawn_function = func(_d): \
        return [one, two.pick_random(), by_name.a, load(path), three].pick_random().instantiate()\n";
    let scene = SCENE.replace("path = ", "three = null\npath = ");
    text += &altered(&scene, |scene| {
        let project = project_of(scene, main, "extends MultiplayerSpawner\n", &[]);
        let spawner = project.node("Main/Spawner").map(|node| node.role);
        let problems = project.problems().iter().map(ToString::to_string);
        let made = match spawner {
            Some(NodeRole::Spawner(_)) => shown_made(&project, None),
            _ => Vec::new(),
        };
        // Without the function, values in the scene are what may be created.
        let passive = project_of(scene, "extends Node\n", "extends MultiplayerSpawner\n", &[]);
        let created = (0..4).map(|id| passive.can_be_created(SceneId(id)).to_string());
        problems.chain(made).chain(created).collect()
    });
    written_down("tests/project/creates.txt", &text);
}

/// Each branch would be followed within the one before it.
#[test]
fn functions_may_have_many_branches() {
    let scene = "preload(\"a.tscn\").instantiate()";
    for branches in [
        format!("if null: pass\n{}else: return {scene}", "elif null: pass\n".repeat(6_000)),
        format!("match 1:\n{}\t_: return {scene}", "\t2: pass\n".repeat(6_000)),
        format!("var x = []\n{}return {scene}", "x = [x]\n".repeat(6_000)),
    ] {
        check(&own(&branches, ""), None, "A");
    }
    let good = "return GD.Load<PackedScene>(\"res://a.tscn\").Instantiate();";
    let section = format!(
        "switch (1) {{ case 1: {}{} break; }} {good}",
        "{".repeat(8_000),
        "}".repeat(8_000)
    );
    check(&csharp_spawn(&section, ""), None, "?");
}
