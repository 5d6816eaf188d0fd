//! Lays the pieces of a value out over several lines.

use super::fill::Fill;
use super::lines::{Lines, Token};
use crate::format::text::pieces::{Pieces, Role};
use crate::format::text::{OneLine, write};
use crate::value::{Body, Dialect, Kind, VariantRef};
use alloc::string::ToString;
use core::fmt::{self, Display, Write};

impl Pieces for Lines<'_, '_, '_> {
    fn word(&mut self, role: Role, text: impl Display) -> fmt::Result {
        self.text(role, |out| write!(out, "{text}"))
    }

    fn name(&mut self, role: Role, name: &str) -> fmt::Result {
        self.text(role, |out| write!(out, "{}", OneLine(name)))
    }

    fn leaf(&mut self, role: Role, value: VariantRef<'_>) -> fmt::Result {
        let numbers = match value.kind().body() {
            Body::Packed(_, numbers) => usize::from(numbers),
            // Transforms and the like.
            Body::Cells(_, numbers) if numbers > 4 => 1,
            _ if value.kind() == Kind::PackedStringArray => 1,
            _ => return self.text(role, |out| write::leaf(value, out)),
        };
        Fill::write(self, (role, numbers), |out| write::leaf(value, out))
    }

    fn bytes(&mut self, bytes: &[u8], dialect: Dialect) -> fmt::Result {
        Fill::write(self, (Role::Number, 1), |out| write::byte_array(bytes, dialect, out))
    }

    fn begin(&mut self, open: impl Display, _: impl Display, _: usize) -> fmt::Result {
        self.is_first = true;
        self.take(Token::Begin(open.to_string()))
    }

    fn item(&mut self, separator: &'static str) -> fmt::Result {
        let is_first = core::mem::take(&mut self.is_first);
        self.take(Token::Item(if is_first { "" } else { separator }))
    }

    fn end(&mut self, close: impl Display) -> fmt::Result {
        self.is_first = false;
        self.take(Token::End(close.to_string()))
    }
}
