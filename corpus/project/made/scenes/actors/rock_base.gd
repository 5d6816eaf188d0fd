extends CharacterBody2D


@rpc("reliable", "authority")
func heal():
	pass
