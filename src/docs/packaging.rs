//! Packaging: building the command for those who install it or distribute it.
//!
//! ```sh
//! cargo build --locked --profile dist --features full
//! target/dist/gdwire man target/man
//! target/dist/gdwire completions bash > target/gdwire.bash
//! ```
//!
//! - **Profile.** `dist` compiles the crate and all dependencies as one unit, with link-time
//!   optimization. The command is smaller and executes fewer instructions. The profile `release` is for
//!   those who build often: it uses all cores.
//! - **Features.** `cli` is the command. `full` adds `gdwire export`, whose Zstandard needs a C compiler;
//!   all other code is Rust.
//! - **Files.** One executable; manual pages with `gdwire man DIRECTORY`; completions for bash, zsh, fish,
//!   PowerShell and elvish with `gdwire completions SHELL`.
//! - **At run time.** Nothing is needed but the C library of the system. `gdwire decode --interface` starts
//!   dumpcap or tcpdump, if one of them is installed: recommend one of them. Wireshark is not needed.
//! - **Tests.** `cargo test --all-features` needs no network. Tests that need an engine, a browser or
//!   another program print that they were skipped if it is missing.
//! - **Licences.** The crate has the MIT licence. `deny.toml` lists the licences of the dependencies.
//!
//! # Packages for other languages
//!
//! `src/bindings` has packages with manifests of their own, so that a build of the crate never compiles
//! them. They have no logic that the crate lacks.
//!
//! ```sh
//! src/bindings/build.sh OUT          # all of them
//! src/bindings/build.sh OUT python   # only this
//! ```
//!
//! | package | file in `OUT` | what it needs |
//! |---|---|---|
//! | `python` | `gdwire-*.whl`, one for all Pythons from 3.11 on | maturin |
//! | `javascript` | `gdwire-*.tgz`, for npm | npm, and what `src/bindings/javascript/tools.sh` installs |
//! | `page` | `page/index.html`, which contains all it needs, because a page from disk may not load files | the package `javascript` |
//! | `cli` | `gdwire_cli-*.whl`, the command for `pip install` | maturin |
//!
//! `corpus/cases.ndjson` lists recorded values with their bytes and their JSON. The tests of the crate
//! and of each package run all of them.
//!
//! # A release
//!
//! ```sh
//! .ci/release OUT         # builds everything from a clean clone, and checks it
//! .ci/release check OUT   # only checks what is in OUT
//! ```
//!
//! `OUT` then has the crate, the wheels, the npm package, the page, the command for Linux and Windows with
//! manual pages and completions, and `SHA256SUMS`. The check installs each into an empty environment and runs the first
//! example of its README.
//!
//! # Measured
//!
//! `benches/dist.sh` builds the command from nothing with both profiles and prints this table. The
//! instructions are those to read all captures of the corpus.
//!
//! | profile | seconds to build | size | `stats` | `decode --format ndjson` |
//! |---|---|---|---|---|
//! | `release` | 109 | 9.7 MB | 347 million | 339 million |
//! | `dist` | 170 | 8.5 MB | 332 million | 332 million |
//!
//! The captures of the corpus are short, so much of this is opening files and making the first
//! decisions.
