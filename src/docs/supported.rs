//! Supported: engines, transports, captures and files that gdwire reads and writes, and the limits.
//!
//! - **Engines:** Godot 3, Godot 4, Pandemonium 3.8 to 4.9 and Pandemonium 5, built with single or
//!   double precision. gdwire reads and writes every type of each engine. Tests compare the results
//!   with bytes that real engines wrote. The command and [`detect`](crate::detect) find out which
//!   engine wrote the values, and with which precision if the bytes show it; `--dialect` and
//!   `--double` override that. The page [wire format](super::wire_format) has a table of all types,
//!   and errors of the published specification.
//! - **Transports:** UDP, TCP (including the remote debugger), ENet (also with each compression of
//!   Godot) and WebSocket (also with compressed messages). gdwire detects the
//!   [transport](super::transports) from the first packets of a connection, not from its ports.
//! - **Messages:** single values, and the remote calls and replicated nodes of the high-level
//!   multiplayer API over ENet and WebSocket.
//! - **Captures:** pcap and pcapng files from Ethernet, loopback, `any` and raw IP interfaces, also
//!   compressed with gzip, Zstandard or LZ4.
//! - **Files:** saves that `store_var` wrote, also compressed (`open_compressed`) or encrypted
//!   (`open_encrypted`, `open_encrypted_with_pass`); raw values; and hex or base64, one value per line.
//!
//! The [documentation of the crate](crate#features) lists its features, and the page
//! [dependencies](super::dependencies) which crates each adds.
//!
//! # Limits
//!
//! - gdwire does not read encrypted traffic (`wss://`, DTLS) or WebRTC, and does not guess passwords.
//! - Over ENet, gdwire reports missing messages, except unreliable ones lost just before a reliable
//!   one. Over plain UDP, it cannot notice a missing message.
//! - If other HTTP requests come before the upgrade to WebSocket on the same connection, as some proxies
//!   send them, gdwire reads all messages, but reports these requests as lost.
//! - A message in a capture may be up to 8 MiB long over WebSocket, 16 MiB over TCP and about 32 MiB
//!   over ENet. `--max-connection-memory` and programs that use the library can change these limits.
//! - gdwire refuses text that is not valid UTF-8, and values nested deeper than 1,024 containers.
