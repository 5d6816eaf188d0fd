//! Finding the list of methods that has a digest.

use crate::project::{digest, named, project};
use gdwire::project::{DigestMatch, Project};

fn own(project: &Project, md5: &str) -> Vec<String> {
    named(project, md5).map(|(own, _)| own).unwrap_or_default()
}

#[test]
fn methods_that_become_remote_at_run_time_are_found_by_the_digest() {
    for call in [
        "$Chat.rpc_config(\"wave\", { \"rpc_mode\": 1 })",
        "rpc_config(&\"wave\", X)",
        "self.rpc_config('wave', X)",
        "rpc_config(StringName(\"wave\"), X)",
        "node.call(\"rpc_config\", \"wave\", X)",
        "node.call_deferred(&\"rpc_config\", &\"wave\", X)",
        "rpc_config.call_deferred(\"wave\", X)",
        "rpc_config(\n\t\t\"wave\",\n\t\tX)",
        "const W = \"wave\"\n\trpc_config(W, X)",
        "for m in [\"wave\", \"other\"]:\n\t\trpc_config(m, X)",
    ] {
        let text = format!(
            "extends Node\n@rpc func fire(): pass\nfunc wave(): pass\nfunc _ready():\n\t{call}\n"
        );
        let project = project(&[("a.gd", &text)]);
        let md5 = digest(&["wave", "fire"]);
        assert_eq!(own(&project, &md5), ["wave"], "{call}");
        let DigestMatch::Known(list) = project.list_of_digest(&md5) else { panic!("{call}") };
        assert_eq!(project.list(list).script(), Some("res://a.gd"), "{call}");
        assert_eq!(own(&project, &digest(&["fire"])), [""; 0]);
    }
    for call in [
        "RpcConfig(nameof(Wave), x)",
        "RpcConfig(\"Wave\", x)",
        "RpcConfig(MethodName.Wave, x)",
        "node.RpcConfig(Chat.MethodName.Wave, x)",
        "RpcConfig(new StringName(\"Wave\"), x)",
        "const string W = \"Wave\"; RpcConfig(W, x)",
    ] {
        let text = format!(
            "class Chat : Node {{ [Rpc] void Fire() {{}} void Wave() {{}} void _Ready() {{ {call}; }} }}"
        );
        let project = project(&[("Chat.cs", &text)]);
        assert_eq!(own(&project, &digest(&["Wave", "Fire"])), ["Wave"], "{call}");
    }
}

#[test]
fn another_script_may_make_methods_remote() {
    let project = project(&[
        (
            "main.gd",
            "func f(x):\n\tx.rpc_config(\"a\", {})\n\tx.rpc_config(\"b\", {})\n\tx.rpc_config(\"c\", {})",
        ),
        ("base.gd", "func a(): pass\n@rpc func x(): pass"),
        ("sub.gd", "extends \"base.gd\"\nfunc b(): pass"),
    ]);
    for names in [&["a"][..], &["a", "b"], &["a", "c"], &["a", "b", "c"], &["b"]] {
        assert_eq!(own(&project, &digest(&[names, &["x"]].concat())), names);
        // A node without a script, too.
        assert_eq!(own(&project, &digest(names)), names);
    }
    assert_eq!(project.list_of_digest(&digest(&["b", "a", "x"])), DigestMatch::Unknown);
}

#[test]
fn a_digest_without_a_list_is_unknown() {
    let project = project(&[("a.gd", "@rpc func a(): pass")]);
    assert_eq!(project.list_of_digest(&digest(&["b"])), DigestMatch::Unknown);
    let known = digest(&["a"]);
    assert!(matches!(project.list_of_digest(&known), DigestMatch::Known(_)));
    assert!(matches!(project.list_of_digest(&known.to_uppercase()), DigestMatch::Known(_)));
    for md5 in ["", "+", &known[1..], &format!("0{known}"), &format!("+{}", &known[1..]), "ü"] {
        assert_eq!(project.list_of_digest(md5), DigestMatch::Unknown, "{md5}");
    }
    // Nodes without remote methods have a list as well.
    assert_eq!(named(&project, &digest(&[])), Some((vec![], vec![])));
}

/// "ab" + "c" has the same digest as "a" + "bc".
#[test]
fn the_scene_decides_between_lists_with_the_same_digest() {
    let scene = "[gd_scene format=3]\n[ext_resource type=\"Script\" path=\"res://a.gd\" id=\"1\"]\n\
        [ext_resource type=\"Script\" path=\"res://b.gd\" id=\"2\"]\n[node name=\"Main\" type=\"Node\"]\n\
        script = ExtResource(\"1\")\n[node name=\"B\" type=\"Node\" parent=\".\"]\nscript = ExtResource(\"2\")\n\
        [node name=\"C\" type=\"Node\" parent=\".\"]\n";
    let project = project(&[
        ("project.godot", "[application]\nrun/main_scene=\"res://main.tscn\"\n"),
        ("main.tscn", scene),
        ("a.gd", "@rpc func ab(): pass\n@rpc func c(): pass"),
        ("b.gd", "@rpc func a(): pass\n@rpc func bc(): pass"),
    ]);
    let md5 = digest(&["abc"]);
    assert_eq!(project.list_of_digest(&md5), DigestMatch::Ambiguous);
    for (path, first) in [("Main", "ab"), ("Main/B", "a")] {
        let list = project.node(path).unwrap().list.unwrap();
        let DigestMatch::Known(found) = project.list_of_node(&md5, list) else { panic!("{path}") };
        assert_eq!(project.list(found).name(0, false), Some(first));
    }
    let empty = project.node("Main/C").unwrap().list.unwrap();
    assert_eq!(project.list_of_node(&md5, empty), DigestMatch::Ambiguous);
}

/// Likewise "ab", and "a" + "b", if the script may make all three remote.
#[test]
fn lists_of_a_script_may_have_the_same_digest() {
    let text = "func a(): pass\nfunc b(): pass\nfunc ab(): pass\n\
        func _ready():\n\tfor m in [\"a\", \"b\", \"ab\"]: rpc_config(m, X)\n";
    let scene = "[gd_scene format=3]\n[ext_resource type=\"Script\" path=\"res://a.gd\" id=\"1\"]\n\
        [node name=\"Main\" type=\"Node\"]\nscript = ExtResource(\"1\")\n";
    let project = project(&[
        ("project.godot", "[application]\nrun/main_scene=\"res://main.tscn\"\n"),
        ("main.tscn", scene),
        ("a.gd", text),
    ]);
    let list = project.node("Main").unwrap().list.unwrap();
    let known = project.list_of_node(&digest(&["a"]), list);
    assert!(matches!(known, DigestMatch::Known(_)), "{known:?}");
    assert_eq!(project.list_of_node(&digest(&["ab"]), list), DigestMatch::Ambiguous);
}

#[test]
fn scripts_with_the_same_methods_share_a_list() {
    let project = project(&[
        ("a.gd", "@rpc func a(): pass\n@rpc(\"any_peer\") func b(): pass"),
        ("b.gd", "@rpc func a(): pass\n@rpc func b(): pass"),
        ("c.gd", "@rpc func c(): pass"),
    ]);
    let DigestMatch::Known(list) = project.list_of_digest(&digest(&["a", "b"])) else { panic!() };
    let list = project.list(list);
    assert_eq!((list.script(), list.name(1, false)), (None, Some("b")));
    assert!(list.rpc_config(0).is_some() && list.rpc_config(1).is_none());
    let DigestMatch::Known(list) = project.list_of_digest(&digest(&["c"])) else { panic!() };
    assert_eq!(project.list(list).script(), Some("res://c.gd"));
}
