//! The values of expressions: values, packets and the fields of a message, in their plain form.

use crate::format::json::emit::hex;
use crate::format::json::plain::{Map, Plain, PlainList};
use crate::game::multiplayer::json::{FieldValues, PacketField, packet_fields, state_fields};
use crate::game::multiplayer::{
    Argument, Arguments, Context, NetIds, Packet, State, States, changed_properties,
};
use crate::value::VariantRef;
use std::borrow::Cow;
use std::cell::Cell;
use std::convert::Infallible;
use std::fmt::{self, Display};
use std::rc::Rc;

/// Reading this many bytes counts as one step.
const READ: usize = 256;

/// A value that an [`Expression`](super::Expression) reads.
///
/// Values and packets are not copied: an expression reads only the parts that it asks for.
#[derive(Clone)]
pub struct JsonValue<'a>(pub(super) ValueForm<'a>);

#[derive(Clone)]
pub enum ValueForm<'a> {
    Null,
    Bool(bool),
    Int(i128),
    Real(f64),
    Text(Cow<'a, str>),
    /// A string that is created when it is needed.
    Shown(&'a dyn Display),
    /// Such a string that is also equal to another one.
    Named(&'a dyn Display, &'a str),
    /// Bytes, as a string of hexadecimal digits.
    Bytes(&'a [u8]),
    List(PlainList<'a>),
    Map(Map<'a>),
    Record(&'a [(&'static str, JsonValue<'a>)]),
    Packet(Rc<(PacketOrState<'a>, Context<'a>)>),
    States(Rc<(States<'a>, Context<'a>)>),
    Values(Rc<FieldValues<'a>>),
    /// Values by the names of their properties.
    Properties(Rc<(Rc<[&'a str]>, Arguments<'a>)>),
    NetIds(NetIds<'a>),
    Places(u64),
    Items(Rc<[JsonValue<'a>]>),
}

/// A packet of the multiplayer API, or a state in one: both have named fields.
#[derive(Clone, Copy)]
pub enum PacketOrState<'a> {
    Packet(Packet<'a>),
    State(State<'a>),
}

impl<'a> JsonValue<'a> {
    /// Null.
    pub const NULL: JsonValue<'static> = JsonValue(ValueForm::Null);

    /// An object with these fields. If a name occurs twice, the last one counts.
    #[must_use]
    pub const fn record(fields: &'a [(&'static str, JsonValue<'a>)]) -> JsonValue<'a> {
        JsonValue(ValueForm::Record(fields))
    }

    /// A packet of the multiplayer API, as [`write_json`](crate::multiplayer::write_json) names its
    /// fields.
    #[must_use]
    pub fn packet(packet: &Packet<'a>, context: Context<'a>) -> JsonValue<'a> {
        JsonValue(ValueForm::Packet(Rc::new((PacketOrState::Packet(*packet), context))))
    }

    /// The arguments of a call or of a message of the debugger.
    #[must_use]
    pub fn arguments(arguments: Arguments<'a>) -> JsonValue<'a> {
        JsonValue(ValueForm::Values(Rc::new(FieldValues::Arguments(arguments))))
    }

    /// A string that is created only if the expression needs it.
    #[must_use]
    pub const fn shown(text: &'a dyn Display) -> JsonValue<'a> {
        JsonValue(ValueForm::Shown(text))
    }

    /// Like [`JsonValue::shown`], but comparisons with `name` hold, too: `==` and `IN`.
    #[must_use]
    pub const fn named(text: &'a dyn Display, name: &'a str) -> JsonValue<'a> {
        JsonValue(ValueForm::Named(text, name))
    }

    fn of(plain: Plain<'a>) -> JsonValue<'a> {
        JsonValue(match plain {
            Plain::Null => ValueForm::Null,
            Plain::Bool(content) => ValueForm::Bool(content),
            Plain::Int(number) => ValueForm::Int(number.into()),
            Plain::Id(id) => ValueForm::Int(id.into()),
            Plain::Single(number) => ValueForm::Real(as_written(number)),
            Plain::Double(number) => ValueForm::Real(number),
            Plain::Text(text) => ValueForm::Text(Cow::Borrowed(text)),
            Plain::Path(path) => ValueForm::Text(Cow::Owned(path.to_string())),
            Plain::Bytes(bytes) => ValueForm::Bytes(bytes),
            Plain::List(list) => ValueForm::List(list),
            Plain::Map(map) => ValueForm::Map(map),
        })
    }

    fn of_argument(argument: Argument<'a>) -> JsonValue<'a> {
        use crate::game::multiplayer::Form;
        match argument.form() {
            Form::Value(value) => value.into(),
            Form::Bool(content) => content.into(),
            Form::Int(number) => number.into(),
            Form::Bytes(bytes) => JsonValue::of(Plain::Bytes(bytes)),
        }
    }

    fn of_field(field: PacketField<'a>, context: Context<'a>) -> JsonValue<'a> {
        match field {
            PacketField::Null | PacketField::Text(None) => JsonValue::NULL,
            PacketField::Flag(content) => content.into(),
            PacketField::Number(number) => number.into(),
            PacketField::Text(Some(text)) => text.into(),
            PacketField::Digits(bytes) => JsonValue(ValueForm::Bytes(bytes)),
            PacketField::Values(values) => JsonValue(ValueForm::Values(Rc::new(values))),
            PacketField::Shown(text) => JsonValue::text(text),
            PacketField::Properties(names, values) => {
                JsonValue(ValueForm::Properties(Rc::new((names, values))))
            }
            PacketField::NetIds(ids) => JsonValue(ValueForm::NetIds(ids)),
            PacketField::Places(bits) => JsonValue(ValueForm::Places(bits)),
            PacketField::States(states) => JsonValue(ValueForm::States(Rc::new((states, context)))),
            PacketField::Relayed(packet) => JsonValue::packet(&packet, context.relayed()),
        }
    }

    pub(super) fn text(text: String) -> JsonValue<'a> {
        JsonValue(ValueForm::Text(Cow::Owned(text)))
    }

    pub(super) fn items(items: Vec<JsonValue<'a>>) -> JsonValue<'a> {
        JsonValue(ValueForm::Items(items.into()))
    }

    /// Whether it counts as true in a condition: it is neither null nor `false`.
    pub(super) const fn is_true(&self) -> bool {
        !matches!(self.0, ValueForm::Null | ValueForm::Bool(false))
    }

    pub(super) const fn type_name(&self) -> &'static str {
        match self.0 {
            ValueForm::Null => "null",
            ValueForm::Bool(_) => "boolean",
            ValueForm::Int(_) | ValueForm::Real(_) => "number",
            ValueForm::Text(_)
            | ValueForm::Shown(_)
            | ValueForm::Named(..)
            | ValueForm::Bytes(_) => "string",
            ValueForm::Map(_)
            | ValueForm::Record(_)
            | ValueForm::Packet(_)
            | ValueForm::Properties(_) => "object",
            ValueForm::List(_)
            | ValueForm::States(_)
            | ValueForm::Values(_)
            | ValueForm::NetIds(_)
            | ValueForm::Places(_)
            | ValueForm::Items(_) => "array",
        }
    }

    pub(super) fn is_array(&self) -> bool {
        self.type_name() == "array"
    }

    pub(super) fn is_object(&self) -> bool {
        self.type_name() == "object"
    }

    /// The content of a string.
    pub(super) fn as_text(&self, work: &Budget) -> Result<Option<Cow<'_, str>>, EvalStop> {
        Ok(match &self.0 {
            ValueForm::Text(text) => Some(Cow::Borrowed(text)),
            ValueForm::Shown(text) | ValueForm::Named(text, _) => {
                Some(Cow::Owned(text.to_string()))
            }
            ValueForm::Bytes(bytes) => {
                work.spend(bytes.len() / 32)?;
                let mut text = String::with_capacity(bytes.len().saturating_mul(2));
                // Writing to memory cannot fail.
                let _ = hex(bytes, &mut text);
                Some(Cow::Owned(text))
            }
            _ => None,
        })
    }

    /// Whether another value is the second name of this one.
    pub(super) fn has_name(&self, other: &JsonValue<'_>) -> bool {
        matches!((&self.0, &other.0), (ValueForm::Named(_, name), ValueForm::Text(text)) if text == name)
    }

    #[expect(clippy::cast_precision_loss, reason = "an int beyond 2^53 is rounded, as in jq")]
    pub(super) fn as_real(&self) -> Option<f64> {
        match self.0 {
            ValueForm::Int(number) => Some(number as f64),
            ValueForm::Real(number) => Some(number),
            _ => None,
        }
    }

    /// The field of an object with a name, or the component of a math value. None if it is neither
    /// of these nor null.
    pub(super) fn field(
        &self,
        name: &str,
        work: &Budget,
    ) -> Result<Option<JsonValue<'a>>, EvalStop> {
        Ok(Some(match &self.0 {
            ValueForm::Null => JsonValue::NULL,
            ValueForm::Map(map) => {
                work.spend(map.len().saturating_add(map.reach() / READ))?;
                map.get(name).map_or(JsonValue::NULL, JsonValue::of)
            }
            ValueForm::Record(fields) => {
                let found = fields.iter().rev().find(|(other, _)| *other == name);
                found.map_or(JsonValue::NULL, |(_, value)| value.clone())
            }
            ValueForm::Packet(packet) => {
                let mut found = JsonValue::NULL;
                each_field(packet, &mut |other, field| {
                    if other == name {
                        found = JsonValue::of_field(field, packet.1);
                    }
                });
                found
            }
            ValueForm::Properties(properties) => {
                let place = properties.0.iter().rposition(|other| *other == name);
                work.spend(place.unwrap_or(0))?;
                let value = place.and_then(|place| properties.1.iter().nth(place));
                value.map_or(JsonValue::NULL, JsonValue::of_argument)
            }
            ValueForm::List(list) => return Ok(list.component(name).map(JsonValue::of)),
            _ => return Ok(None),
        }))
    }

    /// The element of an array; negative indexes count from the end. None if it is not an array.
    pub(super) fn element(
        &self,
        index: i128,
        work: &Budget,
    ) -> Result<Option<JsonValue<'a>>, EvalStop> {
        if matches!(self.0, ValueForm::Null) {
            return Ok(Some(JsonValue::NULL));
        }
        if !self.is_array() {
            return Ok(None);
        }
        let len = self.len(work)?;
        let from_start = if index < 0 { index.saturating_add(len as i128) } else { index };
        let Ok(index) = usize::try_from(from_start) else { return Ok(Some(JsonValue::NULL)) };
        let element = match &self.0 {
            ValueForm::List(list) => {
                let reach = list.reach();
                let skipped = if reach > 0 { index } else { 1 };
                work.spend(skipped.saturating_add(reach / READ))?;
                list.get(index).map(JsonValue::of)
            }
            ValueForm::Items(items) => items.get(index).cloned(),
            _ => {
                work.spend(index)?;
                self.elements().nth(index)
            }
        };
        Ok(Some(element.unwrap_or(JsonValue::NULL)))
    }

    /// The elements of an array in order; nothing for other values.
    pub(super) fn elements(&self) -> Box<dyn Iterator<Item = JsonValue<'a>> + 'a> {
        match &self.0 {
            ValueForm::List(list) => Box::new(list.iter().map(JsonValue::of)),
            ValueForm::States(states) => {
                let (states, context) = **states;
                let state = move |state| {
                    JsonValue(ValueForm::Packet(Rc::new((PacketOrState::State(state), context))))
                };
                Box::new(states.iter().map(state))
            }
            ValueForm::Values(values) => Box::new(values.iter().map(JsonValue::of_argument)),
            ValueForm::NetIds(ids) => Box::new(ids.iter().map(|id| i64::from(id).into())),
            ValueForm::Places(bits) => {
                Box::new(changed_properties(*bits).map(|place| i64::from(place).into()))
            }
            ValueForm::Items(items) => {
                let items = Rc::clone(items);
                Box::new((0..items.len()).map_while(move |place| items.get(place).cloned()))
            }
            _ => Box::new(std::iter::empty()),
        }
    }

    /// The fields of an object in order; nothing for other values.
    pub(super) fn fields(&self) -> Box<dyn Iterator<Item = (Cow<'a, str>, JsonValue<'a>)> + 'a> {
        let mut fields = Vec::new();
        match &self.0 {
            ValueForm::Map(map) => {
                return Box::new(map.iter().map(|(key, it)| (key, JsonValue::of(it))));
            }
            ValueForm::Record(record) => {
                return Box::new(
                    record.iter().map(|(name, value)| (Cow::Borrowed(*name), value.clone())),
                );
            }
            ValueForm::Packet(packet) => each_field(packet, &mut |name, field| {
                fields.push((Cow::Borrowed(name), JsonValue::of_field(field, packet.1)));
            }),
            ValueForm::Properties(properties) => {
                let values = properties.1.iter().map(JsonValue::of_argument);
                let names = properties.0.iter().map(|name| Cow::Borrowed(*name));
                fields.extend(names.zip(values));
            }
            _ => {}
        }
        Box::new(fields.into_iter())
    }

    /// The elements of an array, or the values of an object. None for other values.
    pub(super) fn children(&self) -> Option<Box<dyn Iterator<Item = JsonValue<'a>> + 'a>> {
        if self.is_array() {
            Some(self.elements())
        } else if self.is_object() {
            Some(Box::new(self.fields().map(|(_, value)| value)))
        } else {
            None
        }
    }

    /// How many elements or fields it has.
    pub(super) fn len(&self, work: &Budget) -> Result<usize, EvalStop> {
        Ok(match &self.0 {
            ValueForm::List(list) => list.len(),
            ValueForm::Map(map) => map.len(),
            ValueForm::Record(fields) => fields.len(),
            ValueForm::NetIds(ids) => ids.len(),
            ValueForm::Places(bits) => bits.count_ones() as usize,
            ValueForm::Items(items) => items.len(),
            ValueForm::Values(values) => match **values {
                FieldValues::Arguments(arguments) => arguments.len(),
                FieldValues::One(_) => 1,
            },
            _ => {
                let mut len = 0_usize;
                for _ in self.children().into_iter().flatten() {
                    work.spend(1)?;
                    len += 1;
                }
                len
            }
        })
    }
}

fn each_field<'a>(
    of: &(PacketOrState<'a>, Context<'a>),
    take: &mut dyn FnMut(&'static str, PacketField<'a>),
) {
    let take: &mut dyn FnMut(_, _) -> Result<(), Infallible> = &mut |name, field| {
        take(name, field);
        Ok(())
    };
    let Ok(()) = match of {
        (PacketOrState::Packet(packet), context) => packet_fields(packet, *context, take),
        (PacketOrState::State(state), context) => state_fields(state, *context, take),
    };
}

/// A real of four bytes as the number that its shortest spelling means: 0.1 is 0.1, as in JSON, and
/// not 0.10000000149011612.
fn as_written(number: f32) -> f64 {
    // Most numbers in games are whole, and mean the same in both widths.
    if number.fract() == 0.0 && number.abs() < 16_777_216.0 || !number.is_finite() {
        return number.into();
    }
    number.to_string().parse().unwrap_or_else(|_| number.into())
}

/// Shows a scalar as JSON, and other values by their type.
impl Display for JsonValue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            ValueForm::Bool(content) => write!(f, "{content}"),
            ValueForm::Int(number) => write!(f, "{number}"),
            ValueForm::Real(number) => write!(f, "{number}"),
            ValueForm::Text(text) => {
                let mut start: String = text.chars().take(40).collect();
                if start.len() < text.len() {
                    start.push('…');
                }
                write!(f, "{start:?}")
            }
            _ => f.write_str(self.type_name()),
        }
    }
}

impl fmt::Debug for JsonValue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Display::fmt(self, f)
    }
}

impl<'a> From<VariantRef<'a>> for JsonValue<'a> {
    fn from(value: VariantRef<'a>) -> JsonValue<'a> {
        JsonValue::of(Plain::of(value))
    }
}

impl<'a> From<&'a str> for JsonValue<'a> {
    fn from(text: &'a str) -> JsonValue<'a> {
        JsonValue(ValueForm::Text(Cow::Borrowed(text)))
    }
}

macro_rules! from {
    ($($type:ty => $form:ident,)*) => {$(
        impl From<$type> for JsonValue<'_> {
            fn from(content: $type) -> Self {
                JsonValue(ValueForm::$form(content.into()))
            }
        }
    )*};
}

from! {
    bool => Bool,
    i64 => Int,
    u64 => Int,
}

/// How many steps an expression may take on one value.
const STEPS: usize = 1_000_000;

/// Why an evaluation ends early.
pub enum EvalStop {
    /// The caller has what it needs.
    Enough,
    /// The expression does not fit the value. `?` and `//` continue in this case.
    Failed(String),
    /// The evaluation takes too many steps.
    TooMuch,
}

impl EvalStop {
    pub fn failed(problem: impl Into<String>) -> EvalStop {
        EvalStop::Failed(problem.into())
    }
}

/// Counts the steps.
pub struct Budget(Cell<usize>);

impl Budget {
    pub const fn new() -> Budget {
        Budget(Cell::new(STEPS))
    }

    pub fn spend(&self, steps: usize) -> Result<(), EvalStop> {
        self.0.set(self.0.get().checked_sub(steps.max(1)).ok_or(EvalStop::TooMuch)?);
        Ok(())
    }
}
