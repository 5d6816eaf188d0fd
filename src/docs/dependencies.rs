//! Dependencies: which crates each feature adds, and what for.
//!
//! Features that you do not enable add nothing to your build. A feature also adds the crates of the
//! features that it includes. A test compares this table with `Cargo.toml`.
//!
//! | feature | includes | crates that it adds |
//! |---|---|---|
//! | none | | `bytemuck` (casts packed arrays in place), `itoa` and `zmij` (write numbers), `nom` (the grammar), `thiserror` (errors) |
//! | `default` | `std` | |
//! | `alloc` | | |
//! | `std` | `alloc` | `simdutf8` (checks that text is UTF-8) |
//! | `bytes` | `alloc` | `bytes` (reference-counted bytes) |
//! | `capture` | `net` | `etherparse` (packet headers), `hashbrown` (tables of connections), `lru` (finds the connection that was silent for the longest time), `pcap-parser` (blocks of capture files) |
//! | `codec` | `std`, `bytes` | `tokio-util` (the traits of codecs) |
//! | `compression` | `std` | `flate2` and `miniz_oxide` (deflate), `lz4_flex` (blocks of LZ4), `ruzstd` (Zstandard), `twox-hash` (checksums of LZ4) |
//! | `export` | `capture`, `json` | `arrow-array`, `arrow-schema` and `arrow-select` (tables in memory), `arrow-ipc` (Arrow streams), `parquet` (Parquet files, compressed with Zstandard), `tempfile` (files that appear when they are complete) |
//! | `expression` | `json` | `regex` (conditions with regular expressions) |
//! | `glam` | | `glam` (its math types) |
//! | `json` | `std` | `json-event-parser` (reads JSON) |
//! | `mint` | | `mint` (its math types) |
//! | `net` | `std` | `httparse` (the handshake of WebSocket), `miniz_oxide` (its compressed messages) |
//! | `project` | `alloc` | `md-5` (digests of methods) |
//! | `report` | `capture`, `json` | `data-encoding` (base64), `sha2` (hashes of the page's scripts) |
//! | `save` | `compression` | `aes` and `cfb-mode` (encrypted saves), `brotli-decompressor` (Brotli), `md-5` (keys from passwords, checksums) |
//! | `serde` | | `serde` (your own types) |
//! | `show` | `alloc` | `unicode-width` (columns of text on a terminal) |
//! | `cli` | `capture`, `compression`, `expression`, `json`, `project`, `report`, `save`, `show` | `anstream` and `anstyle` (colours), `clap`, `clap_complete` and `clap_mangen` (arguments, completions, manual pages), `data-encoding` (hex and base64), `getrandom` (encrypts saves), `indicatif` (the progress bar), `jiff` (times), `memmap2` (large files), `regex` (`--grep`), `rustix` (pipes, terminals and permissions on Unix), `signal-hook` (Ctrl-C), `tempfile` (outputs that replace files), `terminal_size` (fits lines) |
//! | `full` | `bytes`, `cli`, `codec`, `export`, `glam`, `mint`, `serde` | |
//!
//! All of them are written in Rust, except the Zstandard of `parquet`: only `export` needs a C compiler.
