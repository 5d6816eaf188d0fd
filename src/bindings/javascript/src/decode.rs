//! From bytes to a tape: what is where in them, in the order of the bytes.
//!
//! Each value is a word with its kind, and in the second byte flags, then words that depend on the
//! kind. Offsets are those in the input.

use crate::{dialect, failure, shared};
use gdwire::view::{ElementTypeRef, ObjectRef};
use gdwire::walk::{Container, Event, WalkStack, visit};
use gdwire::{Kind, ReadOptions, VariantRef, View, parse};
use std::cell::RefCell;
use std::ops::ControlFlow;
use wasm_bindgen::prelude::*;

/// Its numbers have eight bytes; it has element types; it is an object's id.
const FLAG: u32 = 0x100;
/// It is an object with its properties.
const INSTANCE: u32 = 0x200;

thread_local! {
    static STACK: RefCell<WalkStack> = const { RefCell::new(WalkStack::new()) };
}

/// Reads the value that the shared input is, and writes the shared tape.
#[wasm_bindgen]
pub fn decode(number: u32, max_depth: u16) -> Result<(), JsValue> {
    let options = ReadOptions::new(dialect(number)).with_max_depth(max_depth);
    let read = shared(|shared| {
        shared.tape.clear();
        let mut tape = Tape { start: shared.input.as_ptr().addr(), words: &mut shared.tape };
        let walked = STACK.with_borrow_mut(|stack| {
            visit(options, &shared.input, stack, |event| -> ControlFlow<()> {
                tape.event(event);
                ControlFlow::Continue(())
            })
        });
        match walked {
            Ok(ControlFlow::Continue([_, ..])) => parse(options, &shared.input).map(drop),
            Ok(_) => Ok(()),
            Err(error) => Err(error),
        }
    });
    read.map_err(|error| failure(error.to_string(), Some(error.offset), ""))
}

struct Tape<'t> {
    /// The address of the input in memory.
    start: usize,
    words: &'t mut Vec<u32>,
}

impl Tape<'_> {
    fn text(&mut self, text: &str) {
        let offset = text.as_ptr().addr().wrapping_sub(self.start);
        self.words.extend([if text.is_empty() { 0 } else { offset as u32 }, text.len() as u32]);
    }

    fn wide(&mut self, number: u64) {
        self.words.extend([number as u32, (number >> 32) as u32]);
    }

    #[inline(always)]
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Value(_, value) => self.value(value),
            Event::Begin(_, container) => self.container(container),
            Event::Property(name) => self.text(name),
            _ => {}
        }
    }

    fn value(&mut self, value: VariantRef<'_>) {
        let kind = value.kind() as u32;
        match value.view() {
            View::Nil | View::Callable => self.words.push(kind),
            View::Bool(value) => self.words.extend([kind, value.into()]),
            View::Int(value) => {
                self.words.push(kind);
                self.wide(value as u64);
            }
            View::Float(value) => {
                self.words.push(kind);
                self.wide(value.to_bits());
            }
            View::String(text) | View::StringName(text) => {
                self.words.push(kind);
                self.text(text);
            }
            View::Rid(id) => {
                self.words.push(kind);
                self.wide(id);
            }
            View::NodePath(path) => {
                let (names, subnames) = (path.names(), path.subnames());
                let counts = [names.clone().count(), subnames.clone().count()];
                self.words.extend([kind, path.is_absolute().into()]);
                self.words.extend(counts.map(|count| count as u32));
                names.chain(subnames).for_each(|name| self.text(name));
            }
            View::Object(ObjectRef::Id(id)) => {
                self.words.push(kind | FLAG);
                self.wide(id);
            }
            View::Object(_) => self.words.push(kind),
            View::Signal(signal) => {
                self.words.push(kind);
                self.text(signal.name());
                self.wide(signal.object_id());
            }
            View::PackedStringArray(texts) => {
                self.words.extend([kind, texts.len() as u32]);
                texts.iter().for_each(|text| self.text(text));
            }
            _ => {
                let offset = value.as_bytes().as_ptr().addr().wrapping_sub(self.start) as u32;
                let flag = if value.is_wide() { FLAG } else { 0 };
                self.words.extend([kind | flag, offset + 4]);
            }
        }
    }

    fn container(&mut self, container: Container<'_>) {
        let (kind, count) = (container.kind(), container.len() as u32);
        if kind == Kind::Object {
            self.words.extend([kind as u32 | INSTANCE, count]);
            return self.text(container.class());
        }
        let is_typed = container.is_typed();
        self.words.extend([kind as u32 | if is_typed { FLAG } else { 0 }, count]);
        if is_typed {
            container.element_types().into_iter().for_each(|of| self.element_type(of));
        }
    }

    fn element_type(&mut self, of: ElementTypeRef<'_>) {
        match of {
            ElementTypeRef::Kind(kind) => self.words.extend([1, kind as u32, 0]),
            ElementTypeRef::Class(name) => {
                self.words.push(2);
                self.text(name);
            }
            ElementTypeRef::Script(path) => {
                self.words.push(3);
                self.text(path);
            }
            _ => self.words.extend([0, 0, 0]),
        }
    }
}
