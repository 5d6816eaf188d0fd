//! Functions of C# and of GDScript that do the same are read as the same.

use super::{cs_parser, gd_parser};
use crate::game::project::ids::Interner;
use alloc::format;
use alloc::string::String;

/// Reads a C# function, and shows what was read.
fn csharp(text: &str, names: &mut Interner) -> Option<String> {
    let at = text.find('(').map_or(0, |at| at + 1);
    // GDScript has no value that may be one of several, so the tests write a list for it.
    let shown = format!("{:?}", cs_parser::function(text, at, names)?);
    Some(shown.replace("OneOf(", "List("))
}

fn gdscript(text: &str, names: &mut Interner) -> Option<String> {
    Some(format!("{:?}", gd_parser::function(text, 0, names)?))
}

/// Checks that the bodies of two functions say the same.
#[track_caller]
fn check_bodies(cs: &str, gd: &str) {
    let names = &mut Interner::default();
    let gd = format!("(a, b, c):\n\t{}", gd.replace('\n', "\n\t"));
    let expected = gdscript(&gd, names);
    let found = csharp(&format!("(Node a, Node b, int c) {{ {cs} }}"), names);
    assert!(found.is_some() && found == expected, "{cs}:\n{found:?}\n{expected:?}");
}

/// Checks that two expressions say the same.
#[track_caller]
fn check_values(pairs: &[(&str, &str)]) {
    for (cs, gd) in pairs {
        check_bodies(&format!("return {cs};"), &format!("return {gd}"));
    }
}

/// An expression that neither reader follows.
const ANY: &str = "1.5";

#[test]
fn operators_bind_as_in_their_language() {
    check_values(&[
        ("1 + 2 * 3", "1 + 2 * 3"),
        ("1 * 2 + 3", "1 * 2 + 3"),
        ("a - b - c", "(a - b) - c"),
        ("a + b + c", "(a + b) + c"),
        ("a % b % c", "(a % b) % c"),
        ("a - b % c + 1", "(a - (b % c)) + 1"),
        ("a / b + c", "(a / b) + c"),
        ("a || b && c", "a or (b and c)"),
        ("a && b || c", "(a && b) || c"),
        ("a && b == c", "a and (b == c)"),
        ("a == b < c", "a == (b < c)"),
        ("a < b == c", "(a < b) == c"),
        ("a != b <= c", "a != (b <= c)"),
        ("a >= b + 1", "a >= (b + 1)"),
        ("a > b << 1", "a > (b << 1)"),
        ("a << 1 + b", "a << (1 + b)"),
        ("a >> 1 - b", "a << (1 - b)"),
        ("a | b ^ c & 1", "a | (b ^ (c & 1))"),
        ("a & b ^ c | 1", "((a & b) ^ c) | 1"),
        ("a & b == c", "a & (b == c)"),
        ("a && b | c", "a and (b | c)"),
        ("(a + b) * c", "(a + b) * c"),
        ("a + b as Node == c", "(a + b) == c"),
        ("a == b as Node", "a == b"),
        ("!a && !b.c", "(!a) and !(b.c)"),
        ("!!a", "not (not a)"),
        ("-1", "-1"),
        ("-(-1)", "1"),
        ("+1 + ~a", "1.5 + 1.5"),
        ("-a", ANY),
        ("a is Node", ANY),
        ("a is not Node && b", "1.5 and b"),
        ("a is not null && b is null", "1.5 and 1.5"),
        ("a == b is Node", "a == 1.5"),
        ("a ? b : c", "b if a else c"),
        ("a ? b : c ? 1 : 2", "b if a else (1 if c else 2)"),
        ("a == b ? b + 1 : c", "(b + 1) if a == b else c"),
        ("a ?? b", "[a, b]"),
        ("a ?? b ?? c", "[a, [b, c]]"),
        ("a ?? throw new Error(b)", "[a, null]"),
    ]);
    // More tokens than are looked at to find the arrow of a function.
    let long = format!("A({}a)", "a, ".repeat(40));
    check_values(&[(&format!("({long})"), &long)]);
    // The operators of GDScript alone.
    for (one, other) in [
        ("a and b or c", "(a and b) or c"),
        ("a or b and c", "a or (b and c)"),
        ("not a == b", "not (a == b)"),
        ("not a and b", "(not a) and b"),
        ("a in b and c", "(a in b) and c"),
        ("a in b + c", "a in (b + c)"),
        ("a + b in c", "(a + b) in c"),
        ("a not in b", "a - b"),
        ("a + b * c", "a + (b * c)"),
        ("a * b + c", "(a * b) + c"),
        ("a * b ** c", "a * (b ** c)"),
        ("a | b + c", "a | (b + c)"),
        ("a == b | c", "a == (b | c)"),
        ("a << b < c", "(a << b) < c"),
        ("-1 + a", "(-1) + a"),
        ("-a * b", "1.5 * b"),
        ("await a.b + c", "1.5 + c"),
        ("a as A.B + b", "a + b"),
        ("a is not A[int] or b", "1.5 or b"),
        ("b if a else b if c else 1", "b if a else (b if c else 1)"),
        ("$A/B/%C/../D", "$\"A/B/%C/../D\""),
        ("%\"A\"", "%A"),
        ("&\"a\" + ^'b'", "\"a\" + \"b\""),
        ("\"a\\n\"", ".5"),
        ("{a = 1, \"b\": 2}", "{\"a\": 1, \"b\": 2,}"),
        ("Dictionary[int, Node]", ANY),
        ("func f(x, ...y): return x", "func(x: int, y := 1) -> A.B[int]: return x"),
    ] {
        let names = &mut Interner::default();
        let read = gdscript(&format!("(): return {one}"), names);
        let other = gdscript(&format!("(): return {other}"), names);
        assert!(read.is_some() && read == other, "{one}:\n{read:?}\n{other:?}");
    }
}

#[test]
fn values_of_both_languages_are_the_same() {
    check_values(&[
        ("null", "null"),
        ("true == false", "true == false"),
        ("\"a b\"", "\"a b\""),
        ("\"a\\n\"", ANY),
        ("0x10 + 1.25", "1.5 + 1.5"),
        ("this.A", "self.A"),
        ("base.A(1)", "super.A(1)"),
        ("a.B.C[1][b]!.D", "a.B.C[1][b].D"),
        ("a?.B()?.C", "a.B().C"),
        ("a(b)(c)", "a(b)(c)"),
        ("a != b", "a != b"),
        ("(a + b).C", "(a + b).C"),
        ("(a)", "a"),
        ("(a) - b", "a - b"),
        ("(a) as Node", "a"),
        // Conversions.
        ("(Node)a.B", "a.B"),
        ("(A.B<C, D[]>)a", "a"),
        ("(A.B)(a)", "a"),
        ("(Node[,][])a", "a"),
        ("(int)a", "int(a)"),
        ("(ushort)1 + b", "int(1) + b"),
        ("(StringName)\"x\"", "str(\"x\")"),
        ("(int?)a", "a"),
        ("(float)a", ANY),
        ("(bool)(a)", ANY),
        ("a.AsInt32() + b.AsInt64()", "int(a) + int(b)"),
        ("a.AsByte() + b.AsUInt32() + c.AsInt16()", "int(a) + int(b) + int(c)"),
        ("a.AsString() + b.AsStringName() + c.ToString()", "str(a) + str(b) + str(c)"),
        ("a.ToString(1)", "a.ToString(1)"),
        ("a.AsBool() + a.AsSingle() + a.AsDouble()", "1.5 + 1.5 + 1.5"),
        ("a.AsGodotArray().B", "a.B"),
        ("a.As<int>() + b.As<Node>()", "int(a) + b"),
        ("a.As<A.B>()", "a"),
        ("a.Obj.B", "a.B"),
        // Names of the engine.
        ("GD.Load<PackedScene>(\"x\").Instantiate<Node>()", "load(\"x\").instantiate()"),
        ("ResourceLoader.Load(\"x\").InstantiateOrNull<A>()", "load(\"x\").instantiate()"),
        ("GD.Randi()", "GD.Randi()"),
        ("a.Load(b)", "a.Load(b)"),
        ("GD.Print(a, b) + GD.PushError(c)", "print(a, b) + print(c)"),
        ("Callable.From<A, B>(a)", "a"),
        ("GetNode<Node>(\"x\").B", "get_node(\"x\").B"),
        ("GetNodeOrNull(\"x\")", "get_node(\"x\")"),
        ("a.PickRandom()", "a.pick_random()"),
        ("a.ContainsKey(b)", "a.has(b)"),
        ("a.B.Bind(1)", "a.B.bind(1)"),
        ("a.Count + b.Length", "a.size() + b.size()"),
        ("a.SpawnFunction == SpawnFunction", "a.spawn_function == spawn_function"),
        ("MethodName.A + PropertyName.B + a.C", "\"A\" + \"B\" + a.C"),
        ("nameof(A.B)", "\"B\""),
        ("typeof(A<B>) + default(int) + sizeof(int)", "1.5 + 1.5 + 1.5"),
        ("A<B, C>(1) + a.D<B, C>(2)", "A(1) + a.D(2)"),
        ("a < b", "a < b"),
        // New objects and containers.
        ("new Node2D()", "Node2D.new()"),
        ("new Node2D(1).B", "Node2D.new(1).B"),
        ("new()", ANY),
        ("new List<int>()", ANY),
        ("new Callable(this, MethodName.A)", "Callable(self, \"A\")"),
        ("new NodePath(a)", "a"),
        ("new StringName(\"x\")", "\"x\""),
        ("new[] { a, b, }", "[a, b]"),
        ("new int[] { 1 }", "[1]"),
        ("new[c] { 1 }", "[1]"),
        ("[a, b]", "[a, b]"),
        ("new Dictionary<int, A> { { 1, a }, { 2, b }, }", "{1: a, 2: b}"),
        ("new Dictionary<int, A> { [1] = a, [b] = b }", "{1: a, b: b}"),
        // Interpolated strings.
        ("$\"x{a}y{b}\"", "\"x\" + str(a) + \"y\" + str(b) + \"\""),
        ("$\"{a.B}\"", ANY),
        ("$\"{1}\"", ANY),
        // Functions.
        ("x => x.A", "func(x): return x.A"),
        ("(A<B> x, (int, int) y, int z = 1) => y", "func(x, y, z): return y"),
        ("() => a", "func(): return a"),
        ("(x) => { A(x); return x; }", "func(x):\n\t\tA(x)\n\t\treturn x\n"),
        ("(x) => x = 1", "func(x): x = 1"),
        ("() => { int d = 1; d = 2; }", "func(): var d = 1; d = 2"),
        // Choices.
        ("a switch { 1 => b, \"x\" => c, _ => 2 }", "b if a == 1 else c if a == \"x\" else 2"),
        ("a switch { 1 => b, }", "b if a == 1 else null"),
        ("a switch { A { B: (1, 2) } => b, > 3 => c }", "b if 1.5 else c if 1.5 else null"),
        ("a.B[0](1, c) switch { 1 => b }", "b if a.B[0](1, c) == 1 else null"),
        ("a + b switch { 1 => 2 }", "a + (2 if b == 1 else null)"),
    ]);
}

#[test]
fn statements_of_both_languages_are_the_same() {
    for (cs, gd) in [
        (";", "pass"),
        ("return;", "return"),
        ("throw new A(); throw;", "return null\nreturn"),
        ("a.B(); { a.C(); }", "a.B()\nif true:\n\ta.C()"),
        ("const int d = 1; return d;", "const d = 1\nreturn d"),
        ("int d = 1, e = 2; A.B<C>[] f;", "var d = 1; var e = 2; var f = 1.5"),
        ("int[] d = { 1, 2 };", "var d = [1, 2]"),
        ("A<B<C, D>, E> d = a;", "var d = a"),
        ("var d = a as Node;", "var d: Node = a as Node"),
        ("a = b; a.B = 1; a[0] = c;", "a = b\na.B = 1\na[0] = c"),
        ("c += 1; c <<= 2; c >>= 2; c |= a;", "c += 1\nc <<= 2\nc **= 2\nc >>= a"),
        ("c++; --c; a.B--; ++a.B;", "c += 1; c += 1; a.B += 1; a.B += 1"),
        ("a ??= b;", "a *= b"),
        ("if (a) return b; return c;", "if a: return b\nreturn c"),
        ("if (a) b.A(); else { c++; }", "if a: b.A()\nelse:\n\tif true: c += 1"),
        (
            "if (a) { } else if (b) ; else a.B();",
            "if a:\n\tif true: pass\nelse:\n\tif b: pass\n\telse: a.B()",
        ),
        (
            "while (a) { if (b) break; else continue; }",
            "while a:\n\tif true:\n\t\tif b: break\n\t\telse: continue",
        ),
        ("do a.B(); while (b);", "while b: a.B()"),
        ("foreach (var d in a.B()) d.C();", "for d in a.B(): d.C()"),
        ("foreach (A<B> d in a) { break; }", "for d: A[B] in a:\n\tif true: break"),
        (
            "for (int d = 0; d < 3; d++) a.B(d);",
            "if true:\n\tvar d = 0\n\twhile true:\n\t\ta.B(d)\n\t\td += 1",
        ),
        ("for (;;) a.B();", "if true:\n\twhile true:\n\t\ta.B()"),
        (
            "for (c = 1; c < 2; c++, a.B()) ;",
            "if true:\n\tc = 1\n\twhile true:\n\t\tc += 1\n\t\ta.B()",
        ),
        (
            "switch (c) { case 1: case \"x\": a.B(); break; case 2: { return a; } default: return b; }",
            "match c:\n\t1, \"x\": a.B()\n\t2: return a\n\t_: return b",
        ),
        (
            "switch (c) { default: return b; case 1: return a; }",
            "match c:\n\t1: return a\n\t_: return b",
        ),
        (
            "switch (a) { case Node d: while (c) break; break; }",
            "match a:\n\t[var Node, var d]:\n\t\twhile c: break",
        ),
        // An expression may set a variable; the reader does not know its value after that.
        ("a.B(out var d, out c);", "d = 1.5\nvar d = 1.5\nc = 1.5\nvar c = 1.5\na.B(1.5, 1.5)"),
        ("if (a is Node d && b) d.C();", "d = 1.5\nvar d = 1.5\nif 1.5 and b: d.C()"),
        ("var d = a.B(out c);", "c = 1.5\nvar c = 1.5\nvar d = a.B(1.5)"),
        ("return a.B(out A<B> d);", "d = 1.5\nvar d = 1.5\nreturn a.B(1.5)"),
        ("a = b.C(out c);", "c = 1.5\nvar c = 1.5\na = b.C(1.5)"),
    ] {
        check_bodies(cs, gd);
    }
    let names = &mut Interner::default();
    for (cs, gd) in [
        ("(A a, B<C, D> b) => a.B();", "(a, b): return a.B()"),
        ("(params int[] a) { }", ""),
        ("() where A : B, new() { return 1; }", "(): return 1"),
        ("((int, int) a, int b = 1 + 2) { }", "(a, b): pass"),
        ("() => a = 1;", "(): a = 1"),
        ("() => await a.B();", "(): return a.B()"),
        ("() => { a = 1; }", "(): a = 1"),
    ] {
        assert_eq!(csharp(cs, names), gdscript(gd, names), "{cs}");
    }
}
