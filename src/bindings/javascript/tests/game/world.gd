extends Node

# What was heard, by the name of who said it.
var heard := {}

@rpc("any_peer")
func move(_at):
	pass

@rpc("any_peer")
func say(_what):
	pass

@rpc("any_peer")
func said(id, what):
	if not what["name"] in heard:
		heard[what["name"]] = what
		var is_own = id == multiplayer.get_unique_id()
		print("heard ", what["name"], " ", is_own, " ", multiplayer.get_remote_sender_id(), " ", var_to_bytes(what).hex_encode())
