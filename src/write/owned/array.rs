//! The methods of the owned array.

use super::element_type::ElementType;
use super::held::Held;
use super::variant::{Array, Variant};
use alloc::vec::{self, Vec};
use core::ops::{Deref, DerefMut};
use core::slice;

impl Array {
    /// An empty array, whose elements may have any type.
    #[must_use]
    pub const fn new() -> Array {
        Array(Held::Plain(Vec::new()))
    }

    /// The same array with this declared type. It does not check the elements.
    #[must_use]
    pub fn typed(self, element_type: ElementType) -> Array {
        let elements = self.into_vec();
        Array(Held::new(elements, (element_type != ElementType::Any).then_some(element_type)))
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
        Array(Held::new(elements, self.0.types().cloned()))
    }
}

impl From<Vec<Variant>> for Array {
    fn from(elements: Vec<Variant>) -> Array {
        Array(Held::Plain(elements))
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
