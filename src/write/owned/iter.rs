//! Iterators over the keys and values of an owned dictionary.

use super::variant::{Dictionary, Variant};
use alloc::vec;
use core::iter::FusedIterator;
use core::slice;

macro_rules! iterator {
    ($($(#[$doc:meta])* $name:ident<$($a:lifetime)?> = $inner:ty: $item:ty, $get:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name<$($a)?>(pub(super) $inner);

        impl<$($a)?> Iterator for $name<$($a)?> {
            type Item = $item;

            #[inline]
            fn next(&mut self) -> Option<$item> {
                self.0.next().map($get)
            }

            #[inline]
            fn size_hint(&self) -> (usize, Option<usize>) {
                self.0.size_hint()
            }
        }

        impl<$($a)?> DoubleEndedIterator for $name<$($a)?> {
            #[inline]
            fn next_back(&mut self) -> Option<$item> {
                self.0.next_back().map($get)
            }
        }

        impl<$($a)?> ExactSizeIterator for $name<$($a)?> {}
        impl<$($a)?> FusedIterator for $name<$($a)?> {}
    )*};
}

iterator! {
    /// The keys and values of a dictionary in order.
    #[derive(Clone)]
    Iter<'a> = slice::Iter<'a, (Variant, Variant)>:
        (&'a Variant, &'a Variant), |(key, value)| (key, value);
    /// The keys and values of a dictionary in order; the values can be changed.
    IterMut<'a> = slice::IterMut<'a, (Variant, Variant)>:
        (&'a Variant, &'a mut Variant), |(key, value)| (&*key, value);
    /// The keys and values of a dictionary in order, owned.
    #[derive(Clone)]
    IntoIter<> = vec::IntoIter<(Variant, Variant)>: (Variant, Variant), |entry| entry;
}

impl<'a> IntoIterator for &'a Dictionary {
    type Item = (&'a Variant, &'a Variant);
    type IntoIter = Iter<'a>;

    fn into_iter(self) -> Iter<'a> {
        self.iter()
    }
}

impl<'a> IntoIterator for &'a mut Dictionary {
    type Item = (&'a Variant, &'a mut Variant);
    type IntoIter = IterMut<'a>;

    fn into_iter(self) -> IterMut<'a> {
        self.iter_mut()
    }
}

impl IntoIterator for Dictionary {
    type Item = (Variant, Variant);
    type IntoIter = IntoIter;

    fn into_iter(self) -> IntoIter {
        IntoIter(self.0.into_items().into_iter())
    }
}
