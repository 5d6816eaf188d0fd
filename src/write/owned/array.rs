//! The methods of the owned array.

use super::{Array, ElementType, Variant};
use alloc::boxed::Box;
use alloc::vec::{self, Vec};
use core::ops::{Deref, DerefMut};
use core::slice;

impl Array {
    /// An empty array, whose elements may have any type.
    #[must_use]
    pub const fn new() -> Array {
        Array(TypedVec::Plain(Vec::new()))
    }

    /// The same array with this declared type. It does not check the elements.
    #[must_use]
    pub fn typed(self, element_type: ElementType) -> Array {
        let elements = self.into_vec();
        Array(TypedVec::new(elements, (element_type != ElementType::Any).then_some(element_type)))
    }

    /// The declared type of the elements.
    #[must_use]
    pub fn element_type(&self) -> &ElementType {
        static ANY: ElementType = ElementType::Any;
        self.0.types().unwrap_or(&ANY)
    }

    /// The elements.
    #[must_use]
    pub fn into_vec(self) -> Vec<Variant> {
        self.0.into_items()
    }
}

/// Clones in a loop over the elements, which takes less stack than the clone of a vector.
impl Clone for Array {
    fn clone(&self) -> Array {
        let mut elements = Vec::with_capacity(self.len());
        for element in self.iter() {
            elements.push(element.clone());
        }
        Array(TypedVec::new(elements, self.0.types().cloned()))
    }
}

impl From<Vec<Variant>> for Array {
    fn from(elements: Vec<Variant>) -> Array {
        Array(TypedVec::Plain(elements))
    }
}

impl From<Array> for Vec<Variant> {
    fn from(array: Array) -> Vec<Variant> {
        array.into_vec()
    }
}

impl<T: Into<Variant>> FromIterator<T> for Array {
    fn from_iter<I: IntoIterator<Item = T>>(elements: I) -> Array {
        elements.into_iter().map(Into::into).collect::<Vec<_>>().into()
    }
}

impl<T: Into<Variant>> Extend<T> for Array {
    fn extend<I: IntoIterator<Item = T>>(&mut self, elements: I) {
        self.0.items_mut().extend(elements.into_iter().map(Into::into));
    }
}

impl Deref for Array {
    type Target = Vec<Variant>;

    fn deref(&self) -> &Vec<Variant> {
        self.0.items()
    }
}

impl DerefMut for Array {
    fn deref_mut(&mut self) -> &mut Vec<Variant> {
        self.0.items_mut()
    }
}

impl IntoIterator for Array {
    type Item = Variant;
    type IntoIter = vec::IntoIter<Variant>;

    fn into_iter(self) -> vec::IntoIter<Variant> {
        self.into_vec().into_iter()
    }
}

impl<'a> IntoIterator for &'a Array {
    type Item = &'a Variant;
    type IntoIter = slice::Iter<'a, Variant>;

    fn into_iter(self) -> slice::Iter<'a, Variant> {
        self.iter()
    }
}

impl<'a> IntoIterator for &'a mut Array {
    type Item = &'a mut Variant;
    type IntoIter = slice::IterMut<'a, Variant>;

    fn into_iter(self) -> slice::IterMut<'a, Variant> {
        self.iter_mut()
    }
}

/// Items, and their declared types, if there are any.
///
/// Few containers have declared types. These are boxed together with the items, so that a container
/// is no larger than a vector.
#[derive(PartialEq)]
pub(super) enum TypedVec<T, Y> {
    Plain(Vec<T>),
    Typed(Box<(Vec<T>, Y)>),
}

impl<T, Y> TypedVec<T, Y> {
    pub(super) fn new(items: Vec<T>, types: Option<Y>) -> TypedVec<T, Y> {
        match types {
            None => TypedVec::Plain(items),
            Some(types) => TypedVec::Typed(Box::new((items, types))),
        }
    }

    pub(super) const fn items(&self) -> &Vec<T> {
        match self {
            TypedVec::Plain(items) => items,
            TypedVec::Typed(typed) => &typed.0,
        }
    }

    pub(super) const fn items_mut(&mut self) -> &mut Vec<T> {
        match self {
            TypedVec::Plain(items) => items,
            TypedVec::Typed(typed) => &mut typed.0,
        }
    }

    pub(super) fn into_items(self) -> Vec<T> {
        match self {
            TypedVec::Plain(items) => items,
            TypedVec::Typed(typed) => typed.0,
        }
    }

    pub(super) const fn types(&self) -> Option<&Y> {
        match self {
            TypedVec::Plain(_) => None,
            TypedVec::Typed(typed) => Some(&typed.1),
        }
    }
}

impl<T, Y> Default for TypedVec<T, Y> {
    fn default() -> TypedVec<T, Y> {
        TypedVec::Plain(Vec::new())
    }
}
