//! Architecture: how data flows through the crate, and what each module does.
//!
//! ```text
//! values    bytes ──▶ grammar ──▶ VariantRef ──▶ walk ──▶ text · json · typed · owned
//!                                                                  │
//!           bytes ◀──────────────── encode ◀───────────────────────┘
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
//! # Tables and plain types
//!
//! | module | purpose |
//! |---|---|
//! | `kind` | lists the kinds of values and the layout of each, independent of type numbers |
//! | `dialect` | maps type numbers to kinds for each engine, and sets the widths of floats |
//! | [`math`](crate::math) | defines vectors, matrices and colours, generic over their component |
//! | `number` | defines little-endian numbers of alignment 1, so that arrays are cast in place |
//! | `error` | says what was wrong with the input, at which byte, and what was being read |
//! | [`docs`](super) | contains these pages |
//!
//! # Reading values
//!
//! | module | purpose |
//! |---|---|
//! | [`grammar`](crate::grammar) | describes the wire format as nom combinators; you can use them in your own parsers |
//! | `parse` | checks bytes with the grammar and returns a view |
//! | [`view`](crate::view) | gives access to a checked value in its bytes, without copying |
//! | [`walk`](crate::walk) | visits everything in a value in one pass, without recursion |
//! | [`stream`](crate::stream) | finds frames and values in bytes that arrive in pieces |
//! | [`detect`](crate::detect) | finds out which engine wrote some values |
//! | `trusted` | contains the unsafe building blocks of the crate |
//! | `shared` | keeps a value together with its reference-counted bytes ([`VariantBytes`]) |
//!
//! # Writing values
//!
//! | module | purpose |
//! |---|---|
//! | [`owned`] | defines `Variant`, a value that owns its content, and the macro `variant!` |
//! | [`encode`](mod@crate::encode) | writes values as the engines do, from a tree or piece by piece |
//! | [`convert`] | rewrites a value for another dialect, and refuses or replaces what does not fit it |
//!
//! # Conversions and adapters
//!
//! | module | purpose |
//! |---|---|
//! | [`explain`] | says what each byte of a value or a packet is, and where |
//! | [`text`](crate::text) | writes and reads literals, as `var2str` and `str2var` do |
//! | [`json`] | writes and reads the lossless JSON of Godot 4's `JSON.from_native`, and writes plain JSON |
//! | [`save`] | reads and writes compressed and encrypted save files |
//! | [`expression`] | evaluates conditions on values and packets, in a part of the language of jq |
//! | [`typed`] | reads and writes your own types, with serde |
//! | [`interop`] | converts math types to and from glam and mint |
//! | [`codec`] | sends and receives values over tokio's streams and datagrams |
//!
//! # From packets to messages
//!
//! | module | purpose |
//! |---|---|
//! | [`capture`] | reads packets from capture files, returns the messages in a file, and copies files with comments on packets |
//! | [`packet`] | reads link, IP, UDP and TCP headers, and reassembles IP fragments |
//! | [`follow`] | follows connections packet by packet, detects what each carries, and returns its messages |
//! | [`measure`] | counts values in histograms and over time, in bounded memory |
//! | [`compression`] | reads compressed streams, and decompresses packets in the formats of Godot |
//! | [`net::tcp`] | puts the segments of a stream in order and splits it into messages |
//! | [`net::enet`] | restores the messages of an ENet connection from its datagrams, each once, in order |
//! | [`net::websocket`] | reads the handshake and the messages of a WebSocket connection |
//! | [`stats`] | counts what games send, over the events of `follow` |
//! | [`diagnose`] | finds what is wrong with it: loss, calls that cannot have arrived, values that no engine sends |
//! | [`report`] | collects what plots of a capture need, and writes it as a page of HTML |
//! | [`export`] | makes tables of messages, losses and connections, and writes them as Parquet files |
//! | [`debugger`](crate::debugger) | reads the messages of the remote debugger |
//! | [`multiplayer`](crate::multiplayer) | reads the packets of the high-level multiplayer API, and remembers the node paths in them |
//! | [`project`] | reads the scripts and scenes of a Godot project, which name the numbers in these packets |
//!
//! Each transport in `net` can be used on its own, with bytes from a socket or from a capture. It
//! does not know what a message means. `follow` connects them: the first packets of a connection go
//! through the readers of all transports, and the first with enough evidence wins.
//!
//! # The command
//!
//! `src/bin/gdwire` contains the command. `args` defines the arguments. `input` opens the inputs,
//! finds out what they contain, and has one file for each format. `selection` decides which messages
//! the inputs hand on, and `names` and `project` read the names that the user gives. `sink` defines
//! what the inputs hand to the outputs, and `input/parallel` divides that work among threads.
//! `decode`, `stats`, `diagnose`, `report`, `annotate`, `export` and `convert` are such outputs and write the results; `encode` goes
//! the other way. `diagnostics` writes reports and decides the exit code.
//!
#![cfg_attr(feature = "capture", doc = "[`capture`]: crate::capture")]
#![cfg_attr(not(feature = "capture"), doc = "[`capture`]: crate#features")]
#![cfg_attr(feature = "compression", doc = "[`compression`]: crate::compression")]
#![cfg_attr(not(feature = "compression"), doc = "[`compression`]: crate#features")]
#![cfg_attr(feature = "alloc", doc = "[`explain`]: crate::explain")]
#![cfg_attr(not(feature = "alloc"), doc = "[`explain`]: crate#features")]
#![cfg_attr(feature = "capture", doc = "[`follow`]: crate::follow")]
#![cfg_attr(not(feature = "capture"), doc = "[`follow`]: crate#features")]
#![cfg_attr(feature = "capture", doc = "[`diagnose`]: crate::diagnose")]
#![cfg_attr(not(feature = "capture"), doc = "[`diagnose`]: crate#features")]
#![cfg_attr(feature = "capture", doc = "[`stats`]: crate::stats")]
#![cfg_attr(not(feature = "capture"), doc = "[`stats`]: crate#features")]
#![cfg_attr(feature = "report", doc = "[`report`]: crate::report")]
#![cfg_attr(not(feature = "report"), doc = "[`report`]: crate#features")]
#![cfg_attr(feature = "capture", doc = "[`packet`]: crate::packet")]
#![cfg_attr(not(feature = "capture"), doc = "[`packet`]: crate#features")]
#![cfg_attr(feature = "net", doc = "[`measure`]: crate::measure")]
#![cfg_attr(not(feature = "net"), doc = "[`measure`]: crate#features")]
#![cfg_attr(feature = "net", doc = "[`net::tcp`]: crate::net::tcp")]
#![cfg_attr(not(feature = "net"), doc = "[`net::tcp`]: crate#features")]
#![cfg_attr(feature = "net", doc = "[`net::enet`]: crate::net::enet")]
#![cfg_attr(not(feature = "net"), doc = "[`net::enet`]: crate#features")]
#![cfg_attr(feature = "net", doc = "[`net::websocket`]: crate::net::websocket")]
#![cfg_attr(not(feature = "net"), doc = "[`net::websocket`]: crate#features")]
#![cfg_attr(feature = "export", doc = "[`export`]: crate::export")]
#![cfg_attr(not(feature = "export"), doc = "[`export`]: crate#features")]
#![cfg_attr(feature = "expression", doc = "[`expression`]: crate::expression")]
#![cfg_attr(not(feature = "expression"), doc = "[`expression`]: crate#features")]
#![cfg_attr(feature = "json", doc = "[`json`]: crate::json")]
#![cfg_attr(not(feature = "json"), doc = "[`json`]: crate#features")]
#![cfg_attr(feature = "save", doc = "[`save`]: crate::save")]
#![cfg_attr(not(feature = "save"), doc = "[`save`]: crate#features")]
#![cfg_attr(feature = "project", doc = "[`project`]: crate::project")]
#![cfg_attr(not(feature = "project"), doc = "[`project`]: crate#features")]
#![cfg_attr(feature = "serde", doc = "[`typed`]: crate::typed")]
#![cfg_attr(not(feature = "serde"), doc = "[`typed`]: crate#features")]
#![cfg_attr(feature = "codec", doc = "[`codec`]: crate::codec")]
#![cfg_attr(not(feature = "codec"), doc = "[`codec`]: crate#features")]
#![cfg_attr(feature = "alloc", doc = "[`owned`]: crate::owned")]
#![cfg_attr(not(feature = "alloc"), doc = "[`owned`]: crate#features")]
#![cfg_attr(feature = "alloc", doc = "[`convert`]: mod@crate::convert")]
#![cfg_attr(not(feature = "alloc"), doc = "[`convert`]: crate#features")]
#![cfg_attr(any(feature = "glam", feature = "mint"), doc = "[`interop`]: crate::interop")]
#![cfg_attr(not(any(feature = "glam", feature = "mint")), doc = "[`interop`]: crate#features")]
#![cfg_attr(feature = "bytes", doc = "[`VariantBytes`]: crate::VariantBytes")]
#![cfg_attr(not(feature = "bytes"), doc = "[`VariantBytes`]: crate#features")]
