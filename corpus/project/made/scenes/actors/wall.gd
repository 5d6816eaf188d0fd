extends "wall_base.gd"

@export var target := &"idle"
var wood: Quaternion
@export var guild := []


@rpc("any_peer", "reliable")
func summon() -> void:
	pass


@rpc("any_peer", "unreliable")
func build(_a: bool, _b, _c: String) -> void:
	pass
