//! The element types of typed containers.

#![expect(unsafe_code, reason = "it reads text of checked bytes, which is not checked again")]

use super::strings::str_at;
use crate::value::{ELEMENT_TYPES, FLAG_BY_ID, Kind, VariantRef};

/// The declared type of an array's elements, or of a dictionary's keys or values.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum ElementTypeRef<'a> {
    /// Values of any type.
    #[default]
    Any,
    /// Values of this kind.
    Kind(Kind),
    /// Objects of this class.
    Class(&'a str),
    /// Objects with the script at this path.
    Script(&'a str),
}

impl ElementTypeRef<'_> {
    /// The code of this type in a container's header. It determines what follows the header.
    pub(crate) const fn code(self) -> u32 {
        match self {
            ElementTypeRef::Any => 0,
            ElementTypeRef::Kind(_) => 1,
            ElementTypeRef::Class(_) => 2,
            ElementTypeRef::Script(_) => 3,
        }
    }
}

/// The element types between the header and the count of a container.
#[derive(Clone, Copy)]
pub(super) struct Preamble<'a> {
    /// The type of an array's elements, or the types of a dictionary's keys and values.
    pub(super) types: [ElementTypeRef<'a>; 2],
    /// The offset of the count.
    pub(super) count_at: usize,
}

impl VariantRef<'_> {
    /// Whether it is a container with element types between its header and its count.
    #[inline]
    pub(crate) fn names_element_types(&self) -> bool {
        match self.kind() {
            Kind::TypedArray | Kind::PackedTypedArray => true,
            Kind::Array => self.type_codes(0b11) != 0,
            Kind::Dictionary => self.type_codes(0b1111) != 0,
            _ => false,
        }
    }

    /// The codes for element types in the header, two bits each.
    #[inline]
    fn type_codes(&self, of_both: u32) -> u32 {
        let codes = self.header() >> ELEMENT_TYPES & of_both;
        if codes != 0 && self.layout().has_typed_containers() { codes } else { 0 }
    }
}

impl<'a> Preamble<'a> {
    #[inline]
    pub(super) fn of(container: &VariantRef<'a>) -> Preamble<'a> {
        let untyped = Preamble { types: [ElementTypeRef::Any; 2], count_at: 4 };
        match container.kind() {
            Kind::TypedArray | Kind::PackedTypedArray => untyped.typed_array(container),
            kind => {
                match container.type_codes(if kind == Kind::Dictionary { 0b1111 } else { 0b11 }) {
                    0 => untyped,
                    codes => untyped.typed(container, codes),
                }
            }
        }
    }

    /// Reads the types of an array or dictionary whose header has codes for them.
    #[inline(never)]
    fn typed(mut self, container: &VariantRef<'a>, codes: u32) -> Preamble<'a> {
        for (place, element) in self.types.iter_mut().enumerate() {
            // SAFETY: the bytes of a view are checked, and for these codes a string is here.
            let text = || unsafe { str_at(container.as_bytes(), self.count_at, container.text()) };
            (*element, self.count_at) = match codes >> (2 * place) & 0b11 {
                0 => (ElementTypeRef::Any, self.count_at),
                1 => (element_kind(container, self.count_at), self.count_at.saturating_add(4)),
                2 => (ElementTypeRef::Class(text().0), text().1),
                _ => (ElementTypeRef::Script(text().0), text().1),
            };
        }
        self
    }

    /// Reads the element type of an array of the kind `TypedArray` or `PackedTypedArray`.
    #[inline(never)]
    fn typed_array(mut self, container: &VariantRef<'a>) -> Preamble<'a> {
        let mut element = element_kind(container, 4);
        self.count_at = 8;
        if element == ElementTypeRef::Kind(Kind::Object) && container.header() & FLAG_BY_ID == 0 {
            // The class is a whole StringName value.
            // SAFETY: the bytes of a view are checked, and the name's string is after its header.
            let (class, end) = unsafe { str_at(container.as_bytes(), 12, container.text()) };
            element = ElementTypeRef::Class(class);
            self.count_at = end;
        }
        self.types = [element, ElementTypeRef::Any];
        self
    }
}

/// The kind with the type number at `offset`. Nil and unknown numbers stand for any type.
fn element_kind<'a>(container: &VariantRef<'a>, offset: usize) -> ElementTypeRef<'a> {
    let number = container.from(offset).first().copied().unwrap_or(0);
    match container.layout().kind(number) {
        None | Some(Kind::Nil) => ElementTypeRef::Any,
        Some(kind) => ElementTypeRef::Kind(kind),
    }
}
