"""Compares the names in gdwire's output with what a game noted, and makes the variants of recordings and projects."""
import collections
import json
import os
import random
import struct
import subprocess


class Truth:
    """The notes of all ends of a game. Paths are those below the root of each multiplayer interface."""

    def __init__(self, path):
        self.calls = collections.defaultdict(list)
        self.callees = collections.defaultdict(set)
        self.scripts = collections.defaultdict(set)
        self.spawns = collections.defaultdict(list)
        self.synchronizers = collections.defaultdict(list)
        self.held = collections.defaultdict(lambda: collections.defaultdict(set))
        with open(path, encoding="utf-8") as file:
            for line in file:
                self.add(json.loads(line))

    def add(self, line):
        kind = line["kind"]
        if kind == "call":
            args = tuple(line["args_hex"])
            self.calls[(line["method"], args)].append((line["path"], line["script"]))
            self.callees[args].add(line["path"])
            self.scripts[args].add(line["script"])
        elif kind == "spawn" and line["role"] == "server":
            self.spawns[(line["spawner"], line["path"])].append(line)
        elif kind == "synchronizer":
            self.synchronizers[line["path"]].append(line)
        elif kind == "held":
            self.held[line["path"]][line["property"]].add(line["hex"])

    def has_held(self, path, names, values):
        held = self.held[path]
        return len(names) == len(values) and all(value in held[name] for name, value in zip(names, values))

    def synchronizers_of(self, path):
        if path is not None:
            return [(path, line) for line in self.synchronizers.get(path, ())]
        return [(path, line) for path, lines in self.synchronizers.items() for line in lines]

    def shows(self, edit):
        """Whether the game did something that another version of the project would do in another way. Which nodes it
        makes is chosen by chance."""
        if edit["kind"] != "scene":
            return True
        spawns = [line for lines in self.spawns.values() for line in lines]
        return any(line["scene"] in edit["scenes"] and line["spawner"].endswith(edit["spawner"]) for line in spawns)

    def is_in_scene(self, values, changed):
        """Whether a scene has a synchronizer that may have sent a state; scripts configure the others."""
        fitting = [line for path, line in self.synchronizers_of(None) if self.has_held(path, expected(line, changed), values)]
        return not fitting or any(line["in_scene"] for line in fitting)


def expected(line, changed):
    """The names of a state, or of a delta if the places of its properties are given."""
    if changed is None:
        return line["sync"]
    return [line["delta"][i] for i in changed if i < len(line["delta"])]


class Result:
    KINDS = ("calls", "spawns", "states")

    def __init__(self, name):
        self.name, self.wrong = name, []
        # For each recording, the warnings that the project is another version of the game.
        self.warnings = []
        # How many games did nothing that depends on what was changed in the project.
        self.unused = 0
        self.named, self.all = collections.Counter(), collections.Counter()

    def __add__(self, other):
        sum_of = Result(self.name)
        sum_of.wrong = self.wrong + other.wrong
        sum_of.warnings = self.warnings + other.warnings
        sum_of.unused = self.unused + other.unused
        sum_of.named, sum_of.all = self.named + other.named, self.all + other.all
        return sum_of

    def numbers(self):
        return {"name": self.name, "wrong": len(self.wrong), "warnings": self.warnings, "unused": self.unused, **{kind: [self.named[kind], self.all[kind]] for kind in self.KINDS}}

    def show(self, verbose):
        shares = ", ".join(f"{kind} {self.named[kind]} of {self.all[kind]}" + (f" ({self.named[kind] / self.all[kind]:.1%})" if self.all[kind] else "") for kind in self.KINDS)
        print(f"  {self.name:24} wrong {len(self.wrong)}, {shares}")
        for what, rpc in self.wrong[: None if verbose else 3]:
            print(f"    {what}: {json.dumps(rpc)[:400]}")


def compare(gdwire, truth, capture, project, name):
    result = Result(name)
    command = [gdwire, "decode", "--project", project, "--format", "ndjson", "--hex", capture]
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if run.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(command)}: {run.stderr}")
    result.warnings.append([line for line in run.stderr.splitlines() if "not as in the game" in line])
    for line in run.stdout.splitlines():
        message = json.loads(line)
        rpc = message.get("rpc")
        while rpc is not None:
            packet(result, truth, rpc)
            rpc = rpc.get("rpc")
    return result


def packet(result, truth, rpc):
    command = rpc["command"]
    if command == "call":
        call(result, truth, rpc)
    elif command == "spawn":
        spawn(result, truth, rpc)
    elif command in ("sync", "delta"):
        for each in rpc["states"]:
            state(result, truth, each)


def call(result, truth, rpc):
    result.all["calls"] += 1
    args, path, script = tuple(rpc["args_hex"]), rpc.get("path"), rpc.get("script")
    if not isinstance(rpc["method"], str):
        if script is not None and script not in truth.scripts[args]:
            result.wrong.append(("script of a call", rpc))
        if path is not None and path not in truth.callees[args]:
            result.wrong.append(("path of a call", rpc))
        return
    result.named["calls"] += 1
    for made_at, made_by in truth.calls.get((rpc["method"], args), ()):
        if path in (None, made_at) and script in (None, made_by):
            return
    result.wrong.append(("call", rpc))


def spawn(result, truth, rpc):
    result.all["spawns"] += 1
    spawner, node, scene, names = rpc.get("path"), rpc.get("node"), rpc.get("scene_path"), list(rpc.get("properties") or {})
    named = scene is not None or len(names) > 0
    result.named["spawns"] += named
    if not named and (spawner is None or node is None):
        return
    for (made_by, at), lines in truth.spawns.items():
        # The last part of the path is in the packet.
        if spawner not in (None, made_by) or node not in (None, at) or at.rsplit("/", 1)[-1] != rpc["name"]:
            continue
        for line in lines:
            if scene in (None, line["scene"]) and (not names or are(names, line["properties"])):
                return
    result.wrong.append(("spawn", rpc))


def state(result, truth, rpc):
    values, changed, path, names = rpc["args_hex"], rpc.get("changed"), rpc.get("path"), rpc.get("properties")
    if names is None and not truth.is_in_scene(values, changed):
        return
    result.all["states"] += 1
    result.named["states"] += names is not None
    if names is None and (path is None or path in truth.synchronizers):
        return
    for at, line in truth.synchronizers_of(path):
        if names is not None and are(list(names), expected(line, changed)) and truth.has_held(at, expected(line, changed), values):
            return
    result.wrong.append(("state", rpc))


def are(names, expected):
    """Whether shown names are those of the game; a number stands for a name that is not known."""
    return len(names) == len(expected) and all(name == other or name.lstrip("#").isdigit() for name, other in zip(names, expected))


def cut(capture, to, share):
    """Leaves out the first packets of a capture."""
    with open(capture, "rb") as file:
        data = file.read()
    if struct.unpack_from("<I", data)[0] not in (0xA1B2C3D4, 0xA1B23C4D):
        raise SystemExit(f"{capture}: not a pcap file of a little-endian machine")
    starts, at = [], 24
    while at + 16 <= len(data):
        starts.append(at)
        at += 16 + struct.unpack_from("<I", data, at + 8)[0]
    first = starts[int(len(starts) * share)]
    with open(to, "wb") as file:
        file.write(data[:24] + data[first:])


def edits(game):
    """One change of each kind, chosen by the seed."""
    rng = random.Random(game["seed"])
    for kind in ("property", "scene", "method"):
        of_kind = [edit for edit in game["edits"] if edit["kind"] == kind]
        if of_kind:
            yield rng.choice(of_kind)


def describe(edit):
    return {"property": "two properties exchanged", "scene": "two scenes exchanged", "method": "a method renamed"}[edit["kind"]]


def apply(edit, project):
    path = os.path.join(project, edit["file"][len("res://"):])
    with open(path, encoding="utf-8") as file:
        text = file.read()
    before = text
    if "swap" in edit:
        head = f'id="{edit["config"]}"]'
        start = text.index(head)
        end = text.index("\n\n", start)
        block = text[start:end]
        for old, new in zip(edit["swap"], edit["with"]):
            block = block.replace(old, new, 1)
        text = text[:start] + block + text[end:]
    else:
        text = text.replace(edit["from"], edit["to"], 1)
    assert text != before, edit
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
