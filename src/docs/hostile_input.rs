//! Hostile input: what the crate guarantees when an attacker chooses the bytes.
//!
//! These guarantees hold for every function that reads bytes, text or JSON:
//!
//! - **No panic.** No input causes a panic. Lints reject `unwrap`, `expect`, `panic!` and indexing
//!   in the library, and fuzzers search for inputs that panic.
//! - **Bounded work.** The work depends on how many bytes there are, not on the counts and lengths
//!   that they announce.
//! - **Bounded memory.** Views do not allocate. Functions that allocate need at most a fixed
//!   multiple of the size of the input. On a 64-bit machine, an owned value takes at most 10 bytes
//!   of memory for each of its bytes in a packet, and at most 32 bytes for each byte of a literal
//!   or of JSON. While it is read, it may take twice as much, and 512 KiB more for the containers
//!   around it. The worst value of a packet is an empty dictionary with a type for its keys only:
//!   12 bytes become 120. No other value takes more than 8 bytes for each of its bytes, apart from
//!   dictionaries with types.
//! - **Bounded nesting.** Values nested deeper than 1,024 containers
//!   ([`MAX_DEPTH`](crate::MAX_DEPTH)) are refused.
//!   [`ReadOptions::max_depth`](crate::ReadOptions::max_depth) sets a lower limit.
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
//! The depth limit of the reader bounds this recursion for everything that comes from the wire.
//! With the default limit of 1,024, the 2 MiB stack of a Rust thread is enough for owned values in
//! every build. For types of your own, it is enough in an optimized build. In a build without
//! optimization, or on a smaller stack, set a limit of a few hundred.
//!
//! If you read a [`Variant`] from another format through serde, the reader of that format decides
//! how deep it may be.
//!
//! # Captures and streams
//!
//! A capture can have many connections, and gdwire keeps state for each of them. The same holds if
//! your program passes packets to a `Follower`. [`capture::Limits`] bounds this state:
//!
//! | limit | default | what happens beyond it |
//! |---|---|---|
//! | connections open at once | 65,536 | the connection that was silent for the longest time is closed; connections without messages of the engines go first |
//! | bytes kept for one connection | 64 MiB | the state of that connection is dropped |
//! | bytes kept for all connections | 256 MiB | the state of the connections that use the most is dropped |
//!
//! Dropped state is reported as a loss. The limit for one connection also decides how long a
//! message may be: a quarter of it over TCP (16 MiB), an eighth over WebSocket (8 MiB), and about
//! half of it over ENet (32 MiB).
//!
//! An ENet datagram of 20 bytes can decompress to thousands. Decompression may take work in
//! proportion to the bytes that the connection received. The datagrams of the engines stay within
//! that, even if they are all zeros. A datagram that goes beyond it is reported as a loss.
//!
//! Names that packets announce are kept whole up to 1,024 bytes. In a longer name, its size replaces
//! the middle, as in `Game/a…(1048576 bytes)…b/c`. A name is announced once and shown with many
//! packets, so that the text of a long one would be far longer than the packets.
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
//! 64 MiB. Only `annotate` unpacks a capture to a temporary file, as large as the copy that it writes.
//!
//! Checksums are compared, so damage is an error. What was unpacked before it has been used by then.
//!
//! # Saves
//!
//! A save file says how long its content is, and a few bytes of it may unpack to thousands of times as
//! many. These bounds hold for [`save`], whatever a file says:
//!
//! - The content has at most `UnpackOptions::max_len` bytes, 256 MiB by default. A header
//!   with more is an error before anything is decompressed.
//! - A block has at most as many bytes as the header says: more is an error at that point. The sizes
//!   that the header announces allocate nothing.
//! - At most 8 containers may be inside each other, and each has to stay within the limit. At one
//!   time, at most two contents are in memory.
//! - `save::read` reads at most an eighth more than the limit from a stream.
//!
//! The MD5 in an encrypted file shows damage and wrong keys. It does not show who wrote the file:
//! somebody who knows the password, which is in the game, can write any content. No `Debug` output and no
//! error contains a password or key.
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
//! What is beyond a limit is not read, and a problem says so. A list of methods that may lack some
//! is only used if a digest in the packets proves it. References to files outside the project's
//! folder are not followed.
//!
//! # Forged packets
//!
//! Somebody else can send packets in the name of the two ends. gdwire believes that a connection
//! ends, or that another one begins between the same ends, only if it goes on like that:
//!
//! - A SYN with another sequence number is held back until the other end acknowledges it, or its
//!   sender sends the bytes after it. Until then, all other segments belong to the connection that
//!   is open.
//! - After a FIN or a RST, a stream goes on where it was if more bytes follow.
//! - A connect command of ENet is held back until the other end answers it, or until its sender
//!   uses another peer id or session, or starts the messages of a channel again.
//! - The answer to another connect command has no effect until one end starts the messages of a
//!   channel again.
//! - A disconnect command of ENet has no effect if its sender goes on.
//!
//! Somebody who forges the packets of both ends consistently, or who knows the sequence numbers and
//! forges content, cannot be told from the two ends. A forged acknowledgement or FIN of bytes that
//! were not captured is reported as missing bytes.
//!
//! Where connections are measured, an acknowledgement that matches nothing that was captured in the
//! minute before it is counted, but gives no round-trip time. A forged one with the right numbers gives
//! one, but never a negative one.
//!
//! # Comments on packets
//!
//! The comments that [`capture::annotate`] adds to a capture are bounded by the messages: 128 bytes of
//! text and 16 for each byte of the message, never more than 4 KiB, and about 64 KiB for a packet. A
//! copy is therefore at most a fixed multiple of its capture. Characters that a terminal obeys or does
//! not show are escaped in them, and comments that do not fit into 32 MiB wait in a file.
//!
//! # Names in a page
//!
//! The page that `report` writes shows names and values of the capture, and the name of its file. They
//! are JSON in elements that a browser does not run, without the characters that could end these. The
//! scripts of the page only ever use them as text. A content security policy names the page's own
//! scripts and styles by their hashes: a browser runs nothing else, and loads nothing.
//!
//! # What hostile traffic costs
//!
//! A program under `tests/attacks` makes traffic that is deep, wide, reversed, overlapping, forged,
//! unfinished, or much, for each transport. This command prints what each case costs for each byte
//! of its packets, compared with benign traffic of the same kind:
//!
//! ```sh
//! tests/attacks/table.sh
//! ```
//!
//! Each byte of these cases takes at most 20 times the instructions of a byte of benign traffic of
//! the same kind, and the command fails if one takes more. Compressed ENet datagrams are a kind of
//! their own: a byte of them takes about 14 times the instructions of a byte that is not compressed,
//! and the worst case takes about 14 times as many again. A lower limit would lose traffic of the
//! engines: the longest datagram that Godot sends has 1,392 bytes, and becomes about 15 bytes if all
//! of them are zeros.
//!
//! With default limits, memory is at most 12 bytes for each byte of the packets and 4 KiB for each
//! open connection. An ordinary test checks that.
//! `tests/attacks/table.sh many` follows a million connections in turn, 70,000 at once, and a
//! million stray fragments.
//!
//! # How this is tested
//!
//! - The tests cut every recorded value at every length. Reading it must give an error that asks
//!   for more bytes.
//! - For 18,000 damaged inputs, this crate decides as the real engines did, apart from
//!   [deliberate differences](super::wire_format#where-this-crate-differs-from-the-engines).
//! - Fuzz targets cover values, text, multiplayer packets, ENet, TCP, WebSocket, captures, projects,
//!   compressed and encrypted saves, and FastLZ.
//! - Tests forge packets at many places of connections, and make the traffic described above in two
//!   sizes.
//! - A test counts allocations while values are parsed, iterated, walked and scanned: there are
//!   none. Another test measures the memory of owned values.
//!
#![cfg_attr(feature = "capture", doc = "[`capture::annotate`]: mod@crate::capture::annotate")]
#![cfg_attr(not(feature = "capture"), doc = "[`capture::annotate`]: crate#features")]
#![cfg_attr(feature = "capture", doc = "[`capture::Limits`]: crate::capture::Limits")]
#![cfg_attr(not(feature = "capture"), doc = "[`capture::Limits`]: crate#features")]
#![cfg_attr(feature = "save", doc = "[`save`]: crate::save")]
#![cfg_attr(not(feature = "save"), doc = "[`save`]: crate#features")]
#![cfg_attr(feature = "alloc", doc = "[`Variant`]: crate::Variant")]
#![cfg_attr(not(feature = "alloc"), doc = "[`Variant`]: crate#features")]
