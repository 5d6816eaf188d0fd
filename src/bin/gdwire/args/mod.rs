//! The options that several commands share.
//!
//! These are plain types that the command line is parsed into. They depend on no command and do no
//! work. Each file has one group of options, or one type of their values. A command's own options
//! are in its folder.

pub(crate) mod dialect;
mod encoded;
pub(crate) mod ends;
mod filters;
mod frames;
pub(crate) mod help;
mod inputs;
pub(crate) mod kinds;
pub(crate) mod moment;
mod names;
mod period;
mod reading;
mod saves;
pub(crate) mod screen;
mod selection;
mod threads;
mod transport;
pub(crate) mod units;
mod verbosity;

pub(crate) use encoded::{Framing, OutputArgs};
pub(crate) use filters::{Filters, VALUE};
pub(crate) use inputs::{Input, InputArgs};
pub(crate) use names::NamesArgs;
pub(crate) use period::Period;
pub(crate) use reading::ReadingArgs;
pub(crate) use saves::{KeyArgs, NewKeyArgs, SaveArgs};
pub(crate) use screen::ScreenArgs;
pub(crate) use selection::SelectionArgs;
pub(crate) use threads::Threads;
pub(crate) use verbosity::{Verbosity, VerbosityArgs};
