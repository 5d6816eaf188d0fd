//! The storage that owned arrays and dictionaries share.

use alloc::boxed::Box;
use alloc::vec::Vec;

/// Items, and their declared types, if there are any.
///
/// Few containers have declared types. These are boxed together with the items, so that a container
/// is no larger than a vector.
#[derive(PartialEq)]
pub(super) enum Held<T, Y> {
    Plain(Vec<T>),
    Typed(Box<(Vec<T>, Y)>),
}

impl<T, Y> Held<T, Y> {
    pub(super) fn new(items: Vec<T>, types: Option<Y>) -> Held<T, Y> {
        match types {
            None => Held::Plain(items),
            Some(types) => Held::Typed(Box::new((items, types))),
        }
    }

    pub(super) const fn items(&self) -> &Vec<T> {
        match self {
            Held::Plain(items) => items,
            Held::Typed(typed) => &typed.0,
        }
    }

    pub(super) const fn items_mut(&mut self) -> &mut Vec<T> {
        match self {
            Held::Plain(items) => items,
            Held::Typed(typed) => &mut typed.0,
        }
    }

    pub(super) fn into_items(self) -> Vec<T> {
        match self {
            Held::Plain(items) => items,
            Held::Typed(typed) => typed.0,
        }
    }

    pub(super) const fn types(&self) -> Option<&Y> {
        match self {
            Held::Plain(_) => None,
            Held::Typed(typed) => Some(&typed.1),
        }
    }
}

impl<T, Y> Default for Held<T, Y> {
    fn default() -> Held<T, Y> {
        Held::Plain(Vec::new())
    }
}
