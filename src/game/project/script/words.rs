//! Tests what single words of scripts mean, how operators bind, and how far scripts are read:
//! `tests/project/words.txt`.

use super::altered::{facts, interned};
use super::{cs_parser, gd_parser};
use crate::game::project::altered::{largest, number, written_down};
use crate::game::project::ids::Interner;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

const GD_WORDS: &str = "DirAccess FileAccess ConfigFile JSON list_directory path_join get_base_dir \
    scene_file_path get_setting replace str_to_var bytes_to_var http_get HTTPRequest resource_path \
    replication_config property_set_spawn property_set_sync property_set_watch \
    property_set_replication_mode set_replication_config set_root_path add_property remove_property \
    instantiate root_path load preload \
    load_threaded_get load_threaded_request change_scene_to_file set_script new append append_array \
    assign clear erase fill get_or_add insert invert merge pop_at pop_back pop_front push_back \
    push_front remove remove_at resize reverse set set_deferred set_indexed shuffle sort \
    sort_custom size rpc_config set_multiplayer_authority spawn_function set_spawn_function \
    SceneReplicationConfig MultiplayerSynchronizer ClassDB Callable self super call callv rpc";

/// Lines of GDScript in which `W` stands for the word that is tested.
const GD_PLACES: &[&str] = &[
    "func f():\n  W(b)\n",
    "func f():\n  a.W(b)\n",
    "func f():\n  a.W(\"b\", c)\n",
    "func f():\n  a.W = b\n",
    "func f():\n  a(\"W\", b)\n",
    "func f():\n  a.set(&\"W\", b)\n",
    "func f():\n  W.a(b)\n",
    "func f():\n  ClassDB.W(b)\n",
    "func f():\n  multiplayer.W\n",
    "func f():\n  a.call_deferred(\"W\", \"b\")\n",
    "var a: W = W\n",
    "var a = \"W.gd\" + W\n",
    "func W(): pass\n",
    "extends W\n",
];

const CS_WORDS: &str = "DirAccess FileAccess File Directory ConfigFile Json JsonSerializer PathJoin \
    Combine GetBaseDir SceneFilePath ResourcePath GetSetting Replace HttpRequest HttpClient StrToVar \
    BytesToVar ReplicationConfig SceneReplicationConfig RootPath PropertySetSpawn PropertySetSync \
    PropertySetWatch PropertySetReplicationMode AddProperty RemoveProperty ClassDB \
    MultiplayerSynchronizer Load LoadThreadedGet LoadThreadedRequest ChangeSceneToFile Add AddRange \
    Clear Copy CopyTo Dequeue Enqueue Fill Insert InsertRange Merge Pop Push Remove RemoveAll RemoveAt \
    RemoveRange Resize Reverse SetItems SetValue Shuffle Sort TryAdd Set SetDeferred SetIndexed \
    RpcConfig SetMultiplayerAuthority SpawnFunction SetSpawnFunction PropertyName MethodName nameof \
    new ref out else do in return spawn_function set_spawn_function";

const CS_PLACES: &[&str] = &[
    "W(b);",
    "a.W(b);",
    "a[0].W(\"b\");",
    "a.W = b;",
    "W c = b;",
    "W c = new();",
    "a(\"W\", b);",
    "Set(PropertyName.W, b);",
    "a(nameof(W), b);",
    "a(W c);",
    "new W();",
    "W d;",
];

/// The facts that are read because of the word: those of the script with the word, without those of
/// the script with another word in its place.
fn meant(is_csharp: bool, place: &str, word: &str, other: &str) -> String {
    let found = |word: &str| {
        let text = match is_csharp {
            true => format!("class Main {{ void F() {{ {} }} }}", place.replace('W', word)),
            false => place.replace('W', word),
        };
        facts(is_csharp, &mut interned(&text), &text)
    };
    let others = found(other);
    let other = |fact: &String| fact.replace(other, word);
    let is_told = |fact: &String| {
        let is_other = others.contains(fact) || others.iter().map(other).any(|it| it == *fact);
        !is_other && !fact.starts_with("class ")
    };
    found(word).into_iter().filter(is_told).collect::<Vec<_>>().join(", ")
}

/// A hash of the parsed form of an expression, in four digits. It is `....` if the expression
/// cannot be read.
fn value(is_csharp: bool, expression: &str) -> String {
    let names = &mut Interner::default();
    let code = match is_csharp {
        true => cs_parser::function(&format!("() {{ return {expression}; }}"), 1, names),
        false => gd_parser::function(&format!("():\n\treturn {expression}\n"), 0, names),
    };
    code.map_or("....".into(), |code| format!("{:04x}", number(&format!("{code:?}")) >> 16))
}

const GD_OPERATORS: &str = "+ - * / % ** << >> & | ^ < > <= >= == != and or && || in is as not";
const CS_OPERATORS: &str = "+ - * / % << >> & | ^ < > <= >= == != && || ?? is as = += => ..";

/// A script with as many parts of some sort, and a fact that is read from it.
type Repeated = (&'static str, bool, &'static str, fn(usize) -> String);

const LIMITS: &[Repeated] = &[
    ("brackets around a change", false, "changes anywhere {v}", |count| {
        format!("func f():\n  {}n.v[1] = 2{}\n", "(".repeat(count), ")".repeat(count))
    }),
    ("brackets in a changed index", false, "changes anywhere {v}", |count| {
        format!("func f():\n  n.v[{}1{}] = 2\n", "(".repeat(count), ")".repeat(count))
    }),
    ("C#: brackets around a change", true, "changes anywhere {v}", |count| {
        let (open, close) = ("(".repeat(count), ")".repeat(count));
        format!("class Main {{ void F() {{ {open}v[1] = 2{close}; }} }}")
    }),
    ("C#: brackets in a changed index", true, "changes anywhere {v}", |count| {
        let (open, close) = ("(".repeat(count), ")".repeat(count));
        format!("class Main {{ void F() {{ v[{open}1{close}] = 2; }} }}")
    }),
    ("C#: variables that are changed at once", true, "v", |count| {
        format!("class Main {{ void F() {{ ({}v) = 2; }} }}", "a, ".repeat(count))
    }),
    ("tokens before a method that is made remote", false, "made remote {v}", |count| {
        format!("func f():\n  rpc_config({}\"v\")\n", "-".repeat(count))
    }),
    ("steps to a node that gets an authority", false, "grants", |count| {
        format!("func f(id):\n  $A{}.set_multiplayer_authority(id)\n", "/b".repeat(count))
    }),
    ("calls to a node that gets an authority", false, "grants", |count| {
        format!("func f(id):\n  {}set_multiplayer_authority(id)\n", "get_parent().".repeat(count))
    }),
    ("steps of a variable that gets an authority", false, "grants", |count| {
        format!(
            "var n = $A{}\nfunc f(id):\n  n.set_multiplayer_authority(id)\n",
            "/b".repeat(count)
        )
    }),
    ("C#: parts of a namespace", true, "class 0", |count| {
        format!("namespace v{} {{ class Main {{ }} }}", ".abcdefg".repeat(count))
    }),
    ("nested classes", false, "v", |count| {
        let classes: String =
            (0..count).map(|depth| format!("{}class C:\n", " ".repeat(depth))).collect();
        format!("{classes}{}var v = 1\n", " ".repeat(count))
    }),
];

/// The facts of a script that mean what a limit is about.
fn is_read((_, is_csharp, fact, of): &Repeated, count: usize) -> bool {
    let text = of(count);
    let found = facts(*is_csharp, &mut interned(&text), &text);
    let is_damaged = found
        .iter()
        .any(|fact| fact.contains("damaged") || fact == "grants any" || fact.contains("expected"));
    let is_meant = |found: &String| match *fact {
        "v" => {
            found.starts_with("changes anywhere") && found.contains('v') || found.contains("var v")
        }
        fact => found.starts_with(fact),
    };
    !is_damaged && found.iter().any(is_meant)
}

#[test]
fn each_word_means_what_is_written_down() {
    let mut text = String::new();
    for (is_csharp, words, places, other) in
        [(false, GD_WORDS, GD_PLACES, "zz"), (true, CS_WORDS, CS_PLACES, "zz")]
    {
        for place in places {
            text += &format!("# {}\n", place.trim_end().replace('\n', "; "));
            let mut by_meaning = BTreeMap::<String, Vec<&str>>::new();
            for word in words.split_whitespace() {
                let meant = meant(is_csharp, place, word, other).replace(word, "W");
                by_meaning.entry(meant).or_default().push(word);
            }
            for (meaning, words) in by_meaning.iter().filter(|(meaning, _)| !meaning.is_empty()) {
                text += &format!("{meaning}: {}\n", words.join(" "));
            }
        }
    }
    for (is_csharp, operators) in [(false, GD_OPERATORS), (true, CS_OPERATORS)] {
        text += "# values with two operators, and with signs\n";
        for first in operators.split(' ') {
            let of = |second: &str| value(is_csharp, &format!("a {first} b {second} c"));
            let row: Vec<_> = operators.split(' ').map(of).collect();
            text += &format!("{first:3} {}\n", row.join(" "));
        }
        for sign in ["-", "+", "!", "~", "not ", "await ", "(int)", "++", "--", "$", "%", "&", "^"]
        {
            let of = |rest: &str| value(is_csharp, &format!("{sign}a{rest}"));
            let row = ["", " + b", " * b", ".b", "[b]", "(b)", " == b", " or b", " && b"].map(of);
            text += &format!("{sign:6} {}\n", row.join(" "));
        }
    }
    text += "# how many of some parts are read\n";
    for limit in LIMITS {
        text += &format!("{}: {}\n", limit.0, largest(1 << 12, |count| is_read(limit, count)));
    }
    written_down("tests/project/words.txt", &text);
}
