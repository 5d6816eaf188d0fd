//! Design: the decisions behind the crate, and their reasons.
//!
//! The page [`architecture`](super::architecture) shows what the parts are and how data flows
//! through them. This page gives the reasons. If speed is a reason, the page
//! [`benchmarks`](super::benchmarks) has the numbers and the command that measures them.
//!
//! # Values
//!
//! ## Why is the wire format written only once?
//!
//! A value can be parsed into a view, visited while it is parsed, skipped, validated without a view,
//! read by serde, or scanned in pieces as they arrive from a stream. Each of these could be a reader
//! of its own, and each would then decide a little differently about damaged bytes. This happened
//! once: an array held an object whose class name was only a byte order mark. The grammar read the
//! object as an instance, a view of it read null, and the value could not be written again.
//!
//! So there is one grammar. It consists of steps that read at most 16 bytes each, over whatever
//! input there is: a whole buffer, a buffer that may be continued, or bytes that were checked before.
//! nom's output modes decide at compile time whether a step builds something or only checks. A
//! resumable [`Scanner`](crate::stream::Scanner) runs the same steps and carries at most one of them
//! over the seam between two pieces. It therefore reports the same error at the same offset as a
//! parse of the whole. Tests and fuzzers hold all ways of reading against each other.
//!
//! The [`grammar`](crate::grammar) is public, because games put values into packets of their own. Such
//! a packet is then one nom grammar, not a hand-written header followed by a call of this crate.
//!
//! ## Why is a dialect a table and not a type or a trait?
//!
//! The engines differ in the numbers of their types, in the place where the width of reals is found,
//! and in a few facts such as whether an `RID` has an id. None of that needs code. A
//! [`Dialect`](crate::Dialect) is a reference to a table which is compiled into the program, so it is
//! small and `Copy`, it can be chosen at run time, and a new engine version is a new table. With a
//! type for each dialect, every function would be generic and compiled once for each engine, and the
//! choice at run time, which a capture needs for each connection, would be a `match` over all types.
//!
//! Limits such as the depth of nesting are not facts about an engine. They belong to the reader:
//! [`ReadOptions`](crate::ReadOptions).
//!
//! ## Why is a value checked once, and never again?
//!
//! [`parse`](crate::parse) checks everything: lengths, type numbers, counts, nesting and text. After
//! that, no accessor and no iterator of a [`VariantRef`](crate::VariantRef) returns a `Result`.
//!
//! - Errors occur at one place, where a program can still refuse the packet. With lazy checks, a
//!   server would find the damage after it acted on the first half.
//! - Reading a field is an expression and not a chain of `?`.
//! - The check is cheap, because it reads the headers and skips the arrays of numbers: a packed array
//!   of a million floats takes no longer than one of ten. Only text has to be read whole.
//! - Programs that need everything in a value exactly once can have check and visit in one pass:
//!   [`walk::events`](crate::walk::events).
//!
//! Text is the reason for most of the unsafe code in the crate. If every access checked text again,
//! walking a small dictionary would take nearly twice as long. So views return the text that the
//! grammar has checked without a second check, and the functions that make views of bytes are
//! `unsafe` and say what they need. Walking and iterating read checked values without asking again
//! whether the bytes are there, and the stack of open containers has room that is not cleared. Unsafe
//! code is used only where a benchmark shows that it buys more than a tenth;
//! [physics](super::physics) has the numbers.
//!
//! ## Why do the elements of arrays have alignment 1?
//!
//! A packed array starts wherever the values before it end: often at an address that is no multiple of
//! four, because the packet itself starts after a header of 42 bytes. A cast to `&[f32]` would work
//! for some packets and fail for others, depending on the buffer. It would also be wrong on a
//! processor with big-endian byte order.
//!
//! The elements are therefore [`F32Le`](crate::F32Le), [`I32Le`](crate::I32Le) and so on: arrays of
//! bytes that are converted when an element is read, which costs one instruction or none. A slice
//! of them can start anywhere, so the cast never fails and never copies. The math types are generic
//! over their component, so `Vector3<F32Le>` is in a packet what `Vector3<f32>` is in a program. If
//! the data happens to be aligned, a second accessor such as `as_native_float32_array` gives the
//! native slice.
//!
//! ## Why are there three ways to traverse a value?
//!
//! No single way is convenient, linear and fast at once.
//!
//! - Nested views are the most convenient. An element has no length in front of it, so the next one
//!   is found by reading over this one: nested iteration over a value of depth *d* can read its bytes
//!   *d* times.
//! - A walk is an iterator of events that reads every byte once, however deep the value is nested.
//! - `fold` and `for_each` of the same walk are the fastest: the loop is inside the crate, so its
//!   state stays in registers between two events.
//!
//! The caller lends a walk its stack of open containers. A walk that owned this stack had to clear
//! and move it for every value, which took several times as long as the walk itself.
//!
//! ## Why is what is written the same as what was read?
//!
//! A proxy or a converter that changes one field must not change the others. So an owned value
//! remembers what its bytes said: the width of reals, the types of elements, the order of entries,
//! the ids. If the dialect of the output cannot express one of these, the result is an error which
//! names the value, or, with [`OnLoss`](crate::convert::OnLoss), a loss that is counted. Tests compare the
//! bytes with those that the engines wrote for the same values.
//!
//! # Packets
//!
//! ## Why does the library open no sockets?
//!
//! A capture file, a pipe from tcpdump, a live interface and the sockets of a game server differ only
//! in where packets come from. The [`Follower`](crate::follow::Follower) takes packets with their
//! addresses and their time, and returns events, as quinn-proto and h2 do for their protocols. It
//! therefore runs in a thread, in a future or in a test, and all four sources go the same way: what
//! is tested with a file holds for a server.
//!
//! For the same reason it never reads the clock. The time is that of the packets, and
//! [`Follower::tick`](crate::follow::Follower::tick) passes on the time in between.
//!
//! ## Why do the readers of all transports race for a connection?
//!
//! Nothing in a packet says "this is ENet" or "this is a value of Godot 3", and games use any port.
//! There are three ways to find out:
//!
//! - **Ask the user.** That is the option `--transport`, but most users do not know the answer.
//! - **Survey the capture first, then read it again.** An earlier version did. It could not show a
//!   message of a pipe or a live interface before the end, and it read every packet twice.
//! - **Let all possible readers begin, and keep what they find.** This is the race. Each packet of a
//!   new connection goes to every reader that is still possible. The first reader with enough evidence
//!   wins, what it has found is returned, and it continues alone. Nothing is read twice.
//!
//! Some evidence is enough at once, such as ENet's connect command or the upgrade to WebSocket. Short
//! datagrams can be values by chance, so other evidence is collected first. The race is bounded in
//! messages, bytes and, in live traffic, time. The module [`follow`](crate::follow) lists the rules.
//!
//! A message waits for the end of a race only if the outcome matters for it. An int is spelled alike in
//! all dialects, so it is returned at once.
//!
//! ## Why is a loss an event like a message?
//!
//! A passive observer misses packets. If it said nothing, a tool would report that a call was not
//! made, when it only was not captured. So each transport reports what is missing with its place, in
//! the order of the messages around it, and counts it: this is one type, `Cause`, from the transport to
//! the output. Losses that games expect, such as unreliable messages, are counted and not shown.
//!
//! ## Why is a packet not believed at once?
//!
//! Anybody can send a packet with somebody else's address, and an observer that believes a forged RST
//! loses the rest of the connection. An event that would end a connection or replace it is therefore
//! held until later packets confirm it. The page [hostile input](super::hostile_input) lists what can
//! still be forged.
//!
//! ## How can several threads follow connections?
//!
//! The meaning of a packet depends on the packets before it: the order of its stream, the node
//! paths that were announced, the dialect that other connections suggest, the memory that is left.
//! The output of `gdwire` is nevertheless the same for every number of threads. There are two ways:
//!
//! - **Dividing the connections.** `decode`, `export`, `stats`, `diagnose` and `report` read a
//!   capture file in this way. Each thread has a follower with a [`Share`](crate::follow::Share) of
//!   the connections, which are dealt in turn. All look at each packet, which takes about 270
//!   instructions, and one of them reads it. Each event has an [`Order`](crate::follow::Order), by
//!   which the lines and rows of all threads are joined. Three things belong to all connections
//!   together. The evidence for dialects is shared: a follower that needs it waits until the others
//!   are as far as itself, so it sees what a single follower would see. All followers read the
//!   fragments of IP packets, which do not show their flow. The limits are divided: if a follower
//!   reaches its part of one, a single follower reads the capture again from the beginning, and the
//!   events that were passed on already are skipped. Counts need no order: each thread has counts
//!   of its own, which are merged at the end ([`Stats::merge`](crate::stats::Stats::merge),
//!   [`Diagnosis::merge`](crate::diagnose::Diagnosis::merge)). If they do depend on the order,
//!   because a limit was reached, a single follower counts again.
//!   [`ConnectionNumbers`](crate::follow::ConnectionNumbers) gives the connections the numbers that
//!   a single follower gives them.
//! - **Dividing the work on events.** If the names of a project are known, each connection can show
//!   something about the names in all others, so one thread follows all connections. A
//!   [`Batch`](crate::follow::Batch) of events holds its data, and is turned into text by any thread.
//!   `convert` works in this way, too, and so do `decode` and `export` with compressed or joined
//!   files.
//!
//! ## Why are names shown only with proof?
//!
//! Godot 4 sends numbers in place of the names of methods, scenes and properties. A project on disk
//! has the names, but it may be newer than the recorded game. A wrong name is worse than none, because
//! nobody doubts it. gdwire therefore compares what the project predicts with what packets show:
//! digests of the methods, numbers and kinds of arguments, places of spawned nodes. After a
//! contradiction, all names that depend on the same part of the project are left out, and one warning
//! says why. A name may be missing, but it is never wrong.
//!
//! # The command
//!
//! ## Why a language like jq, and not the crate jaq?
//!
//! `--where` takes conditions such as `.value.hp < 50`. People who search JSON know jq, so a new
//! language would have been a burden. jaq, which implements jq in Rust, was tried first:
//!
//! - Building it took a third of the time that building the whole command may take, and the program
//!   became noticeably larger.
//! - It evaluates values of its own. To build these from a message and to drop them took many times as
//!   long as reading the message, while an [`Expression`](crate::expression::Expression) reads fields
//!   in place, from the bytes of the packet.
//! - It is a whole programming language: `range(1e18)` does not end, and deep recursion overflows the
//!   stack. A condition that a web page passes to a server must end, and this one ends after a million
//!   steps.
//!
//! Conditions need a small part of jq. Every supported expression means the same as in jq, with one
//! deliberate exception: a missing number is not less than every number.
//!
//! ## Why is FastLZ written by hand?
//!
//! Godot compresses files and packets with FastLZ by default, and no maintained crate has it. The
//! format fits on half a page, and writing it here also has an advantage: the bytes are those that the
//! engine writes, which tests compare. ENet's range coder is written here for the same reasons. All
//! other compressions come from crates. Some of these are used only in part: of a damaged file, the readers of gzip and Zstandard lose what they had
//! decompressed just before the damage, and the one of LZ4 takes a cut for the end. Only their decoders
//! are used, and the framing around these is read here.
//!
//! ## Why does the report contain a library for plots?
//!
//! A report is sent to others and opened years later. It must not load anything, and it shows names
//! that came from the network. So the page has everything in it, its data are JSON that no browser
//! runs, and a content security policy admits only the page's own scripts by their hashes. uPlot was
//! chosen because it is small, has no dependencies and draws many points quickly.
//!
//! ## Why are messages exported PDUs in Wireshark, and not a dissector of their own?
//!
//! A dissector is a plugin in C or Lua that has to be installed for each version of Wireshark, and would
//! repeat in another language what this crate knows: transports, dialects, names from projects.
//! "Exported PDUs" are Wireshark's own way to pass on what one program has decoded. They name a
//! dissector that every Wireshark has, the one for JSON, which shows a tree and filters it. So a file
//! can be sent to anybody, and `extcap` makes the same file while the game runs.
//!
//! # The crate
//!
//! ## Why is there no global state?
//!
//! A program may read Godot 3 on one socket and Godot 4 on another, under different limits. Whatever
//! decides about the result is therefore a parameter: the dialect, the options, the limits, the names,
//! the stack of a walk. No function has a hidden default that another part of the program can change,
//! tests run in parallel, and two readers never disturb each other. The tables of dialects are
//! constants. There is one counter for the whole process: each follower gets a number, so that a batch
//! notices when it is filled from another follower than before.
//!
//! The command is a program and has a little: the request to stop after Ctrl-C, and which files it
//! reads, so that no output replaces one of them.
//!
//! ## Why is there no header for C?
//!
//! A library for C++, Unreal or Unity would be a few functions, but much around them: a build for each
//! platform, types for more than 40 kinds of values, and rules about who frees what. A view borrows from
//! the bytes it was read from. Rust checks that nobody uses it after them; in C it would be a pointer
//! that nobody checks, in programs that read what strangers send. The packages for Python and JavaScript
//! do not have this problem, because they make objects that their language owns.
//!
//! A program in C++ has two ways. As a child process, `gdwire decode --format ndjson` reads captures and
//! pipes for it, and `gdwire convert` and `gdwire encode` write values. Or a crate of its own has
//! `extern "C"` functions around [`walk`](crate::walk), for the messages that its game has: then only
//! numbers and texts of these messages cross the border, and they can be copied.
//!
//! ## Why does a folder use only the folders before it?
//!
//! Then the crate can be read from the first folder to the last, and `value` cannot come to depend on
//! captures by accident. A test reads the source code and compares it with the table in
//! [`architecture`](super::architecture). Within a folder, there is no such rule: files stand as their
//! subject asks.
//!
//! ## When is a dependency worth it?
//!
//! If it is maintained, does what it says on hostile input, and saves more code than it adds risk. Each
//! is optional unless every user needs it, and the page [dependencies](super::dependencies) says what
//! each is for. A feature exists where it adds a dependency or much compile time, not for every module.
//!
//! # What was tried and dropped
//!
//! - **Results with errors in the fast path.** The compiler kept every result in memory, and took it
//!   apart and put it together again between two calls. Values are now read in a mode that leaves
//!   errors out; a value that fails is read a second time for its error.
//! - **A walk that owns its stack**, also one that makes its deeper levels on demand: it was slower, and by
//!   how much changed with unrelated code.
//! - **A large owned value.** A `Variant` with all math types inline took almost three times the memory.
//!   Large and rare content is boxed now.
//! - **A second serializer and deserializer for owned values.** With serde, they pass through bytes of a
//!   dialect that has every kind of every engine and never leaves the process.
//! - **A tree for each conversion between engines.** `convert` builds one only if two keys may become
//!   the same, which hashes of the keys show.
//! - **A survey of the whole capture before it is read**, see [above][race].
//! - **Looking up the name of a method for each call.** Names are looked up once, when a node or a path is
//!   announced, so that each message costs only a number.
//! - **The iterators of `pcap-parser` over slices.** One repeats an error for ever, another drops the
//!   end of a cut file without a word. Only its functions for one header, one block and one option are
//!   used.
//! - **The crate `hdrhistogram`.** It needs two more dependencies for a hundred lines, and does not keep
//!   the exact minimum and maximum.
//! - **The crate `comfy-table`.** It cuts names at their end, where nodes differ, and wraps headers.
//! - **The crate `regex-lite`.** It builds faster than `regex`, but searching takes many times as long.
//! - **One feature for each module.** There were so many combinations that nobody could try them all,
//!   and most of them added no dependency.
//! - **Modules without code in `mod.rs`, and no two files that use each other.** These rules made
//!   hundreds of files of a few lines each, and a packet passed through a hundred of them. Only the rule
//!   about folders stayed.
//!
//! [race]: #why-do-the-readers-of-all-transports-race-for-a-connection
#![cfg_attr(
    not(feature = "full"),
    allow(rustdoc::broken_intra_doc_links, reason = "what is linked may be left out")
)]
