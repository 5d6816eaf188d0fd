//! Recipes: short programs for common tasks.
//!
//! The [front page](crate) shows how to read and write a single packet. Whole programs are in
//! `tests/examples/`: a UDP server and a TCP server for games, a UDP proxy that changes one field,
//! a receiver that prints typed fields, a recorder of what games send, and a summary of a capture.
//!
//! # Read datagrams
//!
#![cfg_attr(feature = "std", doc = "```")]
#![cfg_attr(not(feature = "std"), doc = "```ignore")]
//! use gdwire::{Dialect, parse};
//! use std::net::UdpSocket;
//!
//! fn serve(socket: &UdpSocket) -> Result<(), Box<dyn std::error::Error>> {
//!     let mut packet = [0; 65536];
//!     loop {
//!         let (length, from) = socket.recv_from(&mut packet)?;
//!         match parse(Dialect::GODOT_3, &packet[..length]) {
//!             Ok(state) => println!("{from} is at {:?}", state.get("position")),
//!             Err(error) => eprintln!("{from}: {error}"),
//!         }
//!     }
//! }
//! ```
//!
//! # Read a stream
//!
//! On a TCP connection, and in a file that `store_var` wrote, each value follows its length.
//!
#![cfg_attr(feature = "std", doc = "```")]
#![cfg_attr(not(feature = "std"), doc = "```ignore")]
//! use gdwire::{Dialect, parse, stream::FrameReader};
//! use std::net::TcpStream;
//!
//! fn listen(stream: TcpStream) -> Result<(), Box<dyn std::error::Error>> {
//!     let mut frames = FrameReader::new(stream);
//!     while let Some(frame) = frames.next_frame()? {
//!         println!("{:?}", parse(Dialect::GODOT_3, frame)?);
//!     }
//!     Ok(())
//! }
//! ```
//!
//! # Change one value of a packet
//!
//! A proxy can change one value and pass everything else on, byte for byte and without allocating
//! memory.
//!
//! ```
//! use gdwire::encode::{PatchError, patch};
//! use gdwire::VariantRef;
//!
//! /// Writes the packet with other health points to the buffer, and returns the new length.
//! fn heal(state: VariantRef<'_>, buffer: &mut [u8]) -> Result<usize, PatchError> {
//!     patch(state, "/player/hp", &100, buffer)
//! }
//! ```
//!
//! # Use tokio
//!
//! With the feature `codec`:
//!
#![cfg_attr(feature = "codec", doc = "```")]
#![cfg_attr(not(feature = "codec"), doc = "```ignore")]
//! use futures_util::{SinkExt, StreamExt};
//! use gdwire::{Dialect, codec::{CodecError, ValueCodec}, variant};
//! use tokio::net::TcpStream;
//! use tokio_util::codec::Framed;
//!
//! async fn greet(stream: TcpStream) -> Result<(), CodecError> {
//!     let mut values = Framed::new(stream, ValueCodec::new(Dialect::GODOT_3));
//!     while let Some(value) = values.next().await {
//!         println!("{:?}", value?.view());
//!         values.send(variant!({ "hello": "you" })).await?;
//!     }
//!     Ok(())
//! }
//! ```
//!
//! # Send a value to other threads
//!
//! A view borrows its packet. With the feature `bytes`, `VariantBytes` keeps a value together with
//! its bytes. A clone shares the bytes. The codec above returns such values.
//!
#![cfg_attr(feature = "bytes", doc = "```")]
#![cfg_attr(not(feature = "bytes"), doc = "```ignore")]
//! use gdwire::{Dialect, Error, VariantBytes};
//! use std::sync::mpsc::Sender;
//!
//! fn pass_on(packet: Vec<u8>, workers: &[Sender<VariantBytes>]) -> Result<(), Error> {
//!     let value = VariantBytes::parse(Dialect::GODOT_3, packet.into())?;
//!     for worker in workers {
//!         let _ = worker.send(value.clone()); // the same bytes
//!     }
//!     Ok(())
//! }
//! ```
//!
//! # Use the math types of other crates
//!
//! With the features `glam` and `mint`, values convert from and to the types of glam, and of
//! cgmath, nalgebra and others:
//!
#![cfg_attr(all(feature = "glam", feature = "mint"), doc = "```")]
#![cfg_attr(not(all(feature = "glam", feature = "mint")), doc = "```ignore")]
//! use gdwire::VariantRef;
//!
//! fn position(state: VariantRef<'_>) -> Option<glam::Vec3> {
//!     Some(state.get("position")?.as_vector3()?.into())
//! }
//!
//! fn velocity(state: VariantRef<'_>) -> Option<cgmath::Vector3<f64>> {
//!     let velocity: mint::Vector3<f64> = state.get("velocity")?.as_vector3()?.into();
//!     Some(velocity.into())
//! }
//! ```
//!
//! # Read a capture
//!
//! With the feature `capture`, you can read all messages of a capture file, over any transport:
//!
#![cfg_attr(feature = "capture", doc = "```")]
#![cfg_attr(not(feature = "capture"), doc = "```ignore")]
//! use gdwire::capture::Messages;
//! use gdwire::follow::{Content, Event};
//! use gdwire::packet::Error;
//!
//! fn listen(file: &[u8]) -> Result<(), Error> {
//!     let mut messages = Messages::new(file)?;
//!     while let Some(event) = messages.next_event() {
//!         if let Event::Message(message) = event
//!             && let Content::Value(value) = message.content
//!         {
//!             println!("{} says {value:?}", message.origin.src());
//!         }
//!     }
//!     Ok(())
//! }
//! ```
//!
//! With the feature `compression`, a `compression::Decompressor` reads captures that may be compressed
//! with gzip, Zstandard or LZ4:
//!
#![cfg_attr(all(feature = "capture", feature = "compression"), doc = "```")]
#![cfg_attr(not(all(feature = "capture", feature = "compression")), doc = "```ignore")]
//! use gdwire::capture::{PacketReader, ReadError};
//! use gdwire::compression::Decompressor;
//! use std::fs::File;
//!
//! fn count(path: &str) -> Result<u64, ReadError> {
//!     let mut packets = PacketReader::new(Decompressor::new(File::open(path)?));
//!     let mut count = 0;
//!     while packets.next_packet()?.is_some() {
//!         count += 1;
//!     }
//!     Ok(count)
//! }
//! # assert_eq!(count(concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/captures/godot4-udp.pcapng"))?, 72);
//! # Ok::<(), ReadError>(())
//! ```
//!
//! # Follow packets as they arrive
//!
//! With the feature `capture`, a `follow::Follower` takes packets one by one, from libpcap
//! or from a socket, and returns the messages in them. A recorder or a proxy can use it:
//!
#![cfg_attr(feature = "capture", doc = "```")]
#![cfg_attr(not(feature = "capture"), doc = "```ignore")]
//! use gdwire::follow::{Content, Event, Follower};
//! use gdwire::packet::{LinkType, CapturedPacket};
//!
//! fn watch(follower: &mut Follower<'_>, frame: &[u8]) {
//!     let packet = CapturedPacket::new(LinkType::ETHERNET, frame);
//!     follower.packet(&packet).for_each(|event| {
//!         if let Event::Message(message) = event
//!             && let Content::Value(value) = message.content
//!         {
//!             println!("{} says {value:?}", message.origin.src());
//!         }
//!     });
//! }
//! ```
//!
//! # Read an encrypted save and write it for another engine
//!
#![cfg_attr(feature = "save", doc = "```")]
#![cfg_attr(not(feature = "save"), doc = "```ignore")]
//! use gdwire::convert::{OnLoss, convert};
//! use gdwire::save::{self, Compression, Encryption, EncryptionKey, PackOptions, UnpackOptions};
//! use gdwire::stream::{FrameReader, write_frame};
//! use gdwire::{Dialect, parse};
//! use std::fs::File;
//!
//! fn upgrade(password: &str, vector: [u8; 16]) -> Result<(), Box<dyn std::error::Error>> {
//!     let key = EncryptionKey::from_password(password);
//!     let options = UnpackOptions::new().with_key(&key).with_max_len(16 << 20);
//!     let content = save::read(File::open("game3.sav")?, options)?;
//!     let mut converted = Vec::new();
//!     let mut frames = FrameReader::new(&content[..]);
//!     while let Some(frame) = frames.next_frame()? {
//!         let value = parse(Dialect::GODOT_3, frame)?;
//!         let value = convert(value, Dialect::GODOT_4, OnLoss::Refuse)?;
//!         write_frame(&mut converted, &value.bytes)?;
//!     }
//!     // The vector is random: getrandom::fill(&mut vector)?
//!     let encryption = Encryption::of(Dialect::GODOT_4, vector);
//!     let options = PackOptions::new().with_encryption(&key, encryption);
//!     save::write(File::create("game4.sav")?, &converted, options)?;
//!
//!     // Without a password:
//!     let options = PackOptions::new().with_compression(Compression::Zstandard);
//!     save::write(File::create("game4.compressed")?, &converted, options)?;
//!     Ok(())
//! }
//! ```
//!
//! # Watch a remote debugger
//!
//! A game that runs with `--remote-debug` sends what it prints to the editor. With the feature
//! `capture`, you can read that from a capture; [`debugger`](crate::debugger) lists the forms of the
//! messages:
//!
#![cfg_attr(feature = "capture", doc = "```")]
#![cfg_attr(not(feature = "capture"), doc = "```ignore")]
//! use gdwire::capture::Messages;
//! use gdwire::follow::{Content, Event};
//! use gdwire::packet::Error;
//!
//! fn watch(file: &[u8]) -> Result<(), Error> {
//!     let mut messages = Messages::new(file)?;
//!     while let Some(event) = messages.next_event() {
//!         if let Event::Message(message) = event
//!             && let Content::Debugger(command) = message.content
//!             && ["output", "error"].contains(&command.name)
//!         {
//!             println!("{} says {command}", message.origin.src());
//!         }
//!     }
//!     Ok(())
//! }
//! # let file = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/captures/godot3-debugger.pcapng")).unwrap();
//! # watch(&file)?;
//! # Ok::<(), Error>(())
//! ```
//!
//! The command does the same while the game runs: `tcpdump -i lo -s 0 -U -w - port 6007 | gdwire
//! decode --method output -`.
//!
//! # Run without an operating system
//!
//! Without features, the crate needs neither an allocator nor the standard library:
//!
//! ```
//! use gdwire::{Dialect, Error, parse, stream::{Split, split_frame}};
//!
//! /// Reads the first frame of the bytes that a serial line has received. Returns how many bytes the
//! /// frame takes.
//! fn steer(received: &[u8], motor: &mut f64) -> Result<usize, Error> {
//!     let Split::Frame { frame, rest } = split_frame(received, 512)? else { return Ok(0) };
//!     let value = parse(Dialect::GODOT_3, frame)?;
//!     if let Some(speed) = value.get("speed").and_then(|speed| speed.as_f64()) {
//!         *motor = speed;
//!     }
//!     Ok(received.len() - rest.len())
//! }
//! ```
