# Two ends of Godot 3's high-level API over ENet or WebSocket, in one process each:
#
#   godot3-server -s multiplayer.gd -- COMPRESSION server         on a free port, which it prints
#   godot3-server -s multiplayer.gd -- COMPRESSION client PORT
#   godot3-server -s multiplayer.gd -- COMPRESSION relay           a server that calls nothing itself
#   godot3-server -s multiplayer.gd -- COMPRESSION guest PORT      a client that calls another client
#
# COMPRESSION is `none` or `range`, or `websocket` for the other transport. Each calls methods of the other and prints every call as a line of
# JSON, "sent …" or "got …": what (`kind`), `mode`, `path`, `method` and the `var2bytes` of the arguments.
# The last one is `finish`.
extends SceneTree

class Entity extends Node:
	remote var health setget set_health

	func got(kind, method, args):
		get_tree().note("got", kind, "", str(get_path()), method, args)

	func set_health(value):
		health = value
		got("rset", "health", [value])

	remote func respawn():
		got("rpc", "respawn", [])

	remote func move(a, b):
		got("rpc", "move", [a, b])

	remote func say(a):
		got("rpc", "say", [a])

	remote func state(a, b, c, d):
		got("rpc", "state", [a, b, c, d])

	remote func load_chunk(a, b):
		got("rpc", "load_chunk", [a, b])

	remote func value(a):
		got("rpc", "value", [a])

	remote func finish():
		got("rpc", "finish", [])

const PATHS = ["Game/World", "Game/Players/Zoë"]
# One of each type; `NodePath` is among the others, because its padding may differ.
var VALUES = [
	null, true, false, 7, -70000, 5000000000, 0.5, 0.1, "", "béta", Vector2(1, -2), Rect2(1, 2, 3, 4), Vector3(1, 2, 3),
	Transform2D(0.5, Vector2(1, 2)), Plane(1, 0, 0, 4), Quat(0, 0, 0, 1), AABB(Vector3(1, 2, 3), Vector3(4, 5, 6)),
	Basis(Vector3(1, 2, 3)), Transform(Basis(), Vector3(1, 2, 3)), Color(0.1, 0.2, 0.3, 0.4), {"a": [1, {2: null}]},
	[1, "two", [3.5, []]], PoolByteArray([0, 255, 3]), PoolIntArray([-1, 70000]), PoolRealArray([0.5, -1]),
	PoolStringArray(["", "béta"]), PoolVector2Array([Vector2(1, 2)]), PoolVector3Array([Vector3(1, 2, 3)]),
	PoolColorArray([Color(1, 0, 0.5)]),
]

var calls = []
var other_id = 0
var next_call = 0
var role = ""

func hx(bytes):
	var digits = PoolStringArray()
	for byte in bytes:
		digits.append("%02x" % byte)
	return digits.join("")

func note(what, kind, mode, path, method, args):
	var all = []
	for arg in args:
		all.append(hx(var2bytes(arg)))
	print(what, " ", JSON.print({"kind": kind, "mode": mode, "path": path, "method": method, "args_hex": all}))

func plan(role):
	var chunk = PoolByteArray()
	for i in range(20000):
		chunk.append((i * i + i / 7) % 251)
	# At the second call, the other end has confirmed the paths.
	for turn in range(2):
		for path in PATHS:
			for mode in ["reliable", "unreliable"]:
				calls.append(["rpc", mode, path, "respawn", []])
				calls.append(["rpc", mode, path, "move", [Vector2(turn, 2.5), role == "server"]])
				calls.append(["rpc", mode, path, "say", ["héllo 🎮 %s" % role]])
				calls.append(["rset", mode, path, "health", [0.1 + turn]])
				calls.append(["bytes", mode, "", "", [PoolByteArray([turn, 250, 6, 0, 0, 0])]])
		calls.append(["rpc", "reliable", PATHS[turn], "state", [
			-2147483649, {"at": Vector3(1, 2, 3), "items": [1, "two", null]}, NodePath("/root/Game"),
			PoolStringArray(["", "a", "béta"]),
		]])
		calls.append(["rpc", "reliable", PATHS[turn], "load_chunk", [chunk, {"biome": "forest"}]])
	for value in VALUES:
		calls.append(["rpc", "reliable", PATHS[0], "value", [value]])
	calls.append(["rpc", "reliable", PATHS[0], "finish", []])

func make_call(call):
	var reliable = call[1] == "reliable"
	var node = get_root().get_node(call[2]) if call[2] != "" else null
	note("sent", call[0], call[1], str(node.get_path()) if node else "", call[3], call[4])
	match call[0]:
		"rpc":
			node.callv("rpc_id" if reliable else "rpc_unreliable_id", [other_id, call[3]] + call[4])
		"rset":
			node.callv("rset_id" if reliable else "rset_unreliable_id", [other_id, call[3]] + call[4])
		"bytes":
			var mode = NetworkedMultiplayerPeer.TRANSFER_MODE_RELIABLE if reliable else NetworkedMultiplayerPeer.TRANSFER_MODE_UNRELIABLE
			get_multiplayer().send_bytes(call[4][0], other_id, mode)

func connected(id):
	if role == "guest" and id == 1 or role == "relay":
		return
	other_id = id

func bytes(_id, packet):
	note("got", "bytes", "", "", "", [packet])

func _initialize():
	Engine.target_fps = 60
	var args = Array(OS.get_cmdline_args())
	args = args.slice(args.find("--") + 1, args.size() - 1)
	for path in PATHS:
		var at = get_root()
		for name in path.split("/"):
			if not at.has_node(name):
				var entity = Entity.new()
				entity.name = name
				at.add_child(entity)
			at = at.get_node(name)
	role = args[1]
	plan(role)
	connect("network_peer_connected", self, "connected")
	get_multiplayer().connect("network_peer_packet", self, "bytes")
	var peer = new_peer(args[0])
	if is_server():
		peer.set_bind_ip("127.0.0.1")
		randomize()
		var port = 0
		for _i in range(100):
			port = 20000 + randi() % 12000
			if start(peer, port) == OK:
				break
		set_network_peer(peer)
		print("listening ", port)
	else:
		if args[0] == "websocket":
			peer.connect_to_url("ws://127.0.0.1:" + args[2], PoolStringArray(), true)
		else:
			peer.create_client("127.0.0.1", int(args[2]))
		set_network_peer(peer)

func is_server():
	return role in ["server", "relay"]

func new_peer(compression):
	if compression == "websocket":
		return WebSocketServer.new() if is_server() else WebSocketClient.new()
	var peer = NetworkedMultiplayerENet.new()
	# Godot 3.2 and 3.6 have different defaults.
	var modes = {"none": NetworkedMultiplayerENet.COMPRESS_NONE, "range": NetworkedMultiplayerENet.COMPRESS_RANGE_CODER}
	peer.compression_mode = modes[compression]
	return peer

func start(peer, port):
	if peer is WebSocketServer:
		return peer.listen(port, PoolStringArray(), true)
	return peer.create_server(port, 4)

# One call in each frame.
func _idle(_delta):
	if other_id != 0 and next_call < calls.size():
		make_call(calls[next_call])
		next_call += 1
