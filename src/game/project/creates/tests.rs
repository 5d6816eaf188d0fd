//! Tests of what functions of spawners create.

use super::{MadeScenes, Others};
use crate::game::project::altered::{altered, written_down};
use crate::game::project::{NodeRole, Project, SceneId, SpawnerId};
use crate::{Dialect, Variant, encode, parse, variant};

const SCENE: &str = "[gd_scene format=3]\n\
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
fn project_of(main_scene: &str, main: &str, spawner: &str, others: &[(&str, &str)]) -> Project {
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
    let made = made(project, argument);
    let found = shown(project, &made);
    match made.others {
        // The scenes are only possible ones.
        Others::Anything => assert_eq!("?", expected, "{found}"),
        _ => assert_eq!(found, expected),
    }
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

#[test]
fn scenes_are_found_in_every_spelling() {
    for (body, before, expected) in [
        ("return preload(\"a.tscn\").instantiate()", "", "A"),
        ("return load(\"res://a.tscn\").instantiate()", "", "A"),
        ("return ResourceLoader.load(\"res://a.tscn\").instantiate() as Node2D", "", "A"),
        (
            "var node: Node = preload(\"a.tscn\").instantiate()\nnode.name = \"x\"\nreturn node",
            "",
            "A",
        ),
        ("return X.instantiate()", "const X = preload(\"res://a.tscn\")", "A"),
        ("return load(X).instantiate()", "const X := \"res://a.tscn\"", "A"),
        ("return x.instantiate()", "var x: PackedScene = preload(\"res://a.tscn\")", "A"),
        ("return x.instantiate()", "@onready var x = load(\"res://a.tscn\")", "A"),
        ("return x.instantiate()", "@export var x: PackedScene = load(\"res://a.tscn\")", "A"),
        (
            "return X[0].instantiate()",
            "const X = [preload(\"a.tscn\"), preload(\"x/b.tscn\")]",
            "A",
        ),
        (
            "return X[-1].instantiate()",
            "const X = [preload(\"a.tscn\"), preload(\"x/b.tscn\")]",
            "B",
        ),
        (
            "return X.pick_random().instantiate()",
            "const X = [preload(\"a.tscn\"), preload(\"x/b.tscn\")]",
            "AB",
        ),
        (
            "return X.b.instantiate()",
            "const X = {a = preload(\"a.tscn\"), b = preload(\"x/b.tscn\")}",
            "B",
        ),
        ("return _make()", "func _make(): return preload(\"a.tscn\").instantiate()", "A"),
        (
            "return self._make(preload(\"a.tscn\"), 1)",
            "func _make(x, y):\n\tvar z = x.instantiate()\n\treturn z",
            "A",
        ),
        (
            "return (preload(\"a.tscn\") if randf() < 0.5 else preload(\"x/b.tscn\")).instantiate()",
            "",
            "AB",
        ),
        (
            "if randf() < 0.5:\n\treturn preload(\"a.tscn\").instantiate()\nelif data:\n\treturn preload(\"x/b.tscn\").instantiate()\nreturn null",
            "",
            "AB",
        ),
        (
            "var x\nmatch data:\n\t1: x = preload(\"a.tscn\")\n\t_:\n\t\tx = preload(\"x/c.tscn\")\nreturn x.instantiate()",
            "",
            "AC",
        ),
        ("var x = preload(\"a.tscn\")\nx = preload(\"x/b.tscn\")\nreturn x.instantiate()", "", "B"),
        (
            "var x = preload(\"a.tscn\")\nif data: x = preload(\"x/b.tscn\")\nreturn x.instantiate()",
            "",
            "AB",
        ),
        ("return Node2D.new()", "", "+"),
        ("if data: return Node.new()\nreturn preload(\"a.tscn\").instantiate()", "", "A+"),
        ("return null", "", ""),
        ("pass", "", ""),
    ] {
        check(&own(body, before), None, expected);
    }
}

#[test]
fn what_is_not_certain_is_not_known() {
    for (body, before) in [
        ("return load(data).instantiate()", ""),
        ("return load(\"res://\" + data + \".tscn\").instantiate()", ""),
        ("return x.instantiate()", "var x = preload(\"a.tscn\")\nfunc _f(y): x = y"),
        ("return x.instantiate()", "var x = preload(\"a.tscn\")\nfunc _f(y): self.x = y"),
        ("return x.instantiate()", "var x = preload(\"a.tscn\")\nfunc _f(y): set(\"x\", y)"),
        ("return x[0].instantiate()", "var x = [preload(\"a.tscn\")]\nfunc _f(y): x[0] = y"),
        ("return x[0].instantiate()", "var x = [preload(\"a.tscn\")]\nfunc _f(y): x.push_front(y)"),
        ("return x.instantiate()", "var x: PackedScene:\n\tget: return null"),
        ("var x = [preload(\"a.tscn\")]\nx.insert(0, y)\nreturn x[0].instantiate()", ""),
        ("var x = [preload(\"a.tscn\")]\nvar z = x\nz.insert(0, y)\nreturn x[0].instantiate()", ""),
        ("var x = [preload(\"a.tscn\")]\n_change(x)\nreturn x[0].instantiate()", ""),
        (
            "var x = preload(\"a.tscn\")\nfor y in data:\n\tx = y\n\tif y: break\n\tx = preload(\"a.tscn\")\nreturn x.instantiate()",
            "",
        ),
        ("return await _make()", "func _make(): return preload(\"a.tscn\").instantiate()"),
        ("return preload(\"gone.tscn\").instantiate()", ""),
        ("return get_node(\"X\").duplicate()", ""),
        ("return _spawn(data)", ""),
        ("return ?", ""),
        ("var x = preload(\"a.tscn\")\nreturn (func(x): return x.instantiate()).call(data)", ""),
    ] {
        check(&own(body, before), None, "?");
    }
    // Another script changes the variable.
    let changing = ("z.gd", "func f(s): s.x = null\n");
    let text = "extends MultiplayerSpawner\nvar x = preload(\"a.tscn\")\nfunc _init(): spawn_function = _spawn\nfunc _spawn(_d): return x.instantiate()\n";
    check(&project("", text, &[]), None, "A");
    check(&project("", text, &[changing]), None, "?");
}

#[test]
fn the_argument_chooses() {
    let all = "const X = [preload(\"a.tscn\"), preload(\"x/b.tscn\"), preload(\"x/c.tscn\")]\n\
        const Y = {\"a\": preload(\"a.tscn\"), \"b\": preload(\"x/b.tscn\")}";
    let cases = "match data.kind:\n\t\"a\", \"aa\":\n\t\treturn preload(\"a.tscn\").instantiate()\n\t\"b\": return preload(\"x/b.tscn\").instantiate()\n\t_:\n\t\treturn Node.new()";
    for (body, argument, one, any) in [
        ("return X[data].instantiate()", variant!(1), "B", "ABC"),
        ("return X[int(data.kind)].instantiate()", variant!({ "kind": 2.0 }), "C", "ABC"),
        ("return X[data[1]].instantiate()", variant!([0, 1]), "B", "ABC"),
        ("return Y[data.kind].instantiate()", variant!({ "kind": "b" }), "B", "AB"),
        ("return Y.get(data[\"kind\"], X[2]).instantiate()", variant!({ "kind": "z" }), "C", "ABC"),
        ("return load(data.path).instantiate()", variant!({ "path": "res://x/c.tscn" }), "C", "?"),
        (
            "return load(\"res://x/%s.tscn\" % data.kind).instantiate()",
            variant!({ "kind": "b" }),
            "B",
            "?",
        ),
        ("return load(\"res://x/\" + data + \".tscn\").instantiate()", variant!("c"), "C", "?"),
        (cases, variant!({ "kind": "aa" }), "A", "AB+"),
        (cases, variant!({ "kind": "c" }), "+", "AB+"),
        (
            "if data.boss: return X[0].instantiate()\nelse: return X[1].instantiate()",
            variant!({ "boss": false }),
            "B",
            "AB",
        ),
        (
            "if data is Array and data[0] == 1:\n\treturn X[0].instantiate()\nreturn X[1].instantiate()",
            variant!([1]),
            "AB",
            "AB",
        ),
        (
            "if data.n % 2 == 1: return X[0].instantiate()\nreturn X[1].instantiate()",
            variant!({ "n": 3 }),
            "A",
            "AB",
        ),
        (
            "var kind = data[0]\nvar scene = X[kind]\nreturn scene.instantiate()",
            variant!([2]),
            "C",
            "ABC",
        ),
        ("return X[data.kind].instantiate()", variant!({ "kind": 7 }), "?", "ABC"),
    ] {
        let project = own(body, all);
        check(&project, Some(&argument), one);
        check(&project, None, any);
    }
}

#[test]
fn other_scripts_assign_functions() {
    let spawn = "func _spawn(_d): return preload(\"a.tscn\").instantiate()\n";
    for (head, assignment, expected) in [
        ("", "$Spawner.spawn_function = _spawn", "A"),
        ("", "$\"Spawner\".set_spawn_function(_spawn)", "A"),
        ("", "%Spawner.spawn_function = Callable(self, \"_spawn\")", "A"),
        ("", "get_node(\"Spawner\").spawn_function = self._spawn", "A"),
        ("", "var s: MultiplayerSpawner = $Spawner\n\ts.spawn_function = _spawn.bind(1)", "A"),
        ("@onready var s: MultiplayerSpawner = $Spawner\n", "s.spawn_function = _spawn", "A"),
        ("@export var spawner: MultiplayerSpawner\n", "spawner.spawn_function = _spawn", "A"),
        ("", "$Spawner.spawn_function = func(_d): return preload(\"x/b.tscn\").instantiate()", "B"),
        (
            "",
            "$Spawner.spawn_function = func(_d):\n\t\tvar x = load(\"res://x/b.tscn\")\n\t\treturn x.instantiate()",
            "B",
        ),
        (
            "@export var one: PackedScene\n",
            "$Spawner.spawn_function = func(_d): return one.instantiate()",
            "A",
        ),
        (
            "@export var two: Array[PackedScene] = []\n",
            "$Spawner.spawn_function = func(_d): return two.pick_random().instantiate()",
            "AB",
        ),
        (
            "@export var by_name: Dictionary[String, PackedScene]\n",
            "$Spawner.spawn_function = func(_d): return by_name.b.instantiate()",
            "B",
        ),
        (
            "@export_file(\"*.tscn\") var path: String\n",
            "$Spawner.spawn_function = func(_d): return load(path).instantiate()",
            "C",
        ),
        (
            "",
            "var one = load(\"x\")\n\t$Spawner.spawn_function = func(_d): return one.instantiate()",
            "?",
        ),
        ("", "for s in get_children():\n\t\ts.spawn_function = _spawn", "?"),
        ("", "get_child(0).spawn_function = _spawn", "?"),
        ("", "$Spawner.set(\"spawn_function\", _spawn)", "?"),
        ("", "pass", "?"),
    ] {
        let main =
            format!("extends Node\n{head}{spawn}func _ready():\n\t{assignment}\n\tprint()\n");
        check(&project(&main, "extends MultiplayerSpawner\n", &[]), None, expected);
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
    for (text, expected) in [
        ("extends Base\n", "A"),
        ("extends \"res://base.gd\"\nfunc _make(): return preload(\"x/b.tscn\")\n", "B"),
        ("extends Base\nfunc _make(): return Kinds.C\n", "C"),
        ("extends Base\nfunc _spawn(_d): return Kinds.make()\n", "C"),
        ("extends Base\nconst K = preload(\"kinds.gd\")\nfunc _spawn(_d): return K.make()\n", "C"),
        ("extends Base\nfunc _spawn(d): return super._spawn(d)\n", "A"),
        ("extends Base\nfunc _spawn(d): return super(d)\n", "?"),
    ] {
        check(&project("extends Node\n", text, others), None, expected);
    }
    let text = "extends MultiplayerSpawner\nfunc _init(): spawn_function = func(_d): return Globals.BOMB.instantiate()\n";
    let project = Project::from_files([
        (
            "project.godot",
            "[application]\nrun/main_scene=\"res://main.tscn\"\n[autoload]\nGlobals=\"*res://globals.gd\"\n",
        ),
        ("globals.gd", "extends Node\nconst BOMB = preload(\"bomb.tscn\")\n"),
        ("bomb.tscn", "[gd_scene]\n[node name=\"Bomb\" type=\"Node\"]\n"),
        ("spawner.gd", text),
        (
            "main.tscn",
            "[gd_scene]\n[ext_resource type=\"Script\" path=\"res://spawner.gd\" id=\"1\"]\n[node name=\"Main\" type=\"Node\"]\n[node name=\"Spawner\" type=\"MultiplayerSpawner\" parent=\".\"]\nscript = ExtResource(\"1\")\n",
        ),
    ]);
    check(&project, None, "Bomb");
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

#[test]
fn changed_containers_are_forgotten() {
    let spawned = variant!(["res://x/b.tscn"]);
    let change = "func change(list): list[0] = \"res://a.tscn\"\nvar list = [0]";
    for (body, expected) in [
        ("data[0] = \"res://a.tscn\"\nreturn load(data[0]).instantiate()", "?"),
        ("data.push_front(\"res://a.tscn\")\nreturn load(data[0]).instantiate()", "?"),
        ("change(data)\nreturn load(data[0]).instantiate()", "?"),
        ("self.change(data)\nreturn load(data[0]).instantiate()", "?"),
        ("var x = change(data)\nreturn load(data[0]).instantiate()", "?"),
        ("change([data])\nreturn load(data[0]).instantiate()", "?"),
        ("var add = data.push_front\nadd.call(\"\")\nreturn load(data[0]).instantiate()", "?"),
        ("var x = data\nx[0] = 1\nreturn load(data[0]).instantiate()", "?"),
        ("var x = [data, 1]\nx[0][0] = 1\nreturn load(data[0]).instantiate()", "?"),
        ("var x = [\"\", data[0]]\nx.pop_front()\nreturn load(x[0]).instantiate()", "?"),
        ("var f = func(): data[0] = 1\nf.call()\nreturn load(data[0]).instantiate()", "?"),
        ("print(data, len(data))\nreturn load(data[0]).instantiate()", "B"),
        ("if data.size() != 1 or data.is_empty(): return\nreturn load(data[0]).instantiate()", "B"),
        ("var node = load(data[0]).instantiate()\nchange(data)\nreturn node", "B"),
    ] {
        check(&own(body, change), Some(&spawned), expected);
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
fn functions_are_assigned_in_csharp() {
    let make = "private Node Make(Variant data) => GD.Load<PackedScene>(\"res://a.tscn\").Instantiate();\n";
    for (members, expected) in [
        (
            "public override void _Ready() { GetNode<MultiplayerSpawner>(\"Spawner\").SpawnFunction = new Callable(this, nameof(Make)); }",
            "A",
        ),
        (
            "public override void _Ready() => GetNode<MultiplayerSpawner>(\"Spawner\").SpawnFunction = new Callable(this, MethodName.Make);",
            "A",
        ),
        (
            "public override void _Ready() { var s = GetNode<MultiplayerSpawner>(\"Spawner\"); s.SpawnFunction = Callable.From<Variant, Node>(Make); }",
            "A",
        ),
        (
            "private MultiplayerSpawner _s;\npublic override void _Ready() { _s = GetNode<MultiplayerSpawner>(\"%Spawner\"); _s.SpawnFunction = new Callable(this, \"Make\"); }",
            "?",
        ),
        (
            "private MultiplayerSpawner _s;\npublic override void _Ready() { _s = (MultiplayerSpawner)GetNode(\"Spawner\"); _s.SpawnFunction = new Callable(this, \"Make\"); }",
            "A",
        ),
        (
            "public override void _Ready() { GetNode<MultiplayerSpawner>(\"Spawner\").SpawnFunction = Callable.From((Variant d) => Make(d)); }",
            "A",
        ),
        (
            "public override void _Ready() { GetNode<MultiplayerSpawner>(\"Spawner\").SpawnFunction = Callable.From((Variant d) => { GD.Print(d); return Make(d); }); }",
            "A",
        ),
        (
            "public override void _Ready() { GetNode<MultiplayerSpawner>(\"Spawner\").SpawnFunction = d; }",
            "?",
        ),
        (
            "public override void _Ready() { GetNode(\"Spawner\").Set(\"spawn_function\", new Callable(this, \"Make\")); }",
            "?",
        ),
        (
            "public override void _Ready() { try { GetNode<MultiplayerSpawner>(\"Spawner\").SpawnFunction = new Callable(this, \"Make\"); } finally { } }",
            "?",
        ),
        (
            "void F() { if (GetNode<MultiplayerSpawner>(\"Spawner\").SpawnFunction == null) { } }",
            "?",
        ),
    ] {
        let project = csharp(&format!("{make}{members}"));
        let made = made(&project, None);
        let is_known = made.others != Others::Anything;
        assert_eq!(
            if is_known { shown(&project, &made) } else { "?".into() },
            expected,
            "{members}"
        );
    }
}

#[test]
fn scenes_are_found_in_csharp() {
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
    for (body, argument, one, any) in [
        (
            "return ResourceLoader.Load<PackedScene>(Path).Instantiate<Node3D>();",
            variant!(0),
            "B",
            "B",
        ),
        (
            "var scene = (PackedScene)GD.Load(\"res://a.tscn\"); var node = scene.Instantiate() as Node2D; node.Name = \"x\"; node.Position = new Vector2(1.5f, -2); return node;",
            variant!(0),
            "A",
            "A",
        ),
        ("return One.InstantiateOrNull<Node>();", variant!(0), "A", "A"),
        ("return Two[data.AsInt32()].Instantiate<Node>();", variant!(1), "B", "AB"),
        ("return this._x[(int)data].Instantiate();", variant!(1), "B", "AB"),
        ("return Bomb.Instantiate();", variant!(1), "C", "C"),
        ("return Two[Number].Instantiate();", variant!(0), "AB", "AB"),
        ("return _changed.Instantiate();", variant!(0), "?", "?"),
        ("return Same(1);", variant!(0), "?", "?"),
        (
            "return GD.Load<PackedScene>(Paths[data.AsString()]).Instantiate();",
            variant!("c"),
            "C",
            "AC",
        ),
        (
            "return GD.Load<PackedScene>($\"res://x/{data}.tscn\").Instantiate();",
            variant!("c"),
            "C",
            "?",
        ),
        (
            "string name = (string)data; return GD.Load<PackedScene>(\"res://x/\" + name + \".tscn\").Instantiate();",
            variant!("b"),
            "B",
            "?",
        ),
        (
            "var d = data.AsGodotDictionary(); switch (d[\"kind\"].AsString()) { case \"a\": return One.Instantiate(); case \"b\": case \"bb\": { var x = _x[1].Instantiate(); return x; } default: throw new Exception(); }",
            variant!({ "kind": "bb" }),
            "B",
            "AB",
        ),
        (
            "return data.AsInt32() switch { 0 => One, 1 => _x[1], _ => Bomb }.Instantiate();",
            variant!(1),
            "?",
            "?",
        ),
        (
            "var scene = data.AsInt32() switch { 0 => One, 1 => _x[1], _ => Bomb }; return scene.Instantiate();",
            variant!(1),
            "B",
            "ABC",
        ),
        (
            "PackedScene scene; if (data.AsInt32() > 3) scene = One; else scene = Bomb; return scene.Instantiate();",
            variant!(4),
            "A",
            "AC",
        ),
        ("return (data.AsBool() ? One : Bomb).Instantiate();", variant!(true), "AC", "AC"),
        (
            "if (!Paths.TryGetValue(data.AsString(), out var path)) return null; return GD.Load<PackedScene>(path).Instantiate();",
            variant!("a"),
            "?",
            "?",
        ),
        (
            "var list = new Array<PackedScene> { One, Bomb }; list.Insert(0, null); return list[0].Instantiate();",
            variant!(0),
            "?",
            "?",
        ),
        (
            "PackedScene x = One; for (int i = 0; i < 3; i++) { x = Bomb; } return x.Instantiate();",
            variant!(0),
            "?",
            "?",
        ),
        (
            "var x = One; Action f = () => { x = Bomb; }; f(); return x.Instantiate();",
            variant!(0),
            "?",
            "?",
        ),
        ("var x = One; Load(ref x); return x.Instantiate();", variant!(0), "?", "?"),
        (
            "PackedScene x = One; switch (data.AsInt32()) { case 1: if (Number > 1) break; x = Bomb; break; } return x.Instantiate();",
            variant!(1),
            "?",
            "?",
        ),
        ("return new Player();", variant!(0), "+", "+"),
        ("return One.Instantiate()", variant!(0), "?", "?"),
    ] {
        let project = csharp_spawn(body, all);
        let shown = |argument| {
            let made = made(&project, argument);
            match made.others {
                Others::Anything => "?".to_owned(),
                _ => shown(&project, &made),
            }
        };
        assert_eq!((shown(Some(&argument)), shown(None)), (one.into(), any.into()), "{body}");
    }
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

#[test]
fn an_argument_is_followed_only_so_far() {
    let list = |count: usize| {
        format!("const X = [{} preload(\"a.tscn\")]", "preload(\"x/b.tscn\"), ".repeat(count))
    };
    let argument = variant!({ "kind": 0 });
    // What does not depend on the argument is known from reading the project.
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

#[test]
fn scenes_that_scripts_name_can_be_created() {
    let can = |project: &Project, name: &str| {
        let scene =
            (0..10).map(SceneId).find(|scene| project.scene(*scene).root_name() == Some(name));
        project.can_be_created(scene.expect("there is such a scene"))
    };
    // The scene of the project refers to A and B.
    for (text, expected) in [
        ("func f(): get_tree().change_scene_to_file(\"res://x/c.tscn\")", true),
        ("const X = preload(\"x/c.tscn\")", true),
        ("func f(n): return load(\"res://x/%s.tscn\" % n)", true),
        ("func f(n): return load(\"res://x/\" + n + \".tscn\")", true),
        ("func f(n):\n\tvar p = \"res://y/\" + n\n\treturn load(p)", false),
        ("func f(n):\n\tvar p = n + \"/c.tscn\"\n\treturn load(p)", true),
        ("func f(p): return load(FileAccess.open(p, 1).get_line())", true),
        ("func f(n): pass", false),
    ] {
        let scene = "[gd_scene]\n[node name=\"Main\" type=\"Node\"]\n";
        let c = "[gd_scene]\n[node name=\"C\" type=\"Node\"]\n";
        let project = Project::from_files([
            ("project.godot", "[application]\nrun/main_scene=\"res://main.tscn\"\n"),
            ("main.tscn", scene),
            ("x/c.tscn", c),
            ("main.gd", text),
        ]);
        assert_eq!(can(&project, "C"), expected, "{text}");
        assert!(can(&project, "Main"));
    }
    for (text, expected) in [
        ("var x = GD.Load<PackedScene>(\"res://x/c.tscn\");", true),
        ("var x = GD.Load<PackedScene>($\"res://x/{name}.tscn\");", true),
        ("var x = ResourceLoader.Load(\"res://x/\" + name);", true),
        ("var x = GD.Load<PackedScene>(File.ReadAllText(name));", true),
        ("var x = GD.Load<PackedScene>(\"res://main.tscn\");", false),
        ("var x = 1;", false),
    ] {
        let script = format!("class Main : Node {{ void F(string name) {{ {text} }} }}");
        let project = Project::from_files([
            ("project.godot", "[application]\nrun/main_scene=\"res://main.tscn\"\n"),
            ("main.tscn", "[gd_scene]\n[node name=\"Main\" type=\"Node\"]\n"),
            ("x/c.tscn", "[gd_scene]\n[node name=\"C\" type=\"Node\"]\n"),
            ("Main.cs", &script),
        ]);
        assert_eq!(can(&project, "C"), expected, "{text}");
    }
}

#[test]
fn scripts_that_configure_synchronizers_are_known() {
    for (text, makes, changes) in [
        ("func f(): add_child(MultiplayerSynchronizer.new())", true, false),
        ("func f(s: MultiplayerSynchronizer): s.set_visibility_for(1, true)", false, false),
        ("func f(): ClassDB.instantiate(\"MultiplayerSynchronizer\")", true, false),
        ("func f(s): s.replication_config = null", false, true),
        (
            "func f():\n\tvar c = SceneReplicationConfig.new()\n\tc.add_property(^\".:x\")",
            false,
            true,
        ),
        ("func f(): load(\"res://c.tres\").add_property(^\".:position\")", false, true),
        ("func f(c): c.add_property(^\".:position\")", false, false),
        ("func add_property(p): add_property(p)", false, false),
        ("class A { void F() { AddChild(new MultiplayerSynchronizer()); } }", true, false),
        ("class A { void F() { MultiplayerSynchronizer x = new(); } }", true, false),
        ("class A { void F() { GetNode<MultiplayerSynchronizer>(\"x\").Show(); } }", false, false),
        ("class A { void F() { x.ReplicationConfig = null; } }", false, true),
        ("func f(s): s.root_path = ^\"..\"", false, true),
        ("func f(): multiplayer.root_path = ^\"/root\"", false, false),
        ("extends MultiplayerSynchronizer", true, false),
        ("class_name S extends MultiplayerSynchronizer", false, false),
        ("class_name S extends MultiplayerSynchronizer\nfunc f(): new()", true, false),
        ("class_name S extends MultiplayerSynchronizer\nfunc f(): return S.new()", true, false),
        (
            "class_name S extends MultiplayerSynchronizer\nfunc f(n): n.set_script(self)",
            true,
            false,
        ),
        (
            "class_name S extends MultiplayerSynchronizer\nfunc f(n: S): n.set_script(\"x\")",
            false,
            false,
        ),
        ("class_name S extends MultiplayerSpawner\nfunc f(): new()", false, false),
    ] {
        let project =
            Project::from_files([(if text.contains(';') { "A.cs" } else { "a.gd" }, text)]);
        let found = (project.makes_synchronizers(), project.changes_properties());
        assert_eq!(found, (makes, changes), "{text}");
    }
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
