//! Writing values, and converting them.

mod convert;
mod encode;
mod owned;
mod properties;
