//! Hostile input: what the crate guarantees when an attacker chooses the bytes.
//!
//! These guarantees hold for every function that reads bytes, text or JSON:
//!
//! - **No panic.** No input causes a panic. Lints reject `unwrap`, `expect`, `panic!` and indexing
//!   in the library, and fuzzers search for inputs that panic.
//! - **Bounded work.** The work depends on the size of the input, not on the counts and lengths
//!   that the input announces.
//! - **Bounded memory.** Views do not allocate. Functions that allocate need at most a fixed
//!   multiple of the size of the input. On a 64-bit machine, an owned value takes at most 10 bytes
//!   of memory for each of its bytes in a packet, and at most 32 bytes for each byte of a literal
//!   or of JSON. While it is read, it may take twice as much, and 512 KiB more for the containers
//!   around it. The worst value of a packet is an empty dictionary with a type for its keys only:
//!   12 bytes become 120. All values except typed dictionaries take at most 8 bytes for each of
//!   their bytes.
//! - **Bounded nesting.** Values nested deeper than 1,024 containers
//!   ([`MAX_DEPTH`](crate::MAX_DEPTH)) are refused.
//!   [`ReadOptions::with_max_depth`](crate::ReadOptions::with_max_depth) sets a lower limit.
//! - **Errors with a place.** An error says at which byte it occurred, what was being read there,
//!   and what is wrong.
//! - **Valid text.** Every string is checked to be UTF-8, up to its first NUL. The engines end a
//!   string there.
//! - **No control over your terminal.** The command escapes all text from the network.
//!
//! # Recursion
//!
//! Parsing, walking and encoding views do not recurse. The following operations recurse once for
//! each level of nesting:
//!
//! - cloning, comparing, printing and dropping an owned [`Variant`];
//! - reading a type of your own with serde, if the type contains itself.
//!
//! The depth limit of the reader bounds this recursion for all values that come from the wire. With
//! the default limit of 1,024, the 2 MiB stack of a Rust thread is enough for owned values in every
//! build. For types of your own, it is enough in an optimized build. In a build without
//! optimization, or on a smaller stack, set a limit of a few hundred.
//!
//! If you read a [`Variant`] from another format through serde, the reader of that format decides
//! how deep it may be.
//!
//! # Captures and streams
//!
//! A capture can have many connections, and gdwire keeps state for each of them. The same holds if
//! your program passes packets to a `Follower`. [`follow::Limits`] bounds this state:
//!
//! | limit | default | what happens beyond it |
//! |---|---|---|
//! | connections open at once | 65,536 | the connection that was silent for the longest time is closed, connections without messages of the engines first; its later packets are counted, and read only when there is room or another connection is silent |
//! | bytes kept for one connection | 64 MiB | the state of that connection is dropped |
//! | bytes kept for all connections | 256 MiB | the state of the connections that use the most is dropped |
//!
//! Dropped state is reported as a loss. The limit for one connection also decides how long a
//! message may be: a quarter of it over TCP (16 MiB), an eighth over WebSocket (8 MiB), and about
//! half of it over ENet (32 MiB).
//!
//! An ENet datagram of 20 bytes can decompress to thousands. The work for decompression is limited
//! in proportion to the bytes that the connection received. The datagrams of the engines stay
//! within this limit, even if they are all zeros. A datagram beyond the limit is reported as a
//! loss.
//!
//! Names that packets announce are kept whole up to 1,024 bytes. In a longer name, its size
//! replaces the middle, as in `Game/a…(1048576 bytes)…b/c`. A name is announced once and shown with
//! many packets, so the output for a long name would be far longer than the packets.
//!
//! A frame on a stream may be up to 64 MiB long by default. Its length is checked before its bytes
//! are read.
//!
//! # Compressed files
//!
//! A compressed stream is unpacked piece by piece, and may become a million times as long. The pieces
//! are read as if the stream were not compressed, so the limits above hold. Unpacking itself takes
//! 128 KiB for gzip, 12 MiB for LZ4, and for Zstandard twice the window that the stream announces. A
//! window of more than 128 MiB is an error. The command reads raw values in a compressed file up to
//! 64 MiB. Two commands unpack a capture to a temporary file: `annotate`, as large as the copy that it
//! writes, and `bot --replay`, which has no limit for it.
//!
//! Checksums are verified, so damage is an error. By then, the data before the damage has already
//! been used.
//!
//! # Saves
//!
//! A save file says how long its content is, and a few bytes may unpack to thousands of times as
//! many. These bounds hold for [`save`], whatever a file says:
//!
//! - The content has at most `UnpackOptions::with_max_len` bytes, 256 MiB by default. A header
//!   with more is an error before anything is decompressed.
//! - A block has at most as many bytes as the header says: more is an error at that point. The sizes
//!   that the header announces allocate nothing.
//! - At most 8 layers of compression and encryption may be inside each other, and the content of
//!   each has to stay within the limit. At most two contents are in memory at the same time.
//! - `save::read` reads at most an eighth more than the limit from a stream.
//!
//! The MD5 in an encrypted file shows damage and wrong keys. It does not show who wrote the file:
//! everybody who knows the password, which is in the game, can write any content. No `Debug` output
//! and no error contains a password or key.
//!
//! # Projects
//!
//! The files of a Godot project may be hostile, too. A `Project` keeps names and nodes, not the
//! files, and these limits bound it:
//!
//! | limit | value |
//! |---|---|
//! | bytes of a script | 16 MiB |
//! | bytes of a property's value in a scene | 1 MiB |
//! | bytes of all names | 64 MiB |
//! | nodes in all scenes, with what they instance | 1,048,576 |
//! | methods in all lists | 4,194,304 |
//! | lists with methods that become remote at run time | 65,536 |
//!
//! Anything beyond a limit is not read, and is reported as a problem of the project. A list of
//! methods that may be incomplete is only used if a digest in the packets matches it. References to
//! files outside the project's folder are not followed.
//!
//! # Forged packets
//!
//! Somebody else can send packets in the name of the two ends. gdwire believes that a connection
//! ends, or that another one begins between the same ends, only if later packets confirm that:
//!
//! - A SYN with another sequence number is held back until the other end acknowledges it, or its
//!   sender sends the bytes after it. Until then, all other segments belong to the connection that
//!   is open.
//! - After a FIN or a RST, a stream continues where it was if more bytes follow.
//! - A connect command of ENet is held back until the other end answers it, or until its sender
//!   uses another peer id or session, or starts the messages of a channel again.
//! - The answer to another connect command has no effect until one end starts the messages of a
//!   channel again.
//! - A disconnect command of ENet has no effect if its sender continues to send.
//!
//! gdwire cannot distinguish the two ends from somebody who forges the packets of both
//! consistently, or who knows the sequence numbers and forges content. A forged acknowledgement or
//! FIN of bytes that were not captured is reported as missing bytes.
//!
//! If round trips are measured, an acknowledgement that matches nothing captured in the last minute
//! is counted, but gives no round-trip time. A forged acknowledgement with the right numbers gives
//! a wrong time, but never a negative one.
//!
//! # Comments on packets
//!
//! The length of the comments that [`capture::annotate`] adds to a capture is bounded: a message
//! has at most 128 bytes of text plus 16 for each of its bytes, never more than 4 KiB, and a packet
//! has about 64 KiB. The copy is therefore at most a fixed multiple of the capture. Control
//! characters and invisible characters are escaped in comments. If the comments take more than 32
//! MiB, they wait in a temporary file.
//!
//! Messages as packets have at most 256 KiB each, however long their JSON is. Packets that wait for the
//! messages in them take at most 64 MiB.
//!
//! # Names in a page
//!
//! The page that `report` writes shows names and values of the capture, and the name of its file.
//! The page contains them as JSON, in elements that a browser does not run, without the characters
//! that could end these elements. The page's scripts use them only as text. A content security
//! policy names the page's own scripts and styles by their hashes: a browser runs nothing else, and
//! loads nothing.
//!
//! # What hostile traffic costs
//!
//! A program under `tests/attacks` makes hostile traffic for each transport: deeply nested, wide,
//! in reverse order, overlapping, forged, unfinished, or just a lot. This command prints what each
//! case costs for each byte of its packets, compared with benign traffic of the same kind:
//!
//! ```sh
//! tests/attacks/table.sh
//! ```
//!
//! Each byte of these cases takes at most 20 times the instructions of a byte of benign traffic of
//! the same kind, and the command fails if one takes more. Compressed ENet datagrams are a kind of
//! their own: each byte takes about 14 times the instructions of an uncompressed byte, and in the
//! worst case about 14 times as many again. A lower limit on decompression would lose traffic of
//! the engines: the longest datagram that Godot sends has 1,392 bytes, which become about 15 bytes
//! if all of them are zeros.
//!
//! With default limits, gdwire uses at most 12 bytes of memory for each byte of the packets, plus 4
//! KiB for each open connection. A test checks that. `tests/attacks/table.sh many` follows a
//! million connections in turn, 70,000 at once, and a million stray fragments. The commands that measure
//! connections (`stats`, `diagnose`, `report`, `export`) also keep the measures of each to the end of the
//! capture. That takes some KiB more for each connection, and twice as much with several threads.
//!
//! # Unsafe code
//!
//! The lint `unsafe_code` rejects unsafe code everywhere but in these files. A test compares this table
//! with the source code. Two things would go wrong if an argument were false: a `&str` would not be
//! UTF-8, or a walk of a parsed value would read outside of the packet. Bytes that were not parsed
//! before are always read with checks of bounds.
//!
//! | file | what is unsafe | why it is right |
//! |---|---|---|
//! | `value/trusted.rs` | `Pod` for the math types | `repr(C)` without padding, and all fields are `Pod` |
//! | `value/trusted.rs` | text without a check | the only function that does this; each caller below has an argument |
//! | `value/trusted.rs` | words, texts and splits of bytes without a check of bounds | each caller below has an argument |
//! | `value/trusted.rs` | a stack in room that is not cleared | it reads only items below its length, which were written |
//! | `value/wire/common.rs`, `value/wire/content.rs` | values that are read again, or skipped | their callers read only values that the grammar has checked with the same table of kinds |
//! | `value/wire/quick.rs` | text of a value that is being read | the line before has checked it |
//! | `value/wire/utf8/avx2.rs` | functions that need AVX2 | called after the processor was asked |
//! | `value/wire/utf8/sse2.rs` | functions that need SSE2 | every x86-64 processor has it |
//! | `value/grammar.rs`, `value/walk/cursor.rs` | views of what was read | the grammar has checked these bytes in the same function |
//! | `value/walk/event.rs` | the view of a container that begins | it is made of the parts of a view |
//! | `value/view/mod.rs`, `value/view/container.rs`, `value/view/element_type.rs`, `value/view/node_path.rs`, `value/view/strings.rs` | text of views, and views of parts; reading as many items as a container has | a view exists only of checked bytes, and its bytes are borrowed, so nobody changes them |
//! | `write/shared.rs` | a view of shared bytes | it was made of these bytes, which cannot be changed |
//! | `format/typed/de/mod.rs` | views for serde | the grammar has checked these bytes in the same function |
//! | `bin/gdwire/input/files.rs` | a large file mapped into memory | right only if no other program changes the file meanwhile; the command reports a change as an error |
//!
//! Debug assertions check the bounds of each of these reads. Tests and fuzz targets run with them: the
//! fuzz targets `parse` and `values` walk, iterate over and look into every value that they can parse.
//! `MEMORY=true .ci/run memory` runs the tests of values with AddressSanitizer: it finds each read that
//! leaves the memory of a value.
//!
//! # How this is tested
//!
//! - The tests cut every recorded value at every length. Reading the rest must give an error that
//!   asks for more bytes.
//! - For 18,000 damaged inputs, this crate decides as the real engines did, apart from
//!   [deliberate differences](super::wire_format#where-this-crate-differs-from-the-engines).
//! - Fuzz targets cover values, text, multiplayer packets and sessions, ENet, TCP, WebSocket, captures,
//!   projects, compressed and encrypted saves. The tests run them with inputs that were kept.
//! - Tests forge packets at many places of connections, and make the traffic described above in two
//!   sizes.
//! - A test counts allocations while values are parsed, iterated, walked and scanned: there are
//!   none. Another test measures the memory of owned values.
//!
#![cfg_attr(feature = "capture", doc = "[`capture::annotate`]: mod@crate::capture::annotate")]
#![cfg_attr(not(feature = "capture"), doc = "[`capture::annotate`]: crate#features")]
#![cfg_attr(feature = "capture", doc = "[`follow::Limits`]: crate::follow::Limits")]
#![cfg_attr(not(feature = "capture"), doc = "[`follow::Limits`]: crate#features")]
#![cfg_attr(feature = "save", doc = "[`save`]: crate::save")]
#![cfg_attr(not(feature = "save"), doc = "[`save`]: crate#features")]
#![cfg_attr(feature = "alloc", doc = "[`Variant`]: crate::Variant")]
#![cfg_attr(not(feature = "alloc"), doc = "[`Variant`]: crate#features")]
