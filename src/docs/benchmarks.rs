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
//! | check and visit a state of 208 bytes, in one pass | 60.5 ns | `godot-binary-serialization` decodes it | 1.1 µs | 18.2 × as fast |
//! |  | 60.5 ns | `serde_json` reads the same as JSON into `Value` | 874 ns | 14.4 × as fast |
//! | parse it | 35.3 ns | check and visit it | 60.5 ns | 0.58 × as long |
//! | walk it after that | 51.5 ns | check and visit it | 60.5 ns | 0.85 × as long |
//! | iterate over its entries | 33 ns | parse it | 35.3 ns | 0.93 × as long |
//! | get its last key | 44.1 ns | parse it | 35.3 ns | 1.25 × as long |
//! | get a key that it has not | 41.7 ns | parse it | 35.3 ns | 1.18 × as long |
//! | check and visit 8,000 ints | 22.4 µs | `serde_json` | 148 µs | 6.6 × as fast |
//! | index them and get each | 24.6 µs | iterate over them | 13.5 µs | 1.82 × as long |
//! | check and visit a save of 100 kB | 30.1 µs | `godot-binary-serialization` | 823 µs | 27.3 × as fast |
//! |  | 30.1 µs | `serde_json` | 587 µs | 19.5 × as fast |
//! | check and visit 400 short texts in ASCII | 2.55 µs | `serde_json` | 18.2 µs | 7.1 × as fast |
//! | 400 short texts beyond ASCII | 16.7 µs | `serde_json` | 19.5 µs | 1.2 × as fast |
//! | one long text beyond ASCII | 2.24 µs | `serde_json` | 2.21 µs | 1.0 × as fast |
//! | read a struct from the dictionary, with serde | 48.2 ns | `serde_json` from the same as JSON | 527 ns | 10.9 × as fast |
//! |  | 48.2 ns | `rmp-serde` from the same as MessagePack | 274 ns | 5.7 × as fast |
//! | write it into a buffer | 236 ns | `serde_json` | 540 ns | 2.3 × as fast |
//! |  | 236 ns | `rmp-serde` | 234 ns | 1.0 × as fast |
//! | write it into a new vector | 234 ns | `serde_json` | 470 ns | 2.0 × as fast |
//! |  | 234 ns | `rmp-serde` | 285 ns | 1.2 × as fast |
//! | parse an array of 1,000,000 floats | 13.4 ns | of 10 | 14 ns | 0.96 × as long |
//! | walk 1 MiB nested 1,000 deep | 864 µs | 1 MiB flat | 295 µs | 2.92 × as long |
//! | scan 1 MiB in pieces of 1 KiB | 1.22 ms | in one piece | 1.15 ms | 1.06 × as long |
//! | scan 1 MiB nested 1,000 deep, byte by byte | 28.1 ms | 1 MiB flat | 20.2 ms | 1.39 × as long |
//! | decode every value of a UDP capture | 47.5 µs | walk its packets | 13.5 µs | 3.51 × as long |
//! | encode an array of 131,072 vectors | 35.7 µs | `memcpy` | 52.6 µs | 0.68 × as long |
//! | encode an owned state | 235 ns | `godot-binary-serialization` | 1.03 µs | 4.4 × as fast |
//! |  | 235 ns | `serde_json` | 799 ns | 3.4 × as fast |
//! | change one field of a packet with `patch` | 186 ns | through an owned tree | 1.68 µs | 9.1 × as fast |
//!
//! These times come from one run with all features, 10 samples and 0.8 seconds for each benchmark,
//! while other programs were running. The script takes more samples, so its results differ. These
//! goals are not reached yet:
//!
//! - Visiting the state in one pass should be 28 times as fast as `godot-binary-serialization`, and 16
//!   times as fast as `serde_json`.
//! - Walking a parsed value should take at most 0.8 times as long as that pass, iterating at most 0.8
//!   times as long as parsing, and finding a key no longer than parsing.
//! - Walking nested values should take at most 1.8 times as long as walking flat ones.
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
//! | UDP | 2.4 million | 593 MB | 3.4 × |
//! | TCP | 3.5 million | 781 MB | 17.2 × |
//! | ENet | 1.5 million | 399 MB | 3.8 × |
//! | WebSocket | 2.9 million | 660 MB | 20.2 × |
//! | ENet, as calls | 1.4 million | 363 MB | 4.1 × |
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
//! It prints the time, and the memory beside the file, which is mapped into memory.
//!
#![cfg_attr(feature = "capture", doc = "[`capture::Messages`]: crate::capture::Messages")]
#![cfg_attr(not(feature = "capture"), doc = "[`capture::Messages`]: crate#features")]
