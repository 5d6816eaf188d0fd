extends CharacterBody2D


@rpc("unreliable_ordered", "any_peer")
func reload(_a := []):
	pass
