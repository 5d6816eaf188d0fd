//! Expressions on small values. Each result is that of jq for the same JSON, except for the order
//! of values of different types.

use super::{EvalError, Expression};
use crate::value::math::{Color, Vector2};
use crate::{Dialect, Packed, Variant, encode, parse, variant};

fn selects(expression: &str, value: &Variant) -> Result<bool, EvalError> {
    let bytes = encode(Dialect::GODOT_4, value).unwrap();
    let expression = Expression::parse(expression).expect(expression);
    expression.selects(&parse(Dialect::GODOT_4, &bytes).unwrap().into())
}

fn state() -> Variant {
    let mut state = variant!({
        "hp": 87, "name": "Zoë", "alive": true, "target": null, "speed": 1.5,
        "tags": ["boss", "flying"], "big": 9_007_199_254_740_993_i64,
        "position": (Vector2 { x: 0.1_f32, y: -2.0 }),
        "tint": (Color { r: 1.0_f32, g: 0.5, b: 0.0, a: 1.0 }),
        "path": Packed([Vector2 { x: 1.0_f32, y: 2.0 }, Vector2 { x: 3.0, y: 4.0 }]),
    });
    state.as_dictionary_mut().unwrap().insert(7, "seven");
    state
}

#[test]
fn conditions_hold_as_in_jq() {
    for (expression, is_selected) in [
        (".hp < 100", true),
        (".hp == 87 and .name == \"Zoë\"", true),
        (".hp > 90 or .alive", true),
        (".hp > 90 or (.alive | not)", false),
        (".target", false),
        (".missing == null", true),
        (".missing.further[3]", false),
        (".tags[1] == \"flying\"", true),
        (".tags[-1] == \"flying\"", true),
        (".tags[2]", false),
        (".tags[] == \"boss\"", true),
        ("any(.tags[]; startswith(\"fly\"))", true),
        ("all(.tags[]; startswith(\"fly\"))", false),
        (".tags | any(. == \"boss\")", true),
        (".tags | map(length) | add == 10", true),
        (".tags | length == 2", true),
        (".tags | contains([\"bo\"])", true),
        (".tags == [\"boss\", \"flying\"]", true),
        (".tags < [\"boss\", \"g\"]", true),
        ("has(\"hp\") and (has(\"mp\") | not)", true),
        (".[\"hp\"] == .\"hp\"", true),
        (".\"7\" == \"seven\"", true),
        ("keys | length == 11", true),
        (".hp % 10 == 7", true),
        ("5.9 % 2 == 1 and -7.5 % 2.9 == -1", true),
        (".hp / 2 == 43.5", true),
        ("-.hp + 100 == 13", true),
        (".hp * 2 - 4 * 2 == 166", true),
        (".big == 9007199254740993", true),
        (".big == 9007199254740992", false),
        (".big > 9007199254740992.0", true),
        (".name | test(\"^z\"; \"i\")", true),
        (".name | test(\"^z\")", false),
        (".name | length == 3", true),
        (".name + \"!\" == \"Zo\\u00eb!\"", true),
        (".position[0] == 0.1 and .position.x == 0.1", true),
        (".position == [0.1, -2]", true),
        (".position | length == 2", true),
        (".tint.g == .tint[1]", true),
        (".path[1].x == 3 and .path[1][1] == 4", true),
        (".path[].y == 4", true),
        (".. == \"flying\"", true),
        ("[..] | length == 26", true),
        ("if .hp < 50 then \"low\" elif .hp < 90 then \"mid\" else \"high\" end == \"mid\"", true),
        (".hp | if . > 5 then . end == 87", true),
        (".target // .hp == 87", true),
        (".hp.x // 5 == 5", true),
        (".hp[]?", false),
        ("(.hp.x?, .alive)", true),
        ("empty", false),
        ("((.hp, .name) | .x)? // .hp == 87", true),
        ("isempty(.tags[] | select(. == \"x\"))", true),
        ("first(.tags[]) == \"boss\"", true),
        (".hp | IN(1, 87)", true),
        (".hp | IN(1, 2)", false),
        (".hp | type == \"number\"", true),
        ("\"12\" | tonumber == 12", true),
        (".hp | tostring == \"87\"", true),
        ("[3, 1, 2] | min == 1 and max == 3", true),
        ("\"a\" < \"b\" and [1, 2] < [1, 3] and false < true", true),
        (".missing < 50 or .missing >= 50 or .name > 5 or .tags > 5", false),
        (".missing != 50 and .name != 5 and [1, null] != [1, 2]", true),
        (".hp # the health\n > 1", true),
        ("5.5e1 == 55 and .5 == 0.5 and 1e400 > 1", true),
    ] {
        assert_eq!(selects(expression, &state()), Ok(is_selected), "{expression}");
    }
}

#[test]
fn a_value_that_does_not_fit_is_a_failure() {
    for (expression, problem) in [
        (".hp.x", "87 has no field \"x\""),
        (".position.z", "array has no field \"z\""),
        (".name[]", "cannot iterate over \"Zoë\""),
        (".hp[0]", "cannot index 87 with 0"),
        (".alive - 1 > 0", "cannot calculate with true and 1"),
        (".hp / 0", "cannot divide 87 by zero"),
        (".hp | test(\"8\")", "cannot match a regular expression with 87"),
    ] {
        let failure = selects(expression, &state()).unwrap_err();
        assert_eq!(failure.to_string(), problem, "{expression}");
    }
    // `?` only suppresses failures of the path before it.
    assert!(selects("(.alive? | .x)", &state()).is_err());
    assert_eq!(selects("any(.tags[]; .x?)", &state()), Ok(false));
}

#[test]
fn nan_and_infinities_compare_as_floats_do() {
    for (expression, is_selected) in [
        (".[0] == .[0]", false),
        (".[0] != .[0]", true),
        (".[0] < 1 or .[0] >= 1", false),
        (".[0] | isnan", true),
        (".[1] > 1e300 and (.[1] | isinfinite)", true),
        (".[1] > 170141183460469231731687303715884105727", true),
        ("-.[1] < -170141183460469231731687303715884105727", true),
    ] {
        let value = variant!([(f64::NAN), (f64::INFINITY)]);
        assert_eq!(selects(expression, &value), Ok(is_selected), "{expression}");
    }
}

#[test]
fn an_expression_always_ends() {
    let doubled = "(.,.) | ".repeat(40) + "empty";
    let failure = selects(&doubled, &Variant::Nil).unwrap_err();
    assert_eq!(failure.to_string(), "it takes more than 1,000,000 steps");
    let failure = selects(&format!("({doubled})? // 1"), &Variant::Nil).unwrap_err();
    assert_eq!(failure.to_string(), "it takes more than 1,000,000 steps");
    let long = "\"0123456789abcdef\" | ".to_owned() + &". + . | ".repeat(40) + "length > 1";
    assert_eq!(
        selects(&long, &Variant::Nil).unwrap_err().to_string(),
        "the string is longer than 1 MiB"
    );
    let many = Variant::Array((0..3_000).map(Variant::Int).collect::<Vec<_>>().into());
    assert!(selects("[.[] == .[]] | length > 1", &many).is_err());
}

#[test]
fn an_expression_names_the_fields_and_strings_that_it_reads() {
    for (text, fields, strings) in [
        (".hp < 50 and any(.tags[]; .id == \"a\")", &["hp", "tags"][..], &["a"][..]),
        ("(.a | .b) or (.c.d | not) or IN(.e)", &["a", "c", "e"], &[]),
        ("if .a then .b[.c] else [-.d, (.e? // .f)] end", &["a", "b", "c", "d", "e", "f"], &[]),
        ("map(.x) | .y, . == \"z\"", &[], &["z"]),
        (".src | test(\"^a\")", &["src"], &[]),
    ] {
        let expression = Expression::parse(text).expect(text);
        assert_eq!(
            (&expression.fields()[..], &expression.strings()[..]),
            (fields, strings),
            "{text}"
        );
    }
}

#[test]
fn a_named_string_is_equal_to_its_name_too() {
    let fields = [("dst", super::JsonValue::named(&"10.0.0.2:7", "client 1"))];
    for (text, is_selected) in [
        (".dst == \"client 1\" and .dst == \"10.0.0.2:7\"", true),
        ("\"client 1\" == .dst and (.dst | IN(\"server\", \"client 1\"))", true),
        (".dst != \"client 1\" or .dst == \"client 2\"", false),
        ("[.dst] == [\"client 1\"]", true),
        (".dst | length == 10 and startswith(\"10\")", true),
    ] {
        let expression = Expression::parse(text).expect(text);
        assert_eq!(
            expression.selects(&super::JsonValue::record(&fields)),
            Ok(is_selected),
            "{text}"
        );
    }
}

#[test]
fn a_mistake_is_shown_with_its_place() {
    for (text, shown) in [
        (".hp <", "expected a value, found the end\n  .hp <\n       ^"),
        (".hp = 5", "write '==' to compare; assignments are not supported\n  .hp = 5\n      ^"),
        ("hp < 5", "unknown function 'hp'; a field is '.hp', a string '\"hp\"'\n  hp < 5\n  ^"),
        ("not (.a == 5)", "'not' stands after its condition: '(…) | not'\n  not (.a == 5)\n  ^"),
        (".a and not .b", "'not' stands after its condition: '(…) | not'\n"),
        (".a && .b", "write 'and' instead of '&&'\n  .a && .b\n     ^"),
        (".a || .b", "write 'or' instead of '||'\n"),
        ("!(.a == 1)", "write '(…) | not' instead of '!(…)'\n"),
        (".a === 1", "write '==' instead of '==='\n"),
        (".a !== 1", "write '!=' instead of '!=='\n"),
        (".a <> 1", "write '!=' instead of '<>'\n"),
        (".a =~ \"b\"", "write '| test(\"…\")' to match a regular expression\n"),
        (".a in [1]", "'in' is not an operator; a function is called with '| IN(…)'\n"),
        (".a contains \"b\"", "'contains' is not an operator; a function is called with"),
        (".a\n| .b ]", "expected an operator or the end, found ']'\n  | .b ]\n       ^"),
        ("(.a", "expected ')', found the end\n  (.a\n     ^"),
        (".ä", "this character is not part of an expression\n  .ä\n   ^"),
        ("\"a", "this string has no closing quote\n  \"a\n  ^"),
        (".a | test(\"(\")", "not a regular expression: unclosed group\n"),
        ("length(1)", "'length' does not take 1 arguments"),
        (".a as $x | 1", "variables are not supported\n  .a as $x | 1\n        ^"),
        ("def f: 1; f", "'def' is not supported\n"),
        ("", "expected a value, found the end\n  \n  ^"),
    ] {
        let error = Expression::parse(text).unwrap_err();
        assert!(error.with_text(text).to_string().starts_with(shown), "{}", error.with_text(text));
    }
}

#[test]
fn expressions_have_limits() {
    for (text, problem) in [
        ("(".repeat(10_000), "the expression is nested too deeply"),
        ("[".repeat(10_000), "the expression is nested too deeply"),
        ("-".repeat(10_000), "the expression is nested too deeply"),
        ("if ".repeat(5_000), "the expression is nested too deeply"),
        ("map(".repeat(4_000), "the expression is nested too deeply"),
        ("1 // ".repeat(3_000), "the expression is nested too deeply"),
        ("1 + ".repeat(4_000), "the calculation is too long"),
        (".[] | ".repeat(2_000), "the expression is too complex"),
        (format!("[1][]{}", "|.".repeat(8_000)), "the expression is too complex"),
        (format!("[null][]{}", "[0]".repeat(5_000)), "the expression is too complex"),
        (format!("[true][]{}", " and true".repeat(1_500)), "the expression is too complex"),
        (" ".repeat(20_000), "the expression is longer than 16 KiB"),
        (".a | test(\"(a{1000}){1000}\")".to_owned(), "not a regular expression"),
    ] {
        let error = Expression::parse(&text).unwrap_err();
        assert!(error.to_string().starts_with(problem), "{error}");
    }
    let longest = format!("[1][]{}", "|.".repeat(1_240));
    assert_eq!(selects(&longest, &state()), Ok(true));
    // Many conditions that give one value each are no problem.
    let many = vec![".hp == 1"; 1_000].join(" or ");
    assert_eq!(selects(&many, &state()), Ok(false));
}
