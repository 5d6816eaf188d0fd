//! Benchmarks: all measurements, and how they are made.
//!
//! This command runs the benchmarks with criterion and prints the tables below:
//!
//! ```sh
//! benches/table.sh
//! ```
//!
//! Each time is the median of the samples of a run. Times that are compared come from the same run,
//! on a virtual machine with two cores of an AMD EPYC. On another machine, expect other times but
//! similar ratios.
//!
//! # Values
//!
//! The dictionary is the state of a game: 208 bytes as a Godot 3 value. The other formats hold the
//! same data.
//!
//! | what | takes | compared with | takes | result |
//! |---|---|---|---|---|
//! | parse and walk a dictionary of 208 bytes, in one pass | 78.6 ns | `godot-binary-serialization` decodes it | 1.05 µs | 13.4 × as fast |
//! |  | 78.6 ns | `serde_json` reads the same as JSON into `Value` | 718 ns | 9.1 × as fast |
//! | parse it, then walk it | 108 ns | `godot-binary-serialization` | 1.05 µs | 9.7 × as fast |
//! |  | 108 ns | `serde_json` | 718 ns | 6.6 × as fast |
//! | read a struct from the dictionary, with serde | 56.3 ns | `serde_json` from the same as JSON | 356 ns | 6.3 × as fast |
//! |  | 56.3 ns | `rmp-serde` from the same as MessagePack | 151 ns | 2.7 × as fast |
//! | write it into a buffer | 137 ns | `serde_json` | 373 ns | 2.7 × as fast |
//! |  | 137 ns | `rmp-serde` | 218 ns | 1.6 × as fast |
//! | write it into a new vector | 183 ns | `serde_json` | 304 ns | 1.7 × as fast |
//! |  | 183 ns | `rmp-serde` | 229 ns | 1.3 × as fast |
//! | parse an array of 1,000,000 floats | 10.7 ns | of 10 | 10.7 ns | 1.00 × as long |
//! | walk 1 MiB nested 1,000 deep | 721 µs | 1 MiB flat | 326 µs | 2.21 × as long |
//! | scan 1 MiB in pieces of 1 KiB | 1.18 ms | in one piece | 1.16 ms | 1.01 × as long |
//! | decode every value of a UDP capture | 28.3 µs | walk its packets | 9.13 µs | 3.10 × as long |
//! | encode an array of 131,072 vectors | 33.6 µs | `memcpy` | 33 µs | 1.02 × as long |
//!
//! Three goals are not reached yet:
//!
//! - Decoding should be twenty times as fast as `godot-binary-serialization`.
//! - Walking nested values should take at most twice as long as walking flat ones.
//! - Decoding a UDP capture should take at most twice as long as walking its packets. Much of that
//!   capture is text beyond ASCII, and checking it as UTF-8 is the largest part of the work.
//!
//! # Captures
//!
//! This table shows how fast [`capture::Messages`] reads all messages of a capture. The last column
//! compares that with walking only the packets, without reading their content.
//!
//! | messages of 208 bytes over | messages per second | bytes of capture per second | time relative to walking the packets |
//! |---|---|---|---|
//! | UDP | 2.6 million | 664 MB | 4.3 × |
//! | TCP | 6.1 million | 1344 MB | 13.0 × |
//! | ENet | 1.9 million | 487 MB | 6.0 × |
//! | WebSocket | 5.0 million | 1131 MB | 15.5 × |
//! | ENet, as calls | 1.6 million | 431 MB | 6.7 × |
//!
//! For each packet, gdwire reads the headers, looks up the connection and reads the values. For
//! ENet it also restores the order of each channel and drops copies. For WebSocket it also unmasks
//! every byte. Walking TCP packets is fast because each holds seven messages, so the ratio for TCP
//! is large.
//!
//! # A capture of a gigabyte
//!
//! This benchmark writes a capture of a gigabyte with four and a half million messages over all
//! four transports, and decodes it to JSON with the command:
//!
//! ```sh
//! cargo bench --features cli --bench gigabyte
//! ```
//!
//! Decoding takes 14 seconds. Besides the file, which is mapped into memory, it needs at most 9.6
//! MB.
//!
#![cfg_attr(feature = "capture", doc = "[`capture::Messages`]: crate::capture::Messages")]
#![cfg_attr(not(feature = "capture"), doc = "[`capture::Messages`]: crate#features")]
