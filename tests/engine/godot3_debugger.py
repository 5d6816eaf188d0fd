#!/usr/bin/env python3
"""Plays the editor for one game that is started with `--remote-debug 127.0.0.1:PORT`.

    godot3_debugger.py PORT OUT_NDJSON

Writes one line for each message in the order of its sender: `from` (game or editor), `command`, and
`args_hex`, the arguments as they stood on the wire.
"""

import json
import socket
import struct
import sys
import time

SCRIPT, BREAKPOINT = "res://godot3_debugger.gd", 14


def value(content):
    """The bytes of a value of Godot 3."""
    if content is None:
        return struct.pack("<I", 0)
    if isinstance(content, bool):
        return struct.pack("<II", 1, content)
    if isinstance(content, int):
        return struct.pack("<Ii", 2, content)
    if isinstance(content, str):
        text = content.encode()
        return struct.pack("<II", 4, len(text)) + text + bytes(-len(text) % 4)
    return struct.pack("<II", 19, len(content)) + b"".join(map(value, content))


def text(frame):
    kind, length = struct.unpack_from("<II", frame)
    assert kind == 4, frame
    return frame[8 : 8 + length].decode()


def number(frame):
    kind, content = struct.unpack("<Ii", frame)
    assert kind == 2, frame
    return content


class Editor:
    def __init__(self, port):
        listener = socket.create_server(("127.0.0.1", port))
        self.game, _ = listener.accept()
        self.game.settimeout(0.05)
        self.received = b""
        self.frames = []
        self.seen = []
        self.lines = []

    def send(self, *command):
        message = value(list(command))
        self.game.sendall(struct.pack("<I", len(message)) + message)
        args = [value(argument).hex() for argument in command[1:]]
        self.lines.append({"from": "editor", "command": command[0], "args_hex": args})

    def receive(self, seconds, until=None):
        """Reads for some seconds, or until a message with this command arrives. Returns whether the game has ended."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                received = self.game.recv(1 << 16)
            except socket.timeout:
                continue
            except ConnectionResetError:
                return True
            if not received:
                return True
            self.received += received
            if self.split(until):
                return False
        return False

    def split(self, until):
        while len(self.received) >= 4:
            length = struct.unpack_from("<I", self.received)[0]
            if len(self.received) < 4 + length:
                break
            self.frames.append(self.received[4 : 4 + length])
            self.received = self.received[4 + length :]
        found = False
        while len(self.frames) >= 2 and len(self.frames) >= 2 + number(self.frames[1]):
            count = 2 + number(self.frames[1])
            command, args = text(self.frames[0]), self.frames[2:count]
            self.frames = self.frames[count:]
            args_hex = [argument.hex() for argument in args]
            self.lines.append({"from": "game", "command": command, "args_hex": args_hex})
            if command == "message:scene_tree":
                # Children, name, class and id of each node; one class is that of the script's node.
                nodes = [args[at : at + 4] for at in range(0, len(args), 4)]
                self.player = next(number(node[3]) for node in nodes if text(node[1]) == "Player")
            found |= command == until
        return found


def main():
    editor = Editor(int(sys.argv[1]))
    editor.receive(2, "output")
    editor.send("skip_breakpoints", False)
    editor.send("breakpoint", SCRIPT, BREAKPOINT, True)
    editor.send("live_set_root", "/root", "")
    editor.send("request_scene_tree")
    editor.receive(2, "message:scene_tree")
    editor.send("inspect_object", editor.player)
    editor.receive(2, "message:inspect_object")
    editor.receive(3, "debug_enter")
    editor.send("get_stack_dump")
    editor.receive(2, "stack_dump")
    editor.send("get_stack_frame_vars", 0)
    editor.receive(2, "stack_frame_vars")
    editor.send("next")
    editor.receive(2, "debug_enter")
    editor.send("breakpoint", SCRIPT, BREAKPOINT, False)
    editor.send("continue")
    editor.receive(2, "debug_exit")
    editor.send("start_profiling", 8)
    editor.receive(0.1)
    editor.send("stop_profiling")
    editor.send("set_object_property", editor.player, "position", None)
    while not editor.receive(10):
        pass
    assert not editor.frames and not editor.received
    with open(sys.argv[2], "w") as out:
        for line in editor.lines:
            out.write(json.dumps(line) + "\n")


main()
