extends Node

const KINDS_2 = [preload("res://mine/mine.tscn"), preload("res://scenes/actors/rock.tscn")]
const ROCK_4 = preload("uid://bbojcp7bb7psn")

func _ready() -> void:
	$"Pickups1Spawner".spawn_function = func(data):
		var node = KINDS_2[hash(str(data[1])) % 2].instantiate()
		return node
	var chat = preload("res://levels/level1_chat.gd").new()
	chat.name = "Chat"
	add_child(chat)


@rpc("unreliable")
func take_hit(_a, _b, _c: Array) -> void:
	pass


@rpc("any_peer", "unreliable_ordered")
func move(_a) -> void:
	pass


func make_pickups1(n):
	$"Pickups1Spawner".spawn(["?", n])


func make_effects3(n):
	var node = ROCK_4.instantiate()
	$"Effects3".add_child(node, true)
