# A game that exchanges values with the servers in tests/examples.
#
#   godot3-server -s client.gd -- udp PORT      over PacketPeerUDP
#   godot3-server -s client.gd -- tcp PORT      over PacketPeerStream
#
# It sends values, and prints "same" for each that is returned unchanged, or the received value
# otherwise.
extends SceneTree

func values():
	return [
		null, true, -7, 2147483648, 0.1, "héllo", Vector3(0.1, 0.2, 0.3), NodePath("/root/Game:x"),
		Basis(Vector3(1, 2, 3), Vector3(4, 5, 6), Vector3(7, 8, 9)),
		{"name": "player_one", "inventory": ["sword", {"arrows": 12}]}, PoolStringArray(["a", ""]),
	]

func _init():
	var args = OS.get_cmdline_args()
	var port = int(args[args.size() - 1])
	var peer
	if args[args.size() - 2] == "udp":
		peer = PacketPeerUDP.new()
		peer.listen(0, "127.0.0.1")
		peer.set_dest_address("127.0.0.1", port)
	else:
		var stream = StreamPeerTCP.new()
		stream.connect_to_host("127.0.0.1", port)
		while stream.get_status() == StreamPeerTCP.STATUS_CONNECTING:
			OS.delay_msec(10)
		peer = PacketPeerStream.new()
		peer.stream_peer = stream
	for value in values():
		peer.put_var(value)
		# A machine may be busy with other tests.
		for _i in range(3000):
			if peer.get_available_packet_count() > 0:
				break
			OS.delay_msec(10)
		var answer = peer.get_var()
		print("same" if var2str(answer) == var2str(value) else var2str(answer))
	quit()
