# Plays one end of a generated game: opens levels, lets the scripts make nodes, calls remote methods, changes replicated
# properties, and notes all of it.
extends Node

# How long to wait for the other ends, in seconds; engines start slowly on a busy machine.
const PATIENCE = 60.0

var boot: Node
var branch: Node
var role := ""
var seconds := 10.0
var clients := 1
var rng := RandomNumberGenerator.new()
var api: MultiplayerAPI
var synchronizers := {}
var spawns := []
var at := 0.0
var started := -1.0
var opened := -1.0
var joined := false
var turn := {}
var level_index := -1
var made := 0
var was_connected := false

func start(transport: String, port: int):
	api = get_tree().get_multiplayer(branch.get_path())
	api.server_disconnected.connect(func(): finish())
	api.connected_to_server.connect(func(): was_connected = true)
	if boot.table.auth:
		api.auth_callback = func(id, _bytes): api.complete_auth(id)
		api.peer_authenticating.connect(func(id): api.send_auth(id, "secret".to_utf8_buffer()))
	get_tree().node_added.connect(_added)
	_added_all(branch)
	await get_tree().create_timer(0.0 if role == "server" else 0.7).timeout
	connect_peer(transport, port)
	while at < PATIENCE and role != "server" and not was_connected:
		await get_tree().create_timer(0.7).timeout
		if api.multiplayer_peer.get_connection_status() == MultiplayerPeer.CONNECTION_DISCONNECTED:
			connect_peer(transport, port)

func connect_peer(transport: String, port: int):
	var peer
	if transport == "websocket":
		peer = WebSocketMultiplayerPeer.new()
		if role == "server":
			peer.create_server(port, "127.0.0.1")
		else:
			peer.create_client("ws://127.0.0.1:%d" % port)
	else:
		peer = ENetMultiplayerPeer.new()
		if role == "server":
			peer.set_bind_ip("127.0.0.1")
			peer.create_server(port, 8)
		else:
			peer.create_client("127.0.0.1", port)
		if transport == "enet-range":
			peer.host.compress(ENetConnection.COMPRESS_RANGE_CODER)
		elif transport == "enet-zstd":
			peer.host.compress(ENetConnection.COMPRESS_ZSTD)
	api.multiplayer_peer = peer

func finish():
	if is_queued_for_deletion():
		return
	get_tree().node_added.disconnect(_added)
	if api.multiplayer_peer != null:
		api.multiplayer_peer.close()
	queue_free()
	boot.ended()

func path_of(node: Node) -> String:
	return str(branch.get_path_to(node))

func is_ours(node: Node) -> bool:
	return branch == node or branch.is_ancestor_of(node)

func _added_all(node: Node):
	_added(node)
	for child in node.get_children():
		_added_all(child)

func _added(node: Node):
	if boot.is_ancestor_of(node) or not is_ours(node):
		return
	if node is MultiplayerSynchronizer:
		synchronizers[node] = {}
		node.tree_exiting.connect(_left.bind(node))
	elif node.get_parent() != null:
		spawns.append(node)

func _left(node: MultiplayerSynchronizer):
	boot.note({ "kind": "gone", "role": role, "path": path_of(node) })
	synchronizers.erase(node)

func names(paths: Array) -> Array:
	# As gdwire shows them: without the node if it is the root itself.
	return paths.map(func(path): return str(path).trim_prefix(".:"))

func watch():
	for node in spawns:
		if not is_instance_valid(node) or not node.is_inside_tree() or not is_ours(node):
			continue
		for spawner in branch.find_children("*", "MultiplayerSpawner", true, false):
			if spawner.get_node_or_null(spawner.spawn_path) != node.get_parent():
				continue
			var properties := []
			for synchronizer in synchronizers:
				if synchronizer.get_node_or_null(synchronizer.root_path) == node and synchronizer.is_multiplayer_authority():
					properties.append_array(names(listed(synchronizer, "spawn")))
			boot.note({ "kind": "spawn", "role": role, "spawner": path_of(spawner), "path": path_of(node), "scene": node.scene_file_path if node.scene_file_path != "" else null, "properties": properties })
	spawns.clear()
	for node in synchronizers:
		var held: Dictionary = synchronizers[node]
		var target: Node = node.get_node_or_null(node.root_path)
		if target == null or node.replication_config == null:
			continue
		if held.is_empty():
			var script = target.get_script()
			boot.note({ "kind": "synchronizer", "role": role, "path": path_of(node), "root": path_of(target), "script": script.resource_path if script else null, "in_scene": node.owner != null, "spawn": names(listed(node, "spawn")), "sync": names(listed(node, "sync")), "delta": names(listed(node, "delta")) })
		for path in node.replication_config.get_properties():
			var name := str(path).trim_prefix(".:")
			var hex := var_to_bytes(get_property(target, path)).hex_encode()
			if held.get(name) != hex:
				held[name] = hex
				boot.note({ "kind": "held", "role": role, "path": path_of(node), "property": name, "hex": hex })

func listed(node: MultiplayerSynchronizer, which: String) -> Array:
	var config := node.replication_config
	var modes := { "sync": SceneReplicationConfig.REPLICATION_MODE_ALWAYS, "delta": SceneReplicationConfig.REPLICATION_MODE_ON_CHANGE }
	if which == "spawn":
		return config.get_properties().filter(func(path): return config.property_get_spawn(path))
	return config.get_properties().filter(func(path): return config.property_get_replication_mode(path) == modes[which])

func get_property(target: Node, path: NodePath):
	return target.get_node(NodePath(path.get_concatenated_names())).get_indexed(NodePath(path.get_concatenated_subnames()))

func change(node: MultiplayerSynchronizer):
	var target: Node = node.get_node_or_null(node.root_path)
	var paths := node.replication_config.get_properties()
	if target == null or paths.is_empty():
		return
	var path: NodePath = paths[rng.randi() % paths.size()]
	var owner_of: Node = target.get_node(NodePath(path.get_concatenated_names()))
	var property := NodePath(path.get_concatenated_subnames())
	var before = owner_of.get_indexed(property)
	owner_of.set_indexed(property, value(boot.table.free.get(str(path.get_concatenated_subnames()), type_string(typeof(before)))))

func value(type: String):
	match type:
		"bool": return rng.randi() % 2 == 0
		"int": return rng.randi() % [100, 70000, 1 << 31][rng.randi() % 3]
		"float": return rng.randf() * 3.0
		"String": return "text %d" % (rng.randi() % 100000)
		"StringName": return StringName("name%d" % (rng.randi() % 100000))
		"Vector2": return Vector2(rng.randf(), rng.randf())
		"Vector2i": return Vector2i(rng.randi() % 1000, rng.randi() % 1000)
		"Vector3": return Vector3(rng.randf(), rng.randf(), rng.randf())
		"Color": return Color8(rng.randi() & 255, rng.randi() & 255, rng.randi() & 255)
		"Array": return [rng.randi() % 100000, "two"]
		"Dictionary": return { "a": rng.randi() % 100000 }
		"PackedInt32Array": return PackedInt32Array([rng.randi() % 100000, 2])
		"PackedByteArray": return PackedByteArray([rng.randi() & 255, rng.randi() & 255, 3])
		"Quaternion": return Quaternion(Vector3(0, 1, 0), rng.randf())
		"NodePath": return NodePath("a/b%d" % (rng.randi() % 1000))
		_: return value(["int", "String", "Vector2", "float"][rng.randi() % 4])

func every(what: String, interval: float) -> bool:
	if at < turn.get(what, 0.0):
		return false
	turn[what] = at + interval
	return true

func level() -> Node:
	for node in get_tree().get_nodes_in_group("level"):
		if is_ours(node) and not node.is_queued_for_deletion():
			return node
	return null

func call_remote(node: Node, method: String, args: Array, to := 0):
	boot.note({ "kind": "call", "role": role, "from": api.get_unique_id(), "path": path_of(node), "script": node.get_script().resource_path, "method": method, "args_hex": args.map(func(x): return var_to_bytes(x).hex_encode()) })
	if to == 0:
		node.callv("rpc", [method] + args)
	else:
		node.callv("rpc_id", [to, method] + args)

func nodes_with(kind: String) -> Array:
	return branch.find_children("*", "", true, false).filter(func(node): return node.is_inside_tree() and node.get_script() != null and boot.table[kind].has(node.get_script().resource_path) and not node.is_queued_for_deletion())

func call_something():
	var nodes := nodes_with("methods")
	if nodes.is_empty():
		return
	var node: Node = nodes[rng.randi() % nodes.size()]
	var methods: Array = boot.table.methods[node.get_script().resource_path].filter(func(m): return m.mode == "any_peer" or node.is_multiplayer_authority())
	if methods.is_empty():
		return
	var method: Dictionary = methods[rng.randi() % methods.size()]
	var args := []
	for type in method.types.slice(0, method.types.size() - rng.randi() % (int(method.optional) + 1)):
		# An int may stand for a float.
		args.append(value("int" if type == "float" and rng.randi() % 8 == 0 else type))
	call_remote(node, method.name, args, 1 if role != "server" and rng.randi() % 3 > 0 else 0)

func make_something():
	var nodes := nodes_with("makes").filter(func(node): return node.is_multiplayer_authority())
	if nodes.is_empty():
		return
	var node: Node = nodes[rng.randi() % nodes.size()]
	var makes: Array = boot.table.makes[node.get_script().resource_path]
	made += 1
	node.call(makes[rng.randi() % makes.size()], made)

func remove_something():
	var nodes := []
	for spawner in branch.find_children("*", "MultiplayerSpawner", true, false):
		var parent: Node = spawner.get_node_or_null(spawner.spawn_path)
		if parent != null and spawner.is_multiplayer_authority():
			nodes.append_array(parent.get_children().filter(func(node): return node.name.begins_with("x") and node.scene_file_path != ""))
	if nodes.size() > 5:
		nodes[rng.randi() % nodes.size()].queue_free()

func open_level(index: int):
	level_index = index
	opened = at
	joined = false
	var how: Dictionary = boot.table.open
	if how.is_empty():
		return
	call_remote(branch.get_node(NodePath(how.node)), how.method, [index])

func _process(delta):
	at += delta
	if is_queued_for_deletion():
		return
	if api.multiplayer_peer == null or api.multiplayer_peer.get_connection_status() != MultiplayerPeer.CONNECTION_CONNECTED:
		if at > PATIENCE:
			finish()
		return
	if role == "server":
		if started < 0.0:
			if api.get_peers().size() == clients:
				started = at
				open_level(0)
		else:
			serve()
	elif level() != null and every("call", 0.09):
		call_something()
	if every("change", 0.07):
		for node in synchronizers.keys():
			if node.is_multiplayer_authority() and node.replication_config != null and rng.randi() % 2 == 0:
				change(node)
	watch()
	if started >= 0.0 and at > started + seconds or at > seconds + PATIENCE:
		finish()

func serve():
	var now := level()
	if now == null or at < opened + 0.6:
		return
	if not joined:
		joined = true
		if boot.table.joins.has(now.get_script().resource_path):
			for id in [1] + Array(api.get_peers()):
				call_remote(now, boot.table.joins[now.get_script().resource_path], [id])
	if at < opened + 0.9:
		return
	if level_index + 1 < int(boot.table.levels) and at > started + seconds * (level_index + 1) / int(boot.table.levels):
		open_level(level_index + 1)
		return
	if every("make", 0.3):
		make_something()
	if every("remove", 1.1):
		remove_something()
	if every("call", 0.06):
		call_something()
