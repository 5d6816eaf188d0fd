//! The findings of `gdwire diagnose` and [`Diagnosis`], and their usual causes.
//!
//! ```sh
//! gdwire diagnose corpus/captures/godot4-game-enet-lossy-client-side.pcapng
//! ```
//!
//! ```text
//! corpus/captures/godot4-game-enet-lossy-client-side.pcapng: 1 connection, 665 messages, 19 missing, 3 warnings, 3 notes
//!
//!   source           destination      transport  packets  messages  reliable  resent  missing  overtaken  RTT min   median      95%      max
//!   127.0.0.1:7790   127.0.0.1:53352  enet           640       493       256      48       19         14   0.2 ms  10.0 ms  15.6 ms  27.9 ms
//!   127.0.0.1:53352  127.0.0.1:7790   enet           419       172       145      25        0          0  34.7 ms  67.6 ms  88.1 ms  92.5 ms
//!
//! warning: 73 resends of 401 reliable commands or segments (18.2%) (frames 1 to 1060) [resent]
//!   The network lost packets or acknowledgements, or they were late. Everything after them in the channel or stream waits.
//!
//! warning: 19 unreliable messages never arrived (frames 32 to 1016) [unreliable_missing]
//!   The network lost packets, or ENet's throttle dropped messages at the sender. Games that use unreliable modes have to expect that.
//!
//! warning: 14 of 493 messages or segments were overtaken (2.8%) (frames 1 to 1060) [out_of_order]
//!   Packets take several routes through the network. In the mode unreliable_ordered, the receiver discards messages that were overtaken.
//!
//! info: 295 of 430 sync states of hero10 (spawned by Main/World/Spawner) and hero30 (spawned by Main/World/Spawner) repeat the state before (69%) (frames 13 to 1060) [unchanged_state]
//! info: 148 of 216 sync states of mob20 (spawned by Main/World/Spawner) repeat the state before (69%) (frames 21 to 1060) [unchanged_state]
//!   The replication mode of the properties is Always. With On Change they are sent only when they change.
//!
//! info: 1 connection was closed by one end (frame 1060) [disconnected]
//!   The game called close() or disconnect_peer(), or refused the connection.
//! ```
//!
//! The first line says how many messages are missing. The table has a row for each end of each
//! connection:
//!
//! | column | meaning |
//! |---|---|
//! | reliable | ENet commands, or TCP segments, that had to be acknowledged |
//! | resent | the ENet commands, or TCP segments, that were sent again |
//! | missing | unreliable messages that never arrived, reliable messages that the capture lacks or that were not delivered, and gaps in streams |
//! | overtaken | messages or segments that arrived after later ones |
//! | RTT | the time from the capture point to the other end and back, including the time that the other end takes to answer |
//!
//! Over plain UDP, nothing in a capture shows whether a message is missing.
//!
//! # Findings
//!
//! Each finding has a severity. An `error` means that the game cannot work as intended; then the
//! exit code is 1. A `warning` means that something was lost, late or wasted, or looks wrong. A
//! game that works well can have findings of severity `info`.
//!
//! | kind | severity | found | usual cause |
//! |---|---|---|---|
//! | `unknown_node` | error; warning for what a server of Godot 3 passes on from another client; info if the start of the connection or other messages are not in the capture | A call or state refers to a node by an id that its sender never announced. | If the capture began in the middle of the game or lacks packets, it lacks the announcement: a sender announces each node once, and again to a client that joins again. If it is complete, the receiver ignores the packet. In Godot 3, a client that has just joined gets what other clients send to all before they have announced the node to it. Godot 4 sends the states of a node also if it could not send its spawn, because one of the properties to spawn does not exist ('Unable to retrieve spawn state'). Otherwise, the packet is forged. |
//! | `methods_differ` | error | A receiver has confirmed a node's path, but the node has other methods there than at the sender. | The two ends run different versions of the script. Calls by number reach other methods, or none. |
//! | `engines_differ` | error | The two ends run versions of the engine that do not fit each other. | The versions write packets in different ways: Godot 4.3 changed how paths are confirmed. The receiver refuses such packets, for example with 'Size too small'. Export the client and the server with the same version. |
//! | `method_out_of_range` | error; only with `--project` or `--methods` | A method is called whose number is out of range: in the names that the user gave, the node has fewer methods. | The project folder or the list of methods is of another version of the game than the sender's, or the call is forged. |
//! | `refused_call` | warning; only with `--project` | A client calls a method that only the authority of the node may call. | The method is declared without any_peer, and no script makes a client the authority of the node with set_multiplayer_authority(). The receiver refuses the call and reports an error, unless it runs another project in which the method has any_peer. |
//! | `other_version` | warning; only with `--project` or `--methods` | Packets contradict the names that the user gave: the methods of a node differ, or the properties of a scene, or no scene has such a node. | The project folder or the list of methods is of another version of the game than the one that was captured. |
//! | `foreign_state` | error; info if the start of the connection or other messages are not in the capture | A peer has sent states of a node that another peer has spawned. | A peer sends states without the authority over the node. The receiver ignores them. |
//! | `call_before_spawn` | warning | A node was called before its spawn arrived. | The call used another channel or an unreliable mode and overtook the spawn, or it was made in the same frame before the node was added. The receiver reports that the node was not found. |
//! | `call_after_despawn` | warning | A node was called after it was despawned. | The caller had not heard of the despawn yet, or kept a reference to the node. The receiver reports that the node was not found. |
//! | `unconfirmed_node` | info | A receiver of Godot 4 has never confirmed the path of a node that was announced to it, although it has confirmed later ones or still sends 10 seconds later. | The receiver had no such node when the announcement came: it had not loaded the scene yet, or the node has another name or place there. It reports that the node was not found. Later calls contain the whole path, and a MultiplayerSynchronizer sends no states to it. Send to a peer only after it has said that it is ready, and give nodes that scripts add the same names at all peers. |
//! | `large_state` | info from four fifths of the limit, warning above it | A state is larger than the engine sends by default, or nearly as large. | A synchronizer has too many properties or large ones. The engine does not send sync states above max_sync_packet_size (1,350 bytes) and delta states above max_delta_packet_size (65,535 bytes), and reports an error at the sender. |
//! | `unchanged_state` | info, from 20 repeated states and more than half of all | A sync state was sent many times without changing. | The replication mode of the properties is Always. With On Change they are sent only when they change. |
//! | `flood` | warning, from 500 calls and more than half of the bytes of all messages | One method makes up most of the traffic. | Often, such a method is called every frame. Call it less often, or send only what changed. In Godot 4, a MultiplayerSynchronizer can do that. |
//! | `object_argument` | warning | An argument contains an object with its class and properties. | The game encodes full objects. A receiver that allows them can be made to run code by anybody who can send to it. |
//! | `unreadable_payload` | warning | A message is neither a value nor a packet of the multiplayer API. | The game also sends bytes of its own with put_packet, a peer runs another version of the engine, or the packet was damaged. |
//! | `not_finite` | warning | A vector, rectangle, transform or another math value contains NaN or an infinity. | A division by zero, or a vector of length zero that was normalized. The value spreads through physics and rendering of all peers. |
//! | `wrong_element_type` | warning | A typed array or dictionary contains a value of another type. | The sender is not the engine, or has damaged the value. The engine refuses such a value. |
//! | `slow_round_trips` | warning, if 5% take more than 200 ms | Round trips take long. | A long route, a slow or congested connection, or an end that reads the network late, for example because of a low frame rate. |
//! | `resent` | info; warning from 10 and 2% | Reliable messages or segments were sent again. | The network lost packets or acknowledgements, or they were late. Everything after them in the channel or stream waits. |
//! | `unreliable_missing` | info; warning from 10 and 2% | Unreliable messages were sent, but never seen. | The network lost packets, or ENet's throttle dropped messages at the sender. Games that use unreliable modes have to expect that. |
//! | `reliable_missing` | warning | Reliable messages, or bytes of a stream, are not in the capture. | The capture lost packets, which the ends received. Use a larger capture buffer, or a capture filter. |
//! | `not_delivered` | warning | Reliable messages were not acknowledged before the connection or the capture ended. | The network lost them, and the connection or the capture ended before they were sent again. A game that closes a connection right after its last calls may lose these. |
//! | `unfinished_message` | info | A stream, or the capture, ended within a message. | The recording was stopped or the program was closed while it sent. The message is not decoded. |
//! | `out_of_order` | info; warning from 10 and 2% | Messages or segments arrived after later ones. | Packets take several routes through the network. In the mode unreliable_ordered, the receiver discards messages that were overtaken. |
//! | `throttle_changed` | info | An end has changed ENet's bandwidth, or how ENet throttles unreliable messages. | The game set a bandwidth limit or called throttle_configure(). With a limit, ENet drops unreliable messages at the sender. |
//! | `large_datagrams` | warning, above 1,400 bytes | UDP datagrams are larger than networks usually pass on without splitting them. | Large values sent over PacketPeerUDP, or a changed MTU. The network splits such datagrams, and loses all of a datagram with any of its parts. |
//! | `timed_out` | warning | An end stopped answering. | The program crashed or was closed without disconnecting, or the network was interrupted. |
//! | `disconnected` | info | An end has closed the connection. | The game called close() or disconnect_peer(), or refused the connection. |
//! | `compressed` | warning | Compressed messages over WebSocket cannot be decompressed. | The capture began after the connection, or lacks packets: compressed messages refer to earlier ones. Start the capture before the game connects. |
//! | `captured_in_part` | warning | Packets were captured only in part. Losses that follow from this are not other findings. | The capture has a length limit. Record whole packets, for example with tcpdump -s 0. |
//! | `limit_reached` | warning | A limit was reached, and something was not read or not counted. | There is more traffic than the limits allow. The limits can be raised. |
//!
//! Names of nodes come from announced paths. With `--project`, the paths of spawned nodes are
//! known. Without it, they are not, because packets do not say where a spawner adds its nodes:
//! gdwire assumes that a call belongs to a spawned node if the path ends with the node's name and
//! starts with the path of the spawner's parent. gdwire does not compare calls of the children of
//! spawned nodes with spawns, nor packets that the server relays between clients with
//! announcements or confirmations.
//!
//! # JSON
//!
//! `--format json` prints one object per file:
//!
//! | field | content |
//! |---|---|
//! | `file` | the name of the file |
//! | `connections` | for each connection its `community_id`, its `transport` and two `directions` |
//! | `directions` | `src`, `dst`, `engine` (the versions of Godot 4 that fit what this end has sent, such as `Godot 4.3 to 4.6.2`; null if nothing excludes a version), `packets`, `messages`, `reliable`, `resent`, `missing_unreliable`, `missing_reliable`, `out_of_order`, `rtt_ms`: null, or `min`, `p50`, `p95` and `max` in milliseconds, and `rtt_over_time`: objects with `from` (a time), `count`, `min_ms`, `mean_ms` and `max_ms` |
//! | `further_connections` | how many connections are not listed, because there are more than 65,536 |
//! | `findings` | `kind`, `severity`, `count`, `first_frame`, `last_frame`, `path` (null if it is not about a node), `nodes` (all nodes that it is about), `method` (a name, a number or null) and `text` |
//!
//! Nodes that are alike have one finding: those of one scene, and those whose names differ only in
//! numbers and that send values of the same types. `path` is then that of the first one.
//!
//! If the path of a finding's node is not in the capture, `path` is null, and `node` describes the
//! node otherwise, such as `hero10 (spawned by Main/World/Spawner)`.
//!
#![cfg_attr(feature = "capture", doc = "[`Diagnosis`]: crate::diagnose::Diagnosis")]
#![cfg_attr(not(feature = "capture"), doc = "[`Diagnosis`]: crate#features")]
