extends Node2D

var title := "none"
var health := 100
var tags := []
var aim := Vector3.ZERO

# The mobs of the client belong to it, and so does the input of its own mob.
func _enter_tree():
	if str(get_path()).begins_with("/root/Main/Mine/"):
		set_multiplayer_authority(get_node("/root/Main/Mine").get_multiplayer_authority())
	elif str(name).is_valid_int():
		$Input.set_multiplayer_authority(int(str(name)))

@rpc("any_peer") func poke(a = null): get_node("/root/Main").got(self, "poke", [a])
@rpc("authority") func order(a = null): get_node("/root/Main").got(self, "order", [a])
