//! The traits that Rust programmers expect of errors, values and views.

use gdwire::view::{AccessError, ArrayRef, At, DictionaryRef, NodePathRef, View};
use gdwire::walk::{Event, WalkStack};
use gdwire::{
    Dialect, EncodeError, ErrorPath, Packed, ReadOptions, Streamed, Variant, VariantRef, encode,
    parse, variant,
};
use std::error::Error;
use std::panic::{RefUnwindSafe, UnwindSafe};

/// Checks that an error can be sent to other threads, kept in a `Box<dyn Error>`, and used across a
/// caught panic.
fn is_an_error<E: Error + Send + Sync + 'static>() {}

fn is_shared_freely<T: Send + Sync + Unpin + UnwindSafe + RefUnwindSafe>() {}

#[test]
fn errors_can_be_boxed_and_sent_to_threads() {
    is_an_error::<gdwire::Error>();
    is_an_error::<EncodeError>();
    is_an_error::<AccessError>();
    is_an_error::<gdwire::encode::PatchError>();
    is_an_error::<gdwire::text::ParseError>();
    is_an_error::<gdwire::convert::Error>();
    is_an_error::<gdwire::owned::WrongKind>();
    is_an_error::<gdwire::multiplayer::Error>();
    #[cfg(feature = "serde")]
    is_an_error::<gdwire::typed::Error>();
    #[cfg(feature = "codec")]
    is_an_error::<gdwire::codec::CodecError>();
    #[cfg(feature = "capture")]
    is_an_error::<gdwire::packet::Error>();
}

#[test]
fn values_and_views_are_shared_with_other_threads() {
    is_shared_freely::<Dialect>();
    is_shared_freely::<ReadOptions>();
    is_shared_freely::<Variant>();
    is_shared_freely::<VariantRef<'_>>();
    is_shared_freely::<View<'_>>();
    is_shared_freely::<Event<'_>>();
    is_shared_freely::<WalkStack>();
    is_shared_freely::<At<'_, '_>>();
    is_shared_freely::<ErrorPath<'_>>();
    is_shared_freely::<Streamed<'_>>();
    is_shared_freely::<ArrayRef<'_>>();
    is_shared_freely::<DictionaryRef<'_>>();
    is_shared_freely::<NodePathRef<'_>>();
    is_shared_freely::<gdwire::stream::Scanner>();
    is_shared_freely::<gdwire::stream::Framer>();
    #[cfg(feature = "bytes")]
    is_shared_freely::<gdwire::VariantBytes>();
}

/// Views of parts are equal if the parts are, also if reals have different widths.
#[test]
fn views_of_parts_are_compared() {
    use gdwire::math::{Vector2, Vector3};
    use gdwire::owned::Instance;

    let object = |hp: i64| {
        let properties = vec![("hp".to_owned(), variant!(hp))];
        Variant::from(Instance { class: "Node".into(), properties })
    };
    let one = [
        variant!([1, { "a": 2 }]),
        variant!({ "a": [1] }),
        Variant::from(Vector3::new(0.5, 1.0, 2.0)),
        Variant::from(Packed([Vector2::new(0.5, 1.0)])),
        Variant::PackedStringArray(vec!["a".into(), "b".into()]),
        object(1),
    ];
    let other = [
        variant!([1, { "a": 3 }]),
        variant!({ "a": [2] }),
        Variant::from(Vector3::new(0.5, 1.0, 2.5)),
        Variant::from(Packed([Vector2::new(0.5, 1.0), Vector2::new(0.5, 1.0)])),
        Variant::PackedStringArray(vec!["a".into()]),
        object(2),
    ];
    let narrow = Dialect::GODOT_4;
    let wide = narrow.with_double_reals();
    for (one, other) in one.iter().zip(&other) {
        let bytes = [(narrow, one), (wide, one), (narrow, other)]
            .map(|(dialect, value)| encode(dialect, value).unwrap());
        let [first, same, different] = bytes.each_ref().map(|bytes| parse(narrow, bytes).unwrap());
        assert_eq!(first.view(), same.view());
        assert_ne!(first.view(), different.view());
        let mut stacks = (WalkStack::new(), WalkStack::new());
        assert!(first.walk(&mut stacks.0).eq(first.walk(&mut stacks.1)));
        assert!(first.walk(&mut stacks.0).ne(different.walk(&mut stacks.1)));
    }
}
