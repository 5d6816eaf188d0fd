//! Types are written as the engines write them, and read back unchanged. Errors name the place.

mod adapters;
mod arguments;
mod conversions;
mod errors;
mod formats;
mod hostile;
mod kinds;
mod properties;
mod shapes;
mod values;
mod ways;
mod width;

use gdwire::{Dialect, Variant, encode, from_slice, to_slice, to_vec, to_writer};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt::Debug;

const GODOT_3: Dialect = Dialect::GODOT_3;
const GODOT_4: Dialect = Dialect::GODOT_4;

/// Asserts that a value is written as these bytes by every writer, and read back.
#[track_caller]
fn assert_is<T: Serialize + DeserializeOwned + PartialEq + Debug>(
    dialect: Dialect,
    value: T,
    variant: Variant,
) {
    let bytes = encode(dialect, &variant).unwrap();
    assert_eq!(to_vec(dialect, &value).unwrap(), bytes, "{value:?}");
    let mut slice = [0xff; 1 << 10];
    let length = to_slice(dialect, &value, &mut slice).unwrap();
    assert_eq!(slice[..length], bytes);
    let mut written = Vec::new();
    to_writer(dialect, &value, &mut written).unwrap();
    assert_eq!(written, bytes);
    assert_eq!(from_slice::<T>(dialect, &bytes).unwrap(), value);
}

/// No name of this crate hides the name of the crate serde.
mod with_everything_imported {
    use gdwire::*;

    struct Answer;

    impl serde::Serialize for Answer {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.serialize_i32(42)
        }
    }

    #[test]
    fn the_crate_serde_can_be_named() {
        let bytes = to_vec(Dialect::GODOT_3, &Answer).unwrap();
        assert_eq!(from_slice::<i32>(Dialect::GODOT_3, &bytes).unwrap(), 42);
    }
}
