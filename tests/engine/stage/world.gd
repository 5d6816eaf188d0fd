extends Node

# Asks this end to do something.
@rpc("any_peer") func act(what): get_parent().act(what, multiplayer.get_remote_sender_id())

@rpc("any_peer") func value(a, b): get_parent().got(self, "value", [a, b])
@rpc("any_peer") func bytes(a): get_parent().got(self, "bytes", [a])
@rpc("any_peer") func say(a): get_parent().got(self, "say", [a])
@rpc("any_peer", "unreliable") func loose(a): get_parent().got(self, "loose", [a])
@rpc("any_peer", "call_remote", "unreliable_ordered", 3) func ordered(a): get_parent().got(self, "ordered", [a])
@rpc("any_peer", "call_remote", "reliable", 2) func aside(a): get_parent().got(self, "aside", [a])
@rpc("authority") func order(a): get_parent().got(self, "order", [a])
