# A server of Godot 4 for bots, on a free port, which it prints:
#
#   godot4 --headless -s bots4.gd -- COMPRESSION [PASSWORD]
#
# COMPRESSION is `none`, `range`, `fastlz`, `zlib` or `zstd`, or `websocket` for the other transport. The
# server prints "joined", "left" and the calls of `move` and `say` as lines, and answers `say` by `said`. With
# a password, it greets each client, and admits or refuses it half a second after its answer.
extends SceneTree

class Arena extends Node:
	@rpc("any_peer") func move(by):
		print("move ", by.x)

	@rpc("any_peer") func say(text):
		print("say ", text)
		said.rpc_id(multiplayer.get_remote_sender_id(), text)

	@rpc("any_peer") func said(_text):
		pass

const MODES = {
	"none": ENetConnection.COMPRESS_NONE,
	"range": ENetConnection.COMPRESS_RANGE_CODER,
	"fastlz": ENetConnection.COMPRESS_FASTLZ,
	"zlib": ENetConnection.COMPRESS_ZLIB,
	"zstd": ENetConnection.COMPRESS_ZSTD,
}

func _initialize():
	Engine.max_fps = 60
	var compression = OS.get_cmdline_user_args()[0]
	var main = Node.new()
	main.name = "Main"
	root.add_child(main)
	var world = Arena.new()
	world.name = "World"
	main.add_child(world)
	var is_enet = compression != "websocket"
	var peer: Variant = ENetMultiplayerPeer.new() if is_enet else WebSocketMultiplayerPeer.new()
	if is_enet:
		peer.set_bind_ip("127.0.0.1")
	var port = 0
	for _i in range(100):
		port = 20000 + randi() % 12000
		if (peer.create_server(port, 500) if is_enet else peer.create_server(port, "127.0.0.1")) == OK:
			break
	if is_enet:
		peer.host.compress(MODES[compression])
	var api = get_multiplayer()
	api.peer_connected.connect(func(_id): print("joined"))
	api.peer_disconnected.connect(func(_id): print("left"))
	if OS.get_cmdline_user_args().size() > 1:
		authenticate(api, OS.get_cmdline_user_args()[1].to_utf8_buffer())
	api.multiplayer_peer = peer
	print("listening ", port)

func authenticate(api, password):
	api.peer_authenticating.connect(func(id): api.send_auth(id, "who are you?".to_utf8_buffer()))
	api.auth_callback = func(id, data):
		await create_timer(0.5).timeout
		if data == password:
			api.complete_auth(id)
		else:
			api.disconnect_peer(id)
