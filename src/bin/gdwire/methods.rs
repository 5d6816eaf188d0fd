//! The names of remote methods, from the file of `--methods`.

use crate::plain::{name, reason};
use gdwire::capture::Message;
use gdwire::multiplayer::{Context, Methods};
use std::fmt::Display;
use std::fs;
use std::path::Path;

/// Reads the file.
pub(crate) fn read(path: &Path) -> Result<Methods, String> {
    let named = |problem: &dyn Display| format!("{}: {problem}", name(path));
    let bytes = fs::read(path).map_err(|error| named(&reason(&error)))?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let valid = error.as_bytes().iter().take(error.utf8_error().valid_up_to());
        let line = valid.filter(|byte| **byte == b'\n').count() + 1;
        named(&format!("line {line}: the text is not UTF-8; save the file in UTF-8"))
    })?;
    Methods::parse(&text).map_err(|error| named(&error))
}

/// The names that a message's packet refers to: node paths, and methods if the user gave them.
pub(crate) fn context<'m>(message: &'m Message<'_>, methods: Option<&'m Methods>) -> Context<'m> {
    match methods {
        Some(methods) => message.context().with_methods(methods),
        None => message.context(),
    }
}
