# One end of a game that a session of another program plays with. That asks this end to act, and reads
# what it prints:
#
#     godot --headless --path stage -- ROLE TRANSPORT PORT [SECRET]
#
# ROLE is server, client, or guest: a client without a stage of its own. TRANSPORT is websocket, enet, or
# enet-COMPRESSION. With a SECRET, each end has to send it before it is admitted.
extends Node

const MOB = preload("res://mob.tscn")
const MODES = {
	"enet-range": ENetConnection.COMPRESS_RANGE_CODER, "enet-fastlz": ENetConnection.COMPRESS_FASTLZ,
	"enet-zlib": ENetConnection.COMPRESS_ZLIB, "enet-zstd": ENetConnection.COMPRESS_ZSTD,
}

var is_server := false
var is_guest := false
# What was printed of each property.
var shown := {}

func _ready():
	Engine.max_fps = 60
	var a = OS.get_cmdline_user_args()
	is_server = a[0] == "server"
	is_guest = a[0] == "guest"
	for stage in [$Stage, $Mine]:
		stage.get_node("Custom").spawn_function = func(data):
			print("made ", path_of(stage), " ", hex(data))
			var node = Node2D.new()
			node.name = data["name"]
			return node
		for spawner in [stage.get_node("Spawner"), stage.get_node("Custom")]:
			spawner.spawned.connect(spawned)
			spawner.despawned.connect(func(node): print("despawned ", path_of(node)))
	multiplayer.peer_connected.connect(joined)
	multiplayer.peer_disconnected.connect(func(id): print("left ", id))
	multiplayer.peer_packet.connect(func(id, packet): print("packet ", id, " ", packet.hex_encode()))
	multiplayer.connected_to_server.connect(func(): print("connected"))
	multiplayer.connection_failed.connect(func(): print("failed"))
	multiplayer.server_disconnected.connect(func(): print("closed"))
	if a.size() > 3:
		authenticate(a[3])
	start(a[1], int(a[2]))

func authenticate(secret):
	multiplayer.auth_callback = func(id, data):
		print("auth ", id, " ", data.get_string_from_utf8())
		if data.get_string_from_utf8() == secret:
			multiplayer.complete_auth(id)
		else:
			multiplayer.disconnect_peer(id)
	multiplayer.peer_authenticating.connect(func(id): multiplayer.send_auth(id, secret.to_utf8_buffer()))
	multiplayer.peer_authentication_failed.connect(func(id): print("refused ", id))

func start(transport, port):
	var peer
	if transport == "websocket":
		peer = WebSocketMultiplayerPeer.new()
		if is_server:
			peer.create_server(port, "127.0.0.1")
		else:
			peer.create_client("ws://127.0.0.1:%d" % port)
	else:
		peer = ENetMultiplayerPeer.new()
		if is_server:
			peer.set_bind_ip("127.0.0.1")
			peer.create_server(port, 8)
		else:
			peer.create_client("127.0.0.1", port)
		if MODES.has(transport):
			peer.host.compress(MODES[transport])
	multiplayer.multiplayer_peer = peer
	print("started")

func joined(id):
	if is_server and $Mine.get_multiplayer_authority() == 1:
		$Mine.set_multiplayer_authority(id)
	elif not is_server and not is_guest and id == 1:
		$Mine.set_multiplayer_authority(multiplayer.get_unique_id())
	print("joined ", id)

func hex(value):
	return var_to_bytes(value).hex_encode()

func path_of(node):
	return str(node.get_path()).trim_prefix("/root/") if node.is_inside_tree() else str(node.name)

func got(node, method, args):
	print("got ", multiplayer.get_remote_sender_id(), " ", path_of(node), ".", method, " ", " ".join(args.map(hex)))

func spawned(node):
	var values = "" if not "title" in node else " ".join([hex(node.position), hex(node.title), hex(node.health), hex(node.tags)])
	print("spawned ", path_of(node), " ", values)

# The stage of this end.
func stage():
	return $Stage if is_server else $Mine

func act(what, id):
	var words = what.split(" ")
	var mob = stage().get_node_or_null("Mobs/mob")
	match words[0]:
		"values":
			var all = values()
			for i in all.size():
				print("sent ", i, " ", hex(all[i]))
				$World.value.rpc_id(id, i, all[i])
			$World.bytes.rpc_id(id, PackedByteArray([1, 2, 3]))
			$World.aside.rpc_id(id, "aside")
			multiplayer.send_bytes(PackedByteArray([9, 8, 7]), id)
		"loose":
			$World.loose.rpc_id(id, "loose")
			$World.ordered.rpc_id(id, "ordered")
		"spawn":
			mob = MOB.instantiate()
			mob.name = "mob"
			mob.title = "Grim"
			mob.health = 77
			mob.tags = ["a", 2]
			mob.position = Vector2(1, 2)
			stage().get_node("Mobs").add_child(mob, true)
		"pilot":
			mob = MOB.instantiate()
			mob.name = words[1]
			stage().get_node("Mobs").add_child(mob, true)
		"make":
			stage().get_node("Custom").spawn({ "name": "shot", "at": Vector3(1, 2, 3) })
		"change":
			mob.position = Vector2(5, 6)
			mob.rotation = 0.5
			mob.health = 55
			mob.tags = [{ "deep": true }]
			mob.get_node("Part").position = Vector2(7, 8)
			stage().turn = 9
			stage().note = "set"
		"aim":
			$Stage/Mobs.get_node(words[1]).aim = Vector3(4, 5, 6)
		"poke":
			get_node("/root/" + words[1]).poke.rpc_id(id, "poked")
		"order":
			$World.order.rpc_id(id, "ordered")
		"despawn":
			mob.queue_free()
		"wrong":
			$Wrong.hello.rpc_id(id, 1)
		"only":
			$Only.hello.rpc_id(id, 1)
		"say":
			$World.say.rpc_id(int(words[1]), words[2])
		"leave":
			multiplayer.multiplayer_peer.close()
		"quit":
			get_tree().quit()

func values():
	var ints: Array[int] = [1, -2, 3]
	var names: Dictionary[StringName, Vector2] = { &"a": Vector2(1, 2) }
	return [
		null, true, false, 0, -1, 300, -70000, 5000000000, 0.5, 0.1, -INF, "", "héllo 🎮", Vector2(1, -2.5), Vector2i(3, -4),
		Rect2(1, 2, 3, 4), Rect2i(-1, 2, 3, 4), Vector3(1, 2, 3), Vector3i(-1, 2, 3), Transform2D(0.5, Vector2(1, 2)),
		Vector4(1, 2, 3, 4), Vector4i(1, -2, 3, -4), Plane(1, 2, 3, 4), Quaternion(0.5, 0.5, 0.5, 0.5),
		AABB(Vector3(1, 2, 3), Vector3(4, 5, 6)), Basis(Vector3(1, 2, 3), Vector3(4, 5, 6), Vector3(7, 8, 9)),
		Transform3D(Basis.IDENTITY, Vector3(1, 2, 3)), Projection(Vector4(1, 2, 3, 4), Vector4.ONE, Vector4.ZERO, Vector4.ONE),
		Color(0.1, 0.2, 0.3, 0.4), &"name", NodePath("Some/Node:property"), RID(), { "a": [1, { 2: null }], 3: &"b" }, names,
		[1, "two", [3.5, []]], ints, PackedByteArray([0, 255, 3]), PackedInt32Array([-1, 70000]),
		PackedInt64Array([-5000000000, 1]), PackedFloat32Array([0.5, -1]), PackedFloat64Array([0.1, 2]),
		PackedStringArray(["", "béta"]), PackedVector2Array([Vector2(1, 2)]), PackedVector3Array([Vector3(1, 2, 3)]),
		PackedColorArray([Color(1, 0, 0.5)]), PackedVector4Array([Vector4(1, 2, 3, 4)]),
	]

# Shows properties that the other end has changed.
func _process(_delta):
	for at in [$Stage, $Mine]:
		show_changes(at, at, ["turn", "note"])
		for mob in at.get_node("Mobs").get_children():
			show_changes(mob, mob, ["position", "rotation", "health", "tags", "aim"])
			show_changes(mob, mob.get_node("Part"), ["position"])

func show_changes(of, node, properties):
	for property in properties:
		var key = path_of(node) + ":" + property
		var now = hex(node.get(property))
		if shown.get(key, now) != now:
			print("now ", key, " ", now)
		shown[key] = now
