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
//! cores of an AMD EPYC, where no other program ran. On such a machine, even the ratios of times differ
//! between runs, by a tenth, and more where two programs run at the same time. If valgrind is installed,
//! the script also counts instructions. These counts hardly change.
//!
//! # Goals
//!
//! The dictionary is the state of a game: 208 bytes as a Godot 3 value. The other formats hold the
//! same data.
//!
//! | task of gdwire | compared with | goal | measured, by time | measured, by instructions |
//! |---|---|---|---|---|
//! | parse a dictionary of 208 bytes and walk it (visit everything in it), in one pass | `godot-binary-serialization` decodes it | at least 28 times as fast | 30.2 | 15.9 |
//! | the same | `serde_json` reads the same data from JSON into `Value` | at least 16 times as fast | 20.7 | 12.9 |
//! | only parse it | parse and walk it in one pass | at most 0.8 times as long | 0.67 | 0.68 |
//! | only walk it, already parsed | parse and walk it in one pass | at most 0.8 times as long | 0.86 | 0.75 |
//! | only iterate over its top-level entries, already parsed | parse it | at most 0.8 times as long | 0.97 | 0.67 |
//! | only find its last key, already parsed | parse it | at most 1.0 times as long | 1.21 | 0.78 |
//! | only find a key that it lacks, already parsed | parse it | at most 1.0 times as long | 1.12 | 0.66 |
//! | write it as lossless JSON, already parsed | `serde_json` writes the same document | at most 1.0 times as long | 0.40 | 0.60 |
//! | write it as a literal, already parsed | as lossless JSON | at most 1.0 times as long | 1.09 | 1.12 |
//! | parse a packed array of 1,000,000 floats | parse a packed array of 10 floats | about 1.0 times as long | 1.00 | 0.96 |
//! | walk 1 MiB nested 1,000 deep | 1 MiB flat | at most 1.8 times as long | 1.77 | 1.72 |
//! | find the end of a value of 1 MiB that arrives in pieces of 1 KiB | in one piece | at most 1.2 times as long | 1.22 | 1.05 |
//! | read a message over UDP | parse its value | at most 1,050 instructions more | | 990 more |
//! | read a message over TCP | parse its value | at most 460 instructions more | | 456 more |
//! | read a message over ENet | parse its value | at most 1,750 instructions more | | 1,660 more |
//! | read a message over WebSocket | parse its value | at most 700 instructions more | | 832 more |
//!
//! These goals are checked in other ways:
//!
//! | goal | measured | how |
//! |---|---|---|
//! | parsing, iterating, walking and scanning allocate no memory on the heap | none | the test `no_alloc` |
//! | memory is limited, whatever the input | 7 MB at most for a gigabyte | [below](#a-capture-of-a-gigabyte), and the tests `messages`, `follow` and `cli` of hostile input |
//! | decoding a gigabyte to JSON with one thread takes at most 2.0 times as long as `stats` | 2.0 to 2.3 in five runs | [below](#a-capture-of-a-gigabyte) |
//! | with two threads, it takes at most 0.55 times as long as with one | 0.58 to 0.60, once 0.68 | [below](#a-capture-of-a-gigabyte) |
//! | a message on a pipe is shown within 100 ms, and within 1 s while its connection is not recognized | 5 ms and 3 ms | [below](#live-traffic) |
//! | from nothing to the first decoded capture takes at most 90 s, on two cores | 57 s, of which a few are downloads | the first command of `README.md`, in a clean clone, after ``export CARGO_HOME=`mktemp -d` `` |
//!
//! The goals are for time. The ratios of instructions differ from them, because the processor executes
//! more instructions at once in some of the programs than in others. Another program that runs beside
//! the benchmark makes short runs slower, so times of 20 to 30 ns differ by half between runs. These
//! goals are not reached:
//!
//! - **The fused pass with fat LTO:** 22 times as fast as `godot-binary-serialization`, because that
//!   crate becomes a fifth faster, and the pass a tenth slower. `serde_json` becomes faster, too.
//! - **Walking, iterating, and finding a key:** they reach their goals by instructions in all profiles. By
//!   time, all of them and the parse itself wait for the lengths of texts, one after another, and the parse
//!   does its other work meanwhile. [physics](super::physics) has the numbers.
//! - **Literals:** within a tenth of JSON, above it in the default profile, and below it with one unit of
//!   code.
//! - **Messages over WebSocket:** they take 1.19 times the instructions of their goal.
//!   [physics](super::physics) lists what these are spent on.
//! - **A stream in pieces:** 1.05 times the instructions; the time is within a twentieth of the goal.
//! - **A gigabyte:** the largest part of writing is to visit the parts of each value and to copy their
//!   text. With several threads, each looks at every packet of the file, but follows and writes only its
//!   own connections, and one more thread joins the lines. So more threads than connections are of no
//!   use, and a connection with most of the traffic takes as long as with one thread. With two threads, the
//!   busiest executes 0.52 of the instructions of one, and the processor would allow 0.5 of the time; the
//!   rest is lost where the threads wait for each other.
//!
//! # Values
//!
//! | what | takes | compared with | takes | by time | by instructions |
//! |---|---|---|---|---|---|
//! | parse a dictionary of 208 bytes and walk it (visit everything in it), in one pass | 29.2 ns, 868 instructions | `godot-binary-serialization` decodes it | 882 ns, 13,825 instructions | 30.2 times as fast | 15.9 |
//! | the same | 29.2 ns, 868 instructions | `serde_json` reads the same data from JSON into `Value` | 603 ns, 11,192 instructions | 20.7 times as fast | 12.9 |
//! | only parse it | 19.5 ns, 592 instructions | parse and walk it in one pass | 29.2 ns, 868 instructions | 0.67 times as long | 0.68 |
//! | only walk it, already parsed | 25 ns, 651 instructions | parse and walk it in one pass | 29.2 ns, 868 instructions | 0.86 times as long | 0.75 |
//! | only iterate over its top-level entries, already parsed | 18.9 ns, 398 instructions | parse it | 19.5 ns, 592 instructions | 0.97 times as long | 0.67 |
//! | only find its last key, already parsed | 23.6 ns, 461 instructions | parse it | 19.5 ns, 592 instructions | 1.21 times as long | 0.78 |
//! | only find a key that it lacks, already parsed | 21.8 ns, 391 instructions | parse it | 19.5 ns, 592 instructions | 1.12 times as long | 0.66 |
//! | parse and walk 8,000 ints | 11.8 µs, 328,114 instructions | `serde_json` | 109 µs, 2,069,569 instructions | 9.2 times as fast | 6.3 |
//! | index them and get each | 12.6 µs, 376,135 instructions | iterate over them | 7.51 µs, 208,066 instructions | 1.68 times as long | 1.81 |
//! | parse and walk a save of 100 kB | 12.6 µs, 392,392 instructions | `godot-binary-serialization` | 546 µs, 10,180,227 instructions | 43.5 times as fast | 25.9 |
//! | parse and walk a save of 100 kB | 12.6 µs, 392,392 instructions | `serde_json` | 345 µs, 5,469,352 instructions | 27.5 times as fast | 13.9 |
//! | parse and walk 400 short texts in ASCII | 1.04 µs, 30,539 instructions | `serde_json` | 13.7 µs, 221,093 instructions | 13.2 times as fast | 7.2 |
//! | 400 short texts beyond ASCII | 1.68 µs, 52,506 instructions | `serde_json` | 14.2 µs, 229,146 instructions | 8.5 times as fast | 4.4 |
//! | one long text beyond ASCII | 517 ns, 12,694 instructions | `serde_json` | 1.54 µs, 50,949 instructions | 3.0 times as fast | 4.0 |
//! | read a struct from the dictionary, with serde | 37.1 ns, 801 instructions | `serde_json` from the same as JSON | 245 ns, 5,144 instructions | 6.6 times as fast | 6.4 |
//! | read a struct from the dictionary, with serde | 37.1 ns, 801 instructions | `rmp-serde` from the same as MessagePack | 105 ns, 2,379 instructions | 2.8 times as fast | 3.0 |
//! | write it into a buffer | 71.9 ns, 2,191 instructions | `serde_json` | 248 ns, 4,652 instructions | 3.4 times as fast | 2.1 |
//! | write it into a buffer | 71.9 ns, 2,191 instructions | `rmp-serde` | 115 ns, 2,671 instructions | 1.6 times as fast | 1.2 |
//! | write it into a new vector | 109 ns, 2,906 instructions | `serde_json` | 233 ns, 3,808 instructions | 2.1 times as fast | 1.3 |
//! | write it into a new vector | 109 ns, 2,906 instructions | `rmp-serde` | 139 ns, 3,750 instructions | 1.3 times as fast | 1.3 |
//! | write it as lossless JSON, already parsed | 165 ns, 3,928 instructions | `serde_json` writes the same document | 412 ns, 6,560 instructions | 0.40 times as long | 0.60 |
//! | write it as plain JSON, already parsed | 236 ns, 4,273 instructions | `serde_json` writes the same document | 310 ns, 4,487 instructions | 0.76 times as long | 0.95 |
//! | write it as a literal, already parsed | 179 ns, 4,382 instructions | as lossless JSON | 165 ns, 3,928 instructions | 1.09 times as long | 1.12 |
//! | parse a packed array of 1,000,000 floats | 16.8 ns, 235 instructions | parse a packed array of 10 floats | 16.8 ns, 244 instructions | 1.00 times as long | 0.96 |
//! | walk 1 MiB nested 1,000 deep | 269 µs, 7,674,490 instructions | 1 MiB flat | 152 µs, 4,456,556 instructions | 1.77 times as long | 1.72 |
//! | find the end of a value of 1 MiB that arrives in pieces of 1 KiB | 389 µs, 8,959,034 instructions | in one piece | 318 µs, 8,552,312 instructions | 1.22 times as long | 1.05 |
//! | scan 1 MiB nested 1,000 deep, byte by byte | 12.4 ms, 227,439,930 instructions | 1 MiB flat | 8.15 ms, 196,478,505 instructions | 1.52 times as long | 1.16 |
//! | decode all messages of a UDP capture | 22.8 µs, 424,657 instructions | read only the headers of its packets | 2.72 µs, 41,202 instructions | 8.39 times as long | 10.31 |
//! | encode an array of 131,072 vectors | 28.3 µs, 1,573,026 instructions | `memcpy` | 28.2 µs, 1,572,881 instructions | 1.00 times as long | 1.00 |
//! | encode an owned state | 113 ns, 3,117 instructions | `godot-binary-serialization` | 648 ns, 10,990 instructions | 5.8 times as fast | 3.5 |
//! | encode an owned state | 113 ns, 3,117 instructions | `serde_json` | 308 ns, 4,471 instructions | 2.7 times as fast | 1.4 |
//! | change one field of a packet with `patch` | 53.1 ns, 1,593 instructions | through an owned tree | 597 ns, 13,183 instructions | 11.2 times as fast | 8.3 |
//!
//! # Build profiles
//!
//! The same goals in four profiles of the program that uses gdwire: first by time, then by
//! instructions. The instructions of a pass differ by 3 % between the profiles, because what has to be
//! inlined is marked, and each hot loop calls the user's closure at one place.
//!
//! | profile | fused pass | parse | fused pass: at least 28 | fused pass, `serde_json`: at least 16 | parse: at most 0.8 | walk: at most 0.8 | find the last key: at most 1.0 | find a missing key: at most 1.0 | iterate: at most 0.8 |
//! |---|---|---|---|---|---|---|---|---|---|
//! | default | 29.1 ns, 858 | 19.5 ns, 601 | 28.80, 22.41 | 20.37, 13.01 | 0.67, 0.70 | 0.84, 0.77 | 1.18, 0.72 | 1.11, 0.65 | 0.95, 0.66 |
//! | `codegen-units = 1` | 27.8 ns, 872 | 19.5 ns, 595 | 27.35, 21.44 | 16.74, 12.12 | 0.70, 0.68 | 0.88, 0.79 | 1.09, 0.71 | 0.96, 0.62 | 0.95, 0.67 |
//! | `lto = "thin"` | 28.8 ns, 869 | 19.1 ns, 600 | 29.17, 21.32 | 20.19, 12.31 | 0.66, 0.69 | 0.85, 0.75 | 1.21, 0.74 | 1.13, 0.65 | 0.98, 0.69 |
//! | `lto = "fat"`, `codegen-units = 1` | 32.5 ns, 887 | 19.2 ns, 591 | 22.52, 20.11 | 14.95, 11.45 | 0.59, 0.67 | 0.75, 0.75 | 1.12, 0.72 | 1.01, 0.62 | 0.99, 0.67 |
//!
//! # Captures
//!
//! This table shows how fast [`capture::Messages`] reads all messages of a capture. "Walking" a
//! capture reads only the headers of its packets.
//!
//! | messages of 208 bytes over | messages per second | bytes of capture per second | times as long as walking | instructions per message | of which walking takes |
//! |---|---|---|---|---|---|
//! | UDP | 13.8 million | 3480 MB | 6.42 | 1,599 | 200 |
//! | TCP | 20.6 million | 4535 MB | 26.70 | 1,116 | 32 |
//! | ENet | 9.2 million | 2397 MB | 9.35 | 2,259 | 200 |
//! | WebSocket | 15.2 million | 3409 MB | 35.79 | 1,509 | 33 |
//! | ENet, as calls | 6.1 million | 1633 MB | 13.53 | 2,979 | 200 |
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
//! It prints this table. The memory does not include the capture file itself, which is mapped into memory.
//! The last column is the least that two threads could take on this processor: half the time of two runs
//! with one thread at the same time.
//!
//! | command | one thread | MB/s | memory | two threads | of one | memory | two at once, each half |
//! |---|---|---|---|---|---|---|---|
//! | ndjson | 2.25 s | 477 | 3 MB | 1.35 s | 0.60 | 8 MB | 0.54 |
//! | stats | 1.13 s | 952 | 5 MB | 0.69 s | 0.62 | 7 MB | 0.47 |
//! | stats --interval 1s | 1.14 s | 944 | 5 MB | 0.67 s | 0.59 | 7 MB | 0.49 |
//! | diagnose | 1.51 s | 713 | 5 MB | 0.87 s | 0.58 | 6 MB | 0.48 |
//! | report | 1.76 s | 609 | 6 MB | 1.06 s | 0.60 | 7 MB | 0.52 |
//! | export | 7.81 s | 137 | 18 MB | 4.74 s | 0.61 | 20 MB | 0.51 |
//!
//! With more cores, a greater share of the time is work that each thread does for all connections:
//! it reads the header of each packet, and finds out which thread the packet belongs to. The gain
//! from eight cores can be counted on any machine, as the instructions of the busiest thread. This
//! command needs valgrind, and takes minutes:
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
//! # Programs that stay attached
//!
//! This command sends 10,000 datagrams a second through `gdwire proxy` for an hour. Meanwhile
//! `gdwire decode --interface` and `gdwire top --interface` capture what the proxy forwards, tcpdump
//! writes it to a file, and `gdwire decode --follow` reads the file as it grows. After each minute, the
//! command prints how many datagrams did not arrive, and the memory of each program:
//!
//! ```sh
//! SOAK=3600 cargo bench --features cli --bench live
//! ```
//!
//! | minutes | sent | not forwarded | not shown live | not shown from the file | memory of proxy | of decode, live | of decode, file | of top |
//! |---|---|---|---|---|---|---|---|---|
//! | 1 | 600000 | 0 | 0 | 0 | 12.8 MB | 11.2 MB | 10.6 MB | 50.4 MB |
//! | 10 | 6000000 | 0 | 0 | 0 | 12.9 MB | 11.2 MB | 11.4 MB | 50.7 MB |
//! | 30 | 18000000 | 0 | 0 | 0 | 12.9 MB | 11.2 MB | 11.3 MB | 50.7 MB |
//! | 60 | 36000000 | 0 | 0 | 0 | 12.8 MB | 11.1 MB | 11.2 MB | 50.6 MB |
//!
//! Compilers and tests ran beside it, at a lower priority.
//!
#![cfg_attr(feature = "capture", doc = "[`capture::Messages`]: crate::capture::Messages")]
#![cfg_attr(not(feature = "capture"), doc = "[`capture::Messages`]: crate#features")]
