extends Node

@export var charge_left : StringName


@rpc("call_local", "reliable", "any_peer")
func take_hit(_a: String, _b, _c: float = 0.5) -> void:
	pass


@rpc("reliable", "any_peer") func fire(_a: bool, _b, _c):
	pass
