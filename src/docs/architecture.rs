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
//! command   arguments ──▶ inputs ──▶ values, calls, losses ──▶ decode · stats · diagnose · compare · report · annotate · convert
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
//! | [`edit`](crate::edit) | changes parts of the values of a file, which paths name, and keeps all other bytes |
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
//! | [`net::conditions`](crate::net::conditions) | decides which datagrams a bad network loses, delays and doubles |
//!
//! Each transport can be used on its own, with bytes from a socket or from a capture. It does not
//! know what a message means.
//!
//! ## In `game`
//!
//! | module | purpose |
//! |---|---|
//! | [`project`](crate::project) | reads the scripts and scenes of a Godot project, which name the numbers in packets |
//! | [`multiplayer`](crate::multiplayer) | reads and writes the packets of the high-level multiplayer API, remembers the node paths in them, and plays one peer ([`session`](crate::multiplayer::session)) |
//! | [`peer`](crate::peer) | joins sessions to sockets: ENet with Godot's compressions, WebSocket; many clients at once, which test servers |
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
//! | [`top`](crate::top) | counts what is sent now: the rates of the last minute, in bounded memory |
//! | [`diagnose`](crate::diagnose) | finds problems of the traffic: loss, calls that cannot have arrived, values that should not be sent |
//! | [`compare`](crate::compare) | compares two recordings: what never arrived, what changed |
//! | [`report`](crate::report) | collects the data for plots of a capture, and writes them as an HTML page |
//! | [`versions`](crate::versions) | finds out which version of a project each end of a recording has |
//! | [`states`](crate::states) | finds the values that properties of nodes get, and remembers the last of each |
//! | [`export`](crate::export) | makes tables of messages, states, losses and connections, and writes them as Parquet files |
//!
//! # The way of a value
//!
//! 1. `value/dialect.rs` has the table of an engine, which `layout.rs` compiles.
//! 2. `value/wire/step.rs` reads a header, a length or a count, and `content.rs` what follows: numbers are
//!    skipped, text is checked by `utf8`. `common.rs` does both at once for the most common values.
//!    `nesting.rs` remembers the open containers, in place of recursion. A failure is made in `fault.rs`.
//! 3. `value/view` gives the checked bytes as numbers, texts and containers: `leaf.rs` for one value,
//!    `container.rs` for arrays, dictionaries and objects, `from_variant.rs` for Rust types.
//! 4. `value/walk/cursor.rs` moves through all values in it, for everything that shows or copies them.
//! 5. `format/text/write.rs`, `format/json/write.rs`, `format/typed/de` and `write/owned/to_bytes.rs` turn
//!    it into text, JSON, your own types and owned values.
//! 6. Back to bytes: `write/encode/builder` writes to a sink of `write/encode/sink.rs`. Literals and JSON
//!    are read by `format/text/read.rs` and `format/json/read.rs`. `game/multiplayer/encode` writes values
//!    as parts of packets.
//!
//! # The way of a call
//!
//! 1. `game/multiplayer/session/nodes.rs` finds the number of the method, announces the path of the node to
//!    peers that do not know it, and writes the call for each of them with `encode`.
//! 2. The caller sends what the session returns over its connections, and passes what arrives to the session
//!    of another peer. There, `peers.rs` admits peers, and reads the headers of relays and of Godot 3.
//! 3. `session/mod.rs` reads the packet with `game/multiplayer/grammar.rs`, checks that its sender may send
//!    it, and makes an event of `event.rs`. Nodes and states go the same way: `replication.rs` sends those
//!    of this peer, `states.rs` takes those of others. `recorded.rs` sends packets of a recording again.
//!
//! # The way of a packet
//!
//! 1. `bin/gdwire/input/files.rs` opens a file or a pipe, and decompresses it. `format.rs` detects what it
//!    contains, and `capture/mod.rs` reads it if it is a capture.
//! 2. `capture/pcap.rs` and `capture/pcapng.rs` find the packets, and `capture/stream.rs` those of a pipe.
//!    `capture/writer.rs` writes packets.
//! 3. `net/packet/payload.rs` reads the link, IP, UDP and TCP headers. `fragments.rs` joins IP fragments.
//! 4. `capture/follow/reading.rs` finds the connection in the table of `table.rs`. `opened.rs` recognizes a
//!    new connection between the same ends, `closing.rs` ends connections, `given_up.rs` remembers those
//!    that the limits of `options.rs` excluded. `division.rs` decides which of several followers reads
//!    the packet, and `numbers.rs` gives their connections the numbers that one follower gives.
//! 5. `connection.rs` passes the packet to the readers. Until it is known what the connection carries,
//!    these are all: `race/datagrams.rs` and `race/streams.rs` choose the transport, `race/readings.rs` the
//!    dialect and whether messages are values or multiplayer packets. Later only the winner reads, in
//!    `read_datagrams.rs` or `read_streams.rs`.
//! 6. ENet: `net/enet/datagram.rs` decompresses, with `range_coder.rs` beside it or the formats of
//!    `format/compression/packets.rs`. `command.rs` reads the commands, `session.rs` tracks the two ends,
//!    and `session/deliver.rs` decides what is delivered, held back or lost. TCP:
//!    `net/tcp/reassembler.rs` orders the segments, gives up waiting for what is missing, and counts it.
//!    `net/tcp/frames.rs` or `net/websocket/stream.rs` finds the messages; after a gap, `net/sync` finds
//!    the next one.
//! 7. `capture/follow/output.rs` decodes the message, and `queue.rs` keeps it until the caller takes it. The
//!    paths that it announces are noted in `game/multiplayer/paths.rs` when `giving.rs` returns it.
//! 8. `game/multiplayer/grammar.rs` reads a packet of the multiplayer API, and `arguments.rs` the values in
//!    it. `context.rs` finds the names for its numbers: those that `names.rs` was given, from a list
//!    (`methods.rs`) or from a project.
//! 9. The caller gets an `Event` of `capture/follow/event.rs` or a `Loss` of `loss.rs`, and at the end of
//!    a connection the counts of `summary.rs` and `direction.rs`. `capture/fields.rs` names the fields of a
//!    message for JSON and expressions.
//! 10. In the command, `input/capture/events.rs` asks `selection.rs` whether the message is selected, and
//!     passes it to the subcommand. With several threads, `divided.rs` divides the connections among
//!     them, or `parallel.rs` only this work. `losses.rs` reports what is missing, and `undecoded.rs`
//!     counts what was not read.
//! 11. `decode/ndjson.rs`, `decode/text.rs` or `decode/lines.rs` writes the message, and `output.rs` the
//!     bytes. `stats`, `diagnose`, `report` and `export` pass it to the analysis of the same name.
//!
//! # The way of a name
//!
//! 1. `game/project/open.rs` reads the files in the folder of a project, and `files.rs` finds those that
//!    others refer to. `ids.rs` has numbers for names and paths.
//! 2. `script/tokens.rs` splits a script into tokens. `gdscript.rs` and `csharp.rs` read its classes and
//!    remote methods, `engine.rs` knows the classes that they extend. `gd_effects.rs`, `cs_effects.rs` and
//!    `aliases.rs` find what the script may change at run time, and `grants.rs` finds the nodes that it
//!    gives to clients.
//! 3. `resource.rs` reads the text of scenes and resources, `scene.rs` the nodes in it. `expand.rs` puts
//!    scenes together to the nodes of `tree.rs`.
//! 4. `lists.rs` orders the methods of each script, and `digests.rs` finds a list by its digest.
//!    `properties.rs` knows what synchronizers send.
//! 5. `creates/assigned.rs` and `listed.rs` find the functions that spawners call and the scenes in their
//!    lists. `gd_parser.rs` or `cs_parser.rs` reads such a function in the form of `syntax.rs`, and
//!    `creates/evaluate.rs` follows it to the scenes that it creates: `preload`, for example, is there.
//! 6. `game/multiplayer/known.rs` asks the project about a node that a packet announces. `made.rs` finds the
//!    scene of a node that a script made, and `unannounced.rs` with `shapes.rs` the script of a node
//!    without a path. `evidence.rs` and `mismatch.rs` drop names that packets contradict.
//!
//! # Where analyses decide
//!
//! | file in `analysis` | what it decides |
//! |---|---|
//! | `stats/items.rs` | what is counted separately: nodes, methods, properties |
//! | `stats/groups.rs` | which nodes share a row, because they are alike |
//! | `stats/connection.rs` | what is measured of a connection, for all analyses |
//! | `diagnose/kind.rs` | the kinds of findings, and their advice |
//! | `diagnose/ends.rs`, `values.rs`, `transport.rs` | when there is a finding, and how severe it is: about names, values, connections |
//! | `compare/pairs.rs`, `matching.rs` | which connections and messages of two recordings are the same |
//! | `compare/sides.rs`, `clocks.rs` | what never arrived, and how long the rest took |
//! | `compare/traffic.rs`, `changes.rs` | what changed from one build to another, and whether that is noise |
//! | `compare/repetition.rs` | what of a session has to be the same in its repetition |
//! | `export/messages.rs`, `states.rs`, `losses.rs`, `connections.rs` | the columns of each table |
//! | `expression/functions.rs` | what the functions of expressions return |
//! | `explain/value.rs`, `packet.rs`, `enet.rs`, `stream.rs` | the fields of each part of a message |
//! | `report/page.rs` | the page; its scripts and styles are beside it |
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
//! | `usage` | lays out the examples and notes of `--help`, advises on errors in arguments, and refuses options that have no effect |
//! | `selection` | decides which messages the inputs pass on |
//! | `names` | reads the names that no packet contains |
//! | `saves` | reads and writes compressed and encrypted saves |
//! | `sink` | defines what the inputs pass to a subcommand, and how threads divide that work |
//! | `input` | opens the inputs, detects what they contain, and passes their content to a sink |
//! | `output` | writes to standard output or a file |
//! | `decode` | prints values and remote calls |
//! | `encode` | turns text into bytes |
//! | `convert` | writes values as another engine does, or as hex or base64, or edits a file with values |
//! | `stats` | prints counts |
//! | `states` | prints the values of properties over time |
//! | `diagnose` | prints problems of the traffic |
//! | `compare` | compares two captures |
//! | `top` | counts what is sent now, and shows it on a screen that moves |
//! | `annotate` | copies a capture with messages as comments, or writes messages as packets |
//! | `extcap` | answers the calls of Wireshark, with `annotate`'s messages as packets |
//! | `proxy` | forwards packets as a bad network would, and passes them on to be shown |
//! | `bot` | lets clients join a game, and prints what they count |
//! | `report` | writes a page with plots |
//! | `export` | writes tables for analysis engines |
//! | `setup` | writes the manual pages, and the completions for a shell |
#![cfg_attr(
    not(feature = "full"),
    allow(rustdoc::broken_intra_doc_links, reason = "what is linked may be left out")
)]
