//! Transports: which network traffic of the engines gdwire reads, and which it does not.
//!
//! This page is about captures, read with the command or with [`capture::Messages`].
//!
//! # Recording a capture
//!
//! Use Wireshark, dumpcap or tcpdump, for example `tcpdump -i any -s 0 -w game.pcap`.
//!
//! - If the client and the server run on the same machine, their packets travel only over the
//!   loopback interface. tcpdump and Wireshark choose another interface by default, so use `-i lo`
//!   or `-i any`.
//! - `-s 0` records whole packets. With a shorter snapshot length, every cut message is lost.
//! - Start the capture before the game connects. gdwire also reads a capture that begins in the
//!   middle of a connection, but the first messages may be missing, and node paths that were
//!   announced before are unknown.
//! - To see the messages while the game runs, use a pipe, such as
//!   `tcpdump -i any -s 0 -U -w - | gdwire decode -`. `-U` writes each packet at once.
//!
//! Captures are classic pcap and pcapng files, in either byte order. The supported link types are
//! Ethernet (also with VLAN tags), LINUX_SLL and LINUX_SLL2 (the interface `any`), NULL and LOOP
//! (loopback on BSD and macOS), and RAW. The output numbers frames as Wireshark does.
//!
//! Clouds and switches mirror traffic through tunnels: VXLAN (port 4789), GENEVE (port 6081), GRE,
//! ERSPAN, and IP in IP, up to four inside each other. gdwire reads the packets inside of them, and shows
//! the addresses of these packets.
//!
//! # How a connection is classified
//!
//! gdwire looks at the first packets of each connection, never at its ports. It decides which
//! transport they use (plain UDP, TCP, ENet or WebSocket) and which engine sent them. In the
//! command, `--verbose` explains how each flow was classified, and `--transport` overrides the
//! classification:
//!
//! ```sh
//! gdwire decode --verbose corpus/captures/godot4-enet.pcapng
//! ```
//!
//! ```text
//! gdwire: corpus/captures/godot4-enet.pcapng: 127.0.0.1:7777 and 127.0.0.1:7778: enet, 6 of 6 …
//! ```
//!
//! To find the engine, gdwire reads the first values of a connection as each engine would, until
//! only one engine fits, but at most 64 values. It chooses the engine that reads the most of them.
//! If several engines read the same, as with numbers and strings, it uses the engine of the other
//! connections, or else the most common one: Godot 4 before Godot 3 before Pandemonium. [`crate::detect`] lists the rules.
//!
//! # UDP
//!
//! gdwire reads datagrams that are one value, from the first byte to the last, as `PacketPeerUDP`
//! sends them. It reassembles IP fragments. It counts other datagrams as other traffic.
//!
//! Short datagrams of any protocol may be values by chance. So a flow is recognized by its first 8
//! datagrams, or by a longer array, dictionary or text, and only if more than a quarter of its
//! datagrams are values; in recorded games, all are. Otherwise the command counts those that look
//! like values, and `--transport udp` shows them. The same holds over ENet and WebSocket: more than
//! a quarter of the messages have to be readable.
//!
//! Datagrams over plain UDP are not numbered. If one is missing, nothing in the capture shows that.
//!
//! # TCP
//!
//! gdwire reads streams in which the length of each value precedes it, as `StreamPeer.put_var`,
//! `PacketPeerStream` and the remote debugger send them. Segments may be out of order or
//! retransmitted, and the capture may begin in the middle of a stream.
//!
//! - After a gap in the capture, gdwire looks for bytes that resemble the other messages of the
//!   flow, and continues there. Bytes that may also be the rest of a message whose length is missing are
//!   reported as lost.
//! - A message may be up to 16 MiB long.
//!
//! # The remote debugger
//!
//! A game that an editor starts, or that is started with `--remote-debug`, sends its output, errors
//! and measurements to the editor over TCP. gdwire shows each message as a command with its arguments:
//!
//! ```sh
//! gdwire decode --plain --method breakpoint --method debug_enter --limit 2 corpus/captures/godot3-debugger.pcapng
//! ```
//!
//! ```text
//! breakpoint("res://godot3_debugger.gd", 14, true)
//! debug_enter(true, "Breakpoint")
//! ```
//!
//! - A connection is recognized by the first messages of the game: a command that the engines send,
//!   with arguments of the kinds that it has there, such as `set_pid` with an int, or `output`. Other
//!   protocols with arrays or texts stay values.
//! - Games of Godot 3 and Pandemonium send a message in several frames: the command, the number of
//!   arguments, and each argument. Such a message belongs to the packet in which its last frame
//!   ends. Its bytes are those of all its frames and of the lengths between them.
//! - A frame that is no part of a message is shown as a value. So are the frames of a message if
//!   some of its frames are missing, if it is longer than 16 MiB, or if it has more than 1,048,576
//!   arguments.
//! - In Godot 4.2 and newer, a message names a thread of the game. A thread other than the main thread
//!   is shown after the arguments: `debug_exit() in thread 5`.
//!
//! The tests use a recorded session of Godot 3. There is no recording of Godot 4 or Pandemonium
//! yet; for these, gdwire follows the source code of the engines.
//!
//! # ENet
//!
//! gdwire reads messages of all modes (reliable, unreliable, unsequenced), whole or in fragments,
//! plain or compressed with ENet's range coder, zlib, Zstandard or FastLZ.
//!
//! - ENet numbers its messages, so gdwire reports missing messages and fragments. The last unreliable
//!   messages before a reliable one, or at the end, may be missing without a trace.
//! - A missing unreliable message was lost on the network, or ENet did not send it: if a connection
//!   gets slower, ENet drops some unreliable messages before it sends them. This happens even
//!   between programs on one machine. The capture does not show which of the two happened.
//! - In a capture that begins in the middle of a connection, gdwire holds the first messages back
//!   until it knows the order of their channel.
//! - Checksums are skipped, not verified: UDP has its own.
//! - A datagram does not say how it is compressed. gdwire tries all compressions, first that of the
//!   connection's last datagram, until the content is valid commands.
//! - A message may be up to about 32 MiB long.
//!
//! # WebSocket
//!
//! gdwire reads handshakes, masked frames, messages that span several frames, and compressed messages
//! (`permessage-deflate`), which games in a browser and servers other than Godot may agree on.
//!
//! - TLS (`wss://`) is not read.
//! - A compressed message usually refers to earlier messages of its sender. If these are not in the
//!   capture, because it began later or lacks packets, the message cannot be read, and is counted.
//! - After a gap in the capture, gdwire skips bytes until it is certain again where a frame starts.
//!   These bytes may contain whole messages. The number of bytes skipped is reported.
//! - A message may be up to 8 MiB long, before and after decompression.
//!
//! # The high-level multiplayer API
//!
//! Over ENet and WebSocket, gdwire reads remote calls, announcements of node paths, spawned and
//! synchronized nodes, and packets that the server relays from one client to another. It does not
//! read WebRTC and DTLS.
//!
//! The tests use recorded games of Godot 3, Godot 4 and Pandemonium over ENet, and of Godot 3 and
//! Godot 4 over WebSocket. There is no recording of Pandemonium over WebSocket yet; for it, gdwire
//! follows the source code of the engine.
//!
//! # What is reported as lost
//!
//! When a message is lost, the command reports that on standard error, with the frames between which
//! it was sent. It still shows everything else, and ends with exit code 1. The same happens if
//! the capture contains only a part of a message, unless that part is clearly other traffic. In the
//! library, a loss is one of the events that [`capture::Messages`] returns.
//!
//! Games expect that unreliable messages are lost, and a complete capture shows such losses too. So
//! the command counts missing unreliable messages in one line, and they do not change the exit code.
//! `--verbose` reports each with its frame, and `--strict` makes them errors. The same holds for a
//! stream that ends within a message, because a program was closed while it sent, or the recording
//! was stopped, and for reliable messages of ENet that the other end has not acknowledged when the
//! connection or the capture ends: they were not delivered, so the capture does not lack them. A capture
//! may begin with a reliable message of ENet that is sent again. Later messages may have arrived before it,
//! and then the capture does not have them. gdwire cannot tell these from messages that the capture lost.
//! So it counts missing messages in the same way if they are among the 64 after the first one.
//!
//! The lengths on this page are defaults. [`follow::Limits`] changes them.
//!
#![cfg_attr(feature = "capture", doc = "[`capture::Messages`]: crate::capture::Messages")]
#![cfg_attr(not(feature = "capture"), doc = "[`capture::Messages`]: crate#features")]
#![cfg_attr(feature = "capture", doc = "[`follow::Limits`]: crate::follow::Limits")]
#![cfg_attr(not(feature = "capture"), doc = "[`follow::Limits`]: crate#features")]
