# A server and a client of Godot 3's high-level API over WebSocket, in one process each:
#
#   godot3-server -s godot3_websocket_rpc.gd -- OUT_NDJSON ROLE PORT
#
# Each logs what it sends: `kind` (rpc, rset, packet), `args_hex` as `var2bytes`, and the peer ids.
extends SceneTree

class Chat extends Node:
	remote var health
	remote func say(a, b):
		pass
	remote func state(a):
		pass

var peer
var role
var out
var log_lines = []
var started = 0
var step = 0
var remote_id = 0

func hx(b):
	var s = PoolStringArray()
	for x in b:
		s.append("%02x" % x)
	return s.join("")

func note(kind, method, args):
	var h = []
	for a in args:
		h.append(hx(var2bytes(a)))
	log_lines.append({"n": log_lines.size(), "from": role, "kind": kind, "source": peer.get_unique_id(), "target": remote_id, "path": "Chat", "method": method, "args_hex": h})

func connected(id):
	remote_id = id
	started = OS.get_ticks_msec() + 200

func _initialize():
	var args = Array(OS.get_cmdline_args())
	args = args.slice(args.find("--") + 1, args.size() - 1)
	out = args[0]
	role = args[1]
	var node = Chat.new()
	node.name = "Chat"
	get_root().add_child(node)
	connect("network_peer_connected", self, "connected")
	if role == "server":
		peer = WebSocketServer.new()
		peer.set_bind_ip("127.0.0.1")
		peer.listen(int(args[2]), PoolStringArray(["chat"]), true)
	else:
		peer = WebSocketClient.new()
		peer.connect_to_url("ws://127.0.0.1:%s/room" % args[2], PoolStringArray(["chat"]), true)
	set_network_peer(peer)

func _idle(_delta):
	peer.poll()
	if started == 0 or OS.get_ticks_msec() < started + step * 100:
		return
	var node = get_root().get_node("Chat")
	match step:
		0:
			note("rpc", "say", [role, 7])
			node.rpc_id(remote_id, "say", role, 7)
		1:
			note("rset", "health", [12.5])
			node.rset_id(remote_id, "health", 12.5)
		2:
			note("rpc", "state", [{"position": Vector3(1, 2, 3), "items": [1, "two", null]}])
			node.rpc_id(remote_id, "state", {"position": Vector3(1, 2, 3), "items": [1, "two", null]})
		3:
			var bytes = PoolByteArray([1, 2, 3, 250])
			note("bytes", "", [bytes])
			multiplayer.send_bytes(bytes, remote_id)
		4:
			peer.set_target_peer(remote_id)
			note("packet", "", [PoolByteArray([4, 9, 8, 7])])
			peer.put_packet(PoolByteArray([4, 9, 8, 7]))
		7:
			var f = File.new()
			f.open(out, File.WRITE)
			for l in log_lines:
				f.store_line(JSON.print(l))
			f.close()
			quit()
	step += 1
