//! Calls of nodes whose ids were announced before: the scripts that may be meant.

use crate::multiplayer::{GODOT_4, read};
use gdwire::multiplayer::{Context, Names, Paths, PeerId};
use gdwire::project::Project;

/// The names of a project. `other` is the script of its second node.
fn paths(other: &str, more: &[(String, String)]) -> Paths {
    let main = "[gd_scene format=3]\n\
        [ext_resource type=\"Script\" path=\"res://net.gd\" id=\"1\"]\n\
        [ext_resource type=\"Script\" path=\"res://other.gd\" id=\"2\"]\n\
        [node name=\"Main\" type=\"Node\"]\nscript = ExtResource(\"1\")\n\
        [node name=\"Other\" type=\"Node\" parent=\".\"]\nscript = ExtResource(\"2\")\n";
    let net = "extends Node\n@rpc(\"any_peer\") func ping(_at: int): pass\n";
    let files = [
        ("project.godot", "[application]\nrun/main_scene=\"res://main.tscn\"\n"),
        ("main.tscn", main),
        ("net.gd", net),
        ("other.gd", other),
    ];
    let more = more.iter().map(|(path, text)| (path.as_str(), text.as_str()));
    let names = Names::new().with_project(Project::from_files(files.into_iter().chain(more)));
    Paths::new().with_names(names.into())
}

/// How a call of this method of node 9 with one int is shown.
fn called(paths: &mut Paths, method: u8) -> String {
    let packet = [0, 9, method, 1, 2, 7];
    let call = read(GODOT_4, &packet);
    paths.note(PeerId::SERVER, &call);
    call.display(Context::new().with_paths(paths, PeerId::SERVER)).to_string()
}

fn shown(other: &str, more: &[(String, String)]) -> String {
    called(&mut paths(other, more), 0)
}

#[test]
fn a_script_is_found_unless_another_one_may_be_meant() {
    let base = |text: &str| [("base.gd".to_owned(), text.to_owned())];
    let (only, named, unknown) = ("#9 (net.gd).ping(7)", "#9.ping(7)", "#9.#0(7)");
    for (other, more, expected) in [
        ("extends Node", "", only),
        ("", "", only),
        ("@rpc func pong(_at: int): pass", "", unknown),
        ("@rpc func pong(_at): pass", "", unknown),
        ("@rpc func pong(_at: float): pass", "", unknown),
        ("@rpc func pong(...at): pass", "", unknown),
        ("@rpc func pong(_at = func(): pass): pass", "", unknown),
        ("@rpc func pong(_at: String): pass", "", only),
        ("@rpc func pong(_at: int, _by: int): pass", "", only),
        ("@rpc func pong(_at: int, _by: int = 1): pass", "", unknown),
        ("@rpc func pong(): pass", "", only),
        ("@rpc func pong(): pass\n@rpc func quack(_at: int): pass", "", only),
        ("@rpc func ping(_at: int): pass", "", named),
        ("@rpc func ping(): pass", "", only),
        ("@rpc func ping(_at: int): pass\n@rpc func quit(): pass", "", named),
        // A class of an extension of the engine has no remote methods.
        ("extends Gone", "", only),
        ("extends Gone\n@rpc func pong(_at: int): pass", "", unknown),
        ("extends Gone\n@rpc func pong(_at: String): pass", "", unknown),
        ("extends \"base.gd\"", "extends Gone", only),
        ("extends \"gone.gd\"", "", unknown),
        ("extends \"base.gd\"", "extends \"gone.gd\"", unknown),
        ("extends \"base.gd\"", "extends Node", only),
        ("extends \"base.gd\"", "@rpc func pong(_at: int): pass", unknown),
        ("extends \"base.gd\"", "func f():\n\tprint(", unknown),
        ("func f():\n\tprint(", "", unknown),
        ("extends \"other.gd\"", "", unknown),
        ("extends Node", "@rpc func pong(_at: int): pass", only),
        ("var x = preload(\"base.gd\")", "@rpc func pong(_at: int): pass", unknown),
        ("func f(x): x.set_script(load(x))", "@rpc func pong(_at: int): pass", unknown),
    ] {
        assert_eq!(shown(other, &base(more)), expected, "{other} {more}");
    }
    // One of many scripts that extend each other may extend itself.
    for (count, expected) in [(63, only), (64, unknown)] {
        let extends = |n: usize| match n {
            n if n + 1 < count => format!("extends \"s{}.gd\"", n + 1),
            _ => "extends Gone".to_owned(),
        };
        let scripts: Vec<_> = (1..count).map(|n| (format!("s{n}.gd"), extends(n))).collect();
        assert_eq!(shown("extends \"s1.gd\"", &scripts), expected, "{count}");
    }
}

/// How a call of this node and method with one int is shown, if the path is in the packet.
fn called_by_path(paths: &mut Paths, path: &str, method: u8) -> String {
    let packet = [&[0x20, 9, 0, 0, 0x80, method, 1, 2, 7], path.as_bytes(), b"\0"].concat();
    let call = read(GODOT_4, &packet);
    paths.note(PeerId::SERVER, &call);
    call.display(Context::new().with_paths(paths, PeerId::SERVER)).to_string()
}

#[test]
fn a_node_that_scripts_made_is_found_by_its_calls() {
    let mut known = paths("@rpc func pong(): pass", &[]);
    assert_eq!(called_by_path(&mut known, "Main/Made", 0), "Main/Made.ping(7)");
    assert_eq!(called_by_path(&mut known, "Main/Made", 1), "Main/Made.#1(7)");
    let mut unknown = paths("@rpc func pong(_at: int): pass", &[]);
    assert_eq!(called_by_path(&mut unknown, "Main/Made", 0), "Main/Made.#0(7)");
    // The scene has the script of this node.
    assert_eq!(called_by_path(&mut unknown, "Main/Other", 0), "Main/Other.pong(7)");
    let long = format!("Main/{}", "a".repeat(1_020));
    assert_eq!(called_by_path(&mut known, &long, 0), format!("{long}.#0(7)"));
}

/// A method that up to 64 scripts have at its number has its name. More scripts are not compared.
#[test]
fn up_to_64_scripts_may_agree_on_the_name_of_a_method() {
    for (count, expected) in [(64, "#9.ping(7)"), (65, "#9.#0(7)")] {
        // `net.gd` is one of them.
        let script = |n: usize| {
            let text = format!("@rpc func ping(_at: int): pass\n@rpc func z{n}(): pass");
            (format!("s{n}.gd"), text)
        };
        let scripts: Vec<_> = (1..count).map(script).collect();
        let other = "func f(x): x.set_script(load(x))";
        assert_eq!(shown(other, &scripts), expected, "{count}");
    }
}

#[test]
fn at_most_4096_paths_of_nodes_that_were_not_announced_are_kept() {
    let mut known = paths("@rpc func pong(): pass", &[]);
    for number in 0..4_096 {
        let path = format!("Main/Made{number:04}");
        assert_eq!(called_by_path(&mut known, &path, 0), format!("{path}.ping(7)"));
    }
    let held = known.held_bytes();
    assert_eq!(called_by_path(&mut known, "Main/Made", 0), "Main/Made.#0(7)");
    assert_eq!(known.held_bytes(), held);
}

#[test]
fn a_digest_decides_about_calls_before_it() {
    let digests = [
        // The digests of `ping`, and of a method that no script has.
        ("df911f0151f9ef021d410b4be5060972", "Main/Made.ping(7)"),
        ("ffffffffffffffffffffffffffffffff", "Main/Made.#0(7)"),
    ];
    for (digest, expected) in digests {
        let mut paths = paths("@rpc func pong(): pass", &[]);
        assert_eq!(called_by_path(&mut paths, "Main/Made", 0), "Main/Made.ping(7)");
        let call = [&[0x20, 9, 0, 0, 0x80, 0, 1, 2, 7][..], b"Main/Made\0"].concat();
        let announced = format!("\x01{digest}\0\x05\0\0\0Main/Made\0");
        // A sender that has not announced the path itself.
        paths.note(PeerId::SERVER, &read(GODOT_4, announced.as_bytes()));
        let context = Context::new().with_paths(&paths, PeerId::new(2));
        assert_eq!(read(GODOT_4, &call).display(context).to_string(), expected, "{digest}");
    }
}

#[test]
fn nodes_of_an_imported_model_have_no_scripts() {
    let level = |file| {
        format!(
            "[gd_scene format=3]\n\
             [ext_resource type=\"PackedScene\" path=\"res://{file}\" id=\"1\"]\n\
             [node name=\"Level\" type=\"Node3D\"]\n\
             [node name=\"Body\" parent=\".\" instance=ExtResource(\"1\")]\n\
             [node name=\"Hand\" parent=\"Body/Skeleton\"]\n[editable path=\"Body\"]\n"
        )
    };
    for (file, expected) in [("model.glb", "#9 (net.gd).ping(7)"), ("gone.tscn", "#9.#0(7)")] {
        let more = [("level.tscn", level(file)), ("model.glb", String::new())];
        let more = more.map(|(path, text)| (path.to_owned(), text));
        assert_eq!(shown("extends Node", &more), expected, "{file}");
    }
}

#[test]
fn another_call_decides_between_many_scripts() {
    let script = |name: &str| format!("@rpc func {name}(_at: int): pass\n");
    let more: Vec<_> = (0..100).map(|n| (format!("s{n}.gd"), script(&format!("m{n}")))).collect();
    let any = "func f(x): x.set_script(load(x))";
    let mut paths = paths(&(script("ping") + &script("quit") + any), &more);
    assert_eq!(called(&mut paths, 0), "#9.#0(7)");
    assert_eq!(called(&mut paths, 1), "#9 (other.gd).quit(7)");
    assert_eq!(called(&mut paths, 0), "#9 (other.gd).ping(7)");
}

/// The text of a state with one int and an unknown id, if the scene has these nodes, too.
fn shown_state(more: &str, files: &[(&str, &str)]) -> String {
    let main = format!(
        "[gd_scene format=3]\n\
         [ext_resource type=\"PackedScene\" path=\"res://model.glb\" id=\"1\"]\n\
         [ext_resource type=\"PackedScene\" path=\"res://gone.tscn\" id=\"2\"]\n\
         [ext_resource type=\"PackedScene\" path=\"res://other.scn\" id=\"3\"]\n\
         [ext_resource type=\"Script\" path=\"res://main.gd\" id=\"4\"]\n\
         [sub_resource type=\"SceneReplicationConfig\" id=\"a\"]\n\
         properties/0/path = NodePath(\".:hp\")\nproperties/0/replication_mode = 1\n\
         [sub_resource type=\"SceneReplicationConfig\" id=\"b\"]\n\
         properties/0/path = NodePath(\".:name_of\")\nproperties/0/replication_mode = 1\n\
         [sub_resource type=\"SceneReplicationConfig\" id=\"c\"]\n\
         properties/0/path = 5\n\
         [node name=\"Main\" type=\"Node\"]\nscript = ExtResource(\"4\")\n\
         [node name=\"Sync\" type=\"MultiplayerSynchronizer\" parent=\".\"]\n\
         replication_config = SubResource(\"a\")\n{more}"
    );
    let fixed = [
        ("project.godot", "[application]\nrun/main_scene=\"res://main.tscn\"\n"),
        ("main.tscn", &*main),
        ("main.gd", "extends Node\nvar hp := 1\nvar name_of := \"\"\nvar other := 2\n"),
        ("model.glb", ""),
    ];
    let files = fixed.into_iter().chain(files.iter().copied());
    let names = Names::new().with_project(Project::from_files(files));
    let mut paths = Paths::new().with_names(names.into());
    let sync = read(GODOT_4, &[6, 1, 0, 9, 0, 0, 0x80, 2, 0, 0, 0, 2, 7]);
    paths.note(PeerId::SERVER, &sync);
    sync.display(Context::new().with_paths(&paths, PeerId::SERVER)).to_string()
}

#[test]
fn properties_are_found_unless_a_synchronizer_may_have_others() {
    let (known, unknown) = ("sync 1: #9 {hp: 7}", "sync 1: #9 [7]");
    let node = |lines: &str| format!("[node name=\"N\" parent=\".\" {lines}\n");
    let synchronizer = |config: &str| node(&format!("type=\"MultiplayerSynchronizer\"]\n{config}"));
    let of = |id| synchronizer(&format!("replication_config = SubResource(\"{id}\")"));
    let model = "[node name=\"Bone\" parent=\"N/Armature\"]\n[node name=\"Hat\" type=\"Node\" parent=\"N/Armature/Bone\"]";
    for (more, expected) in [
        (String::new(), known),
        (node("type=\"Node\"]"), known),
        (node("type=\"Node\"]\nscript = ExtResource(\"9\")"), known),
        (node("instance=ExtResource(\"1\")]"), known),
        (node(&format!("instance=ExtResource(\"1\")]\n{model}")), known),
        (node("instance=ExtResource(\"2\")]"), unknown),
        (node("instance=ExtResource(\"2\")]\nscript = ExtResource(\"4\")"), unknown),
        (node("instance=ExtResource(\"3\")]"), unknown),
        (of("a"), known),
        (of("b"), known),
        (of("c"), unknown),
        (synchronizer("replication_config = null"), unknown),
        (synchronizer("root_path = NodePath(\"..\")"), unknown),
    ] {
        assert_eq!(shown_state(&more, &[]), expected, "{more}");
    }
    for (script, expected) in [
        ("func f(s): s.public_visibility = false", known),
        ("func f(s): print(s.replication_config)", known),
        ("func f(s): s.replication_config = null", unknown),
        ("func f(s): s.replication_config == null", known),
        ("func f(): load(\"res://c.tres\").add_property(^\".:x\")", unknown),
        ("func f(s): s.replication_config.add_property(^\".:x\")", unknown),
        ("func f(i): ProjectSettings.add_property_info(i)", known),
        ("func f(c): c.add_property(^\".:x\")", known),
    ] {
        assert_eq!(shown_state("", &[("other.gd", script)]), expected, "{script}");
    }
}
