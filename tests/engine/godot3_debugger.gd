# A game that is debugged by another process:
#
#   godot3-server -s godot3_debugger.gd --remote-debug 127.0.0.1:PORT
#
# It prints, reports an error and a warning, and stops at a breakpoint that `godot3_debugger.py` sets.
extends SceneTree

class Player extends Node:
	var health = 100
	var position = Vector2(3, 4)
	func hit(damage):
		var before = health
		health -= damage
		return before

var frames = 0
var player = Player.new()

func _initialize():
	player.name = "Player"
	get_root().add_child(player)
	print("ready: \"quoted\"\ttab, ", player.position)

func _idle(_delta):
	frames += 1
	if frames == 40:
		push_error("out of ammunition")
	if frames == 60:
		push_warning("low health")
	if frames == 90:
		print(player.hit(30))
	if frames > 330:
		quit()
