extends "res://scenes/actors/rock_base.gd"

@export var speed: Dictionary = {}:
	set(to):
		speed = to
