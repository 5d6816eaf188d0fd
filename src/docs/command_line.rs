//! The command `gdwire`: inputs, options, outputs and exit codes.
//!
//! `gdwire --help` and `gdwire decode --help` list all options. This page has the examples and notes
//! of each command's `--help`, and what needs more room. Install the command from a clone of the repository with `cargo install
//! --path . --features cli --profile dist`: see [packaging](super::packaging). `gdwire man` and `gdwire completions` write manual pages, and
//! completions for bash, zsh, fish, PowerShell and elvish; their `--help` says where to put them.
//!
//! | subcommand | purpose |
//! |---|---|
//! | `decode` | show the values and remote calls in captures, save files, raw values or hex |
//! | `stats` | count flows, messages, kinds of values, nodes, remote calls, properties and errors |
//! | `states` | show which values the properties of nodes get, and when |
//! | `diagnose` | find what is wrong with the traffic of a game, and say what usually causes it: see [`diagnose`](super::diagnose) |
//! | `compare` | compare two builds by what they send, or the two sides of one session: what never arrived |
//! | `top` | show what a running game sends now, on a screen that moves |
//! | `report` | write one HTML page with plots, tables, the findings of `diagnose`, and the messages |
//! | `annotate` | copy a capture with its messages for Wireshark: as comments on the packets, or as packets |
//! | `extcap` | put gdwire among the interfaces of Wireshark: the live messages of a game |
//! | `export` | write tables of messages, values of properties, losses and connections as Parquet files, for analysis engines |
//! | `proxy` | forward the packets of a game as a bad network would, and show and record them |
//! | `bot` | let clients join a game and call its methods, to test its server: see [`bots`](super::bots) |
//! | `encode` | turn values given as text or JSON into a save file, hex or base64 |
//! | `convert` | convert values to the format of another engine, or to hex or base64 |
//! | `man` | write the manual pages |
//! | `completions` | print a completion script for a shell |
//!
//! # Decoding
//!
//! `gdwire decode --help` ends with this text, in which `{selection}` stands for the notes about
//! [selecting messages](#selecting-messages). Other commands read inputs in the same way.
#![doc = concat!("\n```text\n", include_str!("../bin/gdwire/help/decode.txt"), "```\n")]
//!
//! # Inputs
//!
//! An input is a file, a directory (with `--recursive`), or `-` for standard input. The command
//! detects from the first bytes what a file contains; `--input` overrides that:
//!
//! | `--input` | content |
//! |---|---|
//! | `capture` | a pcap or pcapng file |
//! | `framed` | values, each after its length, as `store_var` writes them |
//! | `raw` | values one after the other, without lengths |
//! | `hex`, `base64` | one value per line |
//!
//! Files and pipes that are compressed with gzip, Zstandard or LZ4 are unpacked while they are
//! read, with any file name: `gdwire decode game.pcapng.gz`. Several compressed files joined into
//! one are read as one. If compressed data is cut off or damaged, everything before that place is
//! processed; the error has the offset in the file and the number of bytes that were unpacked, and
//! the exit code is 1. An LZ4 block can be unpacked only if all of it is there. If a file was
//! compressed twice, unpack it once yourself.
//!
//! - Memory does not depend on the size of a compressed capture. `annotate` unpacks it to a temporary
//!   file, unless messages become packets, and writes a copy that is not compressed.
//! - Raw values in a compressed file, and compressed inputs of `encode`, may have at most 64 MiB
//!   when they are unpacked.
//! - Packets in a pipe are shown as soon as their bytes can be unpacked. A Zstandard stream holds
//!   back the bytes of its last window (2 MiB by default) until it ends.
//! - A file that was compressed with `zstd --long=28` or more is refused, as `zstd -d` does: it
//!   needs more than 128 MiB of memory.
//! - `--follow` does not read compressed files.
//!
//! If a file is none of these, the error says what it looks like, such as text or a compressed
//! archive, and what to do with it. If an input is empty, or a directory has no captures, the command
//! prints a warning.
//!
//! In a line of hex or base64, bytes after the end of the value are ignored, as in the engines, and
//! the command prints a warning. A line may have at most 32 MiB.
//!
//! After 20 errors about an input, the others are only counted. `--verbose` prints all.
//!
//! Files of up to 64 MiB are read into memory. Larger captures, files of raw values and inputs of
//! `encode` are mapped into memory. Do not overwrite or shorten a mapped file while gdwire runs:
//! the results may be wrong, or the operating system may kill gdwire. If the file was changed,
//! gdwire reports that at the end, with exit code 1. If it only grew, gdwire prints a warning.
//!
//! # Compressed and encrypted saves
//!
//! `decode`, `stats`, `export` and `convert` read saves; `--input capture` turns that off. The other
//! commands report that the file is a save.
//!
//! On Unix, if standard input and standard error are terminals, the command asks for a missing
//! password and does not show what is typed. It tries the same password for the other files. A
//! wrong password is an error, because the MD5 of the content is in the file. If no input is
//! encrypted, a note says that the password was not used. gdwire never prints a password or key.
//!
//! A save that cannot be unpacked is not decoded in part; the exit code is 2. Only deflate and gzip
//! have checksums; damaged files of FastLZ or Zstandard may have other values without an error.
//!
//! If the values in a save have no lengths before them, no engine's `get_var` reads them. The
//! command reads them nevertheless, with a warning.
//!
//! `encode` and `convert` write saves:
//!
//! - `--compress` writes what `open_compressed` reads. Like the engines, gdwire reads Brotli but does
//!   not write it.
//! - `--encrypt` writes what `open_encrypted_with_pass` (with `--key`: `open_encrypted`) reads: in
//!   the layout of Godot 4 if the values are for Godot 4, otherwise in that of Godot 3, which
//!   Pandemonium uses, too. `convert` decides by the first value that it writes. Godot 4's
//!   initialization vector is random.
//! - `convert` encrypts with the password or key that decrypted the input, or with that of
//!   `--new-password-file`, `--new-password` or `--new-key`. `encode` takes `--password-file`,
//!   `--password` and `--key`. On a terminal, the command asks twice for a missing password.
//! - Both need `--output framed` or `raw`. The content is held in memory until the end: at most
//!   `--max-unpacked` for `convert`, and 4 GiB for `encode`.
//!
//! # Live traffic and growing files
//!
//! The command starts `dumpcap` or `tcpdump`, reads its output, and passes its error messages on. If
//! the program is not allowed to capture, the error says how to get the permission. The capture filter
//! of `--port` and `--host` also selects all later fragments of IP packets, because these have no
//! ports.
//!
//! The output is written whenever the input has no more bytes for the moment. The first messages of
//! a connection wait until the command knows what the connection carries. If the packets were
//! captured in the last minute, their messages wait for at most half a second; then the command
//! takes its best guess. `--max-undecided-time` sets another time. A recorded capture gives the
//! same output however fast it arrives. With `--transport` and `--dialect`, no message waits.
//!
//! The signals SIGTERM and SIGHUP do what Ctrl-C does; under `nohup`, SIGHUP has no effect. While the
//! command waits for a password file or a list of methods, the first Ctrl-C ends it. With `--interface`
//! and `--follow`, and if the input is a pipe, the exit code depends on the data, as at the end of a
//! file. If a file was not read to its end, no output file is written; `convert` and `encode` treat a
//! pipe in the same way. `report` writes a page about what came through the pipe until then.
//!
//! With `--join`, gdwire reads the files in the order in which they are named. It prints a warning if a
//! file begins more than a second before one that was named before it.
//!
//! # Limits
//!
//! | option | limits | default |
//! |---|---|---|
//! | `--max-connections` | the connections that are followed at the same time: packets of others are counted | 65,536 |
//! | `--max-connection-memory` | the memory for one connection, and the length of a message: over TCP a quarter of it, over WebSocket an eighth, over ENet nearly a half | 64M |
//! | `--max-memory` | the memory for all connections together | 256M |
//!
//! These options limit how long the command looks at a connection before it decides what the
//! connection carries:
//!
//! | option | limits | default |
//! |---|---|---|
//! | `--max-undecided-messages` | the messages that the command looks at | 64 |
//! | `--max-undecided-bytes` | the bytes of these messages | 1M |
//! | `--max-undecided-time` | the time that messages wait in live traffic | 500ms |
//!
//! # Threads
//!
//! `decode`, `stats`, `diagnose`, `report`, `export` and `convert` read capture files with one thread for
//! each processor core. `--threads` sets the number of threads. The output, the reports and the exit
//! code are the same for every number. `export` writes the same rows in the same order; only how many of
//! them are in each batch or row group may differ.
//!
//! All but `convert` divide the connections in the file among the threads, so a file with a single
//! connection takes as long as with one thread. Another thread joins the lines and rows that they make, and
//! adds up their counts at the end. For `report`, it also does what depends on the order of all messages:
//! the list of messages, values over time, and the comparison of two captures. If the connections of one
//! thread reach its part of a limit, such as `--max-connections`, the command reads the file again with one
//! thread that follows all connections. It also does that if there are more nodes, methods or connections
//! than it counts separately.
//!
//! With `--project` or `--methods`, what one connection shows about names counts for all others, so one
//! thread follows all connections. The same holds for compressed files and with `--join`. In these cases
//! `decode` and `export` divide the work on the messages among the other threads, as `convert` always
//! does, and `stats`, `diagnose` and `report` use one thread, because dividing messages would cost more
//! than counting them. With `--limit`, with names such as `client 1` in a selection, and for captures on
//! standard input, from an interface and with `--follow`, all commands use one thread.
//!
//! # Engines
//!
//! `--dialect` is `godot3`, `godot4`, `pandemonium4` (for Pandemonium 3.8 to 4.9) or `pandemonium5`.
//! `--double` says that the engine was built with double precision; for values of Godot 4 it makes no
//! difference, because their headers say so.
//!
//! # Selecting messages
//!
//! The help of `decode`, `stats` and `annotate` says:
#![doc = concat!("\n```text\n", include_str!("../bin/gdwire/help/selection.txt"), "```\n")]
//!
//! | option | selects |
//! |---|---|
//! | `--kind Dictionary` | values of this kind, and calls with an argument of it; the names of all engines are known, such as `PackedByteArray` and `PoolByteArray` |
//! | `--path 'Game/Players/*'` | packets about nodes with this path |
//! | `--method 'take_*'` | calls of a method and messages of the remote debugger, by name; `#7` for a number; packets with a property of that name, in Godot 4 with `--project` |
//! | `--command call` | packets of the multiplayer API by their command, `debugger` for messages of the remote debugger, and `value` for plain values |
//! | `--src 10.0.0.2:7777`, `--dst` | messages by their sender and receiver: an address, a network such as `10.0.0.0/8`, a port, an address and a port such as `[::1]:7777`, or a name that a terminal shows, such as `'client 1'` |
//! | `--where '.value.hp < 50'` | messages for which a condition holds |
//! | `--grep 'Vector3'` | messages whose text, without the columns, matches a regular expression |
//! | `--from`, `--to` | messages at or after one time, and before another |
//! | `--frames 5-9` | messages by their frame number, with both ends |
//! | `--limit 10` | only the first messages of all inputs together; reading ends after them |
//!
//! Every command that reads captures has these options; only `convert` does not select by time, because
//! its `--to` names an engine. `--transport enet` treats all UDP traffic as ENet and ignores TCP; the
//! other transports work in the same way.
//!
//! In a pattern, `*` matches any characters within one name, `?` matches one character, and `**` in
//! place of a name matches any number of names. A node whose path is not in the capture does not
//! match. A relayed packet is selected by its own path, method and command, and `--command relay`
//! selects all of them.
//!
//! With `--join`, times are relative to the first packet of the first file. A message without a time
//! does not match.
//!
//! `--from`, `--to`, `--frames`, `--src` and `--dst` also apply to the packets that `--all` adds,
//! to losses, and to the counts of what was not decoded. A loss has the frame and the time of the
//! packet that carried the next message of its channel, or the next bytes of its stream. The lost
//! message was sent before that packet. The other options do not apply to losses, because a loss
//! has no content. With one of these, losses are reported on standard error only. In `stats`, the
//! table of flows counts everything in the capture, and the other tables count the selected
//! messages. Rates are always for the time between the first and the last packet of the capture.
//! `diagnose` always judges whole connections.
//!
//! In a file that is not a capture, a value has no frame, time, address, path or method, so options
//! about these select none of them.
//!
//! Names such as `client 1` are given in the order of first messages, also of those that are not
//! selected. So they stay the same, whatever is selected, but `--port` and `--host` change them: packets
//! that are not read have no names. `.src == "client 1"` selects by names, too.
//!
//! ## Conditions
//!
//! ```sh
//! gdwire decode --plain --where '.value.position.x? > 100 or .kind == "int"' corpus/captures/godot3-udp.pcapng
//! gdwire decode --plain --where 'any(.rpc.args[]?; type == "string" and test("^hi"; "i"))' corpus/captures/godot4-rpc.pcapng
//! ```
//!
//! The module [`expression`] lists how each kind of value looks in an expression, and which parts of jq
//! are supported. There are no variables, assignments or definitions, so every expression ends. An
//! expression that takes more than a million steps on one message is stopped.
//!
//! A message is selected if the expression gives a value that is neither `false` nor null. `?` after a
//! path prevents failures where there is no such field. `.value.hp < 50` does not hold where there is
//! no `hp`.
//!
//! # Text
//!
//! `decode` prints one message per line by default: frame number, time, source, destination, and
//! the value as a literal of the engine that wrote it. Frames are numbered as in Wireshark.
//! `--plain` omits the columns before the value, `--hex` adds the bytes of the message.
//!
//! On a terminal, lines are shortened for people:
//!
//! ```sh
//! gdwire decode --width 80 --limit 8 corpus/captures/godot4-game-enet.pcapng
//! ```
//!
//! ```text
//!         server = 127.0.0.1:7777, client 1 = 127.0.0.1:51299
//!      6     0.186  → client 1  simplify path 1 = Main/World/Spawner
//!      9     0.200  client 1 →  confirm path Main/World/Spawner
//!     12     0.203  → client 1  delta: hero10 {0: 100, 1: 0.0}
//!     15     0.269  → client 1  sync 5: hero10 [Vector2(14, 50), …+1]
//! ```
//!
//! - Each line fits the terminal, or the number of columns in `COLUMNS`, or `--width`. Long
//!   strings, arrays and nested containers are shortened: `…+3` stands for three elements or
//!   entries that are left out, `"abc"…+120 B` for a string with 120 more bytes,
//!   `PoolVector3Array[743](…)` for an array of 743 vectors, `…(14, 50)` for a vector without its type,
//!   `…hero10` for the end of a path. Values have room before paths. In the library, [`text::Show`] does
//!   this. `--wrap` prints values whole, `--pretty` whole and indented over several lines.
//! - Times are seconds since the first packet, as in Wireshark. `--time` chooses others: `delta` is
//!   the time since the message on the line before, `utc` and `local` are dates.
//! - The first 64 ends of connections have short names. A line shows the address of each when it
//!   first appears. An end is called `client` if it sent TCP's SYN or ENet's connect command, or if
//!   the other end addressed it as the server of a multiplayer game does. If the capture does not
//!   show which end is the client, as over plain UDP, the ends are called by letters. In less than 100
//!   columns, the first server is left out: `client 1 →` is what client 1 sends to it, and `→ client 1`
//!   what it sends to client 1. `--addresses` shows all addresses.
//! - Columns are left out if there is no room for them, except for the time if `--time` is given.
//!   With several files, each has a heading.
//!
//! `--width`, `--time` and `--pretty` also work in a pipe or a file. Lines of `stats` and
//! `diagnose` fit the terminal or `--width`, too.
//!
//! On a terminal, colours also tell commands apart: what spawns, despawns and changes nodes, what is
//! relayed, and what only announces paths. Colours depend on `NO_COLOR`, on `CLICOLOR_FORCE`, and on whether the output is a terminal.
//! `--color always` always writes them, for example for `less -R`; `--color never` never does.
//!
//! A remote call is shown as `path.method(arguments)`:
//!
//! ```sh
//! gdwire decode --methods tests/cli/game.methods corpus/captures/godot4-rpc.pcapng
//! ```
//!
//! ```text
//!      4  2026-11-21T07:55:50.978462058Z  127.0.0.1:7777 → 127.0.0.1:7778  simplify path 1 = Game/World/Sync
//!      8  2026-11-21T07:55:51.045115573Z  127.0.0.1:7777 → 127.0.0.1:7778  sync 5: Game/World/Sync [0.0, "clear"]
//!     13  2026-11-21T07:55:51.128761284Z  127.0.0.1:7777 → 127.0.0.1:7778  Game/Players/P2.respawn()
//!     16  2026-11-21T07:55:51.128996405Z  127.0.0.1:7777 → 127.0.0.1:7778  spawn mob_0 by Game/Spawner, net#1, …
//!     45  2026-11-21T07:55:51.250034325Z  127.0.0.1:7778 → 127.0.0.1:7777  Game/Chat.set_score(3130614844110293669)
//! ```
//!
//! A node whose path is not in the capture is shown by its id, such as `#3`. Each peer assigns its
//! own ids. A peer announces the path of a node once to each peer, before or with the first packet
//! about it. So paths are missing if a capture begins in the middle of a game, until a client joins
//! anew. With `--project`, gdwire compares the calls with such an id with all scripts of the
//! project. If only one fits, its methods have names, and its file is shown in place of the path:
//! `#3 (paddle.gd).bounce(1.5)`. If several scripts fit, a method has a name if it is the same in
//! all of them. Calls that contain the path of a node that scripts made get their names in the same
//! way. So do the properties in states, from the number and types of the values. `--where .rpc.script`
//! selects the calls with a file in place of the path.
//!
//! # Byte by byte
//!
//! `--explain` shows each message as hex, with the meaning of each field beside its bytes: the headers
//! of the packet, the command of ENet, the frame of WebSocket or the length before a message over
//! TCP, the ids of the multiplayer peers, the command of the multiplayer API, its arguments, and each
//! part of a value. For a message in several packets, the first and the last packet are shown, and the
//! others are named.
//!
//! ```sh
//! gdwire decode --explain --frames 74 --methods tests/cli/game.methods corpus/captures/godot4-rpc.pcapng
//! ```
//!
//! ```text
//! frame 74  2026-11-21T07:55:51.349977486Z  127.0.0.1:7778 → 127.0.0.1:7777  enet, channel 0, reliable, …
//!   frame 74: 59 bytes
//!   0000  00 00 00 00 00 00 00 00  link header: Ethernet
//!   0022  1e 62 1e 61 00 19 fe 2c  UDP header: port 7778 → 7777
//!   002a  80 00                    ENet header: to peer 0, session 0
//!   002c  01 e8                    sent time: 488 ms
//!   002e  86                       ENet command: send reliable, to be acknowledged
//!   002f  00                         channel: 0
//!   0030  00 12                      sequence number: 18
//!   0032  00 07                      length: 7 bytes
//!   0034  00                       command: call, node of 1 byte, method of 1 byte
//!   0035  02                       node: 2: "Game/Players/P3"
//!   0036  09                       method: 9: "set_score"
//!   0037  01                       argument count: 1
//!   0038  42                       argument 0: int in short form, 2 bytes
//!   0039  a9 00                      number: 169
//! ```
//!
//! Offsets count from the first byte of the packet, as in Wireshark. If a packet does not contain
//! the bytes of a message as they are, a further part with its own offsets shows them: the message
//! without WebSocket's mask, the decompressed commands of ENet, or the message that was reassembled
//! from several packets. In files and in hex, offsets are those of the file or the line.
//!
//! At most eight elements of an array or entries of a dictionary are shown, and the first bytes of
//! a long field. A message that cannot be read is shown up to the problem.
//!
//! # Names
//!
//! Godot 4 sends numbers instead of the names of methods, scenes and properties. A method's number
//! is the place of its name among the sorted names of the node's remote methods.
//!
//! `--project` takes the folder of the game's project. gdwire reads its scripts (`.gd` and `.cs`),
//! its scenes (`.tscn`) and the resources that these refer to, as text. It does not read binary
//! scenes and resources (`.scn`, `.res`), follow symbolic links or run anything. The names of calls,
//! of spawned scenes and of synchronized properties come from there.
//!
//! `--methods` takes a file that lists the methods of each node, one line for each pattern of node
//! paths, such as `Game/Players/*: move, take_hit, +wave`. In a pattern, `*` stands for any part of
//! one name, and `**` in place of a name stands for any number of names. A plus sign stands before
//! methods that `Node.rpc_config()` made remote at run time. With both options, a line of the list
//! has precedence over the project.
//!
//! When a game announces the path of a node, it also sends a digest of the names of the node's
//! methods. The digest decides: a script with this digest names the methods, whatever the scenes
//! contain. If the node's script has another digest, gdwire reports it on standard error, and tries
//! the script's methods without one or two of them, and with another name that the project's scripts
//! mention. If such a list has the digest, it is that of the game: it names the methods, and the
//! report says how it differs. Otherwise no method of the script is shown by name, not even those that
//! both versions have: the digest covers all names together, and each name changes the numbers of those
//! after it. Names of other scripts stay.
//! gdwire also reports a called method whose number is out of range, and
//! a spawn or a state whose values are not those of the project's properties: more or fewer, or of
//! other types than scripts (`var title := "none"`, `@export var hp: int`) and the engine
//! (`position` of a `Node2D`) declare. The names of these properties are not shown then, nor that of
//! the spawned scene, unless the digest of its methods proves it. If the values fit another scene
//! of the spawner's list, none of the names that depend on the list are shown. If a spawned node is
//! announced at another path than that where its spawner puts it, the spawner's nodes are shown by
//! their names instead of their paths.
//!
//! gdwire cannot notice properties that were renamed, or were exchanged with others of the same type. It
//! also cannot notice another version of a scene or script if its nodes were announced before the capture
//! began.
//!
//! A capture in a file is read twice, so no name is shown that a later packet contradicts. `decode` looks
//! ahead up to 64 MiB. In pipes and live traffic, names are shown until they are contradicted. If no
//! digest was captured, the scenes decide: the main scene, the autoloads and, because a game can change
//! its scene, another scene whose root has the name, if there is only one. Patterns of `--methods` that
//! match no node of a capture are reported, too.
//!
//! Most games add nodes at run time. gdwire finds the scene of such a node in one of these ways, which
//! `--verbose` reports for each scene and the field `scene_from` for each message:
//!
//! | `scene_from` | the scene is known from |
//! |---|---|
//! | `scene` | the number in the spawn, and the list of scenes of the `MultiplayerSpawner` |
//! | `function` | the script that the spawner has as its `spawn_function`: it creates only one scene, or only one from the argument in the spawn |
//! | `structure` | what packets show of the node: only one scene that scripts or spawners can create has nodes at these paths, with these methods, and with as many properties of these types, in any order |
//!
//! For `structure`, the project must be that of the recorded version: if the scene of a node has got
//! a property or lost one since, a scene that looks as it did may be the only one that fits.
//!
//! `--verbose` also counts what has names, and lists the scripts because of which some may be missing, such
//! as `bots/brain.gd may change which properties synchronizers send, so names may be missing`:
//!
//! ```sh
//! gdwire decode --verbose --project corpus/project/arena corpus/captures/godot4-game-enet.pcapng
//! ```
//!
//! ```text
//! gdwire: corpus/captures/godot4-game-enet.pcapng: named: 200 of 200 calls, 3 of 3 spawns, 683 of 683 states
//! gdwire: corpus/captures/godot4-game-enet.pcapng: 9 nodes made by functions of spawners have no scene, or none that is known
//! ```
//!
//! If several scenes fit, the names on which they agree are shown. For a property that they call
//! differently, `#0` is the first value, `#1` the second. `stats`, `diagnose`, `report` and `export` use
//! what the whole capture shows, and so does `decode` within the 64 MiB. A scene that does not fit what a
//! later packet shows is no longer used.
//!
//! # Order
//!
//! Messages are shown in the order of their stream or channel, as the game received them. A message
//! may have to wait for an earlier message of its stream that arrived late. It is then shown after
//! messages of later packets, so frame numbers and times may decrease there. The frame number and
//! time of a message are those of the packet that completed it.
//!
//! # JSON for programs
//!
//! `--format ndjson` prints one JSON object per message:
//!
//! ```sh
//! gdwire decode --format ndjson --hex --methods tests/cli/game.methods corpus/captures/godot4-rpc.pcapng
//! ```
//!
//! ```json
//! {"frame":74,"time":"2026-11-21T07:55:51.349977486Z","transport":"enet","src":"127.0.0.1:7778","dst":"127.0.0.1:7777","community_id":"1:pbXdzugcb6rIu4oyf+UrtLRI3ZU=","channel":0,"mode":"reliable","peer":{"source":2118661955,"target":1},"offset":10,"len":7,"rpc":{"command":"call","id":2,"path":"Game/Players/P3","method":"set_score","args":[169],"args_hex":["02000000a9000000"]},"hex":"0002090142a900"}
//! ```
//!
//! | field | content |
//! |---|---|
//! | `frame`, `time` | the packet that completed the message; `time` is null if the capture has none |
//! | `transport`, `src`, `dst` | the transport, the source address and the destination address |
//! | `community_id` | the Community ID of the connection's flow, as Zeek, Suricata and the Elastic Common Schema know it: see [zeek](super::zeek) |
//! | `channel`, `mode` | for ENet only: the channel, and `reliable`, `unreliable` or `unreliable_ordered` |
//! | `peer` | the multiplayer peers, if the transport names them: `source` and `target`. Peer 1 is the server, 0 means all peers, a negative number means all except that one |
//! | `offset`, `len` | where the message starts in the datagram or stream, and its length in bytes |
//! | `kind`, `value` | for a value: its kind, by Godot 4's name for it in all engines, and the value, by default as plain JSON |
//! | `rpc` | for a packet of the multiplayer API: its `command` and the fields of that command, which [`write_json`] lists |
//! | `debugger` | for a message of the remote debugger: its `command`, the `thread` of the game if the engine names it (Godot 4.2 and newer), and the arguments as `args` |
//! | `hex` | with `--hex`: the bytes |
//! | `file` | with several inputs: the name of the file, before all other fields; not with `--join` |
//! | `line` | for hex and base64, in place of the packet: the line of the input, from 1 |
//!
//! Values and arguments are plain JSON, as programs such as jq expect it: a dictionary is an
//! object, a vector an array of numbers. Plain JSON loses some information, such as the kinds of
//! numbers and of dictionary keys. `--values native` keeps it, in the lossless spelling of Godot
//! 4's `JSON.from_native`. The module [`json`] has a table of all kinds in both spellings.
//!
//! ```sh
//! gdwire decode --format ndjson corpus/captures/godot3-udp.pcapng | jq -c 'select(.kind == "Vector3").value'
//! gdwire decode --format ndjson --values native corpus/captures/godot3-udp.pcapng | jq -c 'select(.kind == "Vector3").value'
//! ```
//!
//! ```json
//! [863.2031,11.453125,211.45312]
//! {"type":"Vector3","args":[863.2031,11.453125,211.45312]}
//! ```
//!
//! Some lines are not messages. Each has a field that no message has:
//!
//! | field | line |
//! |---|---|
//! | `lost` | what was sent but is not in the capture or cannot be read, and why. It was sent after the packet `after_frame`, captured at `after_time`, and before `frame`, which carried what follows in the channel or stream. A loss that belongs to the packet `frame` has no `after_frame`. The line is printed when gdwire is certain of the loss, often long after `frame`. With `messages` (how many) and `mode` over ENet, or `offset` and `bytes` in a stream |
//! | `damaged` | how a part of the capture file is damaged, with the `offset` in the file and the `frame` number that it would have had |
//! | `error` | why something is not a value. In captures, these lines appear only with `--all` |
//!
//! `jq 'select(.lost)'` shows only the losses, and `jq 'select(has("value"))'` only values.
//!
//! - A `command` is one of `call`, `set`, `simplify_path`, `confirm_path`, `raw`, `spawn`,
//!   `despawn`, `sync`, `delta`, `relay`, `peer_added`, `peer_removed` and `auth`.
//! - `path` is null if it is not in the capture. Then only `id` identifies the node.
//! - `method` is a name or a number. For the command `set`, it is the name of the property.
//! - With `--project`, `script` is the script of a node without a known path, and `scene_path` is the
//!   scene of a node that was spawned or added by a script. `scene_from` says what the scene is
//!   [known from](#names).
//! - If the bytes of a `raw` packet are a value, the object has `kind` and `value` too.
//!
//! `--format native` prints one JSON document per value without other fields, and `--format hex`
//! prints the bytes of each value. Text from the network is always escaped, so it cannot control
//! your terminal.
//!
//! # Counting
//!
//! `gdwire stats --help` ends with this text:
#![doc = concat!("\n```text\n", include_str!("../bin/gdwire/help/stats.txt"), "```\n")]
//!
//! ```sh
//! gdwire stats --interval 1s corpus/captures/godot3-rpc-three.pcapng
//! ```
//!
//! ```text
//! corpus/captures/godot3-rpc-three.pcapng:
//!   2 flows, 487 packets (120.71 kB payload), 294 messages (110.61 kB) in 3s 11ms
//!   message sizes: 3 to 8847 B, median 38 B, 95% up to 2239 B
//!
//!   source          destination     transport  engine               packets  messages   payload      wire  headers        rate  resent  first packet
//!   127.0.0.1:7777  127.0.0.1:7778  enet       godot3, multiplayer      123        74  28.24 kB  33.41 kB    15.5%  10.02 kB/s       1  2026-11-21T07:55:37.307Z
//!   127.0.0.1:7778  127.0.0.1:7777  enet       godot3, multiplayer      154        88  40.26 kB  46.73 kB    13.8%  14.29 kB/s       0  2026-11-21T07:55:37.307Z
//!   127.0.0.1:7777  127.0.0.1:7779  enet       godot3, multiplayer      130       118  50.62 kB  56.08 kB     9.7%  16.87 kB/s       0  2026-11-21T07:55:37.319Z
//!   127.0.0.1:7779  127.0.0.1:7777  enet       godot3, multiplayer       80        14   1.59 kB   4.95 kB    67.8%     531 B/s       0  2026-11-21T07:55:37.319Z
//!
//!   kind              values     bytes
//!   Dictionary            78  31.12 kB  ########################################
//!   PoolByteArray         18  28.13 kB  #####################################
//!   PoolStringArray        4  17.88 kB  #######################
//!
//!   command        packets      bytes
//!   call               186  104.19 kB
//!   set                 29    5.07 kB
//!   simplify_path       35      725 B
//!
//!   node                  count     bytes  share        rate  from
//!   Game/Players/P1          32  33.42 kB  30.2%  11.10 kB/s  both
//!   Game/World               34  21.06 kB  19.0%   6.99 kB/s  both
//!   Game/Players/P2          33  16.48 kB  14.9%   5.47 kB/s  both
//!
//!   node                  method or property  command  count     bytes  share       rate  from
//!   Game/Players/P1       many                call         4  18.09 kB  16.4%  6.01 kB/s  both
//!   Game/World            any                 call        13  14.93 kB  13.5%  4.96 kB/s  both
//!   Game/Players/P1       any                 call        19  14.03 kB  12.7%  4.66 kB/s  both
//!
//!   from                  messages       bytes
//!   2026-11-21T07:55:37Z       123    30.02 kB  #########################
//!   2026-11-21T07:55:38Z       121    49.20 kB  ########################################
//!   2026-11-21T07:55:39Z        49    31.38 kB  ##########################
//!   2026-11-21T07:55:40Z         1         8 B  #
//! ```
//!
//! | table | rows | bytes |
//! |---|---|---|
//! | flows | one for each end of each connection | `payload`: after the UDP or TCP headers, including retransmissions; `wire`: the whole frames; `headers`: the share of link, IP, UDP and TCP headers in `wire`; `rate`: the payload per second, from the first packet of the connection to its last |
//! | kinds | kinds of values, by the engine's names, or by Godot 4's if several engines wrote them | the values and arguments |
//! | commands | packets of the multiplayer API, and messages of the remote debugger as `debugger` | the messages |
//! | nodes | nodes that are called, spawned or synchronized | the messages, and the states in messages with several states |
//! | methods and properties | remote methods, properties that Godot 3's `rset` sets, and commands of the remote debugger | the messages |
//! | synchronized properties | properties in spawns, sync and delta states of Godot 4, by their place among the properties of that packet | the values |
//! | intervals | intervals of time, with `--interval` | the messages, and how many were lost |
//! | calls by method | methods, with `--interval` | the calls in each interval; if these are more than 8, a character for each: `.` for few calls, `#` for the most of the method |
//!
//! The packets do not contain the paths of spawned nodes, so `hero10 (spawned by Main/World/Spawner)`
//! is the node `hero10` of this spawner. The tables show 100 rows each, which `--top` changes. On a
//! terminal, tables that are too wide leave out columns and cut long names.
//!
//! `--format json` prints one object per file, or one for all files with `--total`, with exact
//! numbers. In the library, [`Stats`] has the same counts.
//!
//! | field | content |
//! |---|---|
//! | `file`, `messages`, `message_bytes`, `sizes`, `seconds` | the file, its messages, their sizes in bytes (`min`, `p50`, `p95`, `max`; the second and the third differ from the exact ones by at most 3.2 % if they are above 31), and the time between its first packet and its last |
//! | `flows` | connections: `first_end`, `second_end`, `community_id`, `transport`, `dialect`, `multiplayer`, `debugger`, `packets`, `messages`, `bytes` (payload), `bytes_per_second`, `first` and `last` (times), `directions` |
//! | `directions` | the two ends of a connection: `src`, `dst`, `packets`, `payload_bytes`, `wire_bytes`, `header_share` (0 to 1), `largest` (payload of a packet), `messages`, `message_bytes`, and for ENet, TCP and WebSocket `resent`, `acknowledgements` and `sizes` (of messages: `min`, `p50`, `p95` and `max`) |
//! | `kinds`, `commands` | `kind` (Godot 4's name for it) or `command`, `count`, `bytes` |
//! | `nodes`, `calls`, `properties` | the fields that name them (see below), `count`, `bytes`, `per_second`, `bytes_per_second`, `share` (0 to 1), and `count` and `bytes` of `from_server` and of `from_clients` |
//! | `further_flows`, `further_nodes`, `further_calls`, `further_properties` | the `count` and `bytes` of everything beyond a limit: 131,072 connections; 65,536 rows or 32 MiB of names |
//! | `errors` | `reason` and `count` of what was not decoded |
//! | `losses` | `what` and `count` of what was lost |
//! | `interval_seconds`, `intervals`, `without_time` | with `--interval`: the length, the intervals (`from`, `count`, `bytes`, and `lost`: how many messages or parts of streams were lost), and the messages without a time |
//! | `method_intervals`, `further_methods` | with `--interval`: each method with its `command`, `method` (with the node, if the name is not known), `count`, `bytes`, and the `intervals` in which it was called (`from`, `count`, `bytes`); and the calls of methods beyond the limit of 4,096 |
//!
//! A node is named by `path`; if that is not in the capture, `path` is null, and the node is named by
//! `id`, by `name` and `spawner`, or by `net_id`. `nodes` also have the path of the `scene` that has them,
//! or null if it is not known. A call has `command` (`call`, `set`, or `debugger`, which has no node), `method` (a
//! name or a number) and `own` (true for a number from `rpc_config()`). A property has `command`
//! (`spawn`, `sync` or `delta`) and `property` (its place, from 0). If there are more than 100,000
//! intervals with messages or losses, neighbouring intervals are merged in pairs.
//!
//! # Comparing
//!
//! `gdwire compare --help` ends with this text, in which `{selection}` stands for the notes about
//! [selecting messages](#selecting-messages).
#![doc = concat!("\n```text\n", include_str!("../bin/gdwire/help/compare.txt"), "```\n")]
//!
//! ## Two builds
//!
//! Was it worth it to compress the packets of a game? Each client gets fewer bytes on the wire for the
//! same messages, but in six seconds the game changes more than that:
//!
//! ```sh
//! gdwire compare --quiet --top 1 --project corpus/project/arena corpus/captures/godot4-game-enet.pcapng corpus/captures/godot4-game-enet-zlib.pcapng
//! ```
//!
//! ```text
//!   before: 6.1 s, 1 connection, 1.0 at a time on average
//!   after:  6.1 s, 1 connection, 1.0 at a time on average
//!   what       name                     method or property  command  messages/s     →   bytes/s        →  change
//!   wire       enet                                                         119   121  10.60 kB  9.58 kB   -9.7%    within noise
//!   total      all messages                                                  78    80   4.34 kB  4.35 kB   +0.2%    within noise
//!   transport  enet                                                          78    80   4.34 kB  4.35 kB   +0.2%    within noise
//!   command    despawn                                                     0.00  1.96       0 B     10 B     new    within noise
//!   node       Main/World/Actors/hero*                                       83    83   2.30 kB  2.31 kB   +0.1%    within noise
//!   property   Main/World/Actors/hero*  position            sync             56    57     677 B    679 B   +0.3%    within noise
//!   and 36 more rows (--top shows more; --format json lists all)
//! ```
//!
//! `--format json` prints one object with `same_session` false, an empty list `never_arrived`, and:
//!
//! | field | content |
//! |---|---|
//! | `before`, `after` | of each capture: the `seconds` from the first packet of games to the last, the average number of `clients`, the `connections`, `packets` and `wire_bytes` of games, and in `further` what has no row because of the limit of 65,536 nodes, methods and properties |
//! | `changes` | the rows: their `kind` (`wire`, `total`, `transport`, `command`, `value`, `node`, `method` or `property`), `name`, and for methods and properties `member` and `command`. `before` and `after` have `count`, `bytes`, `per_second_and_client` and `bytes_per_second_and_client`. `difference` and `standard_error` are in bytes per second and client, `is_beyond_noise` says whether the first is more than three times the second; it is null for short captures and those without times. `is_new`, `is_gone` |
//!
//! ## Two sides of one session
//!
//! Two captures were made at both ends of a bad network. Messages that one end sent and the other
//! never received are listed with their time, sender, receiver, mode and content:
//!
//! ```sh
//! gdwire compare --quiet --method trade --project corpus/project/arena --top 3 corpus/captures/godot4-game-enet-lossy-client-side.pcapng corpus/captures/godot4-game-enet-lossy-server-side.pcapng
//! ```
//!
//! ```text
//!   clocks: they agree as far as the messages show (the second is 15.2 ms behind to 15.6 ms ahead)
//!   source           destination      transport  sent  arrived  lost  undecided  resent  overtaken  doubled  delay min   median      95%       max
//!   127.0.0.1:53352  127.0.0.1:7790   enet        172      169     3          0      25         10        0    15.6 ms  30.1 ms  40.1 ms  759.8 ms
//!   127.0.0.1:7777   127.0.0.1:41695  enet        512      493    19          0      53         36        0    15.2 ms  28.1 ms  40.2 ms  516.6 ms
//! 6 messages never arrived, all of them unreliable
//!   21:36:03.819  127.0.0.1:53352 → 127.0.0.1:7790  unreliable_ordered  Main/World/Actors/mob20.trade("text 17", [1, "two", Vector3(3, 3, 3)], { "a": 9, "b": &"name" })
//!   21:36:05.452  127.0.0.1:53352 → 127.0.0.1:7790  unreliable_ordered  Main/World/Actors/hero10.trade([1, "two", Vector3(3, 3, 3)], Color(0.7607843, 0.039215688, 0.078431375, 1))
//!   21:36:05.771  127.0.0.1:7777 → 127.0.0.1:41695  unreliable_ordered  Main/World/Actors/mob20.trade()
//!   and 3 more messages (--top shows more; --format json lists all)
//! ```
//!
//! `--format json` prints one object:
//!
//! | field | content |
//! |---|---|
//! | `first`, `second` | the names of the captures |
//! | `same_session` | whether they are of one session |
//! | `never_arrived` | a list: what never arrived, by time. `sent_in` is the capture that has the message, `frame` and `time` its packet there, `from` and `to` the addresses of its sender and receiver there, `reliable` whether its transport should have delivered it. `transport`, `channel`, `mode`, and `rpc`, `kind` and `value`, or `debugger`, are those of [`decode`](#json-for-programs) |
//! | `further_never_arrived` | how many more there are: at most 32 MiB are kept |
//! | `ways` | a list: what each end of each connection sent. `messages` of both captures, those that are `common`, and counts as in the table; `not_captured` arrived, but the capture at the sender lacks them and has no equal message. `sender` is `client` or `server`, `sent_in` the capture at its side; both are null if that is not known. `delay_ms` is null if the captures were made at the same place |
//! | `clocks` | `first_is_near`: the end at whose side the first capture was made. `offset_ms`: how far the clock of the second is ahead; `is_estimated` is false if the clocks agree as far as the messages show. `least_offset_ms`, `greatest_offset_ms`: with offsets outside of these, messages would arrive before they were sent |
//! | `only_in_first`, `only_in_second` | how many connections of games only one capture has |
//! | `not_compared` | for each capture: what was left out because of the limits |
//!
//! With `--replayed`, the object has `same`, how many distinct calls and values were `compared` and
//! `not_compared` (beyond 1,048,576), and a list `differences`: `more_in` (`first` or `second`), the
//! `frame` and `time` in that capture, `from` (`server`, `client` or null), `first_count`, `second_count`, and
//! the node, the method or property and the arguments or value as `text`. At most 32 MiB of them are
//! kept; `further_differences` counts the others.
//!
//! - A message is also listed if it arrived, but the capture at its receiver lacks the packet. `diagnose`
//!   finds that in this capture: the receiver acknowledged the message.
//! - Over plain UDP, messages have no numbers. If one of several equal messages is lost, gdwire pairs the
//!   others so that their delays differ least from the usual one. Messages that arrive more often than
//!   they were sent count as doubled, also those that the capture at the sender lacks.
//! - Memory and time grow with the captures, up to `--max-memory` for both together: 32 bytes for each
//!   message.
//!
//! # A page with plots
//!
//! `gdwire report --help` ends with this text:
#![doc = concat!("\n```text\n", include_str!("../bin/gdwire/help/report.txt"), "```\n")]
//!
//! ```sh
//! gdwire report --project corpus/project/arena corpus/captures/godot4-game-enet.pcapng -o report.html
//! ```
//!
//! The page begins with three answers: is the session healthy, who uses the bandwidth, and what is wrong. With
//! two captures, it compares both ends of a session, or two builds, as [`compare`](#comparing) does. The first 500 losses are listed when they happened.
//!
//! The page takes about 200 kB for a short capture, and at most about 1 MB for each capture. It also shows when each
//! connection was open, and a row of nodes that are alike opens. Page Up and Page Down move a plot; below
//! each plot, a table has its values. The page follows the browser's light or dark theme, fits a phone,
//! and can be printed.
//!
//! The calls over time, which are those of `stats --interval`, have a row for each of the 20 methods with the
//! most calls, and one for all others; the darker a cell, the more calls. The arrow keys show the number in
//! each cell, and a table has all numbers. The plot of numbers shows the changes of one property, or of one
//! argument of a method, as [`states`](#values-over-time) lists them; you choose the node and the property. The
//! page has the 64 properties that changed most, up to about 2,000 changes of each and 10,000 of all. If there
//! are more, it shows only every second, third or later change, and says so. Without `--project`, the
//! properties of Godot 4 have numbers instead of names.
//!
//! The page includes [uPlot](https://github.com/leeoniya/uPlot), which draws the plots: it is small
//! (50 kB), well maintained, fast with many points, and needs no other library.
//!
//! Plots show the 8 connections with the most traffic, games first, and all others together; tables show
//! 48 connections, and 50 nodes, methods or properties. `--join` makes several captures one. `report`
//! reads captures only.
//!
//! # Messages for Wireshark
//!
//! `gdwire annotate --help` ends with this text:
#![doc = concat!("\n```text\n", include_str!("../bin/gdwire/help/annotate.txt"), "```\n")]
//!
//! `gdwire extcap --help` ends with this text:
#![doc = concat!("\n```text\n", include_str!("../bin/gdwire/help/extcap.txt"), "```\n")]
//!
//! About messages as packets:
//!
//! - The tags of an exported PDU are 12 (the dissector `json`), 33 and 36 (the columns), 20 to 23 (the
//!   addresses), 24 to 26 (the ports) and 30 (the number of the original packet).
//! - Each packet has the time of the original one, in nanoseconds. With `--as both`, packets of several
//!   link types have an interface each.
//! - Losses have the content of `decode --format ndjson`, such as `{"lost": …}`, unless messages are selected
//!   by their content. `--all` adds what was not decoded: `{"error": …}`.
//!
//! About comments:
//!
//! - The comment on a loss is at the packet that carried what follows in the channel or stream. With
//!   `--all`, packets that were not decoded have comments, too: `gdwire: not a value, …`.
//! - The copy has sections in either byte order, as the capture. From a classic pcap file, packets keep
//!   their times, bytes, lengths and link type.
//! - `--where false` restores the original file, as it only removes comments.
//! - An attacker cannot make the copy much larger than the capture, because the length of comments is
//!   limited.
//! - Packets in Simple Packet Blocks get no comments: such blocks cannot have any, and all other
//!   blocks for packets need a time, which is not known. The number of messages in them is
//!   reported, with exit code 1.
//! - After a damaged place, a pcapng file is copied without comments; a classic pcap file ends there.
//! - Memory does not grow with the file; if the comments take more than 32 MiB, they wait in a temporary
//!   file.
//!
//! # Tables for analysis engines
//!
//! `gdwire export --help` ends with this text:
#![doc = concat!("\n```text\n", include_str!("../bin/gdwire/help/export.txt"), "```\n")]
//!
//! `gdwire export captures -r -o tables` writes a folder of Parquet files that DuckDB, Polars, DataFusion,
//! Spark, ClickHouse and pandas read as they are: one row for each message, and tables of the values of
//! properties, of losses and of connections. It is built with the feature `export`, which `full` includes and `cli` does not:
//! `cargo install --path . --features full --profile dist`. [Tables](super::tables) has the columns and queries.
//!
//! - The defaults are `--roll-time 1m` with `--follow` and `--interface`, and `--roll-size 128M`.
//! - `--partition` makes at most 4,096 folders.
//! - `tests/tables/spark_job.py` reads Arrow streams on the executors of a Spark cluster.
//!
//! # Values over time
//!
//! `gdwire states --help` ends with this text:
#![doc = concat!("\n```text\n", include_str!("../bin/gdwire/help/states.txt"), "```\n")]
//!
//! These commands show what happened to the property `mana` of a node, and the state of the node
//! after half a second:
//!
//! ```sh
//! gdwire states --project corpus/project/arena --path '**/hero10' --property mana --time relative corpus/captures/godot4-game-enet.pcapng | head -n 4
//! gdwire states --project corpus/project/arena --path '**/hero10' --at 500ms --time relative corpus/captures/godot4-game-enet.pcapng
//! ```
//!
//! ```text
//! time            frame  node                      property  value
//!    0.186733125      7  Main/World/Actors/hero10  mana      100
//!    0.553052175     45  Main/World/Actors/hero10  mana      99
//!    1.069780438    133  Main/World/Actors/hero10  mana      98
//! time            frame  node                      property         value
//!    0.386419200     25  Main/World/Actors/hero10  Turret:rotation  0.25900155305862427
//!    0.469685697     36  Main/World/Actors/hero10  facing           0.9584894776344299
//!    0.186733125      7  Main/World/Actors/hero10  health           "title 10"
//!    0.203276025     12  Main/World/Actors/hero10  mana             100
//!    0.469685697     36  Main/World/Actors/hero10  position         Vector2(21, 78)
//! ```
//!
//! The module [`states`] does the same in the library.
//!
//! # What a game sends now
//!
//! `gdwire top --help` ends with this text:
#![doc = concat!("\n```text\n", include_str!("../bin/gdwire/help/top.txt"), "```\n")]
//!
//! These are the keys of the screen:
#![doc = concat!("\n```text\n", include_str!("../bin/gdwire/top/keys.txt"), "```\n")]
//!
//! - [`top`](crate::top) has the counts; programs can use them, too. It has no clock and no terminal.
//! - The screen is drawn once a second and after keys, and only lines that changed are written.
//!   The terminal is as before when the command ends: by `q`, Ctrl-C, a signal or an error.
//! - A second is shown when it is over: 150 ms later on the screen, and 500 ms later as a table, so that
//!   messages which had to wait are counted. In a table of each second, the counts are exact.
//! - Silent seconds have a line without a table. After more than a minute of silence, the lines before
//!   the last minute are left out.
//! - `lost` counts messages that the network lost. Messages that only the capture lacks are not
//!   counted.
//! - The last 16 messages of each row are kept, as text of up to 160 bytes. The last 16 MiB of
//!   messages and 16 MiB of packets can be shown byte by byte.
//! - The command uses one thread for reading, and one for the screen.
//! - Ctrl-Z stops the command and the others of its pipe. `fg` shows the screen again.
//! - With `TERM=dumb`, the command prints tables, also on a terminal.
//!
//! # A bad network
//!
//! `gdwire proxy --help` ends with this text:
#![doc = concat!("\n```text\n", include_str!("../bin/gdwire/help/proxy.txt"), "```\n")]
//!
//! - [`net::conditions`](crate::net::conditions) decides about the datagrams; programs can use it, too.
//! - `--loss` is the share of datagrams that is lost on average. With `--burst 3`, losses come in
//!   rows of three on average; their share stays the same.
//! - `--jitter` keeps the order. Datagrams that `--reorder` chooses are late by the jitter or 10 ms,
//!   whichever is more, so that later ones overtake them.
//! - `--rate` counts IP and UDP headers. Datagrams that would wait for longer than `--queue` are
//!   dropped, as a router drops them.
//! - The recordings have the addresses of their side: in that of the server, each client has the port
//!   from which the proxy sends its datagrams. The packets begin with IP headers (link type 101), and
//!   those of TCP are made from the bytes of the streams. They are written at least twice a second.
//! - `--drop-where` and `--delay-where` see messages as soon as their last datagram arrives. A message
//!   over ENet that waits for an earlier one is seen when that arrives; its own datagram has passed
//!   then.
//! - At most 4,096 clients use the proxy at the same time, and as many over TCP. At most 256 MiB are on
//!   their way over each protocol; beyond that, datagrams are dropped, and senders over TCP have to wait. A
//!   client that uses UDP is forgotten after a minute of silence.
//! - Forwarding never waits for the output. If it is too slow, packets are not shown, and their number
//!   is reported at the end; the recordings have them. If the output is closed, as `head` does, forwarding
//!   goes on until Ctrl-C or the end of `--for`.
//! - If the server does not answer, standard error says so once. If a connection is not forwarded for
//!   another reason, such as too many open files, it says the reason once.
//! - `--to` cannot be an address at which the proxy itself listens, whichever way it is written.
//!
//! # Bots
//!
//! `gdwire bot --help` ends with this text. The page [`bots`](super::bots) shows how to test a server with
//! them.
#![doc = concat!("\n```text\n", include_str!("../bin/gdwire/help/bot.txt"), "```\n")]
//!
//! # Converting between engines
//!
//! `gdwire convert --help` ends with this text:
#![doc = concat!("\n```text\n", include_str!("../bin/gdwire/help/convert.txt"), "```\n")]
//!
//! ```sh
//! gdwire convert --to godot4 corpus/captures/godot3-file.bin -o save4.dat
//! ```
//!
//! This command rewrites a file that a Godot 3 game wrote with `store_var`, so that Godot 4 can read
//! it. The module [`convert`] lists what `--lossy` replaces.
//!
//! An encrypted save of Godot 3 becomes an encrypted one of Godot 4, with the same password:
//!
//! ```sh
//! echo 'correct horse' > pass
//! gdwire convert --to godot4 --encrypt --password-file pass corpus/saves/godot3-pass.sav -o new.sav
//! ```
//!
//! # Editing saves
//!
//! `decode --index` numbers the values of a file, and `convert --set` changes a part of one of them. Here
//! the file is encrypted, and stays encrypted with the same password:
//!
//! ```sh
//! cp corpus/saves/godot4-pass.sav game.sav
//! gdwire convert --password-file pass --set '[14].tick=7' --set '[14].players=[]' game.sav -o game.sav
//! gdwire decode --password-file pass --index --width 70 game.sav | grep tick
//! ```
//!
//! ```text
//! [14]  { "tick": 7, "players": [] }
//! ```
//!
//! All other bytes of the content stay as they are, also padding that no engine reads. If the file
//! cannot be read to its end, or an edit cannot be done, the file is not changed. The module
//! [`edit`] has the rules for paths and types.
//!
//! # Output files
//!
//! A file that `-o` names is written whole or not at all. gdwire writes to a temporary file in the
//! same folder, and renames it when everything is written: after all inputs were read to their end
//! and, for `encode` and `convert`, if there was no error and at least one value. With
//! `--skip-errors` these write the values without errors, also those of a damaged file, but nothing
//! if reading an input failed or was interrupted. The old file keeps
//! its permissions. A new file cannot be read by users who cannot read all inputs. If the name is
//! that of a link, the file that it points to is written.
//!
//! A file that the run reads is not replaced, whatever its name: inputs, lists of methods, files of
//! the project, and files with passwords. `convert` replaces its input if it is the only one, and
//! `annotate` a capture that it adds comments to, if it is not compressed: everything else in a pcapng
//! file stays, and a pcap file becomes pcapng.
//!
//! `export` writes new Parquet files to a folder. If it is interrupted before the end of a file, it
//! removes those that it has written.
//!
//! The names of temporary files are `.gdwire-` or `.`, six letters, and `.tmp` or `.parquet.tmp`.
//! They are removed when the command ends, also after Ctrl-C, SIGTERM and, on Linux, SIGHUP. They
//! remain if the command is ended by SIGKILL or a crash, or while it writes Parquet files by a second
//! Ctrl-C.
//!
//! # Exit codes
//!
//! `gdwire --help` ends with this text:
#![doc = concat!("\n```text\n", include_str!("../bin/gdwire/help/gdwire.txt"), "```\n")]
//!
//! [`text::Show`]: crate::text::Show
#![cfg_attr(feature = "capture", doc = "[`states`]: crate::states")]
#![cfg_attr(not(feature = "capture"), doc = "[`states`]: crate#features")]
#![cfg_attr(feature = "capture", doc = "[`expression`]: crate::expression")]
#![cfg_attr(not(feature = "capture"), doc = "[`expression`]: crate#features")]
#![cfg_attr(feature = "alloc", doc = "[`edit`]: crate::edit")]
#![cfg_attr(not(feature = "alloc"), doc = "[`edit`]: crate#features")]
#![cfg_attr(feature = "alloc", doc = "[`convert`]: mod@crate::convert")]
#![cfg_attr(not(feature = "alloc"), doc = "[`convert`]: crate#features")]
#![cfg_attr(feature = "json", doc = "[`write_json`]: crate::multiplayer::write_json")]
#![cfg_attr(not(feature = "json"), doc = "[`write_json`]: crate#features")]
#![cfg_attr(feature = "json", doc = "[`json`]: crate::json")]
#![cfg_attr(not(feature = "json"), doc = "[`json`]: crate#features")]
#![cfg_attr(feature = "capture", doc = "[`Stats`]: crate::stats::Stats")]
#![cfg_attr(not(feature = "capture"), doc = "[`Stats`]: crate#features")]
