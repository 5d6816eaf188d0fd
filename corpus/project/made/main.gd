extends Node


@rpc("any_peer", "unreliable_ordered")
func charge(_a: Array, _b, _c: Vector2):
	pass


@rpc("authority", "call_local", "reliable")
func open_level(index):
	for old in $Levels.get_children():
		old.free()
	var level = load(["res://levels/level0.tscn", "res://levels/level1.tscn"][index]).instantiate()
	$Levels.add_child(level)
