//! Benchmarks: all measurements, and how they are made.
//!
//! This command runs the benchmarks with criterion and prints the tables below:
//!
//! ```sh
//! benches/table.sh
//! ```
//!
//! Each time is that of the fastest sample of a run, because other programs on the machine can only
//! make a sample slower. The times of a table come from the same run, on a virtual machine with two
//! cores of an AMD EPYC. While values, profiles and captures were measured, other programs ran beside the
//! benchmarks; the gigabyte and live traffic had the machine for themselves. On such a machine, even the
//! ratios of times differ between runs, up to twofold. If valgrind is installed, the script also counts instructions. These counts
//! hardly change.
//!
//! The tables are older than the last changes to walks and searches and to the messages of captures, but
//! for that of the gigabyte. The page [physics](super::physics) has the newer instructions.
//!
//! # Goals
//!
//! The dictionary is the state of a game: 208 bytes as a Godot 3 value. The other formats hold the
//! same data.
//!
//! | task of gdwire | compared with | goal | measured, by time | measured, by instructions |
//! |---|---|---|---|---|
//! | parse a dictionary of 208 bytes and walk it (visit everything in it), in one pass | `godot-binary-serialization` decodes it | at least 28 times as fast | 29.8 | 14.4 |
//! | the same | `serde_json` reads the same data from JSON into `Value` | at least 16 times as fast | 19.8 | 11.4 |
//! | only parse it | parse and walk it in one pass | at most 0.8 times as long | 0.72 | 0.71 |
//! | only walk it, already parsed | parse and walk it in one pass | at most 0.8 times as long | 1.06 | 0.90 |
//! | only iterate over its top-level entries, already parsed | parse it | at most 0.8 times as long | 1.13 | 0.52 |
//! | only find its last key, already parsed | parse it | at most 1.0 times as long | 1.13 | 0.90 |
//! | only find a key that it lacks, already parsed | parse it | at most 1.0 times as long | 0.99 | 0.76 |
//! | write it as lossless JSON, already parsed | `serde_json` writes the same document | at most 1.0 times as long | 0.43 | 0.69 |
//! | write it as a literal, already parsed | as lossless JSON | at most 1.0 times as long | 2.09 | 1.29 |
//! | parse a packed array of 1,000,000 floats | parse a packed array of 10 floats | about 1.0 times as long | 1.02 | 0.99 |
//! | walk 1 MiB nested 1,000 deep | 1 MiB flat | at most 1.8 times as long | 2.65 | 2.52 |
//! | find the end of a value of 1 MiB that arrives in pieces of 1 KiB | in one piece | at most 1.2 times as long | 1.11 | 1.04 |
//! | read a message over UDP | parse its value | at most 1,050 instructions more | | 1,448 more |
//! | read a message over TCP | parse its value | at most 460 instructions more | | 692 more |
//! | read a message over ENet | parse its value | at most 1,750 instructions more | | 2,476 more |
//! | read a message over WebSocket | parse its value | at most 700 instructions more | | 1,399 more |
//!
//! These goals are checked in other ways:
//!
//! | goal | measured | how |
//! |---|---|---|
//! | parsing, iterating, walking and scanning allocate no memory on the heap | none | the test `no_alloc` |
//! | memory is limited, whatever the input | 7 MB at most for a gigabyte | [below](#a-capture-of-a-gigabyte), and the tests `messages`, `follow` and `cli` of hostile input |
//! | decoding a gigabyte to JSON with one thread takes at most 2.0 times as long as `stats` | 2.03 | [below](#a-capture-of-a-gigabyte) |
//! | with two threads, it takes at most 0.55 times as long as with one | 0.62 | [below](#a-capture-of-a-gigabyte) |
//! | a message on a pipe is shown within 100 ms, and within 1 s while its connection is not recognized | 5 ms and 3 ms | [below](#live-traffic) |
//!
//! The goals are for time. The ratios of instructions differ from them, because the processor executes
//! more instructions at once in some of the programs than in others. Another program that runs beside
//! the benchmark makes short runs slower, so times of 20 to 30 ns differ by half between runs. These
//! goals are not reached:
//!
//! - **Walking, iterating, and finding a key:** in these tables; today they reach the goals by
//!   instructions. By time, a walk takes 0.92 of a fused pass, iterating 0.96 of a parse, and finding the
//!   last key 1.2 of it: all wait for the lengths of texts, and the parse became faster.
//! - **Literals and nested values:** in these tables; today they reach the goals by instructions, with
//!   0.99 of JSON, and 1.72 times a flat value.
//! - **Messages over each transport:** UDP and ENet reach their goals today. Over TCP and WebSocket, a
//!   message takes 1.17 and 1.28 times the goal. [physics](super::physics) lists what the instructions are
//!   spent on.
//! - **A gigabyte:** the largest part of writing is to visit the parts of each value and to copy their
//!   text. With several threads, each looks at every packet of the file, but follows and writes only its
//!   own connections, and one more thread joins the lines. So more threads than connections are of no
//!   use, and a connection with most of the traffic takes as long as with one thread.
//!
//! # Values
//!
//! | what | takes | compared with | takes | by time | by instructions |
//! |---|---|---|---|---|---|
//! | parse a dictionary of 208 bytes and walk it (visit everything in it), in one pass | 31.1 ns, 963 instructions | `godot-binary-serialization` decodes it | 928 ns, 13,853 instructions | 29.8 times as fast | 14.4 |
//! | the same | 31.1 ns, 963 instructions | `serde_json` reads the same data from JSON into `Value` | 617 ns, 10,993 instructions | 19.8 times as fast | 11.4 |
//! | only parse it | 22.4 ns, 686 instructions | parse and walk it in one pass | 31.1 ns, 963 instructions | 0.72 times as long | 0.71 |
//! | only walk it, already parsed | 33 ns, 871 instructions | parse and walk it in one pass | 31.1 ns, 963 instructions | 1.06 times as long | 0.90 |
//! | only iterate over its top-level entries, already parsed | 25.3 ns, 357 instructions | parse it | 22.4 ns, 686 instructions | 1.13 times as long | 0.52 |
//! | only find its last key, already parsed | 25.4 ns, 614 instructions | parse it | 22.4 ns, 686 instructions | 1.13 times as long | 0.90 |
//! | only find a key that it lacks, already parsed | 22.2 ns, 522 instructions | parse it | 22.4 ns, 686 instructions | 0.99 times as long | 0.76 |
//! | parse and walk 8,000 ints | 9.75 µs, 328,194 instructions | `serde_json` | 116 µs, 2,069,534 instructions | 11.9 times as fast | 6.3 |
//! | index them and get each | 15.6 µs, 456,179 instructions | iterate over them | 9.69 µs, 248,101 instructions | 1.61 times as long | 1.84 |
//! | parse and walk a save of 100 kB | 16.6 µs, 439,251 instructions | `godot-binary-serialization` | 566 µs, 10,309,663 instructions | 34.1 times as fast | 23.5 |
//! | parse and walk a save of 100 kB | 16.6 µs, 439,251 instructions | `serde_json` | 330 µs, 5,723,790 instructions | 19.9 times as fast | 13.0 |
//! | parse and walk 400 short texts in ASCII | 1.31 µs, 33,013 instructions | `serde_json` | 14.9 µs, 220,744 instructions | 11.4 times as fast | 6.7 |
//! | 400 short texts beyond ASCII | 1.91 µs, 54,985 instructions | `serde_json` | 15.1 µs, 229,192 instructions | 7.9 times as fast | 4.2 |
//! | one long text beyond ASCII | 549 ns, 12,757 instructions | `serde_json` | 1.67 µs, 50,978 instructions | 3.0 times as fast | 4.0 |
//! | read a struct from the dictionary, with serde | 40 ns, 804 instructions | `serde_json` from the same as JSON | 262 ns, 5,149 instructions | 6.5 times as fast | 6.4 |
//! | read a struct from the dictionary, with serde | 40 ns, 804 instructions | `rmp-serde` from the same as MessagePack | 112 ns, 2,384 instructions | 2.8 times as fast | 3.0 |
//! | write it into a buffer | 79.8 ns, 2,224 instructions | `serde_json` | 261 ns, 4,656 instructions | 3.3 times as fast | 2.1 |
//! | write it into a buffer | 79.8 ns, 2,224 instructions | `rmp-serde` | 118 ns, 2,677 instructions | 1.5 times as fast | 1.2 |
//! | write it into a new vector | 119 ns, 2,939 instructions | `serde_json` | 224 ns, 3,813 instructions | 1.9 times as fast | 1.3 |
//! | write it into a new vector | 119 ns, 2,939 instructions | `rmp-serde` | 208 ns, 3,772 instructions | 1.8 times as fast | 1.3 |
//! | write it as lossless JSON, already parsed | 219 ns, 4,524 instructions | `serde_json` writes the same document | 507 ns, 6,563 instructions | 0.43 times as long | 0.69 |
//! | write it as plain JSON, already parsed | 272 ns, 4,775 instructions | `serde_json` writes the same document | 435 ns, 4,461 instructions | 0.63 times as long | 1.07 |
//! | write it as a literal, already parsed | 458 ns, 5,847 instructions | as lossless JSON | 219 ns, 4,524 instructions | 2.09 times as long | 1.29 |
//! | parse a packed array of 1,000,000 floats | 13.3 ns, 268 instructions | parse a packed array of 10 floats | 13.1 ns, 270 instructions | 1.02 times as long | 0.99 |
//! | walk 1 MiB nested 1,000 deep | 499 µs, 13,564,405 instructions | 1 MiB flat | 188 µs, 5,374,106 instructions | 2.65 times as long | 2.52 |
//! | find the end of a value of 1 MiB that arrives in pieces of 1 KiB | 440 µs, 10,165,341 instructions | in one piece | 397 µs, 9,760,342 instructions | 1.11 times as long | 1.04 |
//! | scan 1 MiB nested 1,000 deep, byte by byte | 13.6 ms, 234,153,077 instructions | 1 MiB flat | 8.8 ms, 200,017,504 instructions | 1.54 times as long | 1.17 |
//! | decode all messages of a UDP capture | 24.1 µs, 419,865 instructions | read only the headers of its packets | 3.26 µs, 43,610 instructions | 7.39 times as long | 9.63 |
//! | encode an array of 131,072 vectors | 28.7 µs, 1,573,057 instructions | `memcpy` | 29.2 µs, 1,572,881 instructions | 0.98 times as long | 1.00 |
//! | encode an owned state | 124 ns, 3,139 instructions | `godot-binary-serialization` | 633 ns, 10,998 instructions | 5.1 times as fast | 3.5 |
//! | encode an owned state | 124 ns, 3,139 instructions | `serde_json` | 307 ns, 4,487 instructions | 2.5 times as fast | 1.4 |
//! | change one field of a packet with `patch` | 65.2 ns, 1,820 instructions | through an owned tree | 611 ns, 13,033 instructions | 9.4 times as fast | 7.2 |
//!
//! # Build profiles
//!
//! The same goals in four profiles of the program that uses gdwire: first by time, then by
//! instructions. The instructions of a pass differ by 1% between the profiles, because what has to be
//! inlined is marked, and each hot loop calls the user's closure at one place.
//!
//! | profile | fused pass | parse | fused pass: at least 28 | fused pass, `serde_json`: at least 16 | parse: at most 0.8 | walk: at most 0.8 | find the last key: at most 1.0 | find a missing key: at most 1.0 | iterate: at most 0.8 |
//! |---|---|---|---|---|---|---|---|---|---|
//! | default | 32.1 ns, 955 | 22.6 ns, 678 | 27.50, 20.19 | 23.49, 11.51 | 0.70, 0.71 | 0.92, 0.90 | 1.27, 0.91 | 1.24, 0.77 | 1.59, 0.50 |
//! | `codegen-units = 1` | 35.7 ns, 963 | 21.5 ns, 682 | 24.01, 19.43 | 40.95, 11.03 | 0.60, 0.71 | 0.85, 0.94 | 1.19, 0.90 | 1.06, 0.76 | 1.25, 0.51 |
//! | `lto = "thin"` | 33.4 ns, 968 | 50.6 ns, 686 | 26.47, 19.21 | 17.97, 10.88 | 1.51, 0.71 | 0.90, 0.88 | 0.54, 0.90 | 0.47, 0.77 | 0.52, 0.34 |
//! | `lto = "fat"`, `codegen-units = 1` | 46.7 ns, 964 | 21.6 ns, 689 | 15.65, 18.52 | 10.49, 10.57 | 0.46, 0.71 | 0.87, 0.90 | 1.06, 0.87 | 0.95, 0.74 | 1.11, 0.38 |
//!
//! # Captures
//!
//! This table shows how fast [`capture::Messages`] reads all messages of a capture. "Walking" a
//! capture reads only the headers of its packets.
//!
//! | messages of 208 bytes over | messages per second | bytes of capture per second | times as long as walking | instructions per message | of which walking takes |
//! |---|---|---|---|---|---|
//! | UDP | 8.5 million | 2130 MB | 5.20 | 2,134 | 354 |
//! | TCP | 13.2 million | 2903 MB | 28.21 | 1,378 | 41 |
//! | ENet | 5.4 million | 1421 MB | 6.10 | 3,162 | 354 |
//! | WebSocket | 9.6 million | 2144 MB | 44.82 | 2,085 | 42 |
//! | ENet, as calls | 3.1 million | 816 MB | 10.78 | 4,052 | 354 |
//!
//! For each packet, gdwire reads the headers, looks up the connection and reads the values. For
//! WebSocket it also unmasks every byte.
//!
//! # A capture of a gigabyte
//!
//! This benchmark writes a capture of a gigabyte with four and a half million messages over all
//! four transports. Then it runs the commands that use several threads, with one thread and with two: it
//! decodes the capture to JSON, counts its messages, and makes the report and the tables:
//!
//! ```sh
//! cargo bench --features cli,export --bench gigabyte
//! ```
//!
//! It prints such a table. This one is of a capture of 300 MB (`GIGABYTE=300000000` before the command),
//! without export. The memory does not include the capture file itself, which is mapped into memory.
//!
//! | command | one thread | MB/s | memory | two threads | of one | memory |
//! |---|---|---|---|---|---|---|
//! | ndjson | 0.63 s | 474 | 3 MB | 0.40 s | 0.62 | 7 MB |
//! | stats | 0.31 s | 977 | 5 MB | 0.19 s | 0.62 | 7 MB |
//! | stats --interval 1s | 0.31 s | 976 | 5 MB | 0.20 s | 0.64 | 7 MB |
//! | diagnose | 0.42 s | 714 | 5 MB | 0.26 s | 0.62 | 6 MB |
//! | report | 0.53 s | 562 | 6 MB | 0.32 s | 0.60 | 7 MB |
//!
//! With more cores, the rest grows that each thread does for all connections: it reads the header of each
//! packet, and finds out which thread the packet belongs to. What eight cores would give can be counted
//! on any machine, as the instructions of the busiest thread. This command needs valgrind, and takes
//! minutes:
//!
//! ```sh
//! GDWIRE_COUNT=8 GIGABYTE=30000000 cargo bench --features cli --bench gigabyte
//! ```
//!
//! For a capture of 30 MB, the busiest of eight threads executes 0.15 of the instructions of one thread
//! for ndjson (165 of 1,087 million), and 0.18 for stats (84 of 468 million): eight cores would be 6.6 and
//! 5.6 times as fast, as long as memory supplies all of them. The joining thread takes 29 and 12 million
//! more. With two threads, it is 0.52 for ndjson and 0.53 for stats.
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
//! | udp | 1.4 ms | 0.13 ms | 3.97 ms |
//! | tcp | 2.8 ms | 0.11 ms | 2.43 ms |
//! | enet | 2.6 ms | 0.12 ms | 2.09 ms |
//! | websocket | 2.9 ms | 0.14 ms | 4.82 ms |
//!
//! Then it sends datagrams of 16 clients over the loopback interface, for ten seconds each, and runs
//! `gdwire decode --interface lo`:
//!
//! | datagrams per second | reached | processor time of gdwire | of the capturing program | lost |
//! |---|---|---|---|---|
//! | 1000 | 1000 | 0.4 % of a core | 0.2 % | 0 of 10000 |
//! | 10000 | 9998 | 2.2 % of a core | 1.5 % | 0 of 100000 |
//! | 100000 | 99980 | 17.8 % of a core | 15.4 % | 0 of 1000000 |
//!
//! At last it sends datagrams through `gdwire proxy`. Its own delay is that beyond the delay that was
//! asked for:
//!
//! | datagrams per second | processor time of the proxy | its own delay, for 50 % | for 99 % | not forwarded |
//! |---|---|---|---|---|
//! | 1000 | 6.6 % of a core | 0.08 ms | 0.14 ms | 0 of 10000 |
//! | 10000 | 16.6 % of a core | 0.08 ms | 0.18 ms | 0 of 100000 |
//!
#![cfg_attr(feature = "capture", doc = "[`capture::Messages`]: crate::capture::Messages")]
#![cfg_attr(not(feature = "capture"), doc = "[`capture::Messages`]: crate#features")]
