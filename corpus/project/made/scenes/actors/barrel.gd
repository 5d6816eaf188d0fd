extends Node2D

@export var wood: String = "none"


@rpc("unreliable", "any_peer", "call_local") func push(_a, _b, _c := 0.5) -> void:
	pass


@rpc("reliable")
func aim(_a, _b := Vector2(1, 2)) -> void:
	pass
