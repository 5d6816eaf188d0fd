# One end of Godot 4's high-level API over ENet or WebSocket:
#
#   godot4 --headless -s multiplayer4.gd -- COMPRESSION server         on a free port, which it prints
#   godot4 --headless -s multiplayer4.gd -- COMPRESSION client PORT
#
# COMPRESSION is `none`, `range`, `fastlz`, `zlib` or `zstd`, or `websocket` for the other transport. It
# calls methods of the other end, and prints calls as multiplayer.gd does. The last one is `finish`.
extends SceneTree

class Entity extends Node:
	func got(method, args):
		get_tree().note("got", "rpc", "", str(get_path()), method, args)

	@rpc("any_peer", "reliable") func respawn():
		got("respawn", [])

	@rpc("any_peer", "reliable") func move(a, b):
		got("move", [a, b])

	@rpc("any_peer", "unreliable") func aim(a):
		got("aim", [a])

	@rpc("any_peer", "call_remote", "unreliable_ordered", 3) func say(a):
		got("say", [a])

	@rpc("any_peer", "reliable") func state(a, b, c, d):
		got("state", [a, b, c, d])

	@rpc("any_peer", "reliable") func load_chunk(a, b):
		got("load_chunk", [a, b])

	@rpc("any_peer", "reliable") func finish():
		got("finish", [])

const PATHS = ["Game/World", "Game/Players/Zoë"]
const MODES = {
	"none": ENetConnection.COMPRESS_NONE,
	"range": ENetConnection.COMPRESS_RANGE_CODER,
	"fastlz": ENetConnection.COMPRESS_FASTLZ,
	"zlib": ENetConnection.COMPRESS_ZLIB,
	"zstd": ENetConnection.COMPRESS_ZSTD,
}

var calls = []
var other_id = 0

func note(what, kind, mode, path, method, args):
	var all = []
	for arg in args:
		all.append(var_to_bytes(arg).hex_encode())
	print(what, " ", JSON.stringify({"kind": kind, "mode": mode, "path": path, "method": method, "args_hex": all}))

func plan(role):
	var chunk = PackedByteArray()
	for i in range(20000):
		chunk.append((i * i + i / 7) % 251)
	# At the second call, the other end has confirmed the paths.
	for turn in range(2):
		for path in PATHS:
			calls.append(["rpc", "reliable", path, "respawn", []])
			calls.append(["rpc", "reliable", path, "move", [Vector2(turn, 2.5), role == "server"]])
			calls.append(["rpc", "unreliable", path, "aim", [Quaternion(0, 0, 0, 1)]])
			calls.append(["rpc", "unreliable", path, "say", ["héllo 🎮 %s" % role]])
			calls.append(["bytes", "reliable", "", "", [PackedByteArray([turn, 250, 6, 0, 0, 0])]])
		calls.append(["rpc", "reliable", PATHS[turn], "state", [
			-2147483649, {"at": Vector3(1, 2, 3), "items": [1, "two", null]}, NodePath("/root/Game"),
			PackedStringArray(["", "a", "béta"]),
		]])
		calls.append(["rpc", "reliable", PATHS[turn], "load_chunk", [chunk, {"biome": &"forest"}]])
	calls.append(["rpc", "reliable", PATHS[0], "finish", []])

func make_call(call):
	var node = root.get_node(call[2]) if call[2] != "" else null
	note("sent", call[0], call[1], str(node.get_path()) if node else "", call[3], call[4])
	if call[0] == "rpc":
		node.callv("rpc_id", [other_id, call[3]] + call[4])
	else:
		get_multiplayer().send_bytes(call[4][0], other_id)

func _initialize():
	Engine.max_fps = 60
	var args = OS.get_cmdline_user_args()
	for path in PATHS:
		var at = root
		for part in path.split("/"):
			if not at.has_node(part):
				var entity = Entity.new()
				entity.name = part
				at.add_child(entity)
			at = at.get_node(part)
	plan(args[1])
	var is_enet = args[0] != "websocket"
	var peer: Variant = ENetMultiplayerPeer.new() if is_enet else WebSocketMultiplayerPeer.new()
	if args[1] == "server":
		if is_enet:
			peer.set_bind_ip("127.0.0.1")
		var port = 0
		for _i in range(100):
			port = 20000 + randi() % 12000
			if (peer.create_server(port) if is_enet else peer.create_server(port, "127.0.0.1")) == OK:
				break
		print("listening ", port)
	elif is_enet:
		peer.create_client("127.0.0.1", int(args[2]))
	else:
		peer.create_client("ws://127.0.0.1:" + args[2])
	if is_enet:
		peer.host.compress(MODES[args[0]])
	get_multiplayer().peer_connected.connect(func(id): other_id = id)
	get_multiplayer().peer_packet.connect(func(_id, packet): note("got", "bytes", "", "", "", [packet]))
	get_multiplayer().multiplayer_peer = peer

# One call in each frame.
func _process(_delta):
	if other_id != 0 and not calls.is_empty():
		make_call(calls.pop_front())
