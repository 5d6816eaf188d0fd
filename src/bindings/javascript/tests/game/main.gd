# A guest of examples/server.js: it says its name until it has heard all names, and a while longer, so
# that the others hear it, too.
#
#     godot --headless --path game -- PORT NAME ALL_NAMES...
extends Node

var arguments := OS.get_cmdline_user_args()

func _ready():
	Engine.max_fps = 60
	multiplayer.connected_to_server.connect(say)
	multiplayer.connection_failed.connect(func(): print("failed"); get_tree().quit(1))
	multiplayer.server_disconnected.connect(func(): print("closed"); get_tree().quit(1))
	var peer = WebSocketMultiplayerPeer.new()
	peer.create_client("ws://127.0.0.1:%s" % arguments[0])
	multiplayer.multiplayer_peer = peer

func say():
	print("joined")
	var rounds_left := 10
	while rounds_left > 0:
		$World.say.rpc_id(1, { "name": arguments[1], "at": Vector2(1, 2), "points": PackedVector3Array([Vector3(3, 4, 5)]) })
		await get_tree().create_timer(0.2).timeout
		if $World.heard.size() == arguments.size() - 2:
			rounds_left -= 1
	print("left")
	get_tree().quit()
