//! Calls that a receiver refuses, because only the authority of the node may make them.

use crate::multiplayer::{GODOT_4, read};
use gdwire::multiplayer::{
    Context, Method, Names, Node, PacketEncoder, Paths, PeerId, SpawnedNode,
};
use gdwire::project::Project;

/// Whether calls of `Main/World` and of `Main/Other` are refused from clients. Both have a method that
/// only the authority may call.
fn refused(files: &[(&str, &str)]) -> [bool; 2] {
    let script = files.first().map_or("", |(path, _)| path);
    let main = format!(
        "[gd_scene format=3]\n\
         [ext_resource type=\"Script\" path=\"res://{script}\" id=\"1\"]\n\
         [ext_resource type=\"Script\" path=\"res://world.gd\" id=\"2\"]\n\
         [node name=\"Main\" type=\"Node\"]\nscript = ExtResource(\"1\")\n\
         [node name=\"World\" type=\"Node\" parent=\".\"]\nscript = ExtResource(\"2\")\n\
         [node name=\"Other\" type=\"Node\" parent=\".\"]\nscript = ExtResource(\"2\")\n"
    );
    let fixed = [
        (
            "project.godot",
            "[application]\nrun/main_scene=\"res://main.tscn\"\n[autoload]\nNet=\"*res://net.gd\"\n",
        ),
        ("main.tscn", &*main),
        ("world.gd", "extends Node\n@rpc func a(): pass\n"),
    ];
    let project = Project::from_files(fixed.into_iter().chain(files.iter().copied()));
    let paths = Paths::new().with_names(Names::new().with_project(project).into());
    let context = Context::new().with_paths(&paths, PeerId::new(7));
    ["Main/World", "Main/Other"].map(|path| {
        let method = Method::Number { index: 0, is_own: false };
        let encoder = PacketEncoder::new(GODOT_4.0, GODOT_4.1);
        let call = encoder.call(Node::Path(path), method, &(), Vec::new()).unwrap();
        read(GODOT_4, &call).is_refused_from_clients(context)
    })
}

#[test]
fn clients_may_be_the_authority_of_nodes_that_scripts_name() {
    let (none, world, all) = ([true, true], [false, true], [false, false]);
    for (statement, expected) in [
        ("pass", none),
        ("$World.set_multiplayer_authority(id)", world),
        ("$World.set_multiplayer_authority(id, false)", world),
        ("$World.set_multiplayer_authority(1)", none),
        ("$\"World\".set_multiplayer_authority(id)", world),
        ("get_node(\"World\").set_multiplayer_authority(id)", world),
        ("$World.call(\"set_multiplayer_authority\", id)", world),
        ("$World.call_deferred(&\"set_multiplayer_authority\", id)", world),
        ("$Other.get_parent().get_node(\"World\").set_multiplayer_authority(id)", world),
        ("$World.get_parent().set_multiplayer_authority(id)", all),
        ("set_multiplayer_authority(id)", all),
        ("self.set_multiplayer_authority(id)", all),
        ("set_multiplayer_authority(id, false)", none),
        ("$Gone.set_multiplayer_authority(id)", all),
        ("get_child(0).set_multiplayer_authority(id)", all),
        ("$\"/root/Main/World\".set_multiplayer_authority(id)", all),
        ("var n = $World\n\tn.set_multiplayer_authority(id)", world),
        ("var n = $World\n\tfor n in list: n.set_multiplayer_authority(id)", all),
        ("var f = set_multiplayer_authority", all),
        ("var f = $World.set_multiplayer_authority", world),
        ("print(get_multiplayer_authority())", none),
    ] {
        let text = format!("extends Node\nfunc f(id):\n\t{statement}\n");
        assert_eq!(refused(&[("main.gd", &text)]), expected, "{statement}");
        let base = refused(&[("main.gd", "extends \"base.gd\""), ("base.gd", &text)]);
        assert_eq!(base, expected, "in a base class: {statement}");
    }
    for (statement, expected) in [
        ("GetNode(\"World\").SetMultiplayerAuthority(id);", world),
        ("GetNode<Node>(\"World\").SetMultiplayerAuthority(id);", world),
        ("GetNode(\"World\").Call(MethodName.SetMultiplayerAuthority, id);", world),
        ("GetNode(\"World\").Call(Node.MethodName.SetMultiplayerAuthority, id);", world),
        ("GetNode(\"World\").CallDeferred(nameof(SetMultiplayerAuthority), id);", world),
        ("var n = GetNode(\"World\"); n.SetMultiplayerAuthority(id);", world),
        ("var n = GetNode(\"World\"); n = m; n.SetMultiplayerAuthority(id);", all),
        (
            "var n = GetNode(\"World\"); void G(Node n, int id) { n.SetMultiplayerAuthority(id); }",
            all,
        ),
        ("SetMultiplayerAuthority(1);", none),
        ("this.SetMultiplayerAuthority(id);", all),
        ("GetChild(0).SetMultiplayerAuthority(id);", all),
    ] {
        let text = format!("class Main : Node {{ void F(int id) {{ {statement} }} }}");
        assert_eq!(refused(&[("Main.cs", &text)]), expected, "{statement}");
    }
    // Scripts of autoloads, and of nodes that are made at run time.
    let main = ("main.gd", "extends Node\n");
    for (file, statement, expected) in [
        ("net.gd", "set_multiplayer_authority(id)", none),
        ("net.gd", "$A.set_multiplayer_authority(id)", all),
        ("made.gd", "set_multiplayer_authority(id)", none),
        ("made.gd", "$A.set_multiplayer_authority(id)", all),
    ] {
        let text = format!("extends Node\nfunc f(id):\n\t{statement}\n");
        assert_eq!(refused(&[main, (file, &text)]), expected, "{file} {statement}");
    }
}

/// A spawned node is looked up in its scene.
#[test]
fn clients_may_be_the_authority_of_nodes_in_spawned_scenes() {
    let mob = "[gd_scene format=3]\n\
        [ext_resource type=\"Script\" path=\"res://mob.gd\" id=\"1\"]\n\
        [ext_resource type=\"Script\" path=\"res://gun.gd\" id=\"2\"]\n\
        [node name=\"Mob\" type=\"Node\"]\nscript = ExtResource(\"1\")\n\
        [node name=\"Gun\" type=\"Node\" parent=\".\"]\nscript = ExtResource(\"2\")\n";
    let main = "[gd_scene format=3]\n[node name=\"Main\" type=\"Node\"]\n\
        [node name=\"Spawner\" type=\"MultiplayerSpawner\" parent=\".\"]\n\
        spawn_path = NodePath(\"..\")\n\
        _spawnable_scenes = PackedStringArray(\"res://mob.tscn\")\n";
    for (statement, is_refused) in [("pass", true), ("$Gun.set_multiplayer_authority(id)", false)] {
        let project = Project::from_files([
            ("project.godot", "[application]\nrun/main_scene=\"res://main.tscn\"\n"),
            ("main.tscn", main),
            ("mob.tscn", mob),
            ("mob.gd", &format!("extends Node\nfunc f(id):\n\t{statement}\n")),
            ("gun.gd", "extends Node\n@rpc func a(): pass\n"),
        ]);
        let mut paths = Paths::new().with_names(Names::new().with_project(project).into());
        let encoder = PacketEncoder::new(GODOT_4.0, GODOT_4.1);
        let no_methods = Some("d41d8cd98f00b204e9800998ecf8427e");
        let announced = encoder.simplify_path(1, "Main/Spawner", no_methods, Vec::new()).unwrap();
        let node = SpawnedNode { spawner: 1, net_id: 9, name: "it", synchronizers: &[] };
        let spawn = encoder.spawn(&node, 0, &(), Vec::new()).unwrap();
        for packet in [&announced, &spawn] {
            paths.note(PeerId::SERVER, &read(GODOT_4, packet));
        }
        let method = Method::Number { index: 0, is_own: false };
        let call = encoder.call(Node::Path("Main/it/Gun"), method, &(), Vec::new()).unwrap();
        let context = Context::new().with_paths(&paths, PeerId::SERVER);
        assert_eq!(
            read(GODOT_4, &call).is_refused_from_clients(context),
            is_refused,
            "{statement}"
        );
    }
}
