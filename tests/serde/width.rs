//! The width of reals: writing rounds nothing, and reading rounds where the type is `f32`.

use crate::common::{recorded_values, unhex, without_path_padding};
use crate::serde::{GODOT_3, GODOT_4};
use gdwire::math::{Color, Vector2, Vector3};
use gdwire::typed::ErrorKind;
use gdwire::{Dialect, Variant, VariantRef, from_slice, parse, to_vec};
use serde::{Deserialize, Serialize};

const DOUBLE: Dialect = GODOT_4.with_double_reals();

#[derive(Serialize, Deserialize, PartialEq, Debug)]
struct Body {
    at: Vector3<f64>,
    #[serde(with = "gdwire::typed::packed")]
    path: Vec<Vector2<f64>>,
}

fn body(x: f64) -> Body {
    Body { at: Vector3::new(x, 2.0, 3.0), path: vec![Vector2::new(x, 1.0)] }
}

/// Values of engines with double reals, read and written with the dialect without double reals.
#[test]
fn values_with_wide_reals_keep_their_width() {
    let mut count = 0;
    for (dialect, recorded) in recorded_values() {
        if dialect != DOUBLE {
            continue;
        }
        let bytes = unhex(&recorded.hex);
        let canonical = without_path_padding(parse(GODOT_4, &bytes).unwrap());
        let owned: Variant = from_slice(GODOT_4, &bytes).unwrap();
        let view: VariantRef = from_slice(GODOT_4, &bytes).unwrap();
        assert_eq!(to_vec(GODOT_4, &owned).unwrap(), canonical, "{}", recorded.name);
        assert_eq!(to_vec(GODOT_4, &view).unwrap(), canonical, "{}", recorded.name);
        count += 1;
    }
    assert!(count > 100);
}

#[test]
fn doubles_are_written_narrow_if_exact_wide_if_possible_and_refused_otherwise() {
    for x in [0.1, 16_777_217.0, 1e300, f64::MIN_POSITIVE] {
        let bytes = to_vec(GODOT_4, &body(x)).unwrap();
        assert_eq!(from_slice::<Body>(GODOT_4, &bytes).unwrap(), body(x));
        assert_eq!(parse(GODOT_4, &bytes).unwrap().get("at").unwrap().as_bytes().len(), 28);
        for dialect in [DOUBLE, GODOT_3.with_double_reals()] {
            let bytes = to_vec(dialect, &body(x)).unwrap();
            assert_eq!(from_slice::<Body>(dialect, &bytes).unwrap(), body(x));
        }
        let error = to_vec(GODOT_3, &[body(x)]).unwrap_err();
        assert_eq!(error.path(), "/0/at");
        assert!(error.as_encode().is_some());
        assert!(error.to_string().contains(&format!("is {x:?}")), "{error}");
        to_vec(GODOT_4, &Color::new(x, 0.0, 0.0, 0.0)).unwrap_err();
    }
    let narrow = to_vec(GODOT_4, &body(0.5)).unwrap();
    assert_eq!(parse(GODOT_4, &narrow).unwrap().get("at").unwrap().as_bytes().len(), 16);
    assert_eq!(
        from_slice::<Body>(GODOT_3, &to_vec(GODOT_3, &body(0.5)).unwrap()).unwrap(),
        body(0.5)
    );
}

#[test]
fn wide_reals_are_rounded_to_f32() {
    #[derive(Deserialize, PartialEq, Debug)]
    struct Narrow {
        at: Vector3<f32>,
        #[serde(with = "gdwire::typed::packed")]
        path: Vec<[f32; 2]>,
    }
    let exact = to_vec(DOUBLE, &body(0.5)).unwrap();
    let read: Narrow = from_slice(GODOT_4, &exact).unwrap();
    assert_eq!(read, Narrow { at: Vector3::new(0.5, 2.0, 3.0), path: vec![[0.5, 1.0]] });
    let wide = to_vec(DOUBLE, &body(0.1)).unwrap();
    let read: Narrow = from_slice(GODOT_4, &wide).unwrap();
    assert_eq!(read, Narrow { at: Vector3::new(0.1, 2.0, 3.0), path: vec![[0.1, 1.0]] });
    // A number that would become infinite is an error.
    let large = to_vec(DOUBLE, &body(1e300)).unwrap();
    let error = from_slice::<Narrow>(GODOT_4, &large).unwrap_err();
    let at = parse(GODOT_4, &large).unwrap().get("at").unwrap();
    let offset = at.as_bytes().as_ptr() as usize - large.as_ptr() as usize;
    assert_eq!(error.to_string(), format!("/at: 1e300 does not fit in f32, at byte {offset}"));
    assert_eq!(error.kind(), ErrorKind::OutOfRange);
    // A value of the kind float is a double in scripts, so it is rounded to `f32`, as in every
    // format.
    let float = to_vec(GODOT_4, &0.1f64).unwrap();
    assert_eq!(from_slice::<f32>(GODOT_4, &float).unwrap(), 0.1);
    let floats = to_vec(GODOT_4, &[0.1f64, 0.0, 0.0]).unwrap();
    assert_eq!(from_slice::<Vector3<f32>>(GODOT_4, &floats).unwrap().x, 0.1);
    // NaNs are compared by their bits, because a NaN is not equal to itself.
    let nan = to_vec(DOUBLE, &Vector2::new(f64::NAN, 0.0)).unwrap();
    assert!(from_slice::<Vector2<f32>>(GODOT_4, &nan).unwrap().x.is_nan());
}
