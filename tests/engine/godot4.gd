# The engine's end of the tests in tests/engine, for Godot 4. Its arguments are
#
#   answer OUT                            answers the questions in res://questions: see agreement.rs
#   talk ROLE TRANSPORT PORT SEED OUT     sends values to the other end, and receives its values
#
# OUT gets what was answered or sent, as store_var writes it.
extends Node

const MODES = {
	"fastlz": FileAccess.COMPRESSION_FASTLZ,
	"deflate": FileAccess.COMPRESSION_DEFLATE,
	"zstd": FileAccess.COMPRESSION_ZSTD,
	"gzip": FileAccess.COMPRESSION_GZIP,
}
const CHARACTERS = "aZ09 _-./:%'\"\\\n\t\rβéжש日本🎮\u200d\u007f\u0001?{}[](),"
const CALLS = 60

var rng = RandomNumberGenerator.new()

func _ready():
	var args = OS.get_cmdline_user_args()
	Engine.print_error_messages = false
	match args[0]:
		"answer":
			answer_all(args[1])
		"talk":
			await talk(args[1], args[2], int(args[3]), int(args[4]), args[5])
	get_tree().quit()

func answer_all(out):
	var questions = FileAccess.open("res://questions", FileAccess.READ)
	var answers = FileAccess.open(out, FileAccess.WRITE)
	while questions.get_position() < questions.get_length():
		answers.store_var(answer(questions.get_var()))
	answers.close()

func answer(question):
	match question[0]:
		"make":
			rng.seed = question[1]
			var value = value(0)
			return [var_to_bytes(value), var_to_str(value), native(value)]
		"read":
			var read = read(question[1])
			return [] if read.is_empty() else [var_to_bytes(read[0])]
		"spell":
			var read = read(question[1])
			if read.is_empty():
				return []
			var from_json = JSON.to_native(JSON.parse_string(question[3]))
			var from_literal = str_to_var(question[2])
			return [var_to_str(read[0]), native(read[0]), var_to_bytes(from_literal), var_to_bytes(from_json)]
		"path":
			return var_to_bytes(NodePath(question[1]))
		"pack":
			var file = packed(FileAccess.WRITE, question[1], question[2])
			file.store_buffer(question[3])
			file.close()
			return FileAccess.get_file_as_bytes("user://packed")
		"unpack":
			var file = FileAccess.open("user://packed", FileAccess.WRITE)
			file.store_buffer(question[3])
			file.close()
			file = packed(FileAccess.READ, question[1], question[2])
			return null if file == null else file.get_buffer(file.get_length())

func native(value):
	return JSON.stringify(JSON.from_native(value), "", false, true)

# The value in an array, or an empty array if the engine refuses the bytes. A rejected value is
# null; in an array, it differs from a null that was accepted.
func read(bytes):
	var peer = StreamPeerBuffer.new()
	peer.put_u32(bytes.size() + 8)
	peer.put_u32(TYPE_ARRAY)
	peer.put_u32(1)
	peer.put_data(bytes)
	peer.seek(0)
	var read = peer.get_var()
	return [] if read == null else read

func packed(mode, way, secret):
	match way:
		"pass":
			return FileAccess.open_encrypted_with_pass("user://packed", mode, secret)
		"key":
			return FileAccess.open_encrypted("user://packed", mode, secret.hex_decode())
	return FileAccess.open_compressed("user://packed", mode, MODES[way])

func text():
	var text = ""
	for i in range(rng.randi() % 12):
		text += CHARACTERS[rng.randi() % CHARACTERS.length()]
	return text

func real():
	match rng.randi() % 6:
		0: return rng.randi() % 1000 - 500
		1: return rng.randf()
		2: return rng.randf_range(-1e6, 1e6)
		3: return [0.0, -0.0, INF, -INF, NAN, 1e-45, 3.4e38, 0.1, 1e15, 16777217.0][rng.randi() % 10]
		4: return rng.randf() * pow(10, rng.randi() % 80 - 40)
		_: return rng.randf() * pow(10, rng.randi() % 600 - 300)

func integer():
	var bits = rng.randi() % 64
	var number = (rng.randi() << 32 | rng.randi()) >> (63 - bits)
	return number if rng.randi() % 2 else -number

func many(make):
	return range(rng.randi() % 5).map(func(_i): return make.call())

func v2(): return Vector2(real(), real())
func v3(): return Vector3(real(), real(), real())
func v4(): return Vector4(real(), real(), real(), real())
func color(): return Color(real(), real(), real(), real())
func basis(): return Basis(v3(), v3(), v3())

func value(depth):
	match rng.randi() % (36 if depth < 4 else 32):
		0: return null
		1: return rng.randi() % 2 == 0
		2: return integer()
		3: return real()
		4: return text()
		5: return v2()
		6: return Vector2i(integer(), integer())
		7: return Rect2(v2(), v2())
		8: return Rect2i(integer(), integer(), integer(), integer())
		9: return v3()
		10: return Vector3i(integer(), integer(), integer())
		11: return Transform2D(v2(), v2(), v2())
		12: return v4()
		13: return Vector4i(integer(), integer(), integer(), integer())
		14: return Plane(real(), real(), real(), real())
		15: return Quaternion(real(), real(), real(), real())
		16: return AABB(v3(), v3())
		17: return basis()
		18: return Transform3D(basis(), v3())
		19: return Projection(v4(), v4(), v4(), v4())
		20: return color()
		21: return StringName(text())
		22: return NodePath(text())
		23: return [RID(), Callable(), Signal()][rng.randi() % 3]
		24: return PackedByteArray(many(integer))
		25: return [PackedInt32Array(many(integer)), PackedInt64Array(many(integer))][rng.randi() % 2]
		26: return [PackedFloat32Array(many(real)), PackedFloat64Array(many(real))][rng.randi() % 2]
		27: return PackedStringArray(many(text))
		28: return PackedVector2Array(many(v2))
		29: return PackedVector3Array(many(v3))
		30: return PackedVector4Array(many(v4))
		31: return PackedColorArray(many(color))
		32: return many(func(): return value(depth + 1))
		33:
			var dictionary = {}
			for i in range(rng.randi() % 5):
				dictionary[value(depth + 1)] = value(depth + 1)
			return dictionary
		34:
			var kinds = {TYPE_INT: integer, TYPE_STRING: text, TYPE_VECTOR3: v3, TYPE_COLOR: color}
			var kind = kinds.keys()[rng.randi() % kinds.size()]
			return Array(many(kinds[kind]), kind, &"", null)
		35:
			var dictionary = {}
			for i in range(rng.randi() % 5):
				dictionary[text()] = integer()
			var keys = [TYPE_NIL, TYPE_STRING][rng.randi() % 2]
			return Dictionary(dictionary, keys, &"", null, TYPE_INT, &"", null)

# Each end sends some values, and quits when it has received as many from the other end. The server
# prints "ready" before it waits for the client.
func talk(role, transport, port, seed_of_values, out):
	Engine.max_fps = 60
	# Whatever the other end does.
	get_tree().create_timer(60).timeout.connect(get_tree().quit.bind(1))
	rng.seed = seed_of_values
	var sent = FileAccess.open(out, FileAccess.WRITE)
	var peer = await connected(role == "server", transport, port)
	var left = CALLS
	var missing = CALLS
	var frames_left = 30
	while frames_left > 0:
		if transport.begins_with("enet") or transport == "websocket":
			peer.poll()
		while peer.get_available_packet_count() > 0:
			peer.get_packet()
			missing -= 1
			if transport == "udp":
				peer.set_dest_address(peer.get_packet_ip(), peer.get_packet_port())
		# A server of UDP does not know its client before.
		if left > 0 and (transport != "udp" or role == "client" or missing < CALLS):
			var value = value(2)
			peer.put_var(value)
			sent.store_var(var_to_bytes(value))
			left -= 1
		elif missing <= 0 and left == 0:
			# The last packets are on their way.
			frames_left -= 1
		await get_tree().process_frame
	sent.close()
	if transport == "websocket":
		peer.close()
		peer.poll()

func connected(is_server, transport, port):
	match transport:
		"udp":
			var peer = PacketPeerUDP.new()
			peer.bind(port if is_server else 0, "127.0.0.1")
			peer.set_dest_address("127.0.0.1", port)
			print("ready")
			return peer
		"tcp":
			var peer = PacketPeerStream.new()
			peer.stream_peer = await connected_stream(is_server, port)
			return peer
		"websocket":
			var peer = WebSocketPeer.new()
			if is_server:
				peer.accept_stream(await connected_stream(true, port))
			else:
				peer.connect_to_url("ws://127.0.0.1:%d" % port)
			while peer.get_ready_state() != WebSocketPeer.STATE_OPEN:
				peer.poll()
				await get_tree().process_frame
			return peer
	var peer = ENetMultiplayerPeer.new()
	if is_server:
		peer.set_bind_ip("127.0.0.1")
		peer.create_server(port)
		print("ready")
	else:
		peer.create_client("127.0.0.1", port)
	var modes = {
		"enet": ENetConnection.COMPRESS_NONE, "enet-range": ENetConnection.COMPRESS_RANGE_CODER,
		"enet-fastlz": ENetConnection.COMPRESS_FASTLZ, "enet-zlib": ENetConnection.COMPRESS_ZLIB,
		"enet-zstd": ENetConnection.COMPRESS_ZSTD,
	}
	peer.host.compress(modes[transport])
	var others = []
	peer.peer_connected.connect(func(id): others.append(id))
	while others.is_empty():
		peer.poll()
		await get_tree().process_frame
	peer.set_target_peer(others[0])
	return peer

func connected_stream(is_server, port):
	if is_server:
		var server = TCPServer.new()
		server.listen(port, "127.0.0.1")
		print("ready")
		while not server.is_connection_available():
			await get_tree().process_frame
		return server.take_connection()
	var stream = StreamPeerTCP.new()
	while stream.get_status() != StreamPeerTCP.STATUS_CONNECTED:
		if stream.get_status() != StreamPeerTCP.STATUS_CONNECTING:
			stream = StreamPeerTCP.new()
			stream.connect_to_host("127.0.0.1", port)
		stream.poll()
		await get_tree().process_frame
	return stream
