//! Our promises: what stays as it is in all versions 1.x, what may change, and how you learn of it.
//!
//! Version numbers follow [Semantic Versioning](https://semver.org). `CHANGELOG.md` lists what users
//! notice.
//!
//! # Formats
//!
//! - **What the engines write and read decides.** If a released engine and this crate disagree about a
//!   value, a packet or a save, that is a fault of this crate, and the next version mends it, even if a
//!   program relied on the fault. The page [wire format](super::wire_format#where-this-crate-differs-from-the-engines)
//!   lists the deliberate differences; the list only becomes shorter.
//! - **What was written can be read.** Every 1.x reads what any earlier 1.x has written: bytes of values,
//!   the lossless JSON of `--values native`, literals, exported tables, lists of names.
//! - **The same input gives the same bytes.** Encoding a value in the same dialect gives the same bytes
//!   in every version, on every system, with any number of threads.
//! - **New engines are added.** A [`Dialect`](crate::Dialect) that exists keeps its name and its meaning.
//!
//! # The library
//!
//! - Every public item keeps its path, and every function its meaning. `tests/public-api.txt` lists all of
//!   them, so a review shows each change, and `cargo semver-checks` compares them with the last release.
//! - Enums and structs that may grow are marked `#[non_exhaustive]`: errors, options, events, findings,
//!   kinds of values and messages. All others are complete.
//! - An input that was refused may be accepted later, because an engine accepts it. An input that was
//!   accepted is refused later only if that was a fault, as above.
//! - **Texts are for people.** The `Display` of errors, findings and explanations may be worded
//!   differently in each version. Programs use the variants, offsets and numbers in them.
//! - **Costs.** The [limits of memory and work](super::hostile_input) hold in every version, and a limit
//!   is not raised without a new option. Functions that do not allocate today will not. Speed is measured, not
//!   promised: [`benchmarks`](super::benchmarks).
//! - **Other crates in our interface** are `nom` and `bytemuck`, and with their features `bytes`, `glam`,
//!   `mint`, `serde`, `tokio-util` and the crates of Arrow and Parquet. A new major version of `nom`,
//!   `bytemuck`, `bytes` or `serde` waits for version 2. The features `glam`, `mint`, `codec` and `export`
//!   follow new major versions of their crates in a minor version, because most of these crates release one
//!   every few months.
//! - **Features** are only added. None of them changes what a function returns, with one exception: without
//!   `compression`, ENet connections compressed with zlib, Zstandard or FastLZ are not decoded.
//!
//! # The command
//!
//! - **Exit codes** are 0, 1, 2 and 130, with the meaning that [`gdwire
//!   --help`](super::command_line#exit-codes) gives. An error of today does not become a success,
//!   except as above.
//! - **Options and subcommands** keep their names and meanings. One that has to go is first accepted with a
//!   warning, for at least a year.
//! - **JSON for programs** (`--format ndjson`, `native` and `json`, and the lines of `gdwire bot`): fields
//!   keep their names, types, units and meanings. New fields and new kinds of lines may come at any time, also
//!   between existing ones: ignore what you do not know. A field that is missing is unknown.
//! - **Tables** of `gdwire export` keep the names, types and order of their columns. New columns come last.
//! - **Text for people** (`--format text`, `stats`, `diagnose`, `top`, the report and its page, progress,
//!   warnings) may look different in each version. Do not parse it: each has a form in JSON.
//! - **Identifiers of findings**, in brackets after each, keep their meaning, as do those of warnings in JSON.
//!
//! # Packages for other languages
//!
//! The packages for Python and JavaScript have the version of the crate, and the same promises hold for the
//! names in their stubs and types. The page has no interface.
//!
//! # Rust, and other systems
//!
//! - **Oldest Rust:** the version in `Cargo.toml`, today 1.89. A minor version may raise it, but never
//!   to a release of Rust that is less than six months old. A patch never raises it.
//! - **Systems:** Linux on x86-64 is tested with everything, Windows under Wine with a part of the tests.
//!   Nothing else is tested. Only the check of short texts has code for one kind of processor; every other
//!   processor runs portable Rust.
//! - **How long:** faults of the last minor version of 1.x are mended for at least two years after 1.0, and
//!   for one year after a version 2.
