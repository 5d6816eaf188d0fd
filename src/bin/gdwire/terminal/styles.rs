//! The colours of results.

use anstyle::{AnsiColor, Style};
use gdwire::diagnose::Severity;
use gdwire::text::{Palette, Role};

/// Colours, or none.
#[derive(Clone, Copy, Default)]
pub(crate) struct Styles {
    pub(crate) dim: Style,
    pub(crate) address: Style,
    pub(crate) error: Style,
    pub(crate) warning: Style,
    /// The name of a file above its content, and the headers of tables.
    pub(crate) heading: Style,
    /// The colours of values and packets.
    pub(crate) palette: Palette<'static>,
}

impl Styles {
    /// Colours that can be read on dark and on light terminals. No information is shown by colour
    /// alone.
    pub(crate) fn colored() -> Styles {
        let colors = [
            // Bold, as dark blue is hard to read on black.
            (Role::Key, "\x1b[1;34m"),
            (Role::String, "\x1b[32m"),
            (Role::Number, "\x1b[35m"),
            (Role::Constant, "\x1b[35m"),
            (Role::Path, "\x1b[36m"),
            (Role::Method, "\x1b[1m"),
            (Role::Omitted, "\x1b[2m"),
        ];
        let palette = Palette::new();
        Styles {
            dim: Style::new().dimmed(),
            address: Style::new(),
            error: AnsiColor::Red.on_default().bold(),
            warning: AnsiColor::Yellow.on_default().bold(),
            heading: Style::new().bold(),
            palette: colors.into_iter().fold(palette, |all, (role, start)| all.with(role, start)),
        }
    }

    pub(crate) const fn of(&self, severity: Severity) -> Style {
        match severity {
            Severity::Error => self.error,
            Severity::Warning => self.warning,
            _ => self.address,
        }
    }
}
