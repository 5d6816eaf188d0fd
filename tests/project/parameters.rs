//! The parameters of remote methods, and the scripts that nodes may have.

use crate::project::{problems, project};
use gdwire::Kind;
use gdwire::project::Project;
use std::collections::BTreeSet;

/// The parameters of the remote methods of the script of `Main`.
fn shown(project: &Project) -> Vec<String> {
    let list = project.list(project.node("Main").unwrap().list.unwrap());
    let count = u16::try_from(list.len(false)).unwrap();
    let methods = (0..count).map(|index| match list.parameters(index) {
        None => "?".to_owned(),
        Some(parameters) => {
            let name = |kind: &Option<Kind>| kind.map_or("_", Kind::name);
            let kinds: Vec<&str> = parameters.kinds.iter().map(name).collect();
            let more = if parameters.is_variadic { " ..." } else { "" };
            format!("{} of {}{more}", parameters.required, kinds.join(" "))
        }
    });
    methods.collect()
}

fn with_script(name: &str, text: &str, others: &[(&str, &str)]) -> Project {
    let scene = format!(
        "[gd_scene format=3]\n[ext_resource type=\"Script\" path=\"res://{name}\" id=\"1\"]\n\
         [node name=\"Main\" type=\"Node\"]\nscript = ExtResource(\"1\")\n"
    );
    let settings = "[application]\nrun/main_scene=\"res://main.tscn\"\n";
    let mut files = vec![("project.godot", settings), ("main.tscn", &*scene), (name, text)];
    files.extend(others);
    let project = project(&files);
    assert_eq!(problems(&project), [""; 0], "{text}");
    project
}

#[test]
fn parameters_of_gdscript_are_known() {
    for (parameters, expected) in [
        ("", "0 of "),
        ("a", "1 of _"),
        ("a, b,", "2 of _ _"),
        ("a: int, b: float = 1, c = 2", "1 of int float _"),
        ("a := 1, b := -0.5, c := \"x\", d := &\"y\"", "0 of int float String StringName"),
        ("a := [1, 2], b := {\"k\": 1}, c := Vector2(1, 2)", "0 of Array Dictionary Vector2"),
        ("a := -(1 + 2), b := f(1, 2), c: int = g(1, [2, 3])", "0 of _ _ int"),
        ("a: Array[int], b: Dictionary[int, String] = {}", "1 of Array Dictionary"),
        ("a: Node, b: Kinds.Deep, c: Variant, d: PackedByteArray", "4 of _ _ _ PackedByteArray"),
        ("a: String = \"),(\", b = Vector2.ZERO, c := Color.RED", "0 of String _ Color"),
        ("\n\ta: int, # the first\n\tb: bool\n", "2 of int bool"),
        ("a, b = 1, ...rest", "1 of _ _ ..."),
        ("...rest: Array", "0 of  ..."),
        ("f = func(a, b): return a", "?"),
    ] {
        let project = with_script("main.gd", &format!("@rpc func m({parameters}): pass\n"), &[]);
        assert_eq!(shown(&project), [expected], "{parameters}");
    }
}

#[test]
fn parameters_of_csharp_are_known() {
    for (parameters, expected) in [
        ("", "0 of "),
        ("int a, System.Single x", "2 of int _"),
        (
            "float a, string b = \",)\", Godot.Vector2I c = default(Vector2I)",
            "3 of float String Vector2i",
        ),
        ("byte[] a, string[] b, Node[] c", "3 of PackedByteArray PackedStringArray _"),
        ("Godot.Collections.Array<int> a, Dictionary<int, string> b", "2 of Array Dictionary"),
        (
            "Variant a, Side b, StringName c, NodePath d, Aabb e",
            "5 of _ _ StringName NodePath AABB",
        ),
        ("[Attribute(1, 2)] long a, params float[] b", "2 of int PackedFloat32Array"),
        ("string? a, (int, int) b", "2 of String _"),
        (
            "int[] a, long[] b, double[] c, Vector2[] d, Vector3[] e, Vector4[] f, Color[] g",
            "7 of PackedInt32Array PackedInt64Array PackedFloat64Array PackedVector2Array \
             PackedVector3Array PackedVector4Array PackedColorArray",
        ),
        ("sbyte a, ushort b, byte c, char d, double e", "5 of int int int int float"),
        ("Vector2 a, Vector3 b, Vector4 c, Color d", "4 of Vector2 Vector3 Vector4 Color"),
        ("uint[] a, bool[] b, Vector2I[] c, Rid[] d", "4 of _ _ _ _"),
    ] {
        let text = format!("class Main : Node {{ [Rpc] public void M({parameters}) {{ }} }}");
        assert_eq!(shown(&with_script("Main.cs", &text, &[])), [expected], "{parameters}");
    }
}

#[test]
fn overridden_methods_have_the_parameters_of_the_class() {
    let base = ("base.gd", "extends Node\n@rpc func a(x: int): pass\n@rpc func b(x: int): pass\n");
    let text = "extends \"base.gd\"\nfunc a(x: int, y = 1): pass\n@rpc func c(): pass\n";
    let project = with_script("main.gd", text, &[base]);
    assert_eq!(shown(&project), ["1 of int _", "1 of int", "0 of "]);
}

#[test]
fn parameters_that_scripts_declare_differently_are_not_known() {
    let project = project(&[
        ("a.gd", "@rpc func a(x: int): pass\n@rpc func b(x): pass"),
        ("b.gd", "@rpc func a(x: float): pass\n@rpc func b(y): pass"),
    ]);
    let gdwire::project::DigestMatch::Known(list) =
        project.list_of_digest(&crate::project::digest(&["a", "b"]))
    else {
        panic!()
    };
    let list = project.list(list);
    assert_eq!(list.parameters(0), None);
    assert_eq!(list.parameters(1).unwrap().required, 1);
    assert_eq!(list.parameters(2), None);
}

/// The paths of the scripts that nodes may have; `?` if one of them is not known.
fn used(files: &[(&str, &str)]) -> BTreeSet<String> {
    let project = project(files);
    let script = |list| project.list(list).script().unwrap_or("no script").to_owned();
    project.lists_in_use().map(|list| list.map_or("?".to_owned(), script)).collect()
}

#[test]
fn scripts_in_use_are_those_that_nodes_may_have() {
    let weapon = ("weapon.gd", "class_name Weapon\nextends Node\n@rpc func w(): pass\n");
    for (text, is_used) in [
        ("var a: Weapon\n", false),
        ("var a: Array[Weapon] = []\nfunc f(b: Weapon) -> Weapon:\n\treturn b as Weapon\n", false),
        ("func f(b):\n\tif b is Weapon: print(Weapon.COUNT)\n", false),
        ("class_name Sword extends Weapon\n", false),
        ("func f():\n\tadd_child(Weapon.new())\n", true),
        ("func f():\n\tset_script(Weapon)\n", true),
        ("const ALL = { \"w\": Weapon }\n", true),
        ("const ALL = [Weapon]", true),
        ("func f(): return Weapon", true),
        ("const W = preload(\"weapon.gd\")\n", true),
        ("const W = preload(\"res://weapon.gd\")\n", true),
        ("extends \"res://weapon.gd\"\n", false),
        ("func f(x):\n\tadd_child(load(x).new())\n", true),
        ("func f(x):\n\tadd_child(load(\"res://%s.gd\" % x).new())\n", true),
        ("func f(x):\n\tadd_child(load(x).instantiate())\n", false),
        ("func f(n, x):\n\tn.set_script(x)\n", false),
        ("func f(n, x):\n\tn.set_script(load(x))\n", true),
        ("func f(n, x):\n\tn.set_script(load(\"res://other.gd\"))\n", false),
        ("func f(n, x):\n\tn.set_script(preload(\"other.gd\"))\n\tload(x)\n", false),
        ("func f(n, x):\n\tn.set_script(load(\"other.gd\"))\n\tload(x)\n", true),
    ] {
        let found = used(&[weapon, ("other.gd", text)]);
        assert_eq!(found.contains("res://weapon.gd"), is_used, "{text}: {found:?}");
    }
    let itself =
        ("weapon.gd", "class_name Weapon\n@rpc func w(): pass\nstatic func make(): return new()\n");
    assert!(used(&[itself]).contains("res://weapon.gd"));
    let autoload =
        ("project.godot", "[autoload]\nWeapons=\"*res://weapon.gd\"\nGone=\"*res://gone.gd\"\n");
    let both: Vec<String> = used(&[weapon, autoload]).into_iter().collect();
    assert_eq!(both, ["?", "res://weapon.gd"]);
    let resource = (
        "pistol.tres",
        "[gd_resource type=\"Resource\" format=3]\n\
         [ext_resource type=\"Script\" path=\"res://weapon.gd\" id=\"1\"]\n[resource]\nkind = ExtResource(\"1\")\n",
    );
    assert!(used(&[weapon, resource]).contains("res://weapon.gd"));
}
