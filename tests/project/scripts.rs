//! Tests which methods of scripts are remote.

use crate::project::{digest, named, problems, project, rpcs};
use gdwire::project::{DigestMatch, Project, RpcConfig, TransferMode};

/// A project with one node, which has this script.
fn with_script(name: &str, text: &str, others: &[(&str, &str)]) -> Project {
    let scene = format!(
        "[gd_scene format=3]\n[ext_resource type=\"Script\" path=\"res://{name}\" id=\"1\"]\n\
         [node name=\"Main\" type=\"Node\"]\nscript = ExtResource(\"1\")\n"
    );
    let settings = "[application]\nrun/main_scene=\"res://main.tscn\"\n";
    let mut files = vec![("project.godot", settings), ("main.tscn", &*scene), (name, text)];
    files.extend(others);
    project(&files)
}

/// The names of the remote methods of a script.
#[track_caller]
fn methods(name: &str, text: &str, others: &[(&str, &str)]) -> Vec<String> {
    let project = with_script(name, text, others);
    assert_eq!(problems(&project), [""; 0], "{text}");
    let names = rpcs(&project, "Main").unwrap();
    names.into_iter().map(str::to_owned).collect()
}

#[track_caller]
fn gd(text: &str) -> Vec<String> {
    methods("main.gd", text, &[])
}

#[track_caller]
fn cs(text: &str) -> Vec<String> {
    methods("src/Main.cs", text, &[])
}

fn configs(project: &Project) -> Vec<RpcConfig> {
    let list = project.list(project.node("Main").unwrap().list.unwrap());
    (0..).map_while(|index| list.rpc_config(index)).collect()
}

#[test]
fn annotations_of_gdscript_are_read_in_every_position() {
    for (text, names) in [
        ("@rpc func a(): pass", vec!["a"]),
        ("@rpc\nfunc a():\n\tpass\n@rpc\n\n# comment\n\nfunc b(): pass\n", vec!["a", "b"]),
        ("@rpc(\n\t\"any_peer\", # (\n\t2)\nfunc a(): pass", vec!["a"]),
        ("@rpc @warning_ignore(\"x\", \"y\")\n@tool_button(\"(\")\nfunc a(): pass", vec!["a"]),
        ("@warning_ignore(\"x\") @rpc(\"any_peer\")\nstatic func a(): pass", vec!["a"]),
        ("@rpc \\\n func a \\\r\n (): pass\r\nfunc b(): pass\r\n", vec!["a"]),
        ("var x = 1; @rpc func a(): pass; pass\nfunc b(): pass", vec!["a"]),
        ("@rpc\nvar x\nfunc a(): pass", vec![]),
        ("@export_rpc func a(): pass\nfunc rpc(): pass", vec![]),
        (
            "@rpc func Zoo(): pass\n@rpc func _a(): pass\n@rpc func a(): pass",
            vec!["Zoo", "_a", "a"],
        ),
        ("@rpc func schön(): pass\n@rpc func 名前(): pass", vec!["schön", "名前"]),
        ("\u{feff}@rpc func a(): pass", vec!["a"]),
        // The list has each name once.
        ("@rpc func a(): pass\n@rpc func a(): pass", vec!["a"]),
    ] {
        assert_eq!(gd(text), names, "{text}");
    }
}

#[test]
fn strings_and_comments_of_gdscript_are_skipped() {
    for text in [
        "# @rpc func a(): pass",
        "const X = \"@rpc func a(): pass\"",
        "const X = \"\"\"\n@rpc\nfunc a(): pass\n\"\"\"",
        "const X = '''\n@rpc\nfunc a(): pass\n'''",
        "const X = '\"'\n# ' @rpc\n",
        "const X = \"\\\"\\\\\"# \"@rpc func a(): pass",
        "const X = r\"\\\"@rpc func a(): pass\"\nconst Y = &\"@rpc func a(): pass\"",
        "const X = ^\"@rpc\"\nfunc a(): pass",
        "const X = \"\"\nconst Y = ''\nconst Z = \"\"\"\"\"\"\n",
        "const X = \"line\n@rpc func a(): pass\n\"",
        "const X = [\n@rpc func a(): pass\n]",
    ] {
        assert_eq!(gd(text), [""; 0], "{text}");
    }
}

#[test]
fn inner_classes_and_bodies_of_functions_are_skipped() {
    for indent in ["\t", "    ", " "] {
        let text = "class Inner extends Node:\n>@rpc func no(): pass\n>class Deeper:\n>>@rpc\n>>func no2():\n\
            >>>pass\n\n>@rpc func no3(): pass\n@rpc func a():\n>var f = func():\n>>pass\n\
            >if true:\n>>return\nvar p: int:\n>set(v):\n>>p = v\n@rpc func b(): pass\nclass X: pass\n\
            @rpc func c(): pass\n";
        assert_eq!(gd(&text.replace('>', indent)), ["a", "b", "c"]);
    }
    assert_eq!(gd("class Inner:\n\n# comment\n\t@rpc func no(): pass\n@rpc func a(): pass"), ["a"]);
}

#[test]
fn scripts_inherit_the_methods_of_those_that_they_extend() {
    let others: &[(&str, &str)] = &[
        (
            "a/base.gd",
            "class_name Base extends \"root.gd\"\n@rpc func b(): pass\n@rpc func over(): pass",
        ),
        (
            "a/root.gd",
            "extends Node\n@rpc func a(): pass\nclass Inner extends Node2D:\n\t@rpc func i(): pass\n\tclass In extends Inner:\n\t\t@rpc func j(): pass",
        ),
        ("b/sub.gd", "class_name Sub\nextends Base\n"),
        ("c.gd", "class Base extends Base:\n\t@rpc func i(): pass"),
    ];
    for (extends, names) in [
        ("extends \"res://a/base.gd\"", vec!["a", "b", "c", "over"]),
        ("extends 'a/../a/base.gd'", vec!["a", "b", "c", "over"]),
        ("@tool\n@icon(\"x.svg\")\nclass_name Main extends Sub", vec!["a", "b", "c", "over"]),
        ("extends \"res://a/root.gd\".Inner", vec!["c", "i"]),
        ("extends \"res://c.gd\".Base", vec!["a", "b", "c", "i", "over"]),
        ("extends \"res://a/root.gd\".Inner.In", vec!["c", "i", "j"]),
        ("extends CharacterBody3D", vec!["c"]),
        ("", vec!["c"]),
    ] {
        // An override without an annotation stays remote.
        let text = format!("{extends}\n@rpc func c(): pass\nfunc over(): pass\n");
        assert_eq!(methods("main.gd", &text, others), names, "{text}");
    }
}

#[test]
fn the_arguments_of_annotations_are_known() {
    let project = with_script(
        "main.gd",
        "@rpc func a(): pass\n@rpc(\"any_peer\", \"call_local\", \"unreliable\", 3) func b(): pass\n\
         @rpc(\"authority\", \"call_remote\", \"unreliable_ordered\", CHANNEL) func c(): pass\n\
         @rpc(PEERS[f(1, 2)], \"call_local\", \"unreliable\", 4) func d(): pass\n",
        &[],
    );
    let shown =
        |config: &RpcConfig| (config.any_peer, config.call_local, config.transfer, config.channel);
    assert_eq!(
        configs(&project).iter().map(shown).collect::<Vec<_>>(),
        [
            (false, false, TransferMode::Reliable, Some(0)),
            (true, true, TransferMode::Unreliable, Some(3)),
            (false, false, TransferMode::UnreliableOrdered, None),
            (false, true, TransferMode::Unreliable, Some(4)),
        ]
    );
    let project = with_script(
        "Main.cs",
        "class Main : Node {\n[Rpc] void A() {}\n[Rpc(MultiplayerApi.RpcMode.AnyPeer, CallLocal = true, \
         TransferMode = MultiplayerPeer.TransferModeEnum.Unreliable, TransferChannel = 3)] void B() {}\n\
         [Rpc(TransferMode = TransferModeEnum.UnreliableOrdered, CallLocal = false, TransferChannel = C.X)] void C() {} }",
        &[],
    );
    assert_eq!(
        configs(&project).iter().map(shown).collect::<Vec<_>>(),
        [
            (false, false, TransferMode::Reliable, Some(0)),
            (true, true, TransferMode::Unreliable, Some(3)),
            (false, false, TransferMode::UnreliableOrdered, None),
        ]
    );
}

#[test]
fn attributes_of_csharp_are_read_in_every_position() {
    for (body, names) in [
        ("[Rpc] public void A() { }", vec!["A"]),
        (
            "[Obsolete, Rpc]\n[X(new[] { 1 })]\nprivate async Task<List<int>> A<T>(int a = 1) where T : class { }",
            vec!["A"],
        ),
        (
            "[Godot.Rpc(CallLocal = true)] (int, int) A() => (1, 2); [RpcAttribute] public (int a, int b) B() { return (1, 2); }",
            vec!["A", "B"],
        ),
        (
            "[method: Rpc] public void A([X] int a) { if (true) { } }\n[global::Godot.RpcAttribute()] void B() {}",
            vec!["A", "B"],
        ),
        // The engine does not call static methods.
        ("[Rpc] public static void A() { }\n[NotRpc] void B() {}\nvoid Rpc() {}", vec![]),
        (
            "[Export] public int X { get; set; } = 5;\npublic Node[] Y = [];\nint Z => 3;\nAction F = () => { G(); };\n[Rpc] void A() {}",
            vec!["A"],
        ),
        (
            "class Nested : Node { [Rpc] void No() {} }\nenum E { [Rpc] A, B }\n[Rpc] void A() {}",
            vec!["A"],
        ),
        (
            "public static bool operator <(A a, A b) => a.x < b.x;\nint this[int i] { get => 1; }\n[Rpc] void A() {}",
            vec!["A"],
        ),
        ("#region X\n[Rpc] void @A() {}\n#endregion", vec!["A"]),
        ("[Rpc] void Überfall() {}", vec!["Überfall"]),
    ] {
        assert_eq!(
            cs(&format!("using Godot;\npublic partial class Main : Node {{\n{body}\n}}\n")),
            names,
            "{body}"
        );
    }
}

#[test]
fn strings_and_comments_of_csharp_are_skipped() {
    for body in [
        "// [Rpc] void A() {}",
        "/* [Rpc] void A() {}\n}} */",
        "const string X = \"[Rpc] \\\" }\";",
        "const string X = @\"\\\"; const string Y = @\"\"\"}\"\"\";",
        "string X = $\"{{ {Y[\"}\"]} }} {(a ? \"{\" : @\"\\\")} \\\" }\";",
        "string X = $@\"{Y} \"\" {{ \\\";",
        "string X = \"\"\"\n } \"\" }\n\"\"\"; string Y = $$\"\"\"\" { {{Z}} \"\"\" } \"\"\"\";",
        "char a = '}'; char b = '\\''; char c = '\"'; char d = '\\u007b'; char e = 'ü';",
        // A quote without an end hides no more than the longest spelling of a character.
        "char A() { '00000000000ü{ } }",
    ] {
        let text = format!("class Main : Node {{ {body} \n [Rpc] void Yes() {{}} }}");
        assert_eq!(cs(&text), ["Yes"], "{text}");
    }
}

#[test]
fn classes_of_csharp_are_found_by_name() {
    let others: &[(&str, &str)] = &[
        ("src/Main.Part.cs", "namespace Game.Net;\npartial class Main { [Rpc] void B() {} }"),
        (
            "src/Base.cs",
            "namespace Game { namespace Core { public abstract class Base<T> : Node2D, IFoo { [Rpc] void C() {} } } }",
        ),
        ("src/Helper.cs", "class Other : Base<int> { [Rpc] void No() {} }"),
    ];
    let text = "namespace Game.Net;\n[GlobalClass]\npublic partial class Main(int a) : Core.Base<int>, IBar where T : new() {\n[Rpc] void A() {}\n}\nclass Extra { [Rpc] void No() {} }";
    assert_eq!(methods("src/Main.cs", text, others), ["A", "B", "C"]);
    let constrained: &[(&str, &str)] = &[
        ("src/Base.cs", "class Base<T> : Node where T : Other<T>, new() { [Rpc] void Z() {} }"),
        ("src/Other.cs", "class Other : Node { [Rpc] void B() {} }"),
    ];
    assert_eq!(
        methods("src/Main.cs", "class Main : Base<Other> { [Rpc] void A() {} }", constrained),
        ["A", "Z"]
    );
    let free = "class Main<T> where T : Base<T> { [Rpc] void A() {} }";
    assert_eq!(methods("src/Main.cs", free, constrained), ["A"]);
    // Names of the engine differ in case: HttpRequest is HTTPRequest.
    assert_eq!(cs("class Main : HttpRequest { [Rpc] void A() {} }"), ["A"]);
}

#[test]
fn base_classes_of_csharp_may_have_namespaces_before_their_names() {
    let others: &[(&str, &str)] = &[
        (
            "src/Base.cs",
            "class Base : Node { [Rpc] void B() {} class Inner : Node { [Rpc] void No() {} } }",
        ),
        ("src/NetBase.cs", "namespace Net { class Base : Node { [Rpc] void C() {} } }"),
        ("src/DeepBase.cs", "namespace Game.Net { class Base : Node { [Rpc] void D() {} } }"),
    ];
    for (base, names) in [
        ("Base", vec!["A", "B"]),
        ("Net.Base", vec!["A", "C"]),
        ("global::Net.Base", vec!["A", "C"]),
        ("Game.Net.Base", vec!["A", "D"]),
        ("Godot.Node2D", vec!["A"]),
        ("global::Godot.Node2D", vec!["A"]),
    ] {
        let text = format!("class Main : {base} {{ [Rpc] void A() {{}} }}");
        assert_eq!(methods("src/Main.cs", &text, others), names, "{base}");
    }
    let text = "namespace Game; class Main : Net.Base { [Rpc] void A() {} }";
    assert_eq!(methods("src/Main.cs", text, others), ["A", "D"]);
    // Nested classes are not read.
    for base in ["Other.Base", "Base.Inner", "Base<int>.Inner"] {
        let text = format!("class Main : {base} {{ [Rpc] void A() {{}} }}");
        let project = with_script("src/Main.cs", &text, others);
        assert_eq!(rpcs(&project, "Main"), None, "{base}");
    }
}

/// Names alone do not tell classes from interfaces.
#[test]
fn base_classes_of_csharp_may_be_named_like_interfaces() {
    let class: &[(&str, &str)] = &[("src/IKNode.cs", "class IKNode : Node { [Rpc] void B() {} }")];
    let text = "class Main : IKNode, IBar { [Rpc] void A() {} }";
    assert_eq!(methods("src/Main.cs", text, class), ["A", "B"]);
    assert_eq!(methods("src/Main.cs", text, &[]), ["A"]);
    let parts: &[(&str, &str)] = &[
        ("src/Main.Part.cs", "partial class Main : Base { }"),
        ("src/Base.cs", "class Base : Node { [Rpc] void B() {} }"),
    ];
    assert_eq!(
        methods("src/Main.cs", "partial class Main : IFoo { [Rpc] void A() {} }", parts),
        ["A", "B"]
    );
}

#[test]
fn conditions_of_csharp_are_followed_if_each_build_has_the_same() {
    for (body, names) in [
        ("#if false\n[Rpc] void No() {}\n#endif\n[Rpc] void B() {}", Some(vec!["B"])),
        (
            "# if false // off\n[Rpc] void No() {}\n#if true\n}\n#endif\n#else\n[Rpc] void B() {}\n#endif",
            Some(vec!["B"]),
        ),
        (
            "#if true\n[Rpc] void B() {}\n#elif X\n[Rpc] void No() {}\n#else\n}\n#endif\n[Rpc] void C() {}",
            Some(vec!["B", "C"]),
        ),
        (
            "#if false\n}\n#elif false\n}\n#elif true\n[Rpc] void B() {}\n#else\n}\n#endif",
            Some(vec!["B"]),
        ),
        ("#if DEBUG\nvoid X() {}\n#endif\n[Rpc] void B() {}", Some(vec!["B"])),
        ("#if DEBUG\n[Rpc] void X() {}\n#endif\n[Rpc] void B() {}", None),
        ("#if false\n#elif DEBUG\n[Rpc] void X() {}\n#endif", None),
        ("#if DEBUG\n#else\n[Rpc] void X() {}\n#endif", None),
        ("#if DEBUG\n[Rpc]\n#endif\nvoid X() {}", None),
        ("#if false\n[Rpc] void X() {}", None),
    ] {
        let text = format!("class Main : Node {{\n{body}\n}}\n");
        let project = with_script("Main.cs", &text, &[]);
        assert_eq!(rpcs(&project, "Main"), names, "{text}");
    }
}

/// A list with a hole would give other methods the wrong names.
#[test]
fn a_list_that_is_not_certain_is_only_used_if_a_digest_proves_it() {
    for (text, problem) in [
        ("extends \"gone.gd\"\n@rpc func a(): pass", "main.gd:1: there is no file gone.gd"),
        (
            "extends \"../gone.gd\"\n@rpc func a(): pass",
            "main.gd:1: ../gone.gd is not a path in the project's folder",
        ),
        (
            "extends Gone\n@rpc func a(): pass",
            "main.gd:1: neither the project nor the engine has a class Gone",
        ),
        (
            "extends \"main.gd\"\n@rpc func a(): pass",
            "main.gd:1: the file extends or contains itself",
        ),
        ("@rpc func a(): pass\nconst X = \"", "main.gd:2: expected the end of this string"),
        ("@rpc func a(): pass\nfunc b():\n\tprint(", "main.gd:3: expected the closing bracket"),
        ("@rpc func a(): pass\n)", "main.gd:2: expected a bracket that this one closes"),
    ] {
        let project = with_script("main.gd", text, &[]);
        assert_eq!(problems(&project), [problem]);
        assert_eq!(rpcs(&project, "Main"), None, "{text}");
        assert_eq!(named(&project, &digest(&["a"])).unwrap().1, ["a"]);
    }
    let cut = with_script("Main.cs", "class Main : Node { [Rpc] void a() {", &[]);
    assert_eq!(problems(&cut), ["Main.cs:1: expected the closing brace"]);
    assert_eq!(rpcs(&cut, "Main"), None);
    let twice = with_script(
        "main.gd",
        "extends Base\n@rpc func a(): pass",
        &[("a.gd", "class_name Base"), ("b.gd", "class_name Base")],
    );
    assert_eq!(problems(&twice), ["main.gd:1: several scripts have the class name Base"]);
    assert_eq!(rpcs(&twice, "Main"), None);
}

#[test]
fn other_encodings_are_reported() {
    let project = Project::from_files([("main.gd", &b"@rpc func \xff"[..]), ("a.png", b"\xff")]);
    assert_eq!(problems(&project), ["main.gd: the file is not text in UTF-8"]);
}

/// The engine calls only methods of nodes.
#[test]
fn scripts_of_objects_that_are_not_nodes_have_no_remote_methods() {
    for class in ["RefCounted", "Object", "Resource", "SceneTree", "StyleBoxFlat", "EditorScript"] {
        let text = format!("extends {class}\n@rpc func a(): pass");
        let project = with_script("main.gd", &text, &[]);
        assert_eq!(problems(&project), [""; 0], "{class}");
        assert_eq!(rpcs(&project, "Main"), Some(Vec::new()), "{class}");
        assert_eq!(project.list_of_digest(&digest(&["a"])), DigestMatch::Unknown, "{class}");
    }
    // A class of the project comes first.
    let others = [("resource.gd", "class_name Resource extends Node\n@rpc func b(): pass")];
    let project = with_script("main.gd", "extends Resource\n@rpc func a(): pass", &others);
    assert_eq!(rpcs(&project, "Main"), Some(vec!["a", "b"]));
    let project = with_script("Main.cs", "class Main : GodotObject { [Rpc] void a() {} }", &[]);
    assert_eq!((problems(&project), rpcs(&project, "Main")), (vec![], Some(vec![])));
}

/// Godot 3 had other classes, and sends the names of methods.
#[test]
fn unknown_classes_are_no_problem_in_a_project_for_godot_3() {
    let of_version = |version: &str| {
        let settings = format!(
            "config_version={version}\n[application]\nrun/main_scene=\"res://main.tscn\"\n"
        );
        let main = "[gd_scene format=2]\n\
                    [ext_resource path=\"res://main.gd\" type=\"Script\" id=1]\n\
                    [node name=\"Main\" type=\"Sprite\"]\nscript = ExtResource( 1 )\n";
        let script = "extends Sprite\nremote func fire(): pass\n";
        problems(&project(&[
            ("project.godot", &settings),
            ("main.tscn", main),
            ("main.gd", script),
        ]))
    };
    assert_eq!(of_version("4"), [""; 0]);
    assert_eq!(
        of_version("5"),
        ["main.gd:1: neither the project nor the engine has a class Sprite"]
    );
}

/// An unknown class is a problem only where methods may have no names because of it.
#[test]
fn unknown_classes_are_reported_where_nodes_have_the_script() {
    let unknown =
        |file: &str| format!("{file}:1: neither the project nor the engine has a class Gone");
    let with = |files: &[(&str, &str)], main: &str| with_script("main.gd", main, files);
    let others = [("tool.gd", "extends Gone\nfunc a(): pass"), ("Tool.cs", "class Tool : Gone {}")];
    assert_eq!(problems(&with(&others, "extends Node")), [""; 0]);
    assert_eq!(problems(&with(&others, "extends Gone")), [unknown("main.gd")]);
    assert_eq!(problems(&with(&others, "extends \"tool.gd\"")), [unknown("tool.gd")]);
    let remote = [("tool.gd", "extends Gone\n@rpc func a(): pass")];
    assert_eq!(problems(&with(&remote, "extends Node")), [unknown("tool.gd")]);
    let base =
        [("tool.gd", "extends Gone"), ("last.gd", "extends \"tool.gd\"\n@rpc func a(): pass")];
    assert_eq!(problems(&with(&base, "extends Node")), [unknown("tool.gd")]);
    let autoload = project(&[
        ("project.godot", "[autoload]\nTool=\"*res://tool.gd\"\n"),
        ("tool.gd", "extends Gone"),
    ]);
    assert_eq!(problems(&autoload), [unknown("tool.gd")]);
}
