extends Node

@rpc("any_peer") func hello(a = null): get_node("/root/Main").got(self, "hello", [a])
