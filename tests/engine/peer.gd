# The engine's end of the tests in engine.rs.
#
#   godot3-server -s peer.gd -- udp PORT      talks over UDP with the reader on that port of 127.0.0.1
#   godot3-server -s peer.gd -- file PATH     reads the values of a store_var file
extends SceneTree

func values():
	var bytes = PoolByteArray()
	var vectors = PoolVector3Array()
	for i in range(1000):
		bytes.append(i % 251)
		vectors.append(Vector3(i, i * 0.5, -i))
	return [
		null, true, false, 0, -1, 2147483648, -9223372036854775807, 0.5, 0.1, 1e100, INF, -INF,
		"", "héllo", "日本語 🎮", "line\nbreak\t\"quoted\" back\\slash",
		Vector2(1.5, -2.25), Rect2(1, 2, 3, 4), Vector3(0.1, 0.2, 0.3),
		Transform2D(Vector2(1, 2), Vector2(3, 4), Vector2(5, 6)), Plane(1, 2, 3, 4), Quat(0, 0, 0, 1),
		AABB(Vector3(1, 2, 3), Vector3(4, 5, 6)), Basis(Vector3(1, 2, 3), Vector3(4, 5, 6), Vector3(7, 8, 9)),
		Transform(Basis(), Vector3(10, 11, 12)), Color(0.25, 0.5, 0.75, 1),
		NodePath("/root/Game:position:x"), NodePath("../Sibling"), NodePath(""),
		[], [1, [2, [3, {}]]], {}, {"a": 1, 2: "b", Vector2(1, 2): null, "nested": {"deep": [true]}},
		PoolByteArray([1, 2, 3]), bytes, PoolIntArray([1, -2]), PoolRealArray([0.5, 1e10]),
		PoolStringArray(["", "a", "béta"]), PoolVector2Array([Vector2(1, 2)]), vectors,
		PoolColorArray([Color(1, 0, 0)]),
	]

func _init():
	var args = OS.get_cmdline_args()
	var path = args[args.size() - 1]
	match args[args.size() - 2]:
		"udp":
			udp(int(path))
		"file":
			file(path)
	quit()

# Sends each value and its literal. Then answers each packet with the literal and the bytes of its
# value, until the value is the string "quit".
func udp(port):
	var peer = PacketPeerUDP.new()
	peer.listen(0, "127.0.0.1")
	peer.set_dest_address("127.0.0.1", port)
	for value in values():
		peer.put_var(value)
		peer.put_var(var2str(value))
	peer.put_var("ready")
	while peer.wait() == OK:
		var value = peer.get_var()
		if typeof(value) == TYPE_STRING and value == "quit":
			return
		peer.put_var([var2str(value), var2bytes(value)])

# Prints each value's literal as a line of JSON.
func file(path):
	var stored = File.new()
	stored.open(path, File.READ)
	while stored.get_position() < stored.get_len():
		print("value ", JSON.print(var2str(stored.get_var())))
