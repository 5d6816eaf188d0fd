extends Node


@rpc("reliable", "authority") func whisper(_a: String, _b, _c: Color) -> void:
	pass
