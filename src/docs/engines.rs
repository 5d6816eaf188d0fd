//! Engines: which versions the tests compare with, in what, and how much of it.
//!
//! This command runs all tests with engines, and prints both tables:
//!
//! ```sh
//! tests/engine/table.sh
//! ```
//!
//! An empty field means that this was not compared with this engine. A few counts differ from run to
//! run, because networks lose unreliable messages. Each number is that of values, messages, calls, files or
//! games that were equal on both sides; a single difference fails the tests.
//!
//! # Running engines
//!
//! Each run of all tests asks these engines again, plays with them, and decodes what they send.
//! "Damaged values" are valid ones with changed bytes; both sides have to read or refuse them alike,
//! apart from [deliberate differences](super::wire_format#where-this-crate-differs-from-the-engines).
//! A session is an end of this crate.
//!
//! | what | Godot 3.2.3 | Godot 3.6.2 | Godot 4.6.3 | Godot 4.6 in a browser |
//! |---|---|---|---|---|
//! | calls between two, ENet | 147 | 148 | | |
//! | calls between two, ENet with range | 148 | 148 | | |
//! | calls of a session, ENet | 221 | 222 | 170 | |
//! | calls of a session, ENet with fastlz | | | 170 | |
//! | calls of a session, ENet with range | 222 | 222 | 170 | |
//! | calls of a session, ENet with zlib | | | 170 | |
//! | calls of a session, ENet with zstd | | | 170 | |
//! | calls of a session, WebSocket | 222 | 222 | 170 | |
//! | calls of bots, ENet | 1,895 | 1,717 | 1,699 | |
//! | calls of bots, ENet with fastlz | | | 1,705 | |
//! | calls of bots, ENet with range | 1,898 | 1,716 | 1,691 | |
//! | calls of bots, ENet with zlib | | | 1,652 | |
//! | calls of bots, ENet with zstd | | | 1,705 | |
//! | calls of bots, WebSocket | | | 1,574 | |
//! | calls to a session, ENet | 221 | 222 | 170 | |
//! | calls to a session, ENet with fastlz | | | 166 | |
//! | calls to a session, ENet with range | 222 | 222 | 170 | |
//! | calls to a session, ENet with zlib | | | 170 | |
//! | calls to a session, ENet with zstd | | | 170 | |
//! | calls to a session, WebSocket | 222 | 222 | 170 | |
//! | games of a client of ours, ENet | | | 1 | |
//! | games of a client of ours, ENet with fastlz | | | 1 | |
//! | games of a client of ours, ENet with range | | | 1 | |
//! | games of a client of ours, ENet with zlib | | | 1 | |
//! | games of a client of ours, ENet with zstd | | | 1 | |
//! | games of a client of ours, WebSocket | | | 1 | |
//! | games of a server of ours, ENet | | | 1 | |
//! | games of a server of ours, ENet with fastlz | | | 1 | |
//! | games of a server of ours, ENet with range | | | 1 | |
//! | games of a server of ours, ENet with zlib | | | 1 | |
//! | games of a server of ours, ENet with zstd | | | 1 | |
//! | games of a server of ours, WebSocket | | | 1 | 1 |
//! | named calls of generated games | | | 1,315 | 83 |
//! | node paths | 626 | 626 | 626 | 626 |
//! | saves that gdwire writes | 209 | 209 | 209 | 209 |
//! | saves that it writes | 209 | 209 | 209 | 209 |
//! | values decoded live, ENet | 120 | 120 | 120 | |
//! | values decoded live, ENet with fastlz | | | 120 | |
//! | values decoded live, ENet with range | 120 | 120 | 120 | |
//! | values decoded live, ENet with zlib | | | 120 | |
//! | values decoded live, ENet with zstd | | | 120 | |
//! | values decoded live, TCP | 120 | 120 | 120 | |
//! | values decoded live, UDP | 120 | 120 | 120 | |
//! | values decoded live, WebSocket | 120 | 120 | 180 | 60 |
//! | values that gdwire writes, and their spellings | 516 | 516 | 455 | 455 |
//! | values that it writes | 1,500 | 1,500 | 1,500 | 1,500 |
//! | values through the proxy, ENet | 240 | | 240 | |
//! | values through the proxy, ENet with range | 240 | | | |
//! | values through the proxy, ENet with zstd | | | 240 | |
//! | values through the proxy, TCP | 240 | | 240 | |
//! | values through the proxy, WebSocket | 240 | | 240 | |
//! | verdicts about damaged values | 22,122 | 22,122 | 22,157 | 22,157 |
//!
//! # Recordings
//!
//! These were recorded once, some from engines that no package offers. The tests read them all.
//!
//! | what | Godot 3.2.3 | Godot 4.6-dev | Godot 4.6-dev, double precision | Godot 4.6 in a browser | Pandemonium 4.9 | Pandemonium 5.3-dev |
//! |---|---|---|---|---|---|---|
//! | captured messages, ENet | 708 | 5,055 | | | 136 | 272 |
//! | captured messages, TCP | 172 | 144 | | | | 66 |
//! | captured messages, UDP | 540 | 432 | | | | 66 |
//! | captured messages, WebSocket | 75 | 559 | | 904 | | |
//! | compressed and encrypted saves | 6 | 6 | | | | |
//! | values | 122 | 160 | 160 | | 145 | 152 |
//! | verdicts | 4,000 | 4,000 | 2,000 | | 4,000 | 4,000 |
//!
//! # Only known from sources
//!
//! No test has seen these: what gdwire does there follows from the engines' sources.
//!
//! - Godot 4.0 to 4.5: values are the same as in 4.6 except where [wire format](super::wire_format) says
//!   otherwise. The evidence by which `gdwire diagnose --find-version` recognizes 4.0 to 4.2 is tested
//!   with packets that were made by hand.
//! - Godot 3.3 to 3.5: between 3.2.3 and 3.6.2, which are tested.
//! - Pandemonium as one end of a session, and Pandemonium 3: only its recordings are read.
