# A server of Godot 3 for bots, on a free port, which it prints:
#
#   godot3-server -s bots.gd -- COMPRESSION
#
# COMPRESSION is `none` or `range`. The server prints "joined", "left" and the calls of `move` and `say`
# as lines, and answers `say` by `said`.
extends SceneTree

class Arena extends Node:
	remote func move(by):
		print("move ", by.x)

	remote func say(text):
		print("say ", text)
		rpc_id(get_tree().get_rpc_sender_id(), "said", text)

	remote func said(_text):
		pass

func joined(_id):
	print("joined")

func left(_id):
	print("left")

func _initialize():
	Engine.target_fps = 60
	var compression = Array(OS.get_cmdline_args()).back()
	var main = Node.new()
	main.name = "Main"
	get_root().add_child(main)
	var world = Arena.new()
	world.name = "World"
	main.add_child(world)
	var peer = NetworkedMultiplayerENet.new()
	var modes = {"none": NetworkedMultiplayerENet.COMPRESS_NONE, "range": NetworkedMultiplayerENet.COMPRESS_RANGE_CODER}
	peer.compression_mode = modes[compression]
	peer.set_bind_ip("127.0.0.1")
	connect("network_peer_connected", self, "joined")
	connect("network_peer_disconnected", self, "left")
	randomize()
	var port = 0
	for _i in range(100):
		port = 20000 + randi() % 12000
		if peer.create_server(port, 500) == OK:
			break
	set_network_peer(peer)
	print("listening ", port)
