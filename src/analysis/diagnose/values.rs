//! Finds values that should not be sent: numbers that are not finite, objects, and elements of the
//! wrong type.

use super::kind::FindingKind;
use crate::value::view::{Cells, ElementTypeRef, ObjectRef};
use crate::value::walk::{Event, Slot, WalkStack};
use crate::value::{Kind, VariantRef, View};

/// Down to how many levels of nested containers the types of elements are checked.
const LEVELS: usize = 16;

/// The findings in the values of one message.
#[derive(Clone, Copy, Default)]
pub struct ValueFaults {
    not_finite: u64,
    objects: u64,
    wrong_types: u64,
}

impl ValueFaults {
    /// The kinds of findings with their counts.
    pub fn each(self) -> impl Iterator<Item = (FindingKind, u64)> {
        let counts = [
            (FindingKind::NotFinite, self.not_finite),
            (FindingKind::ObjectArgument, self.objects),
            (FindingKind::WrongElementType, self.wrong_types),
        ];
        counts.into_iter().filter(|(_, count)| *count > 0)
    }
}

/// Examines values. Its memory is reused for the next one.
#[derive(Clone, Default, Debug)]
pub struct ValueExaminer {
    stack: WalkStack,
    /// The element types of the open containers, as far as they are kept.
    types: Vec<[ElementKind; 2]>,
}

/// The kind that elements must have; none if any kind is right. Classes and scripts count as
/// objects.
type ElementKind = Option<Kind>;

impl ValueExaminer {
    pub fn look(&mut self, value: VariantRef<'_>, counts: &mut ValueFaults) {
        let ValueExaminer { stack, types } = self;
        types.clear();
        let mut beyond = 0_usize;
        value.walk(stack).for_each(|event| match event {
            Event::Value(place, value) => {
                counts.not_finite += u64::from(!is_finite(value));
                let is_object = matches!(value.view(), View::Object(ObjectRef::Instance(_)));
                counts.objects += u64::from(is_object);
                counts.wrong_types += u64::from(beyond == 0 && !fits(types, place, value.kind()));
            }
            Event::Begin(place, container) => {
                counts.objects += u64::from(container.kind() == Kind::Object);
                counts.wrong_types +=
                    u64::from(beyond == 0 && !fits(types, place, container.kind()));
                if types.len() < LEVELS {
                    types.push(container.element_types().map(kind_of));
                } else {
                    beyond += 1;
                }
            }
            Event::End(_) if beyond > 0 => beyond = beyond.saturating_sub(1),
            Event::End(_) => drop(types.pop()),
            Event::Property(_) => {}
        });
    }
}

const fn kind_of(declared: ElementTypeRef<'_>) -> ElementKind {
    match declared {
        ElementTypeRef::Kind(kind) => Some(kind),
        ElementTypeRef::Any => None,
        ElementTypeRef::Class(_) | ElementTypeRef::Script(_) => Some(Kind::Object),
    }
}

/// Whether a value has the type that the innermost container declares.
fn fits(types: &[[ElementKind; 2]], place: Slot, kind: Kind) -> bool {
    let Some([first, second]) = types.last() else { return true };
    let declared = match place {
        Slot::Element | Slot::Key => first,
        Slot::Value => second,
        Slot::Root | Slot::Property => return true,
    };
    match declared {
        None => true,
        // A variable of an object type may be null.
        Some(Kind::Object) => matches!(kind, Kind::Object | Kind::Nil),
        Some(declared) => kind == *declared,
    }
}

/// Whether all numbers of a math value or of an array of vectors are finite. Plain floats, colours
/// and arrays of them are not checked.
fn is_finite(value: VariantRef<'_>) -> bool {
    if matches!(
        value.kind(),
        Kind::Color | Kind::PackedColorArray | Kind::PackedFloat32Array | Kind::PackedFloat64Array
    ) {
        return true;
    }
    match value.cells() {
        Some(Cells::F32(numbers)) => numbers.iter().all(|number| number.get().is_finite()),
        Some(Cells::F64(numbers)) => numbers.iter().all(|number| number.get().is_finite()),
        _ => true,
    }
}
