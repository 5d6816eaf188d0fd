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
//! an Intel Xeon at 2.8 GHz. On such a machine, even ratios of times change from run to run, by up
//! to a factor of two. If valgrind is installed, the script also counts instructions. These counts
//! hardly change.
//!
//! # Goals
//!
//! The dictionary is the state of a game: 208 bytes as a Godot 3 value. The other formats hold the
//! same data.
//!
//! | task of gdwire | compared with | goal | measured, by time | measured, by instructions |
//! |---|---|---|---|---|
//! | parse a dictionary of 208 bytes and walk it (visit everything in it), in one pass | `godot-binary-serialization` decodes it | at least 28 times as fast | 24.5 | 10.7 |
//! | the same | `serde_json` reads the same data from JSON into `Value` | at least 16 times as fast | 16.3 | 8.5 |
//! | only parse it | parse and walk it in one pass | at most 0.8 times as long | 0.58 | 0.64 |
//! | only walk it, already parsed | parse and walk it in one pass | at most 0.8 times as long | 0.77 | 0.79 |
//! | only iterate over its top-level entries, already parsed | parse it | at most 0.8 times as long | 0.87 | 0.44 |
//! | only find its last key, already parsed | parse it | at most 1.0 times as long | 1.69 | 0.97 |
//! | only find a key that it lacks, already parsed | parse it | at most 1.0 times as long | 1.53 | 0.90 |
//! | write it as lossless JSON, already parsed | `serde_json` writes the same document | at most 1.0 times as long | 1.05 | 0.73 |
//! | write it as a literal, already parsed | as lossless JSON | at most 1.0 times as long | 0.87 | 1.21 |
//! | parse a packed array of 1,000,000 floats | parse a packed array of 10 floats | about 1.0 times as long | 1.01 | 0.98 |
//! | walk 1 MiB nested 1,000 deep | 1 MiB flat | at most 1.8 times as long | 2.31 | 2.08 |
//! | find the end of a value of 1 MiB that arrives in pieces of 1 KiB | in one piece | at most 1.2 times as long | 1.08 | 1.05 |
//! | decode all messages of a UDP capture | read only the headers of its packets | at most 2.0 times as long | 3.89 | 4.79 |
//! | decode all messages of a TCP capture | read only the headers of its packets | at most 6.5 times as long | 17.26 | 17.61 |
//! | decode all messages of an ENet capture | read only the headers of its packets | at most 3.0 times as long | 4.80 | 6.38 |
//! | decode all messages of a WebSocket capture | read only the headers of its packets | at most 7.7 times as long | 18.09 | 22.16 |
//!
//! These goals are checked in other ways:
//!
//! | goal | measured | how |
//! |---|---|---|
//! | parsing, iterating, walking and scanning allocate no memory on the heap | none | the test `no_alloc` |
//! | memory is limited, whatever the input | 6 MB at most for a gigabyte | [below](#a-capture-of-a-gigabyte), and the tests `messages`, `follow` and `cli` of hostile input |
//! | decoding a gigabyte to JSON with one thread takes at most 2.0 times as long as `stats` | 2.1 | [below](#a-capture-of-a-gigabyte) |
//! | with two threads, it takes at most 0.6 times as long as with one | 0.73 | [below](#a-capture-of-a-gigabyte) |
//! | a message on a pipe is shown within 100 ms, and within 1 s while its connection is not recognized | 13 ms and 12 ms | [below](#live-traffic) |
//!
//! The goals are for time. The ratios of instructions differ from them, because the processor executes
//! more instructions at once in some of the programs than in others. These goals are not reached:
//!
//! - **Parsing and walking, iterating, and finding a key:** some runs reach these goals for time and
//!   others do not. By instructions, parsing, walking, iterating and finding a key are within their
//!   goals, and parsing and walking in one pass is not. gdwire checks all text and all lengths, and
//!   finds a key by a walk over the entries before it.
//! - **JSON:** gdwire takes about as long as `serde_json`, with fewer instructions. A literal takes
//!   less time than JSON, with more instructions.
//! - **Nested values:** for each container, the walk enters and leaves a level, so it returns two
//!   events. The flat value is one array of ints with one event each.
//! - **UDP:** much of that capture is text beyond ASCII. Checking it as UTF-8 is the largest part of
//!   the work.
//! - **TCP and WebSocket:** a packet holds seven messages, so walking the packets takes only 100
//!   instructions per message. Parsing a message alone takes 825. With everything else, from finding
//!   its frame to returning it, reading one takes 1,745 instructions over TCP and 2,237 over
//!   WebSocket.
//! - **ENet:** walking takes 672 instructions per message, and reading 4,289. gdwire restores the
//!   order of each channel, drops copies and looks for gaps.
//! - **A gigabyte:** the largest part of writing is to visit the parts of each value and to copy their
//!   text. With several threads, each looks at every packet of the file, but follows and writes only its
//!   own connections, and one more thread joins the lines. So more threads than connections are of no
//!   use, and a connection with most of the traffic takes as long as with one thread.
//!
//! # Values
//!
//! | what | takes | compared with | takes | by time | by instructions |
//! |---|---|---|---|---|---|
//! | parse a dictionary of 208 bytes and walk it (visit everything in it), in one pass | 86.7 ns, 1,293 instructions | `godot-binary-serialization` decodes it | 2.13 µs, 13,866 instructions | 24.5 times as fast | 10.7 |
//! | the same | 86.7 ns, 1,293 instructions | `serde_json` reads the same data from JSON into `Value` | 1.41 µs, 11,001 instructions | 16.3 times as fast | 8.5 |
//! | only parse it | 50.1 ns, 825 instructions | parse and walk it in one pass | 86.7 ns, 1,293 instructions | 0.58 times as long | 0.64 |
//! | only walk it, already parsed | 66.7 ns, 1,020 instructions | parse and walk it in one pass | 86.7 ns, 1,293 instructions | 0.77 times as long | 0.79 |
//! | only iterate over its top-level entries, already parsed | 43.7 ns, 367 instructions | parse it | 50.1 ns, 825 instructions | 0.87 times as long | 0.44 |
//! | only find its last key, already parsed | 84.6 ns, 798 instructions | parse it | 50.1 ns, 825 instructions | 1.69 times as long | 0.97 |
//! | only find a key that it lacks, already parsed | 76.8 ns, 742 instructions | parse it | 50.1 ns, 825 instructions | 1.53 times as long | 0.90 |
//! | parse and walk 8,000 ints | 40.9 µs, 376,265 instructions | `serde_json` | 186 µs, 2,069,613 instructions | 4.6 times as fast | 5.5 |
//! | index them and get each | 31.6 µs, 528,179 instructions | iterate over them | 18.6 µs, 272,100 instructions | 1.70 times as long | 1.94 |
//! | parse and walk a save of 100 kB | 39.9 µs, 587,183 instructions | `godot-binary-serialization` | 1.54 ms, 10,307,027 instructions | 38.5 times as fast | 17.6 |
//! | parse and walk a save of 100 kB | 39.9 µs, 587,183 instructions | `serde_json` | 953 µs, 5,766,062 instructions | 23.9 times as fast | 9.8 |
//! | parse and walk 400 short texts in ASCII | 3.67 µs, 52,572 instructions | `serde_json` | 22.8 µs, 220,742 instructions | 6.2 times as fast | 4.2 |
//! | 400 short texts beyond ASCII | 21.2 µs, 288,178 instructions | `serde_json` | 22.6 µs, 229,186 instructions | 1.1 times as fast | 0.8 |
//! | one long text beyond ASCII | 2.78 µs, 40,611 instructions | `serde_json` | 2.59 µs, 50,989 instructions | 0.9 times as fast | 1.3 |
//! | read a struct from the dictionary, with serde | 76.6 ns, 810 instructions | `serde_json` from the same as JSON | 465 ns, 5,126 instructions | 6.1 times as fast | 6.3 |
//! | read a struct from the dictionary, with serde | 76.6 ns, 810 instructions | `rmp-serde` from the same as MessagePack | 231 ns, 2,385 instructions | 3.0 times as fast | 2.9 |
//! | write it into a buffer | 157 ns, 2,225 instructions | `serde_json` | 462 ns, 4,658 instructions | 2.9 times as fast | 2.1 |
//! | write it into a buffer | 157 ns, 2,225 instructions | `rmp-serde` | 265 ns, 2,650 instructions | 1.7 times as fast | 1.2 |
//! | write it into a new vector | 287 ns, 2,940 instructions | `serde_json` | 471 ns, 3,813 instructions | 1.6 times as fast | 1.3 |
//! | write it into a new vector | 287 ns, 2,940 instructions | `rmp-serde` | 465 ns, 3,905 instructions | 1.6 times as fast | 1.3 |
//! | write it as lossless JSON, already parsed | 557 ns, 4,767 instructions | `serde_json` writes the same document | 531 ns, 6,565 instructions | 1.05 times as long | 0.73 |
//! | write it as plain JSON, already parsed | 404 ns, 5,163 instructions | `serde_json` writes the same document | 409 ns, 4,459 instructions | 0.99 times as long | 1.16 |
//! | write it as a literal, already parsed | 484 ns, 5,765 instructions | as lossless JSON | 557 ns, 4,767 instructions | 0.87 times as long | 1.21 |
//! | parse a packed array of 1,000,000 floats | 13.7 ns, 248 instructions | parse a packed array of 10 floats | 13.5 ns, 252 instructions | 1.01 times as long | 0.98 |
//! | walk 1 MiB nested 1,000 deep | 1.02 ms, 12,004,874 instructions | 1 MiB flat | 441 µs, 5,767,310 instructions | 2.31 times as long | 2.08 |
//! | find the end of a value of 1 MiB that arrives in pieces of 1 KiB | 1.02 ms, 10,898,599 instructions | in one piece | 949 µs, 10,368,403 instructions | 1.08 times as long | 1.05 |
//! | scan 1 MiB nested 1,000 deep, byte by byte | 21.3 ms, 235,176,180 instructions | 1 MiB flat | 13.8 ms, 182,322,789 instructions | 1.54 times as long | 1.29 |
//! | decode all messages of a UDP capture | 39.5 µs, 370,234 instructions | read only the headers of its packets | 10.1 µs, 77,362 instructions | 3.89 times as long | 4.79 |
//! | encode an array of 131,072 vectors | 132 µs, 1,573,048 instructions | `memcpy` | 124 µs, 1,572,874 instructions | 1.07 times as long | 1.00 |
//! | encode an owned state | 220 ns, 3,137 instructions | `godot-binary-serialization` | 1.12 µs, 11,016 instructions | 5.1 times as fast | 3.5 |
//! | encode an owned state | 220 ns, 3,137 instructions | `serde_json` | 461 ns, 4,478 instructions | 2.1 times as fast | 1.4 |
//! | change one field of a packet with `patch` | 137 ns, 1,859 instructions | through an owned tree | 1.42 µs, 13,446 instructions | 10.3 times as fast | 7.2 |
//!
//! # Captures
//!
//! This table shows how fast [`capture::Messages`] reads all messages of a capture. "Walking" a
//! capture reads only the headers of its packets.
//!
//! | messages of 208 bytes over | messages per second | bytes of capture per second | times as long as walking | instructions per message | of which walking takes |
//! |---|---|---|---|---|---|
//! | UDP | 2.9 million | 730 MB | 2.96 | 2,933 | 672 |
//! | TCP | 4.4 million | 960 MB | 17.26 | 1,745 | 99 |
//! | ENet | 2.0 million | 517 MB | 4.80 | 4,289 | 672 |
//! | WebSocket | 4.1 million | 910 MB | 18.09 | 2,237 | 100 |
//! | ENet, as calls | 1.6 million | 435 MB | 5.84 | 4,965 | 672 |
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
//! | ndjson, one thread | 9.88 | 109 | 1.00 | 3 MB |
//! | ndjson, two threads | 7.22 | 149 | 0.73 | 6 MB |
//! | stats | 4.65 | 231 | 0.47 | 5 MB |
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
//! | udp | 11.3 ms | 0.59 ms | 10.41 ms |
//! | tcp | 4.8 ms | 0.49 ms | 9.83 ms |
//! | enet | 5.5 ms | 0.64 ms | 12.78 ms |
//! | websocket | 3.9 ms | 0.51 ms | 10.47 ms |
//!
#![cfg_attr(feature = "capture", doc = "[`capture::Messages`]: crate::capture::Messages")]
#![cfg_attr(not(feature = "capture"), doc = "[`capture::Messages`]: crate#features")]
