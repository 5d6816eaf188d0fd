//! Passes the fields to the caller's function, and counts them. Shows texts and byte counts.

use super::{Detail, Field};
use crate::format::text::{OneLine, Role};
use crate::value::wire::utf8::{until_nul, without_mark};
use core::fmt::{self, Display, Formatter};
use core::ops::ControlFlow;

/// The error if the caller's function stops early.
pub struct Stopped;

/// The result of explaining a part.
pub type Explained = Result<(), Stopped>;

/// The caller's function: takes a field, and returns whether to continue.
pub type Visit<'v> = &'v mut dyn FnMut(&Field<'_>) -> bool;

/// Passes on the fields of one section, in order.
pub struct FieldWriter<'b, 'v> {
    whole: &'b [u8],
    /// The offset of the next field.
    at: usize,
    pub items: usize,
    /// How many more fields there may be before the rest is one field.
    left: usize,
    /// The role of the next field's value.
    role: Role,
    visit: Visit<'v>,
}

/// Runs `explain`, and returns the value with which the caller's function stopped, if it did.
pub fn run<B>(
    mut visit: impl FnMut(&Field<'_>) -> ControlFlow<B>,
    explain: impl FnOnce(Visit<'_>) -> Explained,
) -> ControlFlow<B> {
    let mut stopped = None;
    let result = explain(&mut |field| match visit(field) {
        ControlFlow::Continue(()) => true,
        ControlFlow::Break(result) => {
            stopped = Some(result);
            false
        }
    });
    match (result, stopped) {
        (Err(Stopped), Some(result)) => ControlFlow::Break(result),
        _ => ControlFlow::Continue(()),
    }
}

impl<'b, 'v> FieldWriter<'b, 'v> {
    pub fn new(whole: &'b [u8], detail: Detail, visit: Visit<'v>) -> FieldWriter<'b, 'v> {
        FieldWriter {
            whole,
            at: 0,
            items: detail.items,
            left: detail.fields,
            role: Role::Plain,
            visit,
        }
    }

    /// The offset of the next field.
    pub const fn at(&self) -> usize {
        self.at
    }

    /// The bytes that are not explained yet.
    pub fn unexplained(&self) -> &'b [u8] {
        self.whole.get(self.at..).unwrap_or(&[])
    }

    /// Whether the limit of fields is reached, so the rest must be one field.
    pub const fn is_spent(&self) -> bool {
        self.left == 0
    }

    /// Sets the role of the next field's value.
    pub const fn role(&mut self, role: Role) -> &mut FieldWriter<'b, 'v> {
        self.role = role;
        self
    }

    /// Explains the next bytes as one field. If there are no bytes, or fewer than `len`, there is
    /// no field.
    pub fn field(
        &mut self,
        len: usize,
        depth: usize,
        name: impl Display,
        value: impl Display,
    ) -> Explained {
        match self.unexplained().get(..len) {
            Some([]) | None => {
                self.role = Role::Plain;
                Ok(())
            }
            Some(bytes) => self.hand(bytes, true, depth, name, value),
        }
    }

    /// Shows the problem with the next bytes. There may be no bytes.
    pub fn problem(&mut self, len: usize, depth: usize, what: impl Display) -> Explained {
        let bytes = self.unexplained();
        let bytes = bytes.get(..len).unwrap_or(bytes);
        self.hand(bytes, false, depth, "not readable", what)
    }

    /// Passes on a heading: a field without bytes.
    #[cfg(feature = "capture")]
    pub fn heading(&mut self, name: impl Display, value: impl Display) -> Explained {
        self.hand(&[], true, 0, name, value)
    }

    /// Begins a section of other bytes, with a heading.
    #[cfg(feature = "capture")]
    pub fn section<'s>(
        &'s mut self,
        whole: &'s [u8],
        name: impl Display,
        value: impl Display,
    ) -> Result<FieldWriter<'s, 's>, Stopped> {
        let FieldWriter { items, left, .. } = *self;
        let mut section =
            FieldWriter { whole, at: 0, items, left, role: Role::Plain, visit: &mut *self.visit };
        section.heading(name, value)?;
        Ok(section)
    }

    fn hand(
        &mut self,
        bytes: &[u8],
        is_valid: bool,
        depth: usize,
        name: impl Display,
        value: impl Display,
    ) -> Explained {
        let offset = self.at;
        self.at = offset.saturating_add(bytes.len());
        self.left = self.left.saturating_sub(1);
        let (name, value) = (format_args!("{name}"), format_args!("{value}"));
        let role = core::mem::replace(&mut self.role, Role::Plain);
        let field = Field { offset, bytes, depth, name, value, role, is_valid };
        if (self.visit)(&field) { Ok(()) } else { Err(Stopped) }
    }

    /// Explains all bytes that are left as one field.
    pub fn rest(&mut self, depth: usize, name: impl Display) -> Explained {
        let len = self.unexplained().len();
        self.field(len, depth, name, byte_count(len))
    }
}

/// How many characters of a text are shown.
const SHOWN: usize = 64;

/// Shows the text that a function writes.
struct FromFn<F>(F);

impl<F: Fn(&mut Formatter<'_>) -> fmt::Result> Display for FromFn<F> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        (self.0)(f)
    }
}

/// A value whose `Display` calls a function, like `std::fmt::from_fn` in newer versions of Rust.
pub const fn from_fn<F: Fn(&mut Formatter<'_>) -> fmt::Result>(write: F) -> impl Display {
    FromFn(write)
}

/// A text in quotes, on one line. A long text is cut after `SHOWN` characters.
pub fn quoted(text: &str) -> impl Display {
    from_fn(move |f| {
        let end = text.char_indices().nth(SHOWN).map(|(end, _)| end);
        let shown = end.and_then(|end| text.get(..end)).unwrap_or(text);
        let rest = text.len().saturating_sub(shown.len());
        write!(f, "\"{}\"", OneLine(shown))?;
        if rest > 0 { write!(f, "… ({} more)", byte_count(rest)) } else { Ok(()) }
    })
}

/// The text of a string in a value, and what the engines drop when they read it.
pub fn text_content(bytes: &[u8]) -> impl Display {
    from_fn(move |f| {
        let read = until_nul(bytes);
        let text = without_mark(read);
        quoted(core::str::from_utf8(text).unwrap_or("")).fmt(f)?;
        if text.len() < read.len() {
            f.write_str(", after a byte order mark")?;
        }
        match bytes.len().saturating_sub(read.len()) {
            0 => Ok(()),
            1 => f.write_str(", then a NUL"),
            more => write!(f, ", then a NUL and {} that are ignored", byte_count(more - 1)),
        }
    })
}

/// "1 byte", "2 bytes".
pub fn byte_count(count: usize) -> impl Display {
    from_fn(move |f| write!(f, "{count} {}", crate::value::bytes(count)))
}
