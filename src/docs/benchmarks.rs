//! Benchmarks: all measurements, and how they are made.
//!
//! This command runs the benchmarks with criterion and prints the tables below:
//!
//! ```sh
//! benches/table.sh
//! ```
//!
//! Each time is that of the fastest sample of a run, because other programs on the machine can only
//! make a sample slower. All times come from the same run, on a virtual machine with two cores of
//! an AMD EPYC. On such a machine, even ratios of times change from run to run, by up to a factor
//! of two. If valgrind is installed, the script also counts instructions. These counts hardly
//! change.
//!
//! # Goals
//!
//! The dictionary is the state of a game: 208 bytes as a Godot 3 value. The other formats hold the
//! same data.
//!
//! | task of gdwire | compared with | goal | measured, by time | measured, by instructions |
//! |---|---|---|---|---|
//! | parse a dictionary of 208 bytes and walk it (visit everything in it), in one pass | `godot-binary-serialization` decodes it | at least 28 times as fast | 26.4 | 15.0 |
//! | the same | `serde_json` reads the same data from JSON into `Value` | at least 16 times as fast | 12.7 | 8.6 |
//! | only parse it | parse and walk it in one pass | at most 0.8 times as long | 0.74 | 0.64 |
//! | only walk it, already parsed | parse and walk it in one pass | at most 0.8 times as long | 0.93 | 0.79 |
//! | only iterate over its top-level entries, already parsed | parse it | at most 0.8 times as long | 0.63 | 0.44 |
//! | only find its last key, already parsed | parse it | at most 1.0 times as long | 1.45 | 0.96 |
//! | only find a key that it lacks, already parsed | parse it | at most 1.0 times as long | 0.79 | 0.87 |
//! | parse a packed array of 1,000,000 floats | parse a packed array of 10 floats | about 1.0 times as long | 0.95 | 1.01 |
//! | walk 1 MiB nested 1,000 deep | 1 MiB flat | at most 1.8 times as long | 2.27 | 2.08 |
//! | find the end of a value of 1 MiB that arrives in pieces of 1 KiB | in one piece | at most 1.2 times as long | 0.70 | 1.05 |
//! | decode all messages of a UDP capture | read only the headers of its packets | at most 2.0 times as long | 4.03 | 4.99 |
//! | decode all messages of a TCP capture | read only the headers of its packets | at most 6.5 times as long | 13.84 | 17.81 |
//! | decode all messages of an ENet capture | read only the headers of its packets | at most 3.0 times as long | 4.40 | 6.13 |
//! | decode all messages of a WebSocket capture | read only the headers of its packets | at most 7.7 times as long | 16.82 | 19.15 |
//!
//! The goals are for time. The ratios of instructions differ from them, because the processor executes
//! more instructions at once in some of the programs than in others. These goals are not reached:
//!
//! - **Parsing and walking, alone or in one pass, and finding a key:** some runs reach these goals
//!   for time and others do not. By instructions, parsing, walking, iterating and finding a key are
//!   within their goals.
//! - **Nested values:** for each container, the walk enters and leaves a level. The flat value is one
//!   array of ints.
//! - **UDP:** much of that capture is text beyond ASCII. Checking it as UTF-8 is the largest part of
//!   the work.
//! - **TCP and WebSocket:** a packet holds seven messages, so walking the packets takes only 99
//!   instructions per message. Parsing a message alone takes 828. With everything else, from finding
//!   its frame to returning it, reading one takes 1,773 instructions over TCP and 1,942 over
//!   WebSocket.
//! - **ENet:** walking takes 675 instructions per message, and reading 4,139. gdwire restores the
//!   order of each channel, drops copies and looks for gaps.
//!
//! # Values
//!
//! | what | takes | compared with | takes | by time | by instructions |
//! |---|---|---|---|---|---|
//! | parse a dictionary of 208 bytes and walk it (visit everything in it), in one pass | 86.4 ns, 1,286 instructions | `godot-binary-serialization` decodes it | 2.28 µs, 19,298 instructions | 26.4 times as fast | 15.0 |
//! | the same | 86.4 ns, 1,286 instructions | `serde_json` reads the same data from JSON into `Value` | 1.1 µs, 11,009 instructions | 12.7 times as fast | 8.6 |
//! | only parse it | 64.3 ns, 827 instructions | parse and walk it in one pass | 86.4 ns, 1,286 instructions | 0.74 times as long | 0.64 |
//! | only walk it, already parsed | 80.3 ns, 1,016 instructions | parse and walk it in one pass | 86.4 ns, 1,286 instructions | 0.93 times as long | 0.79 |
//! | only iterate over its top-level entries, already parsed | 40.6 ns, 368 instructions | parse it | 64.3 ns, 827 instructions | 0.63 times as long | 0.44 |
//! | only find its last key, already parsed | 93.3 ns, 795 instructions | parse it | 64.3 ns, 827 instructions | 1.45 times as long | 0.96 |
//! | only find a key that it lacks, already parsed | 50.8 ns, 723 instructions | parse it | 64.3 ns, 827 instructions | 0.79 times as long | 0.87 |
//! | parse and walk 8,000 ints | 47.3 µs, 376,279 instructions | `serde_json` | 220 µs, 2,069,712 instructions | 4.7 times as fast | 5.5 |
//! | index them and get each | 33 µs, 528,194 instructions | iterate over them | 16.7 µs, 272,101 instructions | 1.98 times as long | 1.94 |
//! | parse and walk a save of 100 kB | 64.4 µs, 587,180 instructions | `godot-binary-serialization` | 1.21 ms, 10,175,597 instructions | 18.9 times as fast | 17.3 |
//! | parse and walk a save of 100 kB | 64.4 µs, 587,180 instructions | `serde_json` | 989 µs, 5,913,850 instructions | 15.4 times as fast | 10.1 |
//! | parse and walk 400 short texts in ASCII | 3.72 µs, 52,587 instructions | `serde_json` | 41.5 µs, 220,741 instructions | 11.2 times as fast | 4.2 |
//! | 400 short texts beyond ASCII | 26.9 µs, 288,180 instructions | `serde_json` | 39.6 µs, 229,186 instructions | 1.5 times as fast | 0.8 |
//! | one long text beyond ASCII | 4.45 µs, 40,608 instructions | `serde_json` | 3.85 µs, 51,006 instructions | 0.9 times as fast | 1.3 |
//! | read a struct from the dictionary, with serde | 62.4 ns, 809 instructions | `serde_json` from the same as JSON | 425 ns, 5,127 instructions | 6.8 times as fast | 6.3 |
//! | read a struct from the dictionary, with serde | 62.4 ns, 809 instructions | `rmp-serde` from the same as MessagePack | 214 ns, 2,382 instructions | 3.4 times as fast | 2.9 |
//! | write it into a buffer | 164 ns, 2,216 instructions | `serde_json` | 472 ns, 4,655 instructions | 2.9 times as fast | 2.1 |
//! | write it into a buffer | 164 ns, 2,216 instructions | `rmp-serde` | 218 ns, 2,642 instructions | 1.3 times as fast | 1.2 |
//! | write it into a new vector | 285 ns, 2,937 instructions | `serde_json` | 370 ns, 3,814 instructions | 1.3 times as fast | 1.3 |
//! | write it into a new vector | 285 ns, 2,937 instructions | `rmp-serde` | 330 ns, 3,867 instructions | 1.2 times as fast | 1.3 |
//! | parse a packed array of 1,000,000 floats | 26.3 ns, 263 instructions | parse a packed array of 10 floats | 27.6 ns, 260 instructions | 0.95 times as long | 1.01 |
//! | walk 1 MiB nested 1,000 deep | 1.38 ms, 12,004,862 instructions | 1 MiB flat | 607 µs, 5,767,385 instructions | 2.27 times as long | 2.08 |
//! | find the end of a value of 1 MiB that arrives in pieces of 1 KiB | 840 µs, 10,898,599 instructions | in one piece | 1.2 ms, 10,368,403 instructions | 0.70 times as long | 1.05 |
//! | scan 1 MiB nested 1,000 deep, byte by byte | 21 ms, 235,176,180 instructions | 1 MiB flat | 15.1 ms, 182,322,792 instructions | 1.40 times as long | 1.29 |
//! | decode all messages of a UDP capture | 32.7 µs, 366,234 instructions | read only the headers of its packets | 8.11 µs, 73,357 instructions | 4.03 times as long | 4.99 |
//! | encode an array of 131,072 vectors | 120 µs, 1,573,116 instructions | `memcpy` | 124 µs, 1,572,886 instructions | 0.97 times as long | 1.00 |
//! | encode an owned state | 258 ns, 3,607 instructions | `godot-binary-serialization` | 1.79 µs, 11,007 instructions | 6.9 times as fast | 3.1 |
//! | encode an owned state | 258 ns, 3,607 instructions | `serde_json` | 570 ns, 4,478 instructions | 2.2 times as fast | 1.2 |
//! | change one field of a packet with `patch` | 226 ns, 1,885 instructions | through an owned tree | 2.08 µs, 14,075 instructions | 9.2 times as fast | 7.5 |
//!
//! # Captures
//!
//! This table shows how fast [`capture::Messages`] reads all messages of a capture. "Walking" a
//! capture reads only the headers of its packets.
//!
//! | messages of 208 bytes over | messages per second | bytes of capture per second | times as long as walking | instructions per message | of which walking takes |
//! |---|---|---|---|---|---|
//! | UDP | 3.1 million | 783 MB | 2.91 | 2,742 | 675 |
//! | TCP | 5.1 million | 1134 MB | 13.84 | 1,773 | 99 |
//! | ENet | 1.8 million | 484 MB | 4.40 | 4,139 | 675 |
//! | WebSocket | 3.9 million | 866 MB | 16.82 | 1,942 | 101 |
//! | ENet, as calls | 1.6 million | 436 MB | 4.31 | 4,818 | 675 |
//!
//! For each packet, gdwire reads the headers, looks up the connection and reads the values. For
//! WebSocket it also unmasks every byte.
//!
//! # A capture of a gigabyte
//!
//! This benchmark writes a capture of a gigabyte with four and a half million messages over all
//! four transports. Then it runs the command to decode the capture to JSON, with one thread and
//! with two, and to count its messages with `stats`:
//!
//! ```sh
//! cargo bench --features cli --bench gigabyte
//! ```
//!
//! It prints the table below. The memory does not include the capture file itself, which is mapped
//! into memory. `GIGABYTE=100000000` before the command makes the capture a tenth as long.
//!
//! | command | seconds | MB/s | of the first | peak of memory |
//! |---|---|---|---|---|
//! | ndjson, one thread | 30.39 | 35 | 1.00 | 2 MB |
//! | ndjson, two threads | 19.32 | 56 | 0.64 | 6 MB |
//! | stats | 3.89 | 276 | 0.13 | 3 MB |
//!
//! # Live traffic
//!
//! This benchmark sends a capture to `gdwire decode --format ndjson -` through a pipe, one message
//! every 10 milliseconds. It measures how long each message takes from the pipe to its line of
//! output:
//!
//! ```sh
//! cargo bench --features cli --bench live
//! ```
//!
//! gdwire holds the first messages of a connection until it knows what the connection carries. The
//! later ones are those from the hundredth on.
//!
//! | messages over | delay of the first | of later ones, on average | at most |
//! |---|---|---|---|
//! | udp | 5.8 ms | 0.14 ms | 0.23 ms |
//! | tcp | 17.6 ms | 0.14 ms | 0.35 ms |
//! | enet | 10.3 ms | 0.15 ms | 0.27 ms |
//! | websocket | 10.8 ms | 0.17 ms | 3.92 ms |
//!
#![cfg_attr(feature = "capture", doc = "[`capture::Messages`]: crate::capture::Messages")]
#![cfg_attr(not(feature = "capture"), doc = "[`capture::Messages`]: crate#features")]
