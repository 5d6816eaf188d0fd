//! Shows values and packets to people: in colours, fitted to a width, or over several lines.
//!
//! A [`Show`] says in which form. The input is the pieces of a text, each with its role: see
//! [`pieces`](super::pieces). The output goes to a formatter.

#[cfg(feature = "cli")]
mod cells;
#[cfg(feature = "cli")]
mod fit;
#[cfg(feature = "cli")]
mod lines;
#[cfg(feature = "cli")]
mod shorten;
#[cfg(feature = "cli")]
mod tree;

#[cfg(feature = "cli")]
pub use cells::cells;

use super::pieces::{InPieces, Palette, WholeText};
use crate::value::VariantRef;
use core::fmt;
#[cfg(feature = "cli")]
use lines::Lines;

/// How a value or packet is shown: see [`VariantRef::show`] and
/// [`Packet::show`](crate::multiplayer::Packet::show).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Show<'p> {
    palette: Palette<'p>,
    form: ShowForm,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum ShowForm {
    #[default]
    Whole,
    #[cfg(feature = "cli")]
    Fitted { width: usize },
    #[cfg(feature = "cli")]
    Pretty { width: usize, column: usize, indent: usize },
}

impl<'p> Show<'p> {
    /// Whole, in one line, without colours: as [`Layout::Line`](crate::text::Layout::Line).
    #[must_use]
    pub const fn new() -> Show<'p> {
        Show { palette: Palette::new(), form: ShowForm::Whole }
    }

    /// In colours.
    #[must_use]
    pub const fn with_palette(self, palette: Palette<'p>) -> Show<'p> {
        Show { palette, ..self }
    }

    /// In one line of at most this many cells of a terminal: see [`cells`](crate::text::cells). Parts that
    /// do not fit are shortened, and the parts around them stay visible:
    ///
    /// | short | means |
    /// |---|---|
    /// | `[1, 2, …+98]`, `{ "a": 1, …+4 }` | 98 more elements, 4 more entries |
    /// | `{…+5}` | a dictionary of 5 entries |
    /// | `"abc"…+120 B` | a string with 120 more bytes |
    /// | `PackedVector3Array[743](1, 2, 3, … )` | an array of 743 vectors |
    /// | `Game/…/Door` | a part of a node path is left out |
    ///
    /// The work is bounded by the width: only the beginning of a large value is read.
    ///
    /// ```
    /// use gdwire::{Dialect, encode, parse, text::Show, variant};
    ///
    /// let bytes = encode(Dialect::GODOT_4, &variant!({ "name": "a long name", "hp": [1, 2, 3] }))?;
    /// let value = parse(Dialect::GODOT_4, &bytes)?;
    /// let fitted = |width| value.show(Show::new().fitted(width)).to_string();
    /// assert_eq!(fitted(80), r#"{ "name": "a long name", "hp": [1, 2, 3] }"#);
    /// assert_eq!(fitted(30), r#"{ "name": "a long name", …+1 }"#);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[cfg(feature = "cli")]
    #[cfg_attr(docsrs, doc(cfg(feature = "cli")))]
    #[must_use]
    pub const fn fitted(self, width: usize) -> Show<'p> {
        Show { form: ShowForm::Fitted { width }, ..self }
    }

    /// Whole, over several lines: a container that does not fit on the rest of a line has each item
    /// on a line of its own. The elements of packed arrays fill lines. Long strings stay on one line.
    ///
    /// The text starts at this column of its line. Its other lines are indented by `indent` cells.
    ///
    /// ```
    /// use gdwire::{Dialect, encode, parse, text::Show, variant};
    ///
    /// let bytes = encode(Dialect::GODOT_4, &variant!({ "name": "a long name", "hp": [1, 2, 3] }))?;
    /// let value = parse(Dialect::GODOT_4, &bytes)?;
    /// let shown = value.show(Show::new().pretty(30, 0, 0)).to_string();
    /// assert_eq!(shown, "{\n  \"name\": \"a long name\",\n  \"hp\": [1, 2, 3]\n}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[cfg(feature = "cli")]
    #[cfg_attr(docsrs, doc(cfg(feature = "cli")))]
    #[must_use]
    pub const fn pretty(self, width: usize, column: usize, indent: usize) -> Show<'p> {
        Show { form: ShowForm::Pretty { width, column, indent }, ..self }
    }
}

impl Show<'_> {
    pub(crate) fn write(&self, content: &impl InPieces, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let palette = self.palette;
        match self.form {
            ShowForm::Whole => content.pieces(&mut WholeText::new(f, palette)),
            #[cfg(feature = "cli")]
            ShowForm::Fitted { width } => fit::write(content, width, palette, f),
            #[cfg(feature = "cli")]
            ShowForm::Pretty { width, column, indent } => {
                content.pieces(&mut Lines::new(f, palette, width, column, indent))
            }
        }
    }
}

/// Shows a value: see [`VariantRef::show`].
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a, 'p> {
    value: VariantRef<'a>,
    show: Show<'p>,
}

impl<'a> VariantRef<'a> {
    /// The value as its engine's literal, in colours, fitted to a width, or over several lines.
    #[must_use]
    pub const fn show<'p>(&self, show: Show<'p>) -> Shown<'a, 'p> {
        Shown { value: *self, show }
    }
}

impl fmt::Display for Shown<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.show.write(&self.value, f)
    }
}
