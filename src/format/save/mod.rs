//! Compressed and encrypted save files.
//!
//! Games write them with `FileAccess.open_compressed`, `open_encrypted_with_pass` and
//! `open_encrypted` (in Godot 3, with `File`). [`unpack`] gives the bytes that the game wrote into
//! the file; for values that it wrote with `store_var`, these are framed values.
//!
//! ```
//! use gdwire::Dialect;
//! use gdwire::save::{Encryption, Key, PackOptions, UnpackOptions, pack, unpack};
//! use gdwire::stream::encode_frame;
//!
//! // As store_var writes values: each after its length, which get_var reads.
//! let mut frames = Vec::new();
//! encode_frame(Dialect::GODOT_4, &gdwire::variant!({"hp": 87}), &mut frames)?;
//! encode_frame(Dialect::GODOT_4, "level 3", &mut frames)?;
//! let key = Key::from_password("correct horse");
//! // Takes 16 random bytes from a crate such as getrandom.
//! # let random = || [7; 16];
//! let encryption = Encryption::of(Dialect::GODOT_4, random());
//! let file = pack(&frames, PackOptions::new().with_encryption(&key, encryption))?;
//!
//! let options = UnpackOptions::new().with_key(&key).with_max_len(1 << 20);
//! assert_eq!(unpack(&file, options)?, frames);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`read`] and [`write()`] do the same with files and other streams.
//!
//! # Memory
//!
//! Nothing in a file decides how much memory is used. If the header says that the content is longer
//! than [`UnpackOptions::with_max_len`], that is an error before anything is decompressed; and a block
//! that decompresses to more than the header says is an error at that point. So at most the content,
//! that of one container inside the other, and the file itself are in memory.
//!
//! # One container inside the other
//!
//! No function of the engines writes a file that is both compressed and encrypted, but games make
//! them: they read one file as bytes and write these into another. [`unpack`] reads both orders.
//! [`pack`] compresses first, as encrypted bytes do not compress. The game then decrypts the file,
//! writes what it gets to another file, and opens that with `open_compressed`.

mod bytes;
mod compressed;
mod compression;
mod container;
mod encrypted;
mod error;
mod key;
mod options;
mod pack;
mod unpack;

pub use compression::Compression;
pub use container::Container;
pub use encrypted::Encryption;
pub use error::{Error, Problem};
pub use key::Key;
pub use options::{PackOptions, UnpackOptions};
pub use pack::{compress, encrypt, pack, write};
pub use unpack::{read, unpack};
