//! Types that are passed around for every value stay small.

use gdwire::{Error, Variant, VariantRef, View, walk::Event};

// The sizes on a 64-bit machine.
#[cfg(target_pointer_width = "64")]
#[test]
fn sizes_are_pinned() {
    let sizes = [
        size_of::<VariantRef<'_>>(),
        size_of::<View<'_>>(),
        size_of::<Event<'_>>(),
        size_of::<Error>(),
        size_of::<Variant>(),
    ];
    assert_eq!(sizes, [32, 64, 40, 40, 32]);
}
