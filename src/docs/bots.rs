//! Test your server with bots: `gdwire bot` lets clients join a running game and call its methods.
//!
//! A bot is a client without an engine. It joins over ENet or WebSocket, calls what you say, confirms
//! what the server announces, and counts what it gets. One thread serves a thousand of them. The
//! command needs the feature `peer`, which `full` includes: `cargo install --path . --features
//! cli,peer --profile dist`.
//!
//! # The first run
//!
//! Start your server. Say which methods bots call, and let one of them join:
//!
//! ```sh
//! gdwire bot enet://127.0.0.1:7777 --project mygame --for 2s --call 'Main/World.say("hello")'
//! ```
//!
//! Godot 4 calls methods by numbers, which depend on all remote methods of a script. So the bots need
//! the project of the game (`--project`), the same that the server runs, or a list of its methods
//! (`--methods`). If the server has other methods, the bots are refused, and the report says for which
//! node. If a script makes methods remote with `rpc_config()`, list all methods of its node in a file for
//! `--methods`, with a plus sign before those that `rpc_config()` names: `Main/Chat: say, +wave`. A warning
//! names calls that the server will most likely ignore: those with another number of arguments than the
//! method of its script, or with arguments of other types than it declares, and those that only the
//! authority of the node may make. Godot 3 and Pandemonium call by name and need no project:
//!
//! ```sh
//! gdwire bot enet://127.0.0.1:7777 --dialect godot3 --for 2s --call 'Main/World.say("hello")'
//! ```
//!
//! # Many bots
//!
//! ```sh
//! gdwire bot enet://127.0.0.1:7777 --project mygame -n 50 --ramp 20/s --for 60s --call 'Main/World.move(Vector2($random(-1, 1), $random(-1, 1))) 20/s'
//! ```
//!
//! Every second, a line shows how many bots play, how much they send and get, and how long round trips
//! take. At the end, tables show the calls of each method, and why bots were refused or dropped.
//!
//! - `--ramp` is how many bots join in a second. Each begins to call when the server has admitted it.
//! - `--call` names a node, a method and its arguments, which are literals of any engine, and a rate.
//!   Without a rate, each bot calls once. In the arguments and in the path, `$i` is the number of the
//!   bot, from 1; `$id` the id of its peer, as in `Main/Players/$id.jump()`; `$time` the seconds since it
//!   joined. `$random(0, 10)` is a real number, and `$randi(1, 6)` an int: the same `--seed` gives the
//!   same ones. `$$` is a dollar sign.
//! - A call of a node that the server spawns, such as the player of the bot or something in a level, fails
//!   until the bot has got the spawn. A [script](#scripts) makes it later, such as
//!   `1s Main/Players/$id.jump()`.
//! - A server with an `auth_callback` drops bots that send no text with `--auth`, or none that it accepts. Those
//!   that send none count as joined until the server's `auth_timeout` is over, 3 seconds by default.
//! - At the end, the bots wait until the server has acknowledged what they have sent, so that `sent` is
//!   what arrives, except for unreliable calls. Over WebSocket, they ping the server after it.
//! - A server of Godot 4 confirms the path of each node that is called, if it has the node. If it has not
//!   confirmed a path when a bot leaves, the reasons at the end say so: the path is wrong, or the server is
//!   another engine. A server of Godot 3 confirms every path, so only its own output shows a wrong one.
//! - A server of Godot 4 notifies the other clients when one leaves. If several leave within one of its frames,
//!   it prints an error for each that it has not removed yet: `Unable to send packet on channel 0`, or over
//!   WebSocket `Condition "ready_state != STATE_OPEN" is true`. Clients of Godot that leave at once cause the
//!   same errors, which have no effect.
//! - Over ENet, a round trip is the time from a reliable command to its acknowledgement. A Godot server
//!   acknowledges once a frame, so it shows how long its frames take. Over WebSocket, it is the time from
//!   a ping to its answer.
//!
//! # Scripts
//!
//! `--calls` reads longer scripts: one call a line, after its time since the bot joined. A call with a
//! rate may have a second time, when it ends.
//!
//! ```text
//! # walk.calls
//! 0s     Main/World.say("I am bot $i")
//! 1s-5s  Main/World.move(Vector2(1, 0)) 20/s
//! 5s-9s  Main/World.move(Vector2(-1, 0)) 20/s
//! 9s     Main/World.say("good bye")
//! ```
//!
//! ```sh
//! gdwire bot enet://127.0.0.1:7777 --project mygame -n 10 --for 10s --calls walk.calls
//! ```
//!
//! # What players did
//!
//! `--replay` sends what clients sent in a recording, at its times: each client is played by a bot of its
//! own, or only one of them (`--end 'client 1'`, or its address). So a problem of your server that you have
//! recorded once can be seen again, as often as you like. This recording comes from a game of Godot 3:
//!
//! ```sh
//! gdwire bot enet://127.0.0.1:7777 --replay corpus/captures/godot3-rpc.pcapng --speed 2 --for 60s
//! ```
//!
//! - Peers, paths and spawned nodes get the ids of the new session. If the name of a node is the id of a
//!   recorded client, or contains it, as in `Player1939355133`, the id of its bot takes its place. Ids in
//!   arguments stay as they are.
//! - In Godot 4, methods are found by their names if you name the project, so the recording may come from
//!   another version of the game. The methods that scripts make remote with `rpc_config()` have to be those of
//!   the recording. Without a project, the recorded numbers are sent, with the digest that the client
//!   announced, and the server must have the same methods.
//! - A bot that joins later than in the recording sends what it has missed at once, in order. States of
//!   synchronizers are sent once the server has confirmed their paths, as the engine does.
//! - What was lost in the recording cannot be sent. `gdwire` reports how many messages that are.
//!
//! `--write new.pcapng` records what happens, also with `--call`. `gdwire diagnose` and all other commands
//! read such a file.
//!
//! # In continuous integration
//!
//! The exit code is 1 if a bot did not join, was refused or dropped, if a call could not be made, or if the
//! server has not confirmed a path; 2 if no server answers or the options are wrong; and else 0. With `--format ndjson`, the last line has everything:
//!
//! ```sh
//! gdwire bot enet://127.0.0.1:7777 --project mygame -n 20 --for 10s --call 'Main/World.move(Vector2(1, 0)) 10/s' --format ndjson > bots.ndjson
//! tail -n 1 bots.ndjson | jq -e '.joined == 20 and .dropped == 0 and .rtt_ms.p99 < 1000'
//! ```
//!
//! | field | what it is |
//! |---|---|
//! | `time` | seconds since the start |
//! | `started`, `joined`, `playing`, `not_joined`, `refused`, `unanswered`, `dropped` | how many bots; `not_joined` are still joining, or left before they were admitted; those that waited too long for an answer, `unanswered`, are among the refused |
//! | `sent`, `received` | calls |
//! | `states`, `spawned` | states of synchronizers and spawned nodes that were received |
//! | `states_sent` | packets with states that were sent |
//! | `unconfirmed` | paths of nodes that the server had not confirmed when a bot left |
//! | `failed`, `late` | calls that could not be made, and those that were left out because the bots were more than a second late |
//! | `unaccepted` | packets of the server that a game would not accept either |
//! | `bytes_sent`, `bytes_received` | bytes of datagrams or streams, without the headers of UDP, TCP and TLS |
//! | `rtt_ms` | `p50`, `p95`, `p99`: the round trips that 50, 95 and 99 % do not exceed; null if none was measured |
//! | `methods` | for each method: `sent`, `received` |
//! | `properties`, `reasons` | for each set of properties: how many states were received; for each reason: how often |
//!
//! # Whose server
//!
//! Bots only join servers on this computer. With `--remote`, you say that a server on another computer
//! is your own.
//!
//! # How many
//!
//! 1,000 bots that make 10,000 reliable calls a second take a quarter of one core: with the server of the
//! example `bot_server` on a machine with two cores, `gdwire bot enet://127.0.0.1:7777 --methods
//! game.methods -n 1000 --ramp 1000/s --for 12s --call 'Main/World.move(Vector2(1, 2)) 10/s'` made 115,378
//! calls in 12.4 seconds and needed 3.0 seconds of processor time; the server needed 0.9. All of them
//! joined in a second, none was dropped, and half of the round trips took less than 12 ms, as the server
//! has a frame of 16 ms.
//!
//! # What bots are not
//!
//! - They have no scenes. They take spawned nodes and states, count them, and do nothing with them. They run
//!   no scripts, so they do not know which nodes belong to other clients, and do not count their states.
//! - A bot that was dropped does not join again.
//! - A server that tells each client about all others, as Godot does by default (`server_relay`), sends a
//!   million such messages to a thousand bots. Switch it off for large tests, if your game does not need it.
//!
//! In Rust, [`peer::Bots`](crate::peer::Bots) does the same in your own tests.
#![cfg_attr(
    not(feature = "full"),
    allow(rustdoc::broken_intra_doc_links, reason = "what is linked may be left out")
)]
