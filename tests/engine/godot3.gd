# The engine's end of the tests in tests/engine, for Godot 3. It does what godot4.gd does. Its arguments
# are
#
#   answer QUESTIONS OUT                  answers the questions in a file: see agreement.rs
#   talk ROLE TRANSPORT PORT SEED OUT     sends values to the other end, and receives its values
extends SceneTree

const MODES = {
	"fastlz": File.COMPRESSION_FASTLZ,
	"deflate": File.COMPRESSION_DEFLATE,
	"zstd": File.COMPRESSION_ZSTD,
	"gzip": File.COMPRESSION_GZIP,
}
const CALLS = 60
const CHARACTERS = "aZ09 _-./:%'\"\\\n\t\rβéжש日本?{}[](),"

var rng = RandomNumberGenerator.new()
var folder

func _init():
	var args = Array(OS.get_cmdline_args())
	args = args.slice(args.find("--") + 1, args.size() - 1)
	folder = args[args.size() - 1].get_base_dir()
	match args[0]:
		"answer":
			answer_all(args[1], args[2])
		"talk":
			talk(args[1], args[2], int(args[3]), int(args[4]), args[5])
	quit()

func opened(path, mode):
	var file = File.new()
	return file if file.open(path, mode) == OK else null

func answer_all(path, out):
	var questions = opened(path, File.READ)
	var answers = opened(out, File.WRITE)
	while questions.get_position() < questions.get_len():
		answers.store_var(answer(questions.get_var()))
	answers.close()

func answer(question):
	match question[0]:
		"make":
			rng.seed = question[1]
			var value = value(0)
			return [var2bytes(value), var2str(value)]
		"read":
			var read = read(question[1])
			return [] if read.empty() else [var2bytes(read[0])]
		"spell":
			var read = read(question[1])
			return [] if read.empty() else [var2str(read[0]), null, var2bytes(str2var(question[2]))]
		"path":
			return var2bytes(NodePath(question[1]))
		"pack":
			var file = packed(File.WRITE, question[1], question[2])
			file.store_buffer(question[3])
			file.close()
			file = opened(folder + "/packed", File.READ)
			return file.get_buffer(file.get_len())
		"unpack":
			var file = opened(folder + "/packed", File.WRITE)
			file.store_buffer(question[3])
			file.close()
			file = packed(File.READ, question[1], question[2])
			return null if file == null else file.get_buffer(file.get_len())

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
	var file = File.new()
	var error
	match way:
		"pass":
			error = file.open_encrypted_with_pass(folder + "/packed", mode, secret)
		"key":
			var key = PoolByteArray()
			for at in range(0, 64, 2):
				key.append(("0x" + secret.substr(at, 2)).hex_to_int())
			error = file.open_encrypted(folder + "/packed", mode, key)
		_:
			error = file.open_compressed(folder + "/packed", mode, MODES[way])
	return file if error == OK else null

func text():
	var text = ""
	for _i in range(rng.randi() % 12):
		text += CHARACTERS[rng.randi() % CHARACTERS.length()]
	return text

func real():
	match rng.randi() % 6:
		0: return float(rng.randi() % 1000) - 500
		1: return rng.randf()
		2: return rng.randf_range(-1e6, 1e6)
		3: return [0.0, -0.0, INF, -INF, NAN, 1e-45, 3.4e38, 0.1, 1e15, 16777217.0][rng.randi() % 10]
		4: return rng.randf() * pow(10, int(rng.randi() % 80) - 40)
		_: return rng.randf() * pow(10, int(rng.randi() % 600) - 300)

func integer():
	var bits = rng.randi() % 64
	var number = (rng.randi() << 32 | rng.randi()) >> (63 - bits)
	return number if rng.randi() % 2 else -number

func many(make):
	var all = []
	for _i in range(rng.randi() % 5):
		all.append(call(make))
	return all

func v2(): return Vector2(real(), real())
func v3(): return Vector3(real(), real(), real())
func color(): return Color(real(), real(), real(), real())
func basis(): return Basis(v3(), v3(), v3())

func value(depth):
	match rng.randi() % (26 if depth < 4 else 22):
		0: return null
		1: return rng.randi() % 2 == 0
		2: return integer()
		3: return real()
		4: return text()
		5: return v2()
		6: return Rect2(v2(), v2())
		7: return v3()
		8: return Transform2D(v2(), v2(), v2())
		9: return Plane(real(), real(), real(), real())
		10: return Quat(real(), real(), real(), real())
		11: return AABB(v3(), v3())
		12: return basis()
		13: return Transform(basis(), v3())
		14: return color()
		15: return NodePath(text())
		16: return RID()
		17: return PoolByteArray(many("integer"))
		18: return PoolIntArray(many("integer"))
		19: return PoolRealArray(many("real"))
		20: return PoolStringArray(many("text"))
		21: return [PoolVector2Array(many("v2")), PoolVector3Array(many("v3")), PoolColorArray(many("color"))][rng.randi() % 3]
		22, 23, 24:
			var array = []
			for _i in range(rng.randi() % 5):
				array.append(value(depth + 1))
			return array
		_:
			var dictionary = {}
			for _i in range(rng.randi() % 5):
				# The engine crashes when it spells some dictionaries with arrays as keys.
				var key = value(9)
				dictionary[text() if typeof(key) >= TYPE_RAW_ARRAY else key] = value(depth + 1)
			return dictionary

# Each end sends some values, and quits when it has received as many from the other end.
func talk(role, transport, port, seed_of_values, out):
	rng.seed = seed_of_values
	var sent = opened(out, File.WRITE)
	var peer = connected(role == "server", transport, port)
	var left = CALLS
	var missing = CALLS
	var frames_left = 30
	while frames_left > 0:
		if transport.begins_with("enet"):
			peer.poll()
		elif transport == "websocket":
			ends[0].poll()
		while peer.get_available_packet_count() > 0:
			peer.get_packet()
			missing -= 1
			if transport == "udp":
				peer.set_dest_address(peer.get_packet_ip(), peer.get_packet_port())
		# A server of UDP does not know its client before.
		if left > 0 and (transport != "udp" or role == "client" or missing < CALLS):
			var value = value(2)
			peer.put_var(value)
			sent.store_var(var2bytes(value))
			left -= 1
		elif missing <= 0 and left == 0:
			# The last packets are on their way.
			frames_left -= 1
		pause()
	sent.close()
	if transport == "websocket" and role == "client":
		peer.close()
		ends[0].poll()

func connected(is_server, transport, port):
	match transport:
		"udp":
			var peer = PacketPeerUDP.new()
			peer.listen(port if is_server else 0, "127.0.0.1")
			peer.set_dest_address("127.0.0.1", port)
			print("ready")
			return peer
		"tcp":
			var peer = PacketPeerStream.new()
			peer.stream_peer = connected_stream(is_server, port)
			return peer
		"websocket":
			var end
			if is_server:
				end = WebSocketServer.new()
				end.set_bind_ip("127.0.0.1")
				end.connect("client_connected", self, "client_connected")
				end.listen(port)
				print("ready")
			else:
				end = WebSocketClient.new()
				end.connect("connection_established", self, "client_connected", [1])
				end.connect_to_url("ws://127.0.0.1:%d" % port)
			ends = [end]
			while id == 0:
				end.poll()
				pause()
			return end.get_peer(id)
	var peer = NetworkedMultiplayerENet.new()
	var modes = {
		"enet": NetworkedMultiplayerENet.COMPRESS_NONE, "enet-range": NetworkedMultiplayerENet.COMPRESS_RANGE_CODER,
		"enet-fastlz": NetworkedMultiplayerENet.COMPRESS_FASTLZ, "enet-zlib": NetworkedMultiplayerENet.COMPRESS_ZLIB,
		"enet-zstd": NetworkedMultiplayerENet.COMPRESS_ZSTD,
	}
	peer.compression_mode = modes[transport]
	peer.connect("peer_connected", self, "client_connected")
	if is_server:
		peer.set_bind_ip("127.0.0.1")
		peer.create_server(port)
		print("ready")
	else:
		peer.create_client("127.0.0.1", port)
	while id == 0:
		peer.poll()
		pause()
	peer.set_target_peer(id)
	return peer

# Waits a little. A conversation does not last longer than a minute, whatever the other end does.
func pause():
	OS.delay_msec(10)
	if OS.get_ticks_msec() > 60000:
		OS.kill(OS.get_process_id())

# The id of the other end.
var id = 0
# Both ends of a WebSocket need the object that made them.
var ends = []

func client_connected(other_id, _protocol = ""):
	id = other_id if typeof(other_id) == TYPE_INT else 1

func connected_stream(is_server, port):
	if is_server:
		var server = TCP_Server.new()
		server.listen(port, "127.0.0.1")
		print("ready")
		while not server.is_connection_available():
			pause()
		return server.take_connection()
	var stream = StreamPeerTCP.new()
	while stream.get_status() != StreamPeerTCP.STATUS_CONNECTED:
		if stream.get_status() != StreamPeerTCP.STATUS_CONNECTING:
			stream = StreamPeerTCP.new()
			stream.connect_to_host("127.0.0.1", port)
		pause()
	return stream
