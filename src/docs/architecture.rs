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
//! # The folders
//!
//! **A folder uses only folders that stand before it in this table**, so you can read the crate from
//! the first row to the last. The test `architecture` checks this.
//!
//! | folder | purpose |
//! |---|---|
//! | `value` | bytes to views: tables of kinds and dialects, grammar, views, walks, detection |
//! | `write` | values to bytes: builder, owned values, patches, conversion between engines, streams |
//! | `format` | other spellings of values: literals, JSON, serde, saves, compression, types of other crates |
//! | `net` | packets to one connection's messages: link and IP headers, TCP, ENet, WebSocket |
//! | `game` | what messages mean: multiplayer packets, names from projects, the debugger |
//! | `capture` | where packets stand and whose they are: files, pipes, connections, order, limits, events |
//! | `analysis` | what events add up to: statistics, findings, expressions, explanations, tables, the page |
//! | `docs` | contains these pages |
//!
//! ## In `value`
//!
//! | module | purpose |
//! |---|---|
//! | `number` | defines little-endian numbers of alignment 1, so that arrays are cast in place |
//! | [`math`](crate::math) | defines vectors, matrices and colours, generic over their component |
//! | `kind` | lists the kinds of values: the names of each, and what its content consists of |
//! | `dialect` | maps type numbers to kinds for each engine, and sets the widths of floats |
//! | `layout` | compiles the table of a dialect, so that a header is looked up in one step |
//! | `error` | says what was wrong with the input, at which byte, and what was being read |
//! | `trusted` | contains the unsafe building blocks of the crate |
//! | `wire` | reads the wire format item by item; every way to read a value uses it |
//! | [`view`](crate::view) | gives access to a checked value in its bytes, without copying |
//! | [`walk`](crate::walk) | visits everything in a value in one pass, without recursion |
//! | [`grammar`](crate::grammar) | reads values as nom combinators; you can use them in your own parsers |
//! | [`detect`](crate::detect) | finds out which engine wrote some values |
//!
//! ## In `write`
//!
//! | module | purpose |
//! |---|---|
//! | [`encode`](mod@crate::encode) | writes values as the engines do, from a tree or piece by piece |
//! | [`owned`](crate::owned) | defines `Variant`, a value that owns its content, and the macro `variant!` |
//! | [`convert`](mod@crate::convert) | rewrites a value for another dialect, and refuses or replaces what does not fit it |
//! | `shared` | keeps a value together with its reference-counted bytes ([`VariantBytes`](crate::VariantBytes)) |
//! | [`stream`](crate::stream) | finds frames and values in bytes that arrive in pieces, and writes frames |
//!
//! ## In `format`
//!
//! | module | purpose |
//! |---|---|
//! | [`text`](crate::text) | writes and reads literals, as `var2str` and `str2var` do |
//! | [`json`](crate::json) | writes and reads the lossless JSON of Godot 4's `JSON.from_native`, and writes plain JSON |
//! | [`typed`](crate::typed) | reads and writes your own types, with serde |
//! | [`compression`](crate::compression) | reads compressed streams, and decompresses packets in the formats of Godot |
//! | [`save`](crate::save) | reads and writes compressed and encrypted save files |
//! | [`interop`](crate::interop) | converts math types to and from glam and mint |
//! | [`codec`](crate::codec) | sends and receives values over tokio's streams and datagrams |
//!
//! ## In `net`
//!
//! | module | purpose |
//! |---|---|
//! | `peer` | defines the ids of multiplayer peers |
//! | [`measure`](crate::measure) | counts values in histograms and over time, in bounded memory |
//! | [`packet`](crate::packet) | reads link, IP, UDP and TCP headers, and reassembles IP fragments |
//! | [`enet`](crate::net::enet), [`tcp`](crate::net::tcp), [`websocket`](crate::net::websocket) | restore the messages of one connection, each once, in order |
//!
//! Each transport can be used on its own, with bytes from a socket or from a capture. It does not
//! know what a message means.
//!
//! ## In `game`
//!
//! | module | purpose |
//! |---|---|
//! | [`project`](crate::project) | reads the scripts and scenes of a Godot project, which name the numbers in packets |
//! | [`multiplayer`](crate::multiplayer) | reads the packets of the high-level multiplayer API, and remembers the node paths in them |
//! | [`debugger`](crate::debugger) | reads the messages of the remote debugger |
//!
//! ## In `capture`
//!
//! | module | purpose |
//! |---|---|
//! | [`follow`](crate::follow) | follows connections packet by packet, detects what each carries, and returns its messages |
//! | [`capture`](crate::capture) | reads packets from capture files, returns the messages in a file, and copies files with comments on packets |
//!
//! The first packets of a connection go through the readers of all transports, and the first with
//! enough evidence wins.
//!
//! ## In `analysis`
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
//! # The command
//!
//! `src/bin/gdwire` contains the command. The inputs read the files, pipes and interfaces that the
//! arguments name, and pass their content to a sink, which each subcommand implements. The
//! subcommand writes to the outputs. Each subcommand is a file or a folder with its own options, and
//! `main` has a table of them. Their examples and notes are text files in the folder `help`.
//!
//! | module | purpose |
//! |---|---|
//! | `interrupt` | notices Ctrl-C |
//! | `opened` | names files, and remembers which the run reads, so that no output replaces one |
//! | `args` | defines the options that several commands share, as plain types |
//! | `terminal` | fits results to the terminal: lines, tables, colours, the progress bar |
//! | `diagnostics` | writes errors and warnings, and decides the exit code |
//! | `usage` | has the examples and notes of `--help`, advises on errors in arguments, and refuses options that have no effect |
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
//! | `setup` | writes the manual pages, and the completions for a shell |
#![cfg_attr(
    not(feature = "full"),
    allow(rustdoc::broken_intra_doc_links, reason = "what is linked may be left out")
)]
