//! Tests which expressions are followed, and how far: `tests/project/followed.txt`.

use super::tests::{SCENE as MAIN, csharp_spawn, made, own, project, project_of, shown};
use crate::game::project::Project;
use crate::game::project::altered::{largest, written_down};
use crate::{Variant, variant};

/// Conditions that decide between the scenes A and B. If one is not decided, both are possible, or
/// anything.
const CONDITIONS: &str = r#"
    null ; true ; false ; 0 ; 1 ; 0.0 ; 0.5 ; "" ; "t" ; [] ; [0] ; {} ; {1: 2} ;
    preload("a.tscn") ; Node.new() ; _half ; func(): return 1 ; data ; data.empty ; data.list ;
    data.name ; data.none ; data.gone ; data.yes ; data.real ; data.texts ; null == null ;
    1 == null ; null == "a" ; true == true ; true == false ; 1 == 1 ; 1 == 2 ; 1 == 1.0 ;
    1.0 == 2 ; 1.5 == 1.5 ; 1.5 == 0.5 ; "a" == "a" ; "a" == "b" ; "1" == 1 ; 1.5 == "1" ;
    true == "x" ; true == 1 ; [1] == [1] ; preload("a.tscn") == null ; Node.new() == Node.new() ;
    1 != 2 ; 1 != 1 ; 1 != x() ; 1 < 2 ; 2 < 1 ; 1 < 1 ; 1 <= 1 ; 2 <= 1 ; 1.5 > 1 ; 1 > 1.5 ;
    1 >= 2 ; 2 >= 2 ; "a" < "b" ; true and false ; true and 1 ; x() and false ; false and x() ;
    x() and true ; null or 1 ; null or 0 ; x() or true ; true or x() ; x() or false ; not null ;
    not 1 ; not x() ; not not data.none ; 1 in [1, 2] ; 3 in [1, 2] ; 3 in [] ; 1 in [x(), 2] ;
    1 in [1, x()] ; "a" in "abc" ; 2 in data.list ; 2 in {2: 1} ; 1 + 1 == 2 ; "a" + "b" == "ab" ;
    1 + "a" == "1a" ; 1.5 + 1 == 2.5 ; 5 % 3 == 2 ; 5 % 0 == 0 ; 9223372036854775807 + 1 == 0 ;
    "%s" % 1 == "1" ; "%d" % 1 == "1" ; "%d%s" % [1, "a"] == "1a" ; "%s!" % "a" == "a!" ;
    "%s" % 1.5 == "1.5" ; "%x" % 1 == "1" ; "%s%s" % ["a"] == "a" ; "%d" % "a" == "a" ;
    "%" % 1 == "%" ; [1, 2].size() == 2 ; {1: 2}.size() == 1 ; data.list.size() == 2 ;
    data.size() == 11 ; data.texts.size() == 2 ; "abc".size() == 3 ; [1].size(1) == 1 ;
    {1: 2}.has(1) ; {1: 2}.has(2) ; {}.has(1) ; data.has("kind") ; data.has("gone") ;
    data.has(1) ; data.list.has(2) ; [1].has(1) ; {x(): 1}.has(1) ; {1: 2}.has(x()) ;
    {1: x()}.has(1) ; {1: 2}.get(1) == 2 ; {1: 2}.get(2) == null ; {}.get(1, 3) == 3 ;
    {1: 2}.get(x(), 2) == 2 ; data.get("kind", 5) == 1 ; data.get("gone", 5) == 5 ;
    data.get("gone") == null ; [1].get(0) == 1 ; {1: 1, 1: 2}[1] == 2 ; {x(): 1, 1: 2}[1] == 2 ;
    {1: 2, x(): 2}[1] == 2 ; [1, 2][0] == 1 ; [1, 2][-1] == 2 ; [1, 2][2] == 1 ; [1, 2][-2] == 1 ;
    [1, 2][-3] == 1 ; [1, 1][x()] == 1 ; {1: 1}[x()] == 1 ; data.list[0] == 2 ;
    data.list[1] == "b" ; data.list[-2] == 2 ; data.list[2] == 2 ; data.texts[1] == "d" ;
    data.texts[-3] == "c" ; data[1] == 7 ; data[2] == 7 ; data["kind"] == 1 ; data.kind == 1 ;
    data.kind == data.kind ; [1].pick_random() == 1 ; [1, 2].pick_random() == 1 ;
    [1, 1].front() == 1 ; [null, null].pick_random() == null ; [].pick_random() == null ;
    [null, null].back() ; [[1, 2]].front().size() == 2 ; {1: 2}.values()[0] == 2 ;
    {1: 2}.pick_random() == 2 ; [1].values() == 2 ; [[1], [2]].pick_random()[0] == 1 ;
    [1, 2][[0, 0].pick_random()] == 1 ; (1 if true else 2) == 1 ; (1 if null else 2) == 2 ;
    (1 if x() else 1) == 1 ; (1 if x() else 2) == 2 ; _half(1) == 1 ; _half(0) == null ;
    _half(x()) == null ; _half(x()) ; _both(x()) == 1 ; _two(1) == 1 ; _two(1, 2) == 2 ;
    _two.call(1, 2) == 2 ; _two.bind(3).call(1) == 3 ; _two.bind(3, 4).bind(5).call() == 3 ;
    _two.bind(4).bind(5).call() == 4 ; int("1") == 1 ; int(1.9) == 1 ; int(true) == 1 ;
    int(data.real) == 0 ; str(1) == "1" ; str("a") == "a" ; str(1.5) == "1.5" ;
    str(1, 2) == "12" ; len([1, 2]) == 2 ; len(data.list) == 2 ; abs(1) == 1 ; -1 == 0 ; -1 < 0 ;
    data is Array ; typeof(data) == 27 ; X == 1 ; self.X == 1 ; Y == 1 ; gone == 1 ;
    $Spawner == null ; await x() ; data as Node ; (data.list as Array)[0] == 2 ;
    data.real == 0.5 ; data.real == 1 ; data.kind == data.kind ; data.real == data.kind ;
    data.kind > data.real ; data.kind < data.real ; data.real >= data.real ; data.name == data.real ;
    data.yes == true ; data.none == null ; data.zero == data.kind ; data.one == data.kind ;
    data.zero ; [data.real, 1][1] == 1 ; data[data.name] == 3 ; data[data.list] == 3
"#;

/// Values in GDScript. The test writes down which scenes each creates.
const VALUES: &[&str] = &[
    "preload(\"a.tscn\").instantiate()",
    "preload(\"res://a.tscn\").instantiate()",
    "preload(\"./x/b.tscn\").instantiate()",
    "load(\"a.tscn\").instantiate()",
    "load(\"res://a.tscn\").instance()",
    "ResourceLoader.load(\"res://a.tscn\", \"\", 1).instantiate()",
    "ResourceLoader.load(\"a.tscn\").instantiate()",
    "Other.load(\"res://a.tscn\").instantiate()",
    "preload(\"a.tscn\")",
    "preload(\"a.gd\").instantiate()",
    "preload(\"a.gd\").new()",
    "preload(\"a.gd\").make(1)",
    "preload(\"a.gd\").gone(1)",
    "preload(\"a.glb\").instantiate()",
    "preload(\"gone.tscn\").instantiate()",
    "null.instantiate()",
    "1.instantiate()",
    "Node.new()",
    "[preload(\"a.tscn\"), preload(\"a.tscn\")].pick_random().instantiate()",
    "[preload(\"a.tscn\"), preload(\"x/b.tscn\"), preload(\"a.tscn\")].pick_random().instantiate()",
    "[preload(\"a.tscn\"), null, null].pick_random().instantiate()",
    "[preload(\"a.tscn\"), x()].pick_random().instantiate()",
    "[preload(\"a.tscn\").instantiate(), Node.new(), Node.new()].front()",
    "load([\"res://a.tscn\", \"res://x/b.tscn\"].back()).instantiate()",
    "load(data.list).instantiate()",
    "load(\"res://\" + data.name + \".tscn\").instantiate()",
    "load(\"res://%s.tscn\" % data.name).instantiate()",
    "load(\"res://%s/%s.tscn\" % [\"x\", data.list[1]]).instantiate()",
    "{1: preload(\"a.tscn\"), 2: preload(\"x/b.tscn\")}.get(data.kind).instantiate()",
    "{1: preload(\"a.tscn\"), 2: preload(\"x/b.tscn\")}.values().pick_random().instantiate()",
    "(preload(\"a.tscn\") if data.yes else preload(\"x/b.tscn\")).instantiate()",
    "(func(a, b): return b).call(1, preload(\"a.tscn\")).instantiate()",
    "(func(a, b = preload(\"a.tscn\")): return b).call(1).instantiate()",
    "_scene.bind(preload(\"a.tscn\")).call().instantiate()",
    "[_scene, _scene].pick_random().call(preload(\"a.tscn\")).instantiate()",
    "self._scene(preload(\"a.tscn\")).instantiate()",
    "super._scene(preload(\"a.tscn\")).instantiate()",
    "[_half(data.kind), preload(\"a.tscn\")][1].instantiate()",
    "data",
    "data.list",
    "data.name",
    "[1]",
    "_scene",
];

const MEMBERS: &str = "const X = 1\nvar Y = 1\nfunc _set_y(): Y = 2\n\
    func _half(d):\n\tif d: return 1\n\
    func _both(d):\n\tif d: return 1\n\telse: return 1\n\
    func _two(a, b = 1): return b\n\
    func _scene(s): return s\n";

/// Bodies of functions that change the values that they use.
const BODIES: &[&str] = &[
    "var x = [preload(\"a.tscn\")]\nvar n = Node.new()\nn.name = \"x\"\nreturn x[0].instantiate()",
    "var x = [preload(\"a.tscn\")]\nvar n = 1\nn.append(1)\nreturn x[0].instantiate()",
    "var x = [preload(\"a.tscn\")]\nvar y = [1]\ny.append(1)\nreturn x[0].instantiate()",
    "var x = [preload(\"a.tscn\")]\ny.append(1)\nreturn x[0].instantiate()",
    "var x = [preload(\"a.tscn\")]\ny[0].z.append(1)\nreturn x[0].instantiate()",
    "var x = [preload(\"a.tscn\")]\n{1: x}[1].clear()\nreturn x[0].instantiate()",
    "var x = [preload(\"a.tscn\")]\n(x if data else []).clear()\nreturn x[0].instantiate()",
    "var x = [preload(\"a.tscn\")]\nfor i in 3: x = []\nreturn x[0].instantiate()",
    "var x = preload(\"a.tscn\")\nfor i in 3:\n\tif i: x = null\nreturn x.instantiate()",
    "var x = preload(\"a.tscn\")\nfor x in 3: pass\nreturn x.instantiate()",
    "var x = preload(\"a.tscn\")\nwhile x():\n\tx = preload(\"x/b.tscn\")\nreturn x.instantiate()",
    "var x = preload(\"a.tscn\")\nif x(): x = preload(\"a.tscn\")\nreturn x.instantiate()",
    "var x = preload(\"a.tscn\")\nif x():\n\tvar y = 1\n\tx = preload(\"x/b.tscn\")\nreturn x.instantiate()",
    "if x(): return preload(\"a.tscn\").instantiate()\nelif true: return preload(\"x/b.tscn\").instantiate()\nreturn Node.new()",
    "if x(): return preload(\"a.tscn\").instantiate()\nelse: return preload(\"a.tscn\").instantiate()",
    "match data.kind:\n\t2: return preload(\"a.tscn\").instantiate()\n\t1, 3: return preload(\"x/b.tscn\").instantiate()\nreturn Node.new()",
    "match x():\n\t2: return preload(\"a.tscn\").instantiate()\n\t_: return preload(\"x/b.tscn\").instantiate()\nreturn Node.new()",
    "match data.kind:\n\tvar k when k == 2: return preload(\"a.tscn\").instantiate()\n\tvar k: return [0, preload(\"x/b.tscn\")][k].instantiate()",
    "match data.list:\n\t[2, ..]: return preload(\"a.tscn\").instantiate()\n\t_: return preload(\"x/b.tscn\").instantiate()",
    "match {\"a\": 1}:\n\t{\"a\": var b}: return preload(\"a.tscn\").instantiate()\nreturn preload(\"x/b.tscn\").instantiate()",
    "var f = func(): return preload(\"a.tscn\")\nvar g = f\nreturn g.call().instantiate()",
    "var s = preload(\"a.tscn\")\nvar f = func(): return s\ns = preload(\"x/b.tscn\")\nreturn f.call().instantiate()",
    "var s\ns = preload(\"a.tscn\")\ns += 1\nreturn s.instantiate()",
    "return",
    "return\nreturn preload(\"a.tscn\").instantiate()",
];

/// Functions with one scene that is assigned in a class which also has an exported variable `s`.
const ASSIGNMENTS: &[&str] = &[
    "$Spawner.spawn_function = _spawn",
    "var a = $Spawner\n\ta.spawn_function = _spawn",
    "var a = $Spawner\n\tvar b = a\n\tb.spawn_function = _spawn",
    "var a = $Spawner\n\ta = $Other\n\ta.spawn_function = _spawn",
    "var a = $Spawner\n\tif x: a = $Other\n\ta.spawn_function = _spawn",
    "if x:\n\t\tvar a = $Spawner\n\t\ta.spawn_function = _spawn",
    "var a = $Spawner\n\tif x:\n\t\tvar a = $Other\n\ta.spawn_function = _spawn",
    "for a in x: a.spawn_function = _spawn",
    "var a = get_node_or_null(\"Spawner\")\n\ta.set_spawn_function(_spawn)",
    "var a = get_child(\"Spawner\")\n\ta.set_spawn_function(_spawn)",
    "spawner.spawn_function = _spawn",
    "var f = func(): spawner.spawn_function = _spawn",
    "var f = func(spawner): spawner.spawn_function = _spawn",
    "ready.spawn_function = _spawn",
    "member.spawn_function = _spawn",
    "member = $Spawner\n\tmember.spawn_function = _spawn",
    "member = $Spawner\n\tmember = $Spawner\n\tmember.spawn_function = _spawn",
    "if x: member = $Spawner\n\tmember.spawn_function = _spawn",
    "self.spawn_function = _spawn",
    "spawn_function = _spawn",
    "if not $Spawner.spawn_function: pass\n\t$Spawner.spawn_function = _spawn",
    "match x:\n\t\t1: $Spawner.spawn_function = _spawn",
    "print(not $Spawner.set_spawn_function(_spawn))",
    "$Spawner.set_spawn_function(_spawn, 1)",
    "$Spawner.spawn_function = _spawn\n\t$Spawner.spawn_function = _other",
    "%Spawner.spawn_function = _spawn",
    "$Gone.spawn_function = _spawn",
];

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

#[test]
fn each_expression_gives_what_is_written_down() {
    let mut text = String::from("# what is decided for an argument, and for any\n");
    for condition in CONDITIONS.split(" ;").map(str::trim) {
        let body = format!(
            "if {condition}: return preload(\"a.tscn\").instantiate()\n\
             return preload(\"x/b.tscn\").instantiate()"
        );
        text += &format!("{}{condition}\n", created_by(&body));
    }
    text += "# what is created\n";
    let others = [("a.gd", "static func make(x): return load(\"res://x/b.tscn\")\n")];
    for value in VALUES {
        let spawner = format!(
            "extends MultiplayerSpawner\n{MEMBERS}\nfunc _init(): spawn_function = _spawn\n\
             func _spawn(data):\n\treturn {value}\n"
        );
        let project =
            project("extends Node\n", &spawner, &[&others[..], &[("a.glb", "")]].concat());
        text += &format!("{}{value}\n", created(&project));
    }
    for body in BODIES {
        text += &format!("{}{}\n", created_by(body), body.replace('\n', "; "));
    }
    text += "# what a function that is assigned so creates\n";
    for assignment in ASSIGNMENTS {
        let main = format!(
            "extends Node\n@export var spawner: MultiplayerSpawner\n\
             @onready var ready = $Spawner\nvar member\n\
             func _spawn(_d): return preload(\"a.tscn\").instantiate()\n\
             func _other(_d): return preload(\"x/b.tscn\").instantiate()\n\
             func _ready():\n\t{assignment}\n\tprint()\n"
        );
        let project = project(&main, "extends MultiplayerSpawner\n", &[]);
        text += &format!("{}{}\n", created(&project), assignment.replace("\n\t", "; "));
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
