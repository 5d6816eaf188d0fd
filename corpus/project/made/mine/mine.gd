extends Node2D

@export var level_no: Vector3 = Vector3.ZERO:
	set(to):
		level_no = to
@export var gold: Vector3


@rpc("reliable", "call_local", "any_peer")
func melt(_a: Array):
	pass


@rpc("authority", "unreliable") func drop_item(_a := []):
	pass


@rpc("call_local", "any_peer", "reliable") func fire(_a) -> void:
	pass
