//! Benchmarks: all measurements, and how they are made.
//!
//! This command runs the benchmarks with criterion and prints the tables below:
//!
//! ```sh
//! benches/table.sh
//! ```
//!
//! Each time is that of the fastest sample of a run: other programs on the machine can only make a
//! sample slower. All times come from the same run, on a virtual machine with two cores of an AMD
//! EPYC. On such a machine, even ratios of times change from run to run, by up to a factor of two.
//! Where valgrind is installed, the script also counts instructions. These counts hardly change.
//!
//! # Goals
//!
//! The dictionary is the state of a game: 208 bytes as a Godot 3 value. The other formats hold the
//! same data.
//!
//! | task of gdwire | compared with | goal | measured, by time | measured, by instructions |
//! |---|---|---|---|---|
//! | parse a dictionary of 208 bytes and walk it (visit everything in it), in one pass | `godot-binary-serialization` decodes it | at least 28 times as fast | 32.6 | 15.0 |
//! | the same | `serde_json` reads the same data from JSON into `Value` | at least 16 times as fast | 22.9 | 8.5 |
//! | only parse it | parse and walk it in one pass | at most 0.8 times as long | 0.56 | 0.64 |
//! | only walk it, already parsed | parse and walk it in one pass | at most 0.8 times as long | 0.76 | 0.79 |
//! | only iterate over its top-level entries, already parsed | parse it | at most 0.8 times as long | 1.31 | 0.44 |
//! | only find its last key, already parsed | parse it | at most 1.0 times as long | 1.06 | 0.97 |
//! | only find a key that it lacks, already parsed | parse it | at most 1.0 times as long | 1.62 | 0.87 |
//! | parse a packed array of 1,000,000 floats | parse a packed array of 10 floats | about 1.0 times as long | 1.01 | 1.03 |
//! | walk 1 MiB nested 1,000 deep | 1 MiB flat | at most 1.8 times as long | 1.85 | 2.08 |
//! | find the end of a value of 1 MiB that arrives in pieces of 1 KiB | in one piece | at most 1.2 times as long | 1.05 | 1.05 |
//! | decode all messages of a UDP capture | read only the headers of its packets | at most 2.0 times as long | 2.70 | 4.82 |
//! | decode all messages of a TCP capture | read only the headers of its packets | at most 6.5 times as long | 14.20 | 22.70 |
//! | decode all messages of an ENet capture | read only the headers of its packets | at most 3.0 times as long | 4.37 | 7.06 |
//! | decode all messages of a WebSocket capture | read only the headers of its packets | at most 7.7 times as long | 15.74 | 25.92 |
//!
//! The goals are for time. The ratios of instructions differ from them, because the processor executes
//! more instructions at once in some of the programs than in others. These goals are not reached:
//!
//! - **Iterating and finding a key** took more time in this run than the goals allow, although both
//!   take fewer instructions than parsing.
//! - **Nested values:** for each container, the walk enters and leaves a level. The flat value is one
//!   array of ints.
//! - **UDP:** much of that capture is text beyond ASCII. Checking it as UTF-8 is the largest part of
//!   the work.
//! - **TCP and WebSocket:** a packet holds seven messages, so walking the packets takes only 99
//!   instructions per message. Parsing a message alone takes 828. With everything else, from finding
//!   its frame to returning it, reading one takes 2,259 instructions over TCP and 2,628 over
//!   WebSocket.
//! - **ENet:** walking takes 675 instructions per message, and reading 4,762. gdwire restores the
//!   order of each channel, drops copies and looks for gaps.
//!
//! # Values
//!
//! | what | takes | compared with | takes | by time | by instructions |
//! |---|---|---|---|---|---|
//! | parse a dictionary of 208 bytes and walk it (visit everything in it), in one pass | 71.2 ns, 1,286 instructions | `godot-binary-serialization` decodes it | 2.32 µs, 19,276 instructions | 32.6 times as fast | 15.0 |
//! | the same | 71.2 ns, 1,286 instructions | `serde_json` reads the same data from JSON into `Value` | 1.63 µs, 10,994 instructions | 22.9 times as fast | 8.5 |
//! | only parse it | 39.8 ns, 828 instructions | parse and walk it in one pass | 71.2 ns, 1,286 instructions | 0.56 times as long | 0.64 |
//! | only walk it, already parsed | 54 ns, 1,016 instructions | parse and walk it in one pass | 71.2 ns, 1,286 instructions | 0.76 times as long | 0.79 |
//! | only iterate over its top-level entries, already parsed | 52.3 ns, 368 instructions | parse it | 39.8 ns, 828 instructions | 1.31 times as long | 0.44 |
//! | only find its last key, already parsed | 42 ns, 807 instructions | parse it | 39.8 ns, 828 instructions | 1.06 times as long | 0.97 |
//! | only find a key that it lacks, already parsed | 64.4 ns, 722 instructions | parse it | 39.8 ns, 828 instructions | 1.62 times as long | 0.87 |
//! | parse and walk 8,000 ints | 35.2 µs, 376,271 instructions | `serde_json` | 153 µs, 2,069,629 instructions | 4.3 times as fast | 5.5 |
//! | index them and get each | 23.8 µs, 528,164 instructions | iterate over them | 17.5 µs, 272,100 instructions | 1.36 times as long | 1.94 |
//! | parse and walk a save of 100 kB | 38.9 µs, 587,180 instructions | `godot-binary-serialization` | 1.22 ms, 10,174,809 instructions | 31.3 times as fast | 17.3 |
//! | parse and walk a save of 100 kB | 38.9 µs, 587,180 instructions | `serde_json` | 697 µs, 5,911,306 instructions | 17.9 times as fast | 10.1 |
//! | parse and walk 400 short texts in ASCII | 4.77 µs, 52,578 instructions | `serde_json` | 18.1 µs, 220,749 instructions | 3.8 times as fast | 4.2 |
//! | 400 short texts beyond ASCII | 29 µs, 288,180 instructions | `serde_json` | 29.4 µs, 229,186 instructions | 1.0 times as fast | 0.8 |
//! | one long text beyond ASCII | 2.25 µs, 40,615 instructions | `serde_json` | 2.23 µs, 51,006 instructions | 1.0 times as fast | 1.3 |
//! | read a struct from the dictionary, with serde | 59.8 ns, 809 instructions | `serde_json` from the same as JSON | 475 ns, 5,127 instructions | 7.9 times as fast | 6.3 |
//! | read a struct from the dictionary, with serde | 59.8 ns, 809 instructions | `rmp-serde` from the same as MessagePack | 158 ns, 2,382 instructions | 2.7 times as fast | 2.9 |
//! | write it into a buffer | 135 ns, 2,216 instructions | `serde_json` | 392 ns, 4,655 instructions | 2.9 times as fast | 2.1 |
//! | write it into a buffer | 135 ns, 2,216 instructions | `rmp-serde` | 202 ns, 2,642 instructions | 1.5 times as fast | 1.2 |
//! | write it into a new vector | 174 ns, 2,937 instructions | `serde_json` | 328 ns, 3,814 instructions | 1.9 times as fast | 1.3 |
//! | write it into a new vector | 174 ns, 2,937 instructions | `rmp-serde` | 341 ns, 3,867 instructions | 2.0 times as fast | 1.3 |
//! | parse a packed array of 1,000,000 floats | 14.2 ns, 253 instructions | parse a packed array of 10 floats | 14 ns, 245 instructions | 1.01 times as long | 1.03 |
//! | walk 1 MiB nested 1,000 deep | 612 µs, 12,004,862 instructions | 1 MiB flat | 332 µs, 5,767,200 instructions | 1.85 times as long | 2.08 |
//! | scan 1 MiB in pieces of 1 KiB | 659 µs, 10,898,599 instructions | in one piece | 625 µs, 10,368,403 instructions | 1.05 times as long | 1.05 |
//! | scan 1 MiB nested 1,000 deep, byte by byte | 17.9 ms, 235,176,180 instructions | 1 MiB flat | 10.9 ms, 182,322,792 instructions | 1.64 times as long | 1.29 |
//! | decode all messages of a UDP capture | 28.2 µs, 369,693 instructions | read only the headers of its packets | 10.4 µs, 76,768 instructions | 2.70 times as long | 4.82 |
//! | encode an array of 131,072 vectors | 35 µs, 1,573,034 instructions | `memcpy` | 33.7 µs, 1,572,880 instructions | 1.04 times as long | 1.00 |
//! | encode an owned state | 222 ns, 3,615 instructions | `godot-binary-serialization` | 883 ns, 11,007 instructions | 4.0 times as fast | 3.0 |
//! | encode an owned state | 222 ns, 3,615 instructions | `serde_json` | 467 ns, 4,486 instructions | 2.1 times as fast | 1.2 |
//! | change one field of a packet with `patch` | 174 ns, 1,838 instructions | through an owned tree | 1.22 µs, 14,047 instructions | 7.0 times as fast | 7.6 |
//!
//! # Captures
//!
//! This table shows how fast [`capture::Messages`] reads all messages of a capture. Walking
//! means to read only the headers of its packets.
//!
//! | messages of 208 bytes over | messages per second | bytes of capture per second | times as long as walking | instructions per message | of which walking takes |
//! |---|---|---|---|---|---|
//! | UDP | 3.4 million | 851 MB | 2.62 | 3,205 | 675 |
//! | TCP | 5.4 million | 1191 MB | 14.20 | 2,259 | 99 |
//! | ENet | 2.3 million | 596 MB | 4.37 | 4,762 | 675 |
//! | WebSocket | 4.6 million | 1036 MB | 15.74 | 2,628 | 101 |
//! | ENet, as calls | 1.4 million | 379 MB | 4.53 | 5,202 | 675 |
//!
//! For each packet, gdwire reads the headers, looks up the connection and reads the values. For
//! WebSocket it also unmasks every byte.
//!
//! # A capture of a gigabyte
//!
//! This benchmark writes a capture of a gigabyte with four and a half million messages over all
//! four transports. With the command, it decodes the capture to JSON, with one thread and with two,
//! and counts its messages:
//!
//! ```sh
//! cargo bench --features cli --bench gigabyte
//! ```
//!
//! It prints a table with the times, and the memory beside the file, which is mapped into memory.
//! `GIGABYTE=100000000` before the command makes the capture a tenth as long.
//!
#![cfg_attr(feature = "capture", doc = "[`capture::Messages`]: crate::capture::Messages")]
#![cfg_attr(not(feature = "capture"), doc = "[`capture::Messages`]: crate#features")]
