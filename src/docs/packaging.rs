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
//! - **Features.** `cli` is the command, all of it in Rust. `full` adds `gdwire export` and `gdwire bot`,
//!   whose Zstandard and TLS need a C compiler.
//! - **Files.** One executable; manual pages with `gdwire man DIRECTORY`; completions for bash, zsh, fish,
//!   PowerShell and elvish with `gdwire completions SHELL`.
//! - **At run time.** Nothing is needed but the C library of the system. `gdwire decode --interface` starts
//!   dumpcap or tcpdump, if one of them is installed: recommend one of them. Wireshark is not needed.
//! - **Tests.** `cargo test --all-features` needs no network. Tests that need an engine, a browser or
//!   another program print that they were skipped if it is missing.
//! - **Licences.** The crate has the MIT licence. `deny.toml` lists the licences of the dependencies.
//!
//! # Windows
//!
//! `cargo install --profile dist --features full` works as on Linux, with the targets
//! `x86_64-pc-windows-msvc` and `x86_64-pc-windows-gnu`; for the latter on Linux, install mingw
//! (`apt install gcc-mingw-w64-x86-64-win32`) and name the target with `--target`. The result is one
//! file, `gdwire.exe`, which needs no installation: put it in a folder of `PATH`. The tests run it under
//! Wine; they have not run on Windows itself.
//!
//! - **Captures.** `--interface` needs Wireshark and the driver Npcap, which Wireshark's installer offers.
//!   gdwire finds `dumpcap.exe` on `PATH` or in `%ProgramFiles%\Wireshark`. `gdwire decode
//!   --list-interfaces` prints the names that `--interface` takes, such as `Ethernet 2`, beside their names
//!   for the driver. `--interface lo` is Npcap's adapter for loopback traffic. If Npcap was installed for
//!   administrators only, start the console as administrator.
//! - **Wireshark.** `gdwire extcap --install` writes a file `gdwire.bat`. This has not been tried with
//!   Wireshark for Windows.
//! - **Consoles.** Output is UTF-8. In consoles of Windows 10 and later, colours and `gdwire top` work.
//!   Into a file, PowerShell 5 writes `gdwire … > FILE` in UTF-16; use PowerShell 7, `cmd`, or `-o` where
//!   a command has it.
//! - **Patterns.** The shells there do not replace `*.pcapng` by the files that match, so gdwire does.
//! - **Open files.** A file that another program has open and does not share cannot be read or replaced,
//!   which the error says. `-o` replaces a file as a whole, as on Linux.
//! - **Ctrl-C.** Ctrl-C, Ctrl-Break and closing the console end a run as Ctrl-C does on Linux, with the
//!   exit code 130 before the end of a file. There are no signals, so an input that waits is ended by these
//!   only.
//! - **Not there.** gdwire does not ask for passwords: use `--password-file`. New files get the
//!   permissions of their folder, even if the input has fewer readers. `top` cannot be suspended with
//!   Ctrl-Z. `bot` sleeps for two milliseconds at a time instead of waiting for its sockets.
//!
//! # macOS
//!
//! There, gdwire uses the same code as on Linux. `.ci/run targets` checks that it compiles for
//! `aarch64-apple-darwin`, but nobody has linked or tested it there yet. These things are known to
//! differ:
//!
//! - tcpdump is a part of macOS. dumpcap is found on `PATH` or in `/Applications/Wireshark.app`. The
//!   loopback interface is `lo0`, which `--interface lo` finds; its packets have the link type NULL. For
//!   the permission to capture without `sudo`, install ChmodBPF, which comes with Wireshark.
//! - There is no `/proc`, so gdwire does not learn whether SIGHUP is ignored, and does not handle it: when
//!   its terminal is closed, it ends at once.
//! - The tests that capture live traffic run on Linux only.
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
//! There is no library for C and C++: the page [design](super::design) says why, and what to do instead.
//!
//! If the sources of Rust's standard library are installed (`rustup component add rust-src`, or the
//! same script), `build.sh` compiles them for size with the npm package, which makes it a tenth
//! smaller.
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
