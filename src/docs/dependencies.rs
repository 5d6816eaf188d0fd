//! Dependencies: which crates each feature adds, and what for.
//!
//! Features that you do not enable add nothing to your build. A feature also adds the crates of the
//! features that it includes. A test compares this table with `Cargo.toml`.
//!
//! | feature | includes | crates that it adds |
//! |---|---|---|
//! | none | | `bytemuck` (casts packed arrays in place), `itoa` and `zmij` (write numbers), `nom` (the grammar), `thiserror` (errors) |
//! | `default` | `std` | |
//! | `alloc` | | `md-5` (digests of methods) |
//! | `std` | `alloc` | `simdutf8` (checks that text is UTF-8) |
//! | `bytes` | `alloc` | `bytes` (reference-counted bytes) |
//! | `capture` | `json` | `data-encoding` and `sha1` (Community IDs), `etherparse` (packet headers), `hashbrown` (tables of connections), `httparse` (the handshake of WebSocket), `lru` (finds the connection that was silent for the longest time), `miniz_oxide` (compressed messages of WebSocket), `pcap-parser` (blocks of capture files), `regex` (conditions with regular expressions) |
//! | `codec` | `std`, `bytes` | `tokio-util` (the traits of codecs) |
//! | `compression` | `std` | `flate2` and `miniz_oxide` (deflate), `lz4_flex` (blocks of LZ4), `ruzstd` (Zstandard), `twox-hash` (checksums of LZ4) |
//! | `export` | `capture` | `arrow-array`, `arrow-schema` and `arrow-select` (tables in memory), `arrow-ipc` (Arrow streams), `parquet` (Parquet files, compressed with Zstandard), `tempfile` (files that appear when they are complete) |
//! | `glam` | | `glam` (its math types) |
//! | `json` | `std` | `json-event-parser` (reads JSON) |
//! | `mint` | | `mint` (its math types) |
//! | `peer` | `capture`, `compression` | `rusty_enet` (ENet), `rustix` (waits for many sockets on Unix), `rustls` and `rustls-native-certs` (TLS of `wss://`), `socket2` (connects without waiting), `tungstenite` (WebSocket) |
//! | `report` | `capture` | `data-encoding` and `sha2` (hashes of the page's scripts, in its security policy) |
//! | `save` | `compression` | `aes` and `cfb-mode` (encrypted saves), `brotli-decompressor` (Brotli) |
//! | `serde` | | `serde` (your own types) |
//! | `cli` | `capture`, `report`, `save` | `anstream` and `anstyle` (colours), `clap`, `clap_complete` and `clap_mangen` (arguments, completions, manual pages), `crossterm` (keys, and the screen of `top`), `getrandom` (encrypts saves), `indicatif` (the progress bar), `jiff` (times), `memmap2` (large files), `rustix` (pipes, terminals and permissions on Unix), `signal-hook` and, on Windows, `ctrlc` (Ctrl-C), `socket2` (how much may wait in the proxy's socket), `tempfile` (outputs that replace files), `terminal_size` and `unicode-width` (fit lines), and `winapi-util` (tells files apart on Windows) |
//! | `full` | `bytes`, `cli`, `codec`, `export`, `glam`, `mint`, `peer`, `serde` | |
//!
//! All of them are written in Rust, except the Zstandard of `parquet`, and parts of `ring`, with which
//! `rustls` encrypts: only `export` and `peer` need a C compiler.
