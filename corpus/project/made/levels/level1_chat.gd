extends Node


@rpc("any_peer", "reliable")
func fire() -> void:
	pass


@rpc("any_peer", "unreliable") func block(_a: String, _b: String):
	pass
