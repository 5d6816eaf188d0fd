extends Node3D

@export var drone_to_make_2: PackedScene = preload("res://actors/drone.tscn")
const WALL_PATH_3 = "uid://m4j070kq72tn"
@onready var mine_scene_4 = load("uid://b58fx02lym6j4")
const WALL_PATH_6 = "uid://m4j070kq72tn"
const DRONE_8 = preload("uid://bi5oxqo0gl3oa")

func _ready() -> void:
	$"Mobs9Spawner".set_spawn_function(_spawn_mobs9)


@rpc("unreliable_ordered", "any_peer")
func move(_a, _b: Color, _c := "none") -> void:
	pass


@rpc("unreliable", "any_peer") func freeze(_a: Color, _b):
	pass


func make_pickups1(n):
	var node = [drone_to_make_2, load(WALL_PATH_3), mine_scene_4][n % 3].instantiate()
	$"Pickups1".add_child(node, true)


func make_effects5(n):
	var node = load(WALL_PATH_6).instantiate()
	$"Effects5".add_child(node, true)


func make_traps7(n):
	var node = [load("uid://m4j070kq72tn"), DRONE_8][n % 2].instantiate()
	$"Traps7".add_child(node, true)


func _peer(n):
	var peers = [1] + Array(multiplayer.get_peers())
	return peers[n % peers.size()]


func _spawn_mobs9(data) -> Node:
	var scene: PackedScene = preload("res://actors/drone.tscn")
	var node := scene.instantiate()
	node.set_multiplayer_authority(data.owner)
	return node


func make_mobs9(n):
	$"Mobs9Spawner".spawn({"n": n, "owner": _peer(n), "at": Vector2(n, 1)})


@rpc("authority", "call_local", "reliable")
func join(id: int) -> void:
	var player = preload("res://scenes/actors/barrel.tscn").instantiate()
	player.name = "%s" % id
	player.get_node("Weapon").set_multiplayer_authority(id)
	get_node("Players").add_child(player, true)
