//! Architecture: how data flows through the crate, and what each module does.
//!
//! ```text
//! values    bytes ──▶ grammar ──▶ VariantRef ──▶ walk ──▶ text · json · typed · owned
//!                                                                       │
//!           bytes ◀──────────────── encode ◀────────────────────────────┘
//!
//! captures  file ──▶ packets ──▶ datagrams, segments ──▶ messages ──▶ values, remote calls
//!                    capture     packet                  follow, net  parse, multiplayer
//!
//! command   arguments ──▶ inputs ──▶ values, calls, losses ──▶ decode · stats · diagnose · report · annotate · convert
//! ```
//!
//! The first row needs no network and, for reading, no allocator. The second row builds on it: a
//! transport delivers a message as bytes, and `parse` or `multiplayer` reads these bytes. The third
//! row is the command `gdwire`; it contains no logic that users of the library need.
//!
//! A dialect is a table of type numbers and widths, not code. The grammar of the wire format is
//! written once and reads all dialects. Parsing checks a whole value once; afterwards, views and
//! iterators never meet invalid bytes, and never copy.
//!
//! # The rule
//!
//! **A module uses only modules that stand before it in the tables below.** So you can read the
//! crate from the first row to the last, and nothing depends on what comes later. The same holds for
//! the modules of the command. Within a folder, no files use each other in a circle. `mod.rs` has no
//! code: it only says what the folder is for and which names it passes on. A folder without a `mod.rs`
//! has further parts of the file with its name.
//!
//! The test `architecture` checks this. It also draws the diagram from the code: a module stands
//! above all that it uses. An arrow is left out if a longer way leads to the same module.
//!
#![doc = include_str!("architecture.svg")]
//!
//! # Tables and plain types
//!
//! | module | purpose |
//! |---|---|
//! | `docs` | contains these pages |
//! | `macros` | contains a macro for all modules, which shows fields as a derived `Debug` does |
//! | `number` | defines little-endian numbers of alignment 1, so that arrays are cast in place |
//! | [`math`](crate::math) | defines vectors, matrices and colours, generic over their component |
//! | `engine` | lists the engines |
//! | `peer` | defines the ids of multiplayer peers |
//! | `kind` | lists the kinds of values: the names of each, and what its content consists of |
//! | `dialect` | maps type numbers to kinds for each engine, and sets the widths of floats |
//! | `error` | says what was wrong with the input, at which byte, and what was being read |
//!
//! # Reading values
//!
//! | module | purpose |
//! |---|---|
//! | `trusted` | contains the unsafe building blocks of the crate |
//! | `wire` | reads the wire format item by item; every way to read a value uses it |
//! | [`view`](crate::view) | gives access to a checked value in its bytes, without copying |
//! | [`walk`](crate::walk) | visits everything in a value in one pass, without recursion |
//! | [`grammar`](crate::grammar) | reads values as nom combinators; you can use them in your own parsers |
//! | `parse` | reads a whole buffer and returns a view |
//! | [`detect`](crate::detect) | finds out which engine wrote some values |
//!
//! # Writing values
//!
//! | module | purpose |
//! |---|---|
//! | [`encode`](mod@crate::encode) | writes values as the engines do, from a tree or piece by piece |
//! | [`owned`](crate::owned) | defines `Variant`, a value that owns its content, and the macro `variant!` |
//! | [`convert`](mod@crate::convert) | rewrites a value for another dialect, and refuses or replaces what does not fit it |
//! | `shared` | keeps a value together with its reference-counted bytes ([`VariantBytes`](crate::VariantBytes)) |
//! | [`stream`](crate::stream) | finds frames and values in bytes that arrive in pieces, and writes frames |
//!
//! # Conversions and adapters
//!
//! | module | purpose |
//! |---|---|
//! | [`text`](crate::text) | writes and reads literals, as `var2str` and `str2var` do |
//! | [`json`](crate::json) | writes and reads the lossless JSON of Godot 4's `JSON.from_native`, and writes plain JSON |
//! | [`compression`](crate::compression) | reads compressed streams, and decompresses packets in the formats of Godot |
//! | [`save`](crate::save) | reads and writes compressed and encrypted save files |
//! | [`project`](crate::project) | reads the scripts and scenes of a Godot project, which name the numbers in packets |
//!
//! # From packets to messages
//!
//! | module | purpose |
//! |---|---|
//! | [`measure`](crate::measure) | counts values in histograms and over time, in bounded memory |
//! | [`net`](crate::net) | restores the messages of one connection over TCP, ENet or WebSocket, each once, in order |
//! | [`packet`](crate::packet) | reads link, IP, UDP and TCP headers, and reassembles IP fragments |
//! | [`multiplayer`](crate::multiplayer) | reads the packets of the high-level multiplayer API, and remembers the node paths in them |
//! | [`debugger`](crate::debugger) | reads the messages of the remote debugger |
//! | [`follow`](crate::follow) | follows connections packet by packet, detects what each carries, and returns its messages |
//! | [`capture`](crate::capture) | reads packets from capture files, returns the messages in a file, and copies files with comments on packets |
//!
//! # Analyses of messages
//!
//! | module | purpose |
//! |---|---|
//! | [`expression`](crate::expression) | evaluates conditions on values, packets and messages, in a part of the language of jq |
//! | [`explain`](crate::explain) | names the field of each byte of a value or a packet, with its offset |
//! | [`stats`](crate::stats) | counts what games send, over the events of `follow` |
//! | [`diagnose`](crate::diagnose) | finds problems of the traffic: loss, calls that cannot have arrived, values that should not be sent |
//! | [`report`](crate::report) | collects the data for plots of a capture, and writes them as an HTML page |
//! | [`export`](crate::export) | makes tables of messages, losses and connections, and writes them as Parquet files |
//!
//! Each transport in `net` can be used on its own, with bytes from a socket or from a capture. It
//! does not know what a message means. `follow` connects them: the first packets of a connection go
//! through the readers of all transports, and the first with enough evidence wins.
//!
//! # Your own types and those of other crates
//!
//! | module | purpose |
//! |---|---|
//! | [`typed`](crate::typed) | reads and writes your own types, with serde |
//! | [`interop`](crate::interop) | converts math types to and from glam and mint |
//! | [`codec`](crate::codec) | sends and receives values over tokio's streams and datagrams |
//!
//! # The command
//!
//! `src/bin/gdwire` contains the command. The inputs read the files, pipes and interfaces that the
//! arguments name, and pass their content to a sink, which each subcommand implements. The
//! subcommand writes to the outputs. Each subcommand is a folder with its own options and help, and
//! `main` has a table of them.
//!
//! | module | purpose |
//! |---|---|
//! | `stop` | defines the reasons why the whole run ends early |
//! | `plain` | shows names of files and other untrusted text on one line |
//! | `interrupt` | notices Ctrl-C |
//! | `opened` | remembers which files the run reads, so that no output replaces one |
//! | `args` | defines the options that several commands share, as plain types |
//! | `help` | has the examples and notes of `gdwire --help` |
//! | `tips` | advises what to do instead of an option that a command does not have |
//! | `effects` | refuses options that have no effect |
//! | `terminal` | fits results to the terminal: lines, tables, colours, the progress bar |
//! | `diagnostics` | writes errors and warnings, and decides the exit code |
//! | `selection` | decides which messages the inputs pass on |
//! | `names` | reads the names that no packet contains |
//! | `saves` | reads and writes compressed and encrypted saves |
//! | `sink` | defines what the inputs pass to a subcommand, and how threads divide that work |
//! | `input` | opens the inputs, detects what they contain, and passes their content to a sink |
//! | `output` | writes to standard output or a file |
//! | `decode` | prints values and remote calls |
//! | `encode` | turns text into bytes |
//! | `convert` | writes values as another engine does, or as hex or base64 |
//! | `stats` | prints counts |
//! | `diagnose` | prints problems of the traffic |
//! | `annotate` | copies a capture with messages as comments |
//! | `report` | writes a page with plots |
//! | `export` | writes tables for analysis engines |
//! | `man` | writes the manual pages |
//! | `completions` | writes the completions for a shell |
#![cfg_attr(
    not(feature = "full"),
    allow(rustdoc::broken_intra_doc_links, reason = "what is linked may be left out")
)]
