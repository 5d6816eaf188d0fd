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

const GDSCRIPT: &[&str] = &[
    "class_name Main extends \"res://base.gd\".Inner\n@rpc(\"any_peer\", \"call_local\", 3) func a(x: int, y := -1.5e-3, ...z): pass\n@rpc\nstatic func b(n: A.B, t = [1, (2)]): return n\n",
    "class Outer extends Node2D:\n  class In: pass\n  @rpc(\"authority\", \"call_remote\", \"unreliable\") func c():\n    pass\n@tool @rpc(\"unreliable_ordered\", 0x1) func d(f := func(): 1): pass\nfunc e(v: Vector2i): pass; pass\n",
    "@export var a: int = 1\n@onready var b := -2\nvar c := 1.5 + a; var d := Color.RED\nconst E := \"t\"\nvar f := Vector2.AXIS_X\nvar g := &\"n\"\nvar h := ^\"p\"\nvar i := [1]\nvar j := {1: 2}\nvar k := true\nvar l := .5\nvar m := 1e3\nvar n := 0x1F\nvar o := Vector3(1, 2)\n",
    "var v: Array[Node]:\n  set(x):\n    v = x\nvar w := 1:\n  get: return w\n@export_group(\"g\")\n@export var s = $A/B as C\nvar t := \"\"\"a\n\"b\"\"\"\nvar u = r'\\'\n",
    "func _ready():\n  $S.spawn_function = _spawn\n  set_spawn_function(f)\n  s.set(\"spawn_function\", f)\n  var spawn_function = 1\n  if a.spawn_function == f: pass\nvar spawn = self.set(&\"x\", 1)\n",
    "func f():\n  a = 1; b.c = 2\n  d[0] = 3; e.g[h(1)] = 4\n  i += 1; j.k -= 2\n  l.append(1); m.n.erase(2)\n  o.size(); p == q\n  const r = 1\n",
    "func f():\n  load(\"res://a.tscn\"); load(p); preload(\"b.gd\")\n  ResourceLoader.load(\"res://\" + n)\n  x.load(y); var g = load\n  change_scene_to_file(\"uid://c\")\n  load(\"res://%s.tscn\" % n)\n  load_threaded_get(z, 1)\nfunc load(u): pass\n",
    "func f(d):\n  ClassDB.instantiate(d)\n  d.add_property(\"p\"); add_property(\"q\")\n  d.root_path = g; multiplayer.root_path\n  d.set_indexed(\"replication_config\", 1)\n  d.set_deferred(\"r\", 1)\n  JSON.parse(d)\n",
    "func f():\n  rpc_config(\"a\", {})\n  call(\"rpc_config\", \"b\", 1)\n  n.rpc_config(&\"c\", null)\n  g.rpc(1); h.rpc_id(2)\n  var t = [\"d\", \"e f\", \"0g\"]\n",
    "func f():\n  rpc_config(m + 1 + 2 + 3 + 4, {})\n  callv(\"rpc_config\", [])\n  var t = [\"d\", \"e-f\", \"g1\"]\n",
    "func f() -> Type:\n  var a: Kind = Other.new()\n  var b: Array[Elem] = [Item]\n  var c = {Key: Value}\n  Third.Deep.new(); x.new()\n  n.set_script(load(\"s.gd\")); n.set_script(v)\n  if a is Fourth and b as Fifth: Sixth.call()\n",
    "extends Main\nfunc f():\n  self.new()\n  new()\n  set_script(Seventh)\n  set(\"set_script\", 1)\n  load(\"res://x\" + y)\n  var t = \"uid://z\" % 1\n",
    "func f(id):\n  set_multiplayer_authority(id)\n  $A.set_multiplayer_authority(id, false)\n  get_node(\"B/C\").set_multiplayer_authority(1)\n  n.set_multiplayer_authority((2))\n  var n = $\"D\"\n",
    "@onready var p = get_parent().get_node(\"E\")\nfunc f(id):\n  p.call(\"set_multiplayer_authority\", id)\n  %U/V.set_multiplayer_authority(id)\n  self.q.set_multiplayer_authority(id)\n  Callable(self, &\"set_multiplayer_authority\")\nvar q := $\"F/G\"\n",
    "func f(a, b := 1) -> Node:\n  if a == 1 and not b: return a\n  elif a in [1, 2]:\n    b += 1\n  else: b = a\n  while a < b: break\n  for i: int in b: a.c(i)\n  return b if a else null\n",
    "func f(a):\n  match a:\n    1, \"x\": return b\n    var c when c > 1: pass\n    [var d, ..], {\"k\": var e}: return d\n    _: a[0] = -1 ** 2\n  return (a as Node).b(c)(d)[1]\n",
    "func f(a):\n  @warning_ignore(\"x\")\n  var g = func(x, y = 1): return x\n  var h := {a = 1, \"b\": [2,],}\n  a.b = \"s\" % [1, 2.5]\n  await a.t; a << 1 | 2 & 3 ^ 4\n  return preload(\"x\") if a != 1 else $A/%B\n",
    "func f():\n  $S.add_spawnable_scene(\"res://a.tscn\"); clear_spawnable_scenes()\n  s.set(\"_spawnable_scenes\", [])\nvar g = x.add_spawnable_scene\n",
    "func load(u): pass\nvar load = 1\nconst load = 2\nsignal load\n",
    "func f():\n  x.load(y); a.b.load(c)\n",
    "func f():\n  n.set_script(load(\"s.gd\"))\n",
    "func f():\n  n.set_script(preload(\"s.gd\")); n.set_script(\"t.gd\")\n  X.new(); Y.Z.new(); extends.new()\n",
    "func f():\n  load(\"res://a.tscn\" + y); \"b.tscn\" % 1\n",
    "func f(id):\n  (get_node(\"A\")).set_multiplayer_authority(id)\n",
    "func f(id):\n  get_node((\"B\")).set_multiplayer_authority(g(1, [2]))\n",
    "var n\nfunc f(id):\n  var n = $A\n  n.set_multiplayer_authority(id)\n",
    "var n := $A as Node\nfunc f(id):\n  n.get_parent().set_multiplayer_authority(id, true)\n",
    "func f(m, id = {}):\n  for n in x: n.set_multiplayer_authority(id)\n  var m = $A\n  m.set_multiplayer_authority(id)\n",
    "func f(a):\n  return a || b && !c == d\n",
    "func f():\n  call(\"rpc_config\", v, \"b\"); x(\"y\", 1)\n  call(\"rpc_config\", \"c\", {})\n  var z = a | b - c % d; var w = (1); var u = not a == b\nvar t = (2); var s = {}; var r := [3]; func g(): pass\n",
];

const CSHARP: &[&str] = &[
    "using Godot;\nnamespace Game.Net;\n[GlobalClass] public partial class Main : Core.Base<int>, IA where T : new() {\n  [Rpc(MultiplayerApi.RpcMode.AnyPeer, CallLocal = true, TransferChannel = 3)]\n  public void A(int x, [In] string[] y, float z = 1) {}\n  [Rpc] static void B() {}\n  [X, RpcAttribute(TransferMode = E.Unreliable)] async Task<int> C(params object[] o) => 1;\n}\n",
    "namespace N { namespace M { class Main(int a) : Node {\n  class In { [Rpc] void D() {} }\n  enum E { F, G }\n  [Rpc(CallLocal = false)] (int, int) H<T>(ref int a, Action<int> b = null) { }\n  int this[int i] { get => 1; }\n  delegate void J();\n  public event K L;\n} } }\n",
    "class Main {\n  [Export] public int A { get; set; } = 5;\n  private float b = 1f, c;\n  Vector2I D => new();\n  const string E = \"e\" + $\"{b}\";\n  static readonly Node[] F = { null };\n  byte[] G; double[] H; string I;\n  Color[] J { get { return x; } }\n  @\"\"; char K = '}'; String[] L;\n}\n",
    "class Main {\n  void F() {\n    S.SpawnFunction = new Callable(this, MethodName.G);\n    Set(\"spawn_function\", f); Set(PropertyName.SpawnFunction, f);\n    h.SetSpawnFunction(f); nameof(SpawnFunction);\n  }\n  int x = S?.SpawnFunction ?? 1;\n}\n",
    "class Main {\n  void F() {\n    a = 1; B.C = 2; d[0] = 3; int e = 4;\n    f += 1; g++; --h; i ??= 2;\n    (j, k) = (1, 2); L(ref m, out n);\n    o.Add(1); p?.Clear(); q[1].Remove(2); r == 1;\n    Set(\"s\", 1); SetDeferred(PropertyName.T, 2);\n  }\n}\n",
    "class Main {\n  void F() {\n    GD.Load<PackedScene>(\"res://a.tscn\"); Load(p);\n    ResourceLoader.Load(\"uid://b\" + n); var g = GD.Load;\n    ChangeSceneToFile($\"res://{n}.tscn\");\n    new MultiplayerSynchronizer(); MultiplayerSynchronizer s = new();\n    c.AddProperty(d); c.RootPath = e; Json.Parse(d);\n  }\n}\n",
    "class Main {\n  void F() {\n    RpcConfig(MethodName.A, new());\n    RpcConfig(nameof(B), d); RpcConfig(\"C\", d);\n    RpcConfig(new StringName(\"D\"), G(1, 2));\n    n.RpcConfig(x.Y, d); RpcConfig;\n    H(\"E\", \"I J\");\n  }\n}\n",
    "class Main {\n  Node n = GetNode(\"A\");\n  void F() {\n    SetMultiplayerAuthority(id);\n    GetNode<Node>(\"B\").SetMultiplayerAuthority(id, false);\n    n?.SetMultiplayerAuthority(1); this.n.SetMultiplayerAuthority(2);\n    CallDeferred(MethodName.SetMultiplayerAuthority, id);\n    x.Call(nameof(SetMultiplayerAuthority));\n  }\n}\n",
    "class Main {\n  Node F(Variant a, int b = 1) {\n    if (a is Node c && b != 2) return c; else b++;\n    for (int i = 0, j; i < 3; i++) { continue; }\n    foreach (A<B> d in a.C()) { break; }\n    do { b -= 1; } while (a == null);\n    return a ? GD.Load<PackedScene>(\"x\").Instantiate<Node>() : null;\n  }\n}\n",
    "class Main {\n  Node F(int a) {\n    switch (a) { case 1: case > 2: return b; default: c = 1; break; }\n    var d = a switch { 1 => b, A { B: 2 } => c, _ => null };\n    var e = new Dictionary<int, A> { { 1, b }, [2] = c };\n    int[] g = { 1, 2 }; const int h = (int)a.B;\n    G((x, y) => x.Z, out var k, $\"a{b}c\"); throw new E();\n  }\n}\n",
    "class Main {\n  void F() {\n    (GetNode(\"A\")).SetMultiplayerAuthority(id);\n    ((Node)n).SetMultiplayerAuthority((int)id);\n  }\n  Node n = GetNode<Node>(\"B\");\n}\n",
    "class Main {\n  [Rpc(MultiplayerApi.RpcMode.Authority, TransferMode = E.Reliable)] void A() {}\n  [Rpc(CallLocal = true, TransferChannel = -1)] void B(int a, in Node b) {}\n}\n",
    "class Main {\n  Node F(int a) { if (a ?? b) { return c ? [] : d; } return e?[0]; }\n  int g = h?.I![1]?.J;\n}\n",
    "class Main {\n  string a = $\"{F(new A { B = 1 })}}}\" + $\"\"\"{ $\"{x}\" }\"\"\";\n  int b = c.D.E switch { 1 => 2 }, f = G(h)[1].I switch { _ => 3 };\n  Node[] j; Vector2[] k; int[] l; string m; byte[] n; long[] o; float[] p; double[] q; string[] r; Vector3[] s; Vector4[] t; Color[] u;\n  sbyte v; ulong w; Vector2I x; GodotObject y; Rect2[] z;\n}\n",
    "class Main : global::N.Base<int>.In where T : X {\n#if Y\n  [Rpc] void A() {}\n#elif Z\n#else // no\n#if false\n}\n#else\n  [Rpc] void B() {}\n#endif\n#endif\n  [Rpc] void C() {}\n}\n",
];

fn described(is_csharp: bool, scripts: &[&str]) -> String {
    let described = scripts.iter().map(|script| {
        let mut names = interned(script);
        altered(script, |text| facts(is_csharp, &mut names, text))
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
