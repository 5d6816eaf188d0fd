//! Write a server: a program in Rust that games connect to, without an engine.
//!
//! A [`Session`](crate::multiplayer::session) is one peer of the high-level multiplayer API: it admits
//! clients, calls their methods and takes their calls, spawns nodes and synchronizes properties. A
//! [peer](crate::peer) joins it to sockets. Games of Godot 3, Godot 4 and Pandemonium connect over ENet
//! or WebSocket, and games in browsers over WebSocket; they notice no difference. Bots and bridges are
//! clients, which are written in the same way.
//!
//! Add the crate with the feature `peer`. The examples `game_server`, `game_bot` and `bridge` in
//! `tests/examples/` are whole programs.
//!
//! # The names of the game
//!
//! Godot 4 calls methods by numbers, which depend on all remote methods of a node. So a server needs the
//! game's [`Names`](crate::multiplayer::Names), from its project:
//!
#![cfg_attr(feature = "std", doc = "```no_run")]
#![cfg_attr(not(feature = "std"), doc = "```ignore")]
//! use gdwire::multiplayer::Names;
//! use gdwire::project::Project;
//! use std::sync::Arc;
//!
//! let names = Arc::new(Names::new().with_project(Project::open("mygame")?));
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! … or from a list by hand, with one line for each kind of node:
//!
#![cfg_attr(feature = "std", doc = "```")]
#![cfg_attr(not(feature = "std"), doc = "```ignore")]
//! use gdwire::multiplayer::{Methods, Names};
//! use std::sync::Arc;
//!
//! let methods = Methods::parse("
//!     Main/World:     move, said, say
//!     Main/Players/*: jump
//! ")?;
//! let names = Arc::new(Names::from(methods));
//! # Ok::<(), gdwire::multiplayer::MethodsError>(())
//! ```
//!
//! List every method with `@rpc`, also those that you do not use: if one is missing, the numbers of the
//! others are wrong, and both ends report it ([`Mismatch`]). Write a plus sign before methods that a script
//! makes remote with `rpc_config()`: `Main/Chat: say, +wave`. With both a project and a list, a line of the
//! list replaces the methods that the project has for the node. Godot 3 and Pandemonium call by name and
//! need no names.
//!
//! # The loop
//!
#![cfg_attr(feature = "peer", doc = "```no_run")]
#![cfg_attr(not(feature = "peer"), doc = "```ignore")]
//! use gdwire::Dialect;
//! use gdwire::multiplayer::session::{SessionEvent, SessionOptions};
//! use gdwire::peer::{EnetOptions, EnetPeer};
//! use std::{thread::sleep, time::Duration};
//!
//! # let names = std::sync::Arc::new(gdwire::multiplayer::Names::new());
//! let session = SessionOptions::server(Dialect::GODOT_4).with_names(names);
//! let options = EnetOptions::default().with_clients(100);
//! let mut peer = EnetPeer::listen("0.0.0.0:7777".parse()?, session, options)?;
//! loop {
//!     while let Some(event) = peer.poll()? {
//!         match event {
//!             SessionEvent::PeerConnected { peer: id } => println!("{id} has joined: {:?}", peer.peer_address(id)),
//!             SessionEvent::PeerDisconnected { peer } => println!("{peer} has left"),
//!             SessionEvent::Call(call) => println!("{}: {}", call.path, call.arguments()),
//!             SessionEvent::Refused { from, reason } => eprintln!("{from}: {reason}"),
//!             _ => {}
//!         }
//!     }
//!     // What the game does in a frame.
//!     sleep(Duration::from_millis(16));
//! }
//! # #[allow(unreachable_code)] Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! `poll` receives once between two times when it returns nothing, so that a client that sends without a
//! pause does not hold the loop.
//!
//! For browsers, take a [`WebSocketPeer`](crate::peer::WebSocketPeer) in its place; a
//! [`GamePeer`](crate::peer::GamePeer) is either. `wss://` needs a
//! program with your certificate before the server, such as nginx or Caddy. If the game compresses
//! (`host.compress()`; Godot 3.4 and newer do so by default, with the range coder), say so with
//! [`EnetOptions::with_compression`](crate::peer::EnetOptions::with_compression): otherwise clients cannot
//! connect.
//!
//! # Calls
//!
//! The rest of this page runs without sockets: the packets of a server go to a client in the same
//! program. So you can test the logic of your server, too.
//!
#![cfg_attr(feature = "std", doc = "```")]
#![cfg_attr(not(feature = "std"), doc = "```ignore")]
//! use gdwire::Dialect;
//! use gdwire::math::Vector2;
//! use gdwire::multiplayer::session::{Session, SessionEvent, SessionOptions};
//! use gdwire::multiplayer::{Methods, Names, PeerId};
//! use std::sync::Arc;
//!
//! /// Delivers all packets between a server and a client.
//! fn deliver(server: &mut Session, client: &mut Session) {
//!     loop {
//!         if let Some(sent) = server.poll_transmit() {
//!             client.receive(PeerId::SERVER, &sent.bytes, sent.mode, sent.channel);
//!         } else if let Some(sent) = client.poll_transmit() {
//!             server.receive(client.id(), &sent.bytes, sent.mode, sent.channel);
//!         } else {
//!             return;
//!         }
//!     }
//! }
//!
//! let names = Arc::new(Names::from(Methods::parse("Main/World: move, said, say")?));
//! let id = PeerId::new(7);
//! let mut server = Session::new(SessionOptions::server(Dialect::GODOT_4).with_names(names.clone()));
//! let mut client = Session::new(SessionOptions::client(Dialect::GODOT_4, id).with_names(names));
//! server.connected(id)?;
//! client.connected(PeerId::SERVER)?;
//!
//! client.call(PeerId::SERVER, "Main/World", "move", (Vector2::new(1.0_f32, 0.0), true))?;
//! deliver(&mut server, &mut client);
//! let mut answers = 0;
//! while let Some(event) = server.poll_event() {
//!     let SessionEvent::Call(call) = event else { continue };
//!     assert_eq!((&*call.path, call.method.as_deref()), ("Main/World", Some("move")));
//!     // The arguments as types of your own; an error says which one has another type.
//!     # #[cfg(feature = "serde")] {
//!     let (by, is_running): (Vector2<f32>, bool) = call.arguments().to()?;
//!     assert!(by.x == 1.0 && is_running);
//!     # }
//!     // To one peer, to all (`PeerId::EVERYONE`), or to all but one (its negative id).
//!     server.call(call.from(), "Main/World", "said", (1, "you moved"))?;
//!     answers += 1;
//! }
//! deliver(&mut server, &mut client);
//! assert_eq!(answers, 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A client decides what it sends: check who may call what, and clamp numbers, as `game_server` does.
//! Nothing limits how often it calls: if calls cost your server much, count them. A call that the engine
//! would refuse is not reported as a call, but as [`Refused`] with the reason. Not every refused packet is a
//! mistake of its sender: a client may send something to another one that has just left.
//! `call.arguments().to()` needs the feature `serde`; without it, take them one by one with `iter()`.
//!
//! # Nodes and properties
//!
//! With a project, a server spawns a scene by its path, and the session knows its number, its
//! synchronizers and their intervals. Clients that come later get all nodes that are there.
//!
#![cfg_attr(feature = "std", doc = "```")]
#![cfg_attr(not(feature = "std"), doc = "```ignore")]
//! use gdwire::Dialect;
//! use gdwire::math::Vector2;
//! use gdwire::multiplayer::session::{Session, SessionEvent, SessionOptions};
//! use gdwire::multiplayer::{Names, PeerId};
//! use gdwire::project::Project;
//! use std::{sync::Arc, time::Duration};
//!
//! // In a server: Project::open("mygame")?
//! let project = Project::from_files([
//!     ("project.godot", "[application]\nrun/main_scene=\"res://main.tscn\"\n"),
//!     ("main.tscn", r#"[gd_scene format=3]
//! [node name="Main" type="Node"]
//! [node name="Players" type="Node" parent="."]
//! [node name="Spawner" type="MultiplayerSpawner" parent="."]
//! spawn_path = NodePath("../Players")
//! _spawnable_scenes = PackedStringArray("res://player.tscn")
//! "#),
//!     ("player.tscn", r#"[gd_scene format=3]
//! [sub_resource type="SceneReplicationConfig" id="1"]
//! properties/0/path = NodePath(".:position")
//! properties/0/spawn = true
//! properties/0/replication_mode = 1
//! [node name="Player" type="Node2D"]
//! [node name="Sync" type="MultiplayerSynchronizer" parent="."]
//! replication_config = SubResource("1")
//! "#),
//! ]);
//! let names = Arc::new(Names::new().with_project(project));
//! let id = PeerId::new(7);
//! let mut server = Session::new(SessionOptions::server(Dialect::GODOT_4).with_names(names.clone()));
//! let mut client = Session::new(SessionOptions::client(Dialect::GODOT_4, id).with_names(names));
//! server.connected(id)?;
//! client.connected(PeerId::SERVER)?;
//!
//! let start = Vector2::new(0.0_f32, 0.0);
//! let values = [("position", start.into())];
//! let player = server.spawn_scene("Main/Spawner", "res://player.tscn", "7", &values)?;
//! assert_eq!(player.path.as_deref(), Some("Main/Players/7"));
//! server.set_property(player.synchronizers[0], "position", &Vector2::new(3.0_f32, 4.0))?;
//! // Sends what is due. A peer does this in `poll`.
//! server.handle_time(Duration::from_millis(16));
//!
//! while let Some(sent) = server.poll_transmit() {
//!     client.receive(PeerId::SERVER, &sent.bytes, sent.mode, sent.channel);
//! }
//! let mut seen = Vec::new();
//! while let Some(event) = client.poll_event() {
//!     let context = client.context(PeerId::SERVER);
//!     match &event {
//!         SessionEvent::Spawned(spawned) => seen.extend(spawned.path.clone()),
//!         SessionEvent::States(states) => {
//!             for state in states.states() {
//!                 let properties = state.properties(context).into_iter().flatten();
//!                 seen.extend(properties.map(|(name, _)| name.to_owned()));
//!             }
//!         }
//!         _ => {}
//!     }
//! }
//! assert_eq!(seen, ["Main/Players/7", "position"]);
//! server.despawn(player.net_id)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Give every property of a spawn a value: the session does not know what a scene sets, and sends null for
//! the others. The same holds for a synchronizer that is in the main scene or in a level, which
//! [`add_scene_synchronizer`](crate::multiplayer::session::Session::add_scene_synchronizer) adds: set all
//! its properties at once. When a level is despawned, so are the nodes that were spawned in it.
//!
//! Without a project, and for nodes that a `spawn_function` makes, say by hand which synchronizers a node has:
//! [`NewNode`](crate::multiplayer::session::NewNode) and
//! [`SyncConfig`](crate::multiplayer::session::SyncConfig).
//!
//! In many games, each client is the authority of its own player, or of the input below it
//! (`set_multiplayer_authority(name.to_int())`). Say so **before** the node is spawned, because the spawn
//! contains only the synchronizers of the server:
//!
#![cfg_attr(feature = "std", doc = "```")]
#![cfg_attr(not(feature = "std"), doc = "```ignore")]
//! # use gdwire::Dialect;
//! # use gdwire::multiplayer::PeerId;
//! # use gdwire::multiplayer::session::{Session, SessionOptions};
//! # let mut server = Session::new(SessionOptions::server(Dialect::GODOT_4));
//! let id = PeerId::new(7);
//! server.set_authority("Main/Players/7/Input", id);
//! // server.spawn_scene(…)
//! # assert_eq!(server.authority("Main/Players/7/Input"), id);
//! ```
//!
//! The states that the client then sends arrive as [`States`]. For each of them,
//! `context.synchronizer_path(state.synchronizer)` returns the path of the synchronizer that sent it. The
//! server refuses states of the node that other clients send.
//!
//! # Who may join
//!
//! - [`with_authentication`](crate::multiplayer::session::SessionOptions::with_authentication): as with
//!   `auth_callback` in the engine, clients send you data first, such as a token, and are admitted when you
//!   call [`complete_auth`](crate::multiplayer::session::Session::complete_auth).
//! - [`without_relay`](crate::multiplayer::session::SessionOptions::without_relay): clients do not learn of
//!   each other, and send nothing to each other through the server. Without it, no event reports what they
//!   send to each other. If a client floods another one, the server disconnects the one that is flooded, once
//!   more waits for it than the limit (`with_unsent_limit`).
//! - [`SessionLimits`](crate::multiplayer::session::SessionLimits) bounds what clients make the server keep.
//!   Packets that are wrong change nothing, and cost the time of reading them.
//!
//! Over ENet, a request to join takes one of the places (`with_clients`) until its sender confirms its
//! address, or for up to 30 seconds, as in the engine. Many requests with forged addresses keep others out.
//!
//! # Who has to leave
//!
//! [`disconnect`](crate::peer::EnetPeer::disconnect) closes the connection to a client. The client has left
//! at once, whether it answers or not: [`PeerDisconnected`] is the next event about it. If it does not
//! answer, nobody else gets its place (`with_clients`) for 5 seconds over WebSocket, and for up to 30 over
//! ENet. To tell it why, call one of its methods first. Over WebSocket, games drop what arrives together with
//! the end of the connection, whatever the server is: wait some frames before you disconnect the client, and
//! ignore what it sends meanwhile.
//!
//! If a client vanishes without closing its connection, ENet notices it after at most 30 seconds. Over
//! WebSocket, only pings notice it ([`with_pings`](crate::peer::WebSocketOptions::with_pings)): without them,
//! the client stays until the system gives up the connection, perhaps after a quarter of an hour.
//!
//! Before the server ends, disconnect all clients, and call `poll` for a second more: ENet sends again what
//! was lost.
//!
//! Nodes that you do not remove with `despawn` are removed with
//! [`remove_node`](crate::multiplayer::session::Session::remove_node), so that a server on which players
//! come and go keeps nothing of them.
//!
//! # Test it
//!
//! Bots join your server and call its methods, as many as you like: see [bots](super::bots).
//! `gdwire decode --interface lo` shows what games and server say to each other.
//!
//! # With which engines this is tested
//!
//! Tests let these engines play with sessions, as the server and as a client, and compare what each end
//! sent with what the other one got:
//!
//! | engine | transports | what both ends do |
//! |---|---|---|
//! | Godot 3.2.3, 3.6.2 | ENet without compression and with the range coder; WebSocket | calls with arguments of every type, `rset()`, raw bytes; two clients through a server |
//! | Godot 4.6.3 | ENet without compression and with each; WebSocket | calls with arguments of every type, raw bytes, spawns, syncs and deltas, parts of nodes that belong to clients, other scripts, authentication; two clients through a session |
//! | Godot 4.6 in Chromium | WebSocket | the same; the browser is the client |
//!
//! Pandemonium is only tested with recorded packets.
//!
//! [`Mismatch`]: crate::multiplayer::session::SessionEvent::Mismatch
//! [`PeerDisconnected`]: crate::multiplayer::session::SessionEvent::PeerDisconnected
//! [`Refused`]: crate::multiplayer::session::SessionEvent::Refused
//! [`States`]: crate::multiplayer::session::SessionEvent::States
#![cfg_attr(
    not(feature = "full"),
    allow(rustdoc::broken_intra_doc_links, reason = "what is linked may be left out")
)]
