//! The values of expressions: values, packets and the fields of a message, in their plain form.

use super::work::{Stop, Work};
use crate::format::json::emit::hex;
use crate::format::json::plain::{Map, Plain, PlainList};
use crate::game::multiplayer::fields::{self, Field, Values};
use crate::game::multiplayer::{
    Argument, Arguments, Context, NetIds, Packet, State, States, changed_properties,
};
use crate::value::VariantRef;
use std::borrow::Cow;
use std::convert::Infallible;
use std::fmt::{self, Display};
use std::rc::Rc;

/// Reading this many bytes counts as one step.
const READ: usize = 256;

/// A value that an [`Expression`](super::Expression) reads.
///
/// Values and packets are not copied: an expression reads only the parts that it asks for.
#[derive(Clone)]
pub struct Value<'a>(pub(super) Form<'a>);

#[derive(Clone)]
pub(super) enum Form<'a> {
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
    Record(&'a [(&'static str, Value<'a>)]),
    Packet(Rc<(Packet<'a>, Context<'a>)>),
    State(Rc<(State<'a>, Context<'a>)>),
    States(Rc<(States<'a>, Context<'a>)>),
    Values(Rc<Values<'a>>),
    /// Values by the names of their properties.
    Properties(Rc<(Rc<[&'a str]>, Arguments<'a>)>),
    NetIds(NetIds<'a>),
    Places(u64),
    Items(Rc<[Value<'a>]>),
}

impl<'a> Value<'a> {
    /// Null.
    pub const NULL: Value<'static> = Value(Form::Null);

    /// An object with these fields. If a name occurs twice, the last one counts.
    #[must_use]
    pub const fn record(fields: &'a [(&'static str, Value<'a>)]) -> Value<'a> {
        Value(Form::Record(fields))
    }

    /// A packet of the multiplayer API, as [`write_json`](crate::multiplayer::write_json) names its
    /// fields.
    #[must_use]
    pub fn packet(packet: &Packet<'a>, context: Context<'a>) -> Value<'a> {
        Value(Form::Packet(Rc::new((*packet, context))))
    }

    /// The arguments of a call or of a message of the debugger.
    #[must_use]
    pub fn arguments(arguments: Arguments<'a>) -> Value<'a> {
        Value(Form::Values(Rc::new(Values::Arguments(arguments))))
    }

    /// A string that is created only if the expression needs it.
    #[must_use]
    pub const fn shown(text: &'a dyn Display) -> Value<'a> {
        Value(Form::Shown(text))
    }

    /// Like [`Value::shown`], but comparisons with `name` hold, too: `==` and `IN`.
    #[must_use]
    pub const fn named(text: &'a dyn Display, name: &'a str) -> Value<'a> {
        Value(Form::Named(text, name))
    }

    fn of(plain: Plain<'a>) -> Value<'a> {
        Value(match plain {
            Plain::Null => Form::Null,
            Plain::Bool(content) => Form::Bool(content),
            Plain::Int(number) => Form::Int(number.into()),
            Plain::Id(id) => Form::Int(id.into()),
            Plain::Single(number) => Form::Real(as_written(number)),
            Plain::Double(number) => Form::Real(number),
            Plain::Text(text) => Form::Text(Cow::Borrowed(text)),
            Plain::Path(path) => Form::Text(Cow::Owned(path.to_string())),
            Plain::Bytes(bytes) => Form::Bytes(bytes),
            Plain::List(list) => Form::List(list),
            Plain::Map(map) => Form::Map(map),
        })
    }

    fn of_argument(argument: Argument<'a>) -> Value<'a> {
        use crate::game::multiplayer::Form;
        match argument.form() {
            Form::Value(value) => value.into(),
            Form::Bool(content) => content.into(),
            Form::Int(number) => number.into(),
            Form::Bytes(bytes) => Value::of(Plain::Bytes(bytes)),
        }
    }

    fn of_field(field: Field<'a>, context: Context<'a>) -> Value<'a> {
        match field {
            Field::Null | Field::Text(None) => Value::NULL,
            Field::Flag(content) => content.into(),
            Field::Number(number) => number.into(),
            Field::Text(Some(text)) => text.into(),
            Field::Digits(bytes) => Value(Form::Bytes(bytes)),
            Field::Values(values) => Value(Form::Values(Rc::new(values))),
            Field::Shown(text) => Value::text(text),
            Field::Properties(names, values) => Value(Form::Properties(Rc::new((names, values)))),
            Field::NetIds(ids) => Value(Form::NetIds(ids)),
            Field::Places(bits) => Value(Form::Places(bits)),
            Field::States(states) => Value(Form::States(Rc::new((states, context)))),
            Field::Relayed(packet) => Value::packet(&packet, context.relayed()),
        }
    }

    pub(super) fn text(text: String) -> Value<'a> {
        Value(Form::Text(Cow::Owned(text)))
    }

    pub(super) fn items(items: Vec<Value<'a>>) -> Value<'a> {
        Value(Form::Items(items.into()))
    }

    /// Whether it counts as true in a condition: it is neither null nor `false`.
    pub(super) const fn is_true(&self) -> bool {
        !matches!(self.0, Form::Null | Form::Bool(false))
    }

    pub(super) const fn type_name(&self) -> &'static str {
        match self.0 {
            Form::Null => "null",
            Form::Bool(_) => "boolean",
            Form::Int(_) | Form::Real(_) => "number",
            Form::Text(_) | Form::Shown(_) | Form::Named(..) | Form::Bytes(_) => "string",
            Form::Map(_)
            | Form::Record(_)
            | Form::Packet(_)
            | Form::State(_)
            | Form::Properties(_) => "object",
            Form::List(_)
            | Form::States(_)
            | Form::Values(_)
            | Form::NetIds(_)
            | Form::Places(_)
            | Form::Items(_) => "array",
        }
    }

    pub(super) fn is_array(&self) -> bool {
        self.type_name() == "array"
    }

    pub(super) fn is_object(&self) -> bool {
        self.type_name() == "object"
    }

    /// The content of a string.
    pub(super) fn as_text(&self, work: &Work) -> Result<Option<Cow<'_, str>>, Stop> {
        Ok(match &self.0 {
            Form::Text(text) => Some(Cow::Borrowed(text)),
            Form::Shown(text) | Form::Named(text, _) => Some(Cow::Owned(text.to_string())),
            Form::Bytes(bytes) => {
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
    pub(super) fn has_name(&self, other: &Value<'_>) -> bool {
        matches!((&self.0, &other.0), (Form::Named(_, name), Form::Text(text)) if text == name)
    }

    #[expect(clippy::cast_precision_loss, reason = "an int beyond 2^53 is rounded, as in jq")]
    pub(super) fn as_real(&self) -> Option<f64> {
        match self.0 {
            Form::Int(number) => Some(number as f64),
            Form::Real(number) => Some(number),
            _ => None,
        }
    }

    /// The field of an object with a name, or the component of a math value. None if it is neither
    /// of these nor null.
    pub(super) fn field(&self, name: &str, work: &Work) -> Result<Option<Value<'a>>, Stop> {
        Ok(Some(match &self.0 {
            Form::Null => Value::NULL,
            Form::Map(map) => {
                work.spend(map.len().saturating_add(map.reach() / READ))?;
                map.get(name).map_or(Value::NULL, Value::of)
            }
            Form::Record(fields) => {
                let found = fields.iter().rev().find(|(other, _)| *other == name);
                found.map_or(Value::NULL, |(_, value)| value.clone())
            }
            Form::Packet(packet) => {
                let mut found = Value::NULL;
                each_field(packet, &mut |other, field| {
                    if other == name {
                        found = Value::of_field(field, packet.1);
                    }
                });
                found
            }
            Form::State(state) => {
                let mut found = Value::NULL;
                each_of_state(state, &mut |other, field| {
                    if other == name {
                        found = Value::of_field(field, state.1);
                    }
                });
                found
            }
            Form::Properties(properties) => {
                let place = properties.0.iter().rposition(|other| *other == name);
                work.spend(place.unwrap_or(0))?;
                let value = place.and_then(|place| properties.1.iter().nth(place));
                value.map_or(Value::NULL, Value::of_argument)
            }
            Form::List(list) => return Ok(list.component(name).map(Value::of)),
            _ => return Ok(None),
        }))
    }

    /// The element of an array; negative indexes count from the end. None if it is not an array.
    pub(super) fn element(&self, index: i128, work: &Work) -> Result<Option<Value<'a>>, Stop> {
        if matches!(self.0, Form::Null) {
            return Ok(Some(Value::NULL));
        }
        if !self.is_array() {
            return Ok(None);
        }
        let len = self.len(work)?;
        let from_start = if index < 0 { index.saturating_add(len as i128) } else { index };
        let Ok(index) = usize::try_from(from_start) else { return Ok(Some(Value::NULL)) };
        let element = match &self.0 {
            Form::List(list) => {
                let reach = list.reach();
                let skipped = if reach > 0 { index } else { 1 };
                work.spend(skipped.saturating_add(reach / READ))?;
                list.get(index).map(Value::of)
            }
            Form::Items(items) => items.get(index).cloned(),
            _ => {
                work.spend(index)?;
                self.elements().nth(index)
            }
        };
        Ok(Some(element.unwrap_or(Value::NULL)))
    }

    /// The elements of an array in order; nothing for other values.
    pub(super) fn elements(&self) -> Box<dyn Iterator<Item = Value<'a>> + 'a> {
        match &self.0 {
            Form::List(list) => Box::new(list.iter().map(Value::of)),
            Form::States(states) => {
                let (states, context) = **states;
                let state = move |state| Value(Form::State(Rc::new((state, context))));
                Box::new(states.iter().map(state))
            }
            Form::Values(values) => Box::new(values.iter().map(Value::of_argument)),
            Form::NetIds(ids) => Box::new(ids.iter().map(|id| i64::from(id).into())),
            Form::Places(bits) => {
                Box::new(changed_properties(*bits).map(|place| i64::from(place).into()))
            }
            Form::Items(items) => {
                let items = Rc::clone(items);
                Box::new((0..items.len()).map_while(move |place| items.get(place).cloned()))
            }
            _ => Box::new(std::iter::empty()),
        }
    }

    /// The fields of an object in order; nothing for other values.
    pub(super) fn fields(&self) -> Box<dyn Iterator<Item = (Cow<'a, str>, Value<'a>)> + 'a> {
        let mut fields = Vec::new();
        match &self.0 {
            Form::Map(map) => return Box::new(map.iter().map(|(key, it)| (key, Value::of(it)))),
            Form::Record(record) => {
                return Box::new(
                    record.iter().map(|(name, value)| (Cow::Borrowed(*name), value.clone())),
                );
            }
            Form::Packet(packet) => each_field(packet, &mut |name, field| {
                fields.push((Cow::Borrowed(name), Value::of_field(field, packet.1)));
            }),
            Form::Properties(properties) => {
                let values = properties.1.iter().map(Value::of_argument);
                let names = properties.0.iter().map(|name| Cow::Borrowed(*name));
                fields.extend(names.zip(values));
            }
            Form::State(state) => each_of_state(state, &mut |name, field| {
                fields.push((Cow::Borrowed(name), Value::of_field(field, state.1)));
            }),
            _ => {}
        }
        Box::new(fields.into_iter())
    }

    /// The elements of an array, or the values of an object. None for other values.
    pub(super) fn children(&self) -> Option<Box<dyn Iterator<Item = Value<'a>> + 'a>> {
        if self.is_array() {
            Some(self.elements())
        } else if self.is_object() {
            Some(Box::new(self.fields().map(|(_, value)| value)))
        } else {
            None
        }
    }

    /// How many elements or fields it has.
    pub(super) fn len(&self, work: &Work) -> Result<usize, Stop> {
        Ok(match &self.0 {
            Form::List(list) => list.len(),
            Form::Map(map) => map.len(),
            Form::Record(fields) => fields.len(),
            Form::NetIds(ids) => ids.len(),
            Form::Places(bits) => bits.count_ones() as usize,
            Form::Items(items) => items.len(),
            Form::Values(values) => match **values {
                Values::Arguments(arguments) => arguments.len(),
                Values::One(_) => 1,
            },
            _ => {
                let mut len = 0_usize;
                for _ in self.children().into_iter().flatten() {
                    work.spend(1)?;
                    len = len.saturating_add(1);
                }
                len
            }
        })
    }
}

fn each_field<'a>(
    packet: &(Packet<'a>, Context<'a>),
    take: &mut dyn FnMut(&'static str, Field<'a>),
) {
    let Ok(()) = fields::packet::<Infallible>(&packet.0, packet.1, &mut |name, field| {
        take(name, field);
        Ok(())
    });
}

fn each_of_state<'a>(
    state: &(State<'a>, Context<'a>),
    take: &mut dyn FnMut(&'static str, Field<'a>),
) {
    let Ok(()) = fields::state::<Infallible>(&state.0, state.1, &mut |name, field| {
        take(name, field);
        Ok(())
    });
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
impl Display for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Form::Bool(content) => write!(f, "{content}"),
            Form::Int(number) => write!(f, "{number}"),
            Form::Real(number) => write!(f, "{number}"),
            Form::Text(text) => {
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

impl fmt::Debug for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Display::fmt(self, f)
    }
}

impl<'a> From<VariantRef<'a>> for Value<'a> {
    fn from(value: VariantRef<'a>) -> Value<'a> {
        Value::of(Plain::of(value))
    }
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(text: &'a str) -> Value<'a> {
        Value(Form::Text(Cow::Borrowed(text)))
    }
}

impl From<bool> for Value<'_> {
    fn from(content: bool) -> Self {
        Value(Form::Bool(content))
    }
}

impl From<i64> for Value<'_> {
    fn from(number: i64) -> Self {
        Value(Form::Int(number.into()))
    }
}

impl From<u64> for Value<'_> {
    fn from(number: u64) -> Self {
        Value(Form::Int(number.into()))
    }
}
