//! What is handed around for every value stays small.

use gdwire::{Error, Variant, VariantRef, View, walk::Event};

#[test]
fn sizes_are_pinned() {
    assert_eq!(size_of::<VariantRef<'_>>(), 32);
    assert_eq!(size_of::<Event<'_>>(), 40);
    assert_eq!(size_of::<Option<Event<'_>>>(), 40);
    assert_eq!(size_of::<Error>(), 40);
    assert!(size_of::<View<'_>>() <= 88);
    assert!(size_of::<Variant>() <= 80);
}
