"""Writes a Godot 4 game whose structure follows from a seed, with the ways in which games make their nodes.

Scenes in lists of spawners; functions that spawn one scene, one of several, or a node made in code; scenes that contain
spawners; players added by hand; levels that scripts instantiate and change; scenes that look alike in packets; calls to
autoloads; several multiplayer interfaces in one process; authentication; nodes that belong to a client.

`boot.gd` and `driver.gd` play the game and note what happens. They learn from `table.json` what they may call. `edits.json`
lists changes to the project after which some names are no longer those of the recorded game.
"""
import json
import os
import random
import shutil
import struct

HERE = os.path.dirname(os.path.abspath(__file__))
VERBS = """move jump take_hit respawn emote set_score open_door fire reload heal pick_up drop_item whisper shout ping wave dash
craft trade vote mark build repair kick greet steal land roll aim block push pull charge summon banish freeze melt""".split()
NOUNS = """health mana stamina armor ammo gold level_no facing tint title speed score wood iron aura mood target fuel heat
range_max luck guild rank owner_id phase weight charge_left""".split()
ACTORS = """Player Mob Knight Crate Turret Wisp Golem Archer Bullet Bomb Wall Door Tree Ghost Cart Boat Wolf Rat Drone Shield
Totem Lamp Barrel Rock Mine Beacon Chest Spider""".split()
PARTS = "Inputs Weapon Body Head Hull Engine Aim Core Gear Mount".split()
PLACES = "Things Mobs Shots Pickups Units Items Effects Traps Vehicles Crowd".split()
TYPES = {
    "int": "100", "float": "0.5", "String": '"none"', "Vector2": "Vector2(1, 2)", "Vector3": "Vector3.ZERO", "bool": "false",
    "Color": "Color(1, 0, 0)", "Array": "[]", "Dictionary": "{}", "PackedInt32Array": "PackedInt32Array([1])",
    "StringName": '&"idle"', "Vector2i": "Vector2i(1, 1)", "Quaternion": "Quaternion.IDENTITY",
}
INHERITED = {
    "Node": {}, "Node2D": {"position": "Vector2", "rotation": "float", "scale": "Vector2", "modulate": "Color"},
    "Node3D": {"position": "Vector3", "scale": "Vector3", "visible": "bool"},
    "CharacterBody2D": {"position": "Vector2", "rotation": "float", "velocity": "Vector2"},
    "Area2D": {"position": "Vector2", "rotation": "float", "monitoring": "bool"},
    "Sprite2D": {"position": "Vector2", "modulate": "Color", "flip_h": "bool", "offset": "Vector2"},
}
BODIES = ["Node2D", "Node2D", "CharacterBody2D", "Area2D", "Sprite2D", "Node3D", "Node"]
DIGITS = "abcdefghijklmnopqrstuvwxy012345678"


class Scene:
    """A scene file."""

    def __init__(self, game, path, name, body):
        self.game, self.path, self.name, self.body = game, path, name, body
        self.resources, self.subresources, self.nodes = {}, [], []

    def resource(self, kind, path):
        if path not in self.resources:
            self.resources[path] = (kind, f"{len(self.resources) + 1}_{self.game.letters(5)}")
        return f'ExtResource("{self.resources[path][1]}")'

    def config(self, properties):
        name = f"SceneReplicationConfig_{self.game.letters(5)}"
        lines = []
        for i, (path, spawn, mode) in enumerate(properties):
            lines.append(f'properties/{i}/path = NodePath("{path}")')
            lines.append(f"properties/{i}/spawn = {str(spawn).lower()}")
            lines.append(f"properties/{i}/replication_mode = {mode}")
        self.subresources.append((name, "\n".join(lines)))
        return f'SubResource("{name}")'

    def node(self, name, kind=None, parent=".", instance=None, groups=None, **properties):
        head = f'[node name="{name}"'
        if kind and not instance:
            head += f' type="{kind}"'
        if self.nodes:
            head += f' parent="{parent}"'
        if self.game.has_node_ids:
            head += f" unique_id={self.game.rng.randrange(1 << 31)}"
        if groups:
            head += " groups=[" + ", ".join(f'"{group}"' for group in groups) + "]"
        if instance:
            head += f" instance={self.resource('PackedScene', instance)}"
        self.nodes.append([head + "]", properties])
        return self.nodes[-1][1]

    def text(self):
        head = "[gd_scene"
        if self.game.rng.random() < 0.5:
            head += f" load_steps={len(self.resources) + len(self.subresources) + 1}"
        head += " format=3"
        if self.game.has_uids:
            head += f' uid="{self.game.uid(self.path)}"'
        blocks = [head + "]"]
        for path, (kind, name) in self.resources.items():
            uid = f' uid="{self.game.uid(path)}"' if self.game.has_uids else ""
            blocks.append(f'[ext_resource type="{kind}"{uid} path="{path}" id="{name}"]')
        for name, lines in self.subresources:
            blocks.append(f'[sub_resource type="SceneReplicationConfig" id="{name}"]\n{lines}')
        for head, properties in self.nodes:
            blocks.append("\n".join([head] + [f"{name} = {value}" for name, value in properties.items()]))
        return "\n\n".join(blocks) + "\n"


class Script:
    """A script file."""

    def __init__(self, path, extends):
        self.path, self.extends, self.class_name = path, extends, None
        self.head, self.ready, self.functions, self.words = [], [], [], 0

    def constant(self, stem, value):
        self.words += 1
        name = f"{stem.upper()}_{self.words}"
        self.head.append(f"const {name} = {value}")
        return name

    def function(self, *lines):
        self.functions.append("\n".join(lines))

    def text(self):
        blocks = []
        if self.class_name:
            blocks.append(f"class_name {self.class_name}")
        blocks.append(f"extends {self.extends}\n")
        if self.head:
            blocks.append("\n".join(self.head) + "\n")
        if self.ready:
            blocks.append("\n".join(["func _ready() -> void:"] + [f"\t{line}" for line in self.ready]) + "\n")
        blocks += [f"\n{function}\n" for function in self.functions]
        return "\n".join(blocks)


class Actor:
    """A scene that the game makes."""

    def __init__(self, path, name, body):
        self.path, self.name, self.body = path, name, body
        # The types of the values in its spawns; None for any.
        self.spawn_types = []


class Game:
    def __init__(self, folder, seed):
        self.folder, self.seed, self.rng = folder, seed, random.Random(seed)
        rng = self.rng
        self.has_uids = rng.random() < 0.6
        self.has_node_ids = rng.random() < 0.5
        self.uids, self.classes, self.edits, self.scripts, self.scenes = {}, {}, [], [], []
        self.verbs = {}
        free = {name: "Variant" for name in rng.sample(NOUNS, 3)}
        self.table = {"methods": {}, "makes": {}, "joins": {}, "free": free, "auth": rng.random() < 0.25, "levels": 1, "open": {}}
        self.names = rng.sample(ACTORS, len(ACTORS))
        self.has_interfaces = rng.random() < 0.15
        self.transport = rng.choice(["enet", "enet", "enet-range", "enet-zstd", "websocket"])
        self.clients = rng.choice([1, 2])
        self.patterns = []
        self.one_folder = rng.random() < 0.4

    def letters(self, count):
        return "".join(self.rng.choice(DIGITS) for _ in range(count))

    def uid(self, path):
        if path not in self.uids:
            number = self.uids[path] = self.rng.randrange(1, 1 << 62)
        number, text = self.uids[path], ""
        while number:
            number, digit = divmod(number, 34)
            text = DIGITS[digit] + text
        return f"uid://{text}"

    def reference(self, path):
        """A path, or the uid that stands for it."""
        return self.uid(path) if self.has_uids and self.rng.random() < 0.4 else path

    def write(self, path, text):
        full = os.path.join(self.folder, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8") as file:
            file.write(text)

    # Scripts with remote methods and properties.

    def methods(self, script, count, inherited=()):
        rng = self.rng
        methods = list(inherited)
        taken = {method["name"] for method in methods}
        for name in rng.sample(VERBS, min(count, len(VERBS))):
            if name in taken:
                continue
            types = [rng.choice(["int", "float", "String", "Vector2", "bool", "Array", "Color", "Variant"]) for _ in range(rng.randrange(4))]
            optional = 1 if types and rng.random() < 0.2 else 0
            parts = []
            for i, kind in enumerate(types):
                name_of = f"_{'abc'[i]}"
                if kind == "Variant":
                    part = name_of
                    if i >= len(types) - optional:
                        part += " = null"
                elif i >= len(types) - optional:
                    part = rng.choice([f"{name_of} := {TYPES[kind]}", f"{name_of}: {kind} = {TYPES[kind]}"])
                else:
                    part = rng.choice([f"{name_of}: {kind}", f"{name_of}: {kind}", name_of])
                parts.append(part)
            mode = rng.choice(["any_peer", "any_peer", "authority"])
            words = [f'"{mode}"'] if mode == "any_peer" or rng.random() < 0.7 else []
            if rng.random() < 0.3:
                words.append('"call_local"')
            words.append(rng.choice(['"reliable"', '"unreliable"', '"unreliable_ordered"', '"reliable"']))
            rng.shuffle(words)
            annotation = f"@rpc({', '.join(words)})"
            result = rng.choice(["", " -> void"])
            gap = rng.choice(["\n", "\n", " "])
            script.function(f"{annotation}{gap}func {name}({', '.join(parts)}){result}:\n\tpass")
            methods.append({"name": name, "mode": mode, "types": types, "optional": optional})
            self.edits.append({"kind": "method", "file": script.path, "from": f"func {name}(", "to": f"func {name}_again("})
        if methods:
            self.table["methods"][script.path] = methods
        return methods

    def properties(self, script, body, count):
        """Properties of a script and those of its body, with their types; None if the type is free."""
        rng = self.rng
        found = {}
        for name in rng.sample(NOUNS, count):
            kind = rng.choice(list(TYPES))
            value = TYPES[kind]
            export = rng.choice(["@export ", "@export ", ""])
            style = rng.randrange(6)
            if style == 0:
                line = f"{export}var {name}: {kind} = {value}"
            elif style == 1:
                line = f"{export}var {name}: {kind} = {value}:\n\tset(to):\n\t\t{name} = to"
            elif style == 2:
                line = f"{export}var {name} := {value}"
            elif style == 3:
                line = f"{export}var {name} : {kind}"
            elif style == 4:
                # Any value may follow the first.
                line, kind = f"var {name} = {value}", None
            else:
                line = f"{export}var {name}: {kind}"
            if name in self.table["free"]:
                line, kind = f"var {name} = {value}", None
            script.head.append(line)
            found[name] = kind
        inherited = list(INHERITED[body].items())
        for name, kind in rng.sample(inherited, min(len(inherited), rng.randrange(3))):
            found[name] = kind
        return found

    def script(self, path, extends):
        script = Script(f"res://{path}", extends)
        self.scripts.append(script)
        return script

    def scene(self, path, name, body):
        scene = Scene(self, f"res://{path}", name, body)
        self.scenes.append(scene)
        return scene

    def synchronizer(self, scene, actor, name, parent, root, properties, of_root=True):
        """Adds a synchronizer of `properties`, by path; returns nothing."""
        rng = self.rng
        listed = []
        for path, kind in properties:
            mode = rng.choice([1, 1, 2, 2, 0])
            listed.append((path, kind, rng.random() < 0.7 or mode == 0, mode))
        if not any(mode for _, _, _, mode in listed):
            listed[0] = (*listed[0][:2], True, 1)
        config = scene.config([(path, spawn, mode) for path, _, spawn, mode in listed])
        attributes = {"replication_config": config, "replication_interval": "0.05", "delta_interval": "0.05"}
        if root:
            attributes["root_path"] = f'NodePath("{root}")'
        scene.node(name, "MultiplayerSynchronizer", parent, **attributes)
        if of_root:
            actor.spawn_types += [kind for _, kind, spawn, _ in listed if spawn]
        for i, (path, kind, spawn, mode) in enumerate(listed):
            for j, (other, other_kind, other_spawn, other_mode) in enumerate(listed[:i]):
                if kind and other_kind and {kind, other_kind} & {"int", "float"} != {"int", "float"} and kind != other_kind and spawn == other_spawn and mode == other_mode != 0:
                    a, b = f'properties/{j}/path = NodePath("{other}")', f'properties/{i}/path = NodePath("{path}")'
                    self.edits.append({"kind": "property", "file": scene.path, "config": config[13:-2], "swap": [a, b], "with": [f'properties/{j}/path = NodePath("{path}")', f'properties/{i}/path = NodePath("{other}")']})

    def actor(self, alike=None):
        """A scene with a script, parts and synchronizers."""
        rng = self.rng
        name = self.names.pop()
        low = name.lower()
        folder = "actors" if self.one_folder else rng.choice(["actors", "scenes/actors", low])
        body = rng.choice(BODIES)
        actor = Actor(f"res://{folder}/{low}.tscn", name, body)
        scene = self.scene(f"{folder}/{low}.tscn", name, body)
        extends, inherited = body, ()
        if rng.random() < 0.35:
            base = self.script(f"{folder}/{low}_base.gd", body)
            inherited = self.methods(base, rng.randrange(1, 3))
            if rng.random() < 0.5:
                base.class_name = f"{name}Base"
                self.classes[base.class_name] = (base.path, body)
                extends = base.class_name
            else:
                extends = f'"{rng.choice([base.path, os.path.basename(base.path)])}"'
        script = self.script(f"{folder}/{low}.gd", extends)
        actor.script = script
        self.methods(script, rng.randrange(4), inherited)
        found = self.properties(script, body, rng.randrange(1, 5))
        scene.node(name, body, script=scene.resource("Script", script.path))
        parts = []
        for part in rng.sample(PARTS, rng.randrange(3)):
            scene.node(part, "Node2D" if body != "Node3D" else "Node3D")
            if rng.random() < 0.5:
                code = self.script(f"{folder}/{low}_{part.lower()}.gd", "Node2D" if body != "Node3D" else "Node3D")
                self.methods(code, rng.randrange(3))
                own = self.properties(code, code.extends, rng.randrange(1, 4))
                scene.nodes[-1][1]["script"] = scene.resource("Script", code.path)
                parts.append((part, own))
            else:
                parts.append((part, {"rotation": "float"} if body != "Node3D" else {"position": "Vector3"}))
        paths = [(f".:{path}", kind) for path, kind in found.items()]
        for part, own in parts:
            if rng.random() < 0.4:
                paths += [(f"{part}:{path}", kind) for path, kind in list(own.items())[:1]]
        if rng.random() < 0.2 and body in ("Node2D", "CharacterBody2D"):
            paths = [path for path in paths if path[0] != ".:position"] + [(".:position:x", "float")]
        rng.shuffle(paths)
        count = rng.choice([0, 1, 1, 1, 1, 2])
        if count == 2 and len(paths) > 1:
            half = len(paths) // 2
            self.synchronizer(scene, actor, "Sync", ".", None, paths[:half])
            if parts and rng.random() < 0.5:
                self.synchronizer(scene, actor, "SlowSync", parts[0][0], "../..", paths[half:])
            else:
                self.synchronizer(scene, actor, "SlowSync", ".", None, paths[half:])
        elif count:
            self.synchronizer(scene, actor, rng.choice(["Sync", "MultiplayerSynchronizer"]), ".", None, paths)
        for part, own in parts:
            if own and rng.random() < 0.4:
                self.synchronizer(scene, actor, f"{part}Sync", part, None, [(f".:{path}", kind) for path, kind in own.items()], of_root=False)
        actor.scene, actor.inputs = scene, [part for part, _ in parts]
        actor.part_nouns = {noun for _, own in parts for noun in own}
        return actor

    def twin(self, actor):
        """A scene that looks in packets as `actor` does, with other names of its properties."""
        name = self.names.pop()
        low = name.lower()
        twin = Actor(f"res://twins/{low}.tscn", name, actor.body)
        scene = self.scene(f"twins/{low}.tscn", name, actor.body)
        scene.resources, scene.subresources = dict(actor.scene.resources), list(actor.scene.subresources)
        scene.nodes = [[head, dict(properties)] for head, properties in actor.scene.nodes]
        script = self.script(f"twins/{low}.gd", actor.script.extends if not actor.script.extends.endswith('.gd"') else f'"{os.path.dirname(actor.script.path)}/{os.path.basename(actor.script.extends[1:-1])}"')
        renamed = {noun: f"{noun}_too" for noun in NOUNS if noun not in actor.part_nouns}
        script.head = []
        for line in actor.script.head:
            for noun, other in renamed.items():
                line = line.replace(f"var {noun}", f"var {other}", 1) if line.find(f"var {noun}") >= 0 and not line[line.find(f"var {noun}") + 4 + len(noun)].isalnum() else line
                line = line.replace(f"\t\t{noun} = to", f"\t\t{other} = to")
            script.head.append(line)
        script.functions = [function for function in actor.script.functions if function.startswith("@rpc")]
        for noun, other in renamed.items():
            scene.subresources = [(key, lines.replace(f'NodePath(".:{noun}")', f'NodePath(".:{other}")')) for key, lines in scene.subresources]
            if noun in self.table["free"]:
                self.table["free"][other] = "Variant"
        for path, (kind, key) in list(scene.resources.items()):
            if path == actor.script.path:
                del scene.resources[path]
                scene.resources[script.path] = (kind, key)
        scene.nodes[0][0] = scene.nodes[0][0].replace(f'"{actor.name}"', f'"{name}"', 1)
        if actor.script.path in self.table["methods"]:
            self.table["methods"][script.path] = self.table["methods"][actor.script.path]
        twin.spawn_types, twin.script, twin.scene = actor.spawn_types, script, scene
        twin.inputs, twin.part_nouns = actor.inputs, actor.part_nouns
        return twin

    def heir(self, actor):
        """A scene that inherits `actor` and adds a part with a synchronizer."""
        name = self.names.pop()
        low = name.lower()
        heir = Actor(f"res://actors/{low}.tscn", name, actor.body)
        scene = self.scene(f"actors/{low}.tscn", name, actor.body)
        scene.node(name, instance=actor.path)
        code = self.script(f"actors/{low}_extra.gd", "Node")
        self.methods(code, self.rng.randrange(3))
        own = self.properties(code, "Node", self.rng.randrange(1, 4))
        scene.node("Extra", "Node", script=scene.resource("Script", code.path))
        heir.spawn_types = list(actor.spawn_types)
        self.synchronizer(scene, heir, "ExtraSync", "Extra", None, [(f".:{path}", kind) for path, kind in own.items()], of_root=False)
        heir.script, heir.scene, heir.inputs, heir.part_nouns = actor.script, scene, actor.inputs + ["Extra"], actor.part_nouns | set(own)
        return heir

    # Code that makes nodes.

    def one(self, script, scene, holder, path, name):
        """An expression of the scene at `path`, for code in `script`, which is the script of a node of `scene`."""
        rng = self.rng
        low = name.lower()
        way = rng.randrange(8)
        at = self.reference(path)
        if way == 0:
            return script.constant(low, f'preload("{at}")')
        if way == 1:
            return f'preload("{at}")'
        if way == 2:
            return f'load("{at}")'
        if way == 3:
            script.words += 1
            variable = f"{low}_scene_{script.words}"
            script.head.append(f'{rng.choice(["var", "@onready var"])} {variable} {rng.choice([":=", "="])} {rng.choice(["preload", "load"])}("{at}")')
            return variable
        if way in (4, 5):
            script.words += 1
            variable = f"{low}_to_make_{script.words}"
            default = rng.choice(["", "", f' = preload("{at}")'])
            script.head.append(f"@export var {variable}: PackedScene{default}")
            if not default or rng.random() < 0.3:
                holder[variable] = scene.resource("PackedScene", path)
            return variable
        if way == 6:
            return f"load({script.constant(low + '_path', json.dumps(at))})"
        script.words += 1
        helper = f"_{low}_scene_{script.words}"
        script.function(f"func {helper}() -> PackedScene:\n\treturn preload(\"{at}\")")
        return f"{helper}()"

    def choice(self, script, scene, holder, actors):
        """Lines that set `node` to one of `actors` by `data`, an expression of the data for `n`, and of a name."""
        rng = self.rng
        count = len(actors)
        paths = [actor.path for actor in actors]
        keys = [actor.name.lower() for actor in actors]
        field, data = rng.choice([
            ("data.kind", '{"kind": %s, "n": n}'), ('data["kind"]', '{"kind": %s, "n": n}'), ("data[0]", "[%s, n]"), ("data[1]", "[n, %s]"),
        ])
        number = "data.n" if "{" in data else ("data[1]" if field == "data[0]" else "data[0]")
        pick = f"n % {count}"
        listed = "[" + ", ".join(f'preload("{self.reference(path)}")' for path in paths) + "]"
        folders = {os.path.dirname(path) for path in paths}
        way = rng.randrange(11)
        if way == 10 and len(folders) > 1:
            way = 2
        self.patterns.append(f"choice{way}")
        if way == 0:
            data = data.replace("kind", "scene")
            field = field.replace("kind", "scene")
            return [f"var node = load({field}).instantiate()"], data % f"{json.dumps(paths)}[{pick}]", number
        if way == 1:
            return [f"var node = {script.constant('kinds', listed)}[{field}].instantiate()"], data % pick, number
        if way == 2:
            lines = ["var node", f"match {field}:"]
            for key, path in zip(keys, paths):
                lines += [f'\t"{key}":', f'\t\tnode = preload("{self.reference(path)}").instantiate()']
            return lines, data % f"{json.dumps(keys)}[{pick}]", number
        if way == 3:
            lines = ["var node"]
            for i, path in enumerate(paths):
                word = "if" if i == 0 else "elif"
                lines += [f"{word} {field} == {i}:" if i < count - 1 or count == 1 else "else:", f'\tnode = load("{self.reference(path)}").instantiate()']
            return lines, data % pick, number
        if way == 4:
            pairs = ", ".join(f'"{key}": preload("{self.reference(path)}")' for key, path in zip(keys, paths))
            return [f"var scene = {script.constant('kinds', '{' + pairs + '}')}[{field}]", "var node = scene.instantiate()"], data % f"{json.dumps(keys)}[{pick}]", number
        if way == 5:
            script.words += 1
            variable = f"kinds_{script.words}"
            script.head.append(f"@export var {variable}: Array[PackedScene]")
            holder[variable] = "Array[PackedScene]([" + ", ".join(scene.resource("PackedScene", path) for path in paths) + "])"
            return [f"var node = {variable}[{field}].instantiate()"], data % pick, number
        if way == 6:
            script.words += 1
            helper = f"_scene_of_{script.words}"
            lines = [f"func {helper}(kind: int) -> PackedScene:", "\tmatch kind:"]
            for i, path in enumerate(paths[:-1]):
                lines += [f"\t\t{i}:", f'\t\t\treturn preload("{self.reference(path)}")']
            script.function(*lines, f'\treturn preload("{self.reference(paths[-1])}")')
            return [f"var node = {helper}({field}).instantiate()"], data % pick, number
        if way == 7:
            return [f"var node = {script.constant('kinds', listed)}[data].instantiate()"], pick, None
        if way == 8:
            names = script.constant("kinds", json.dumps([self.reference(path) for path in paths]))
            return [f"var scene: PackedScene = load({names}[int({field})])", "var node = scene.instantiate()"], data % pick, number
        if way == 10:
            return [f'var node = load("{folders.pop()}/%s.tscn" % {field}).instantiate()'], data % f"{json.dumps(keys)}[{pick}]", number
        # Nothing in the data says which.
        return [f"var node = {script.constant('kinds', listed)}[hash(str({number})) % {count}].instantiate()"], data % '"?"', number

    def spawner_in_script(self, rng, script, place, spawner, references):
        """A script makes a spawner."""
        self.patterns.append("a spawner in a script")
        script.words += 1
        name = f"made_{script.words}"
        path = rng.choice([f'"../{place}"', f'NodePath("../{place}")', f'$"{place}".get_path()'])
        lines = [f'{name}.name = "{spawner}"', f"{name}.spawn_path = {path}"]
        lines += [f'{name}.add_spawnable_scene("{path}")' for path in references]
        lines.insert(rng.randrange(2, len(lines) + 1), f"add_child({name})")
        if rng.random() < 0.5:
            script.head.append(f"var {name}: MultiplayerSpawner")
            script.ready += [f"{name} = MultiplayerSpawner.new()", *lines]
        else:
            script.ready += [f"var {name} := MultiplayerSpawner.new()", *lines]

    def lists_in_script(self, rng, script, spawner_path, references):
        """A script adds scenes to the list of a spawner."""
        self.patterns.append("a list in a script")
        script.words += 1
        spawner = f'$"{spawner_path}"'
        if rng.random() < 0.5:
            name = f"spawner_{script.words}"
            script.head.append(f"@onready var {name}: MultiplayerSpawner = {spawner}")
            spawner = name
        style = rng.randrange(3)
        if style == 0:
            for path in references:
                script.ready.append(f'{spawner}.add_spawnable_scene(load("{path}").resource_path)')
            return
        scenes = ", ".join(f'preload("{path}")' for path in references)
        if style == 1:
            listed = f"for scene in {script.constant('listed', f'[{scenes}]')}:"
        else:
            scenes = ", ".join(f'"s{i}": preload("{path}")' for i, path in enumerate(references))
            listed = f"for scene in {script.constant('listed', '{' + scenes + '}')}.values():"
        script.ready += [listed, f"\t{spawner}.add_spawnable_scene(scene.resource_path)"]

    def maker(self, script, scene, holder, parent, actors, how):
        """Adds a container, a spawner and a function `make_…` to a scene whose node at `parent` has `script`."""
        rng = self.rng
        script.words += 1
        place = f"{rng.choice(PLACES)}{script.words}"
        word = place.lower()
        self.patterns.append(how)
        inside = rng.random() < 0.25
        above = "" if parent == "." else f"{parent}/"
        scene.node(place, scene.body if scene.body in ("Node2D", "Node3D") else "Node", parent)
        spawner = "Spawner" if inside else f"{place}Spawner"
        spawner_path = f"{place}/Spawner" if inside else spawner
        container = f"{above}{place}"
        making = random.Random(f"made in script {self.seed} {container} {scene.path}")
        if how == "list" and not inside and making.random() < 0.15:
            attributes = {}
            self.spawner_in_script(making, script, place, spawner, [self.reference(actor.path) for actor in actors])
        else:
            attributes = scene.node(spawner, "MultiplayerSpawner", container if inside else parent, spawn_path='NodePath("..")' if inside else f'NodePath("../{place}")')
        make = f"make_{word}"
        makes = self.table["makes"].setdefault(script.path, [])
        makes.append(make)
        if how == "list":
            references = [self.reference(actor.path) for actor in actors]
            # The first scenes are listed in the scene, and a script adds the others.
            listing = random.Random(f"in-script {self.seed} {container} {scene.path}")
            in_scene = len(references)
            if not attributes:
                in_scene = 0
            elif listing.random() < 0.3:
                in_scene = listing.randrange(len(references))
                self.lists_in_script(listing, script, spawner_path, references[in_scene:])
            attributes["_spawnable_scenes"] = "PackedStringArray(" + ", ".join(f'"{at}"' for at in references[:in_scene]) + ")"
            for i, actor in enumerate(actors):
                for j, other in enumerate(actors[:i]):
                    if differ(actor, other) and i < in_scene:
                        self.edits.append({"kind": "scene", "file": scene.path, "spawner": spawner, "scenes": [actor.path, other.path], "from": attributes["_spawnable_scenes"], "to": "PackedStringArray(" + ", ".join(f'"{at}"' for at in swapped(references[:in_scene], i, j)) + ")"})
            lines = [f"func {make}(n):"]
            if len(actors) == 1:
                lines.append(f"\tvar node = {self.one(script, scene, holder, actors[0].path, actors[0].name)}.instantiate()")
            else:
                options = ", ".join(self.one(script, scene, holder, actor.path, actor.name) for actor in actors)
                lines.append(f"\tvar node = [{options}][n % {len(actors)}].instantiate()")
            if rng.random() < 0.7:
                lines.append('\tnode.name = "x%d" % n')
            script.function(*lines, f"\t$\"{place}\".add_child(node, true)")
            return
        owner, where, owner_holder = script, f'$"{spawner_path}"', holder
        own = rng.random() < 0.35
        if own:
            owner = self.script(f"spawners/{word}_{self.letters(3)}.gd", "MultiplayerSpawner")
            where, owner_holder = "self", attributes
            attributes["script"] = scene.resource("Script", owner.path)
        number = "data"
        if how == "code":
            kind = rng.choice(["Node2D", "Node"])
            code = self.script(f"actors/code_{self.letters(4)}.gd", kind)
            self.methods(code, rng.randrange(3))
            if rng.random() < 0.5:
                body = [f'var node = preload("{code.path}").new()']
            else:
                body = [f"var node = {kind}.new()", f'node.set_script(load("{code.path}"))']
            data = "n"
        elif how == "choice":
            body, data, number = self.choice(owner, scene, owner_holder, actors)
        else:
            expression = self.one(owner, scene, owner_holder, actors[0].path, actors[0].name)
            data, number = rng.choice([("n", "data"), ('{"n": n, "at": Vector2(n, 1)}', "data.n"), ('["a", n]', "data[1]")])
            style = rng.randrange(4)
            if style == 0:
                owner.words += 1
                helper = f"_build_{owner.words}"
                owner.function(f"func {helper}(scene: PackedScene, data):\n\tvar built = scene.instantiate()\n\tbuilt.set_meta(\"data\", data)\n\treturn built")
                body = [f"var node = {helper}({expression}, data)"]
            elif style == 1:
                owner.words += 1
                helper = f"_new_{owner.words}"
                owner.function(f"func {helper}():\n\treturn {expression}.instantiate()")
                body = [f"var node = {helper}()"]
            elif style == 2:
                body = [f"var scene: PackedScene = {expression}", "var node := scene.instantiate()"]
            else:
                body = [f"var node = {expression}.instantiate()"]
        if how == "one" and data.startswith("{") and rng.random() < 0.4:
            data = data.replace('"n": n', '"n": n, "owner": _peer(n)')
            body.append("node.set_multiplayer_authority(data.owner)")
            helper = "func _peer(n):\n\tvar peers = [1] + Array(multiplayer.get_peers())\n\treturn peers[n % peers.size()]"
            if helper not in script.functions:
                script.function(helper)
            self.patterns.append("authority of a client")
        named = number is not None and rng.random() < 0.7
        if named:
            body.append(f'node.name = "x%d" % {number}')
        body.append("return node")
        style = rng.randrange(4)
        function = f"_spawn_{word}"
        if style == 0:
            owner.ready += [f"{where}.spawn_function = func(data):"] + [f"\t{line}" for line in body]
        else:
            typed = rng.choice(["data", "data: Variant"])
            owner.function(f"func {function}({typed}){rng.choice(['', ' -> Node'])}:", *[f"\t{line}" for line in body])
            assign = f"spawn_function = {function}" if style < 3 else f"set_spawn_function({function})"
            if own and style != 3 and rng.random() < 0.5:
                owner.functions.insert(0, f"func _init() -> void:\n\t{assign}")
            else:
                owner.ready.append(assign if own else f"{where}.{assign}")
        script.function(f"func {make}(n):", f'\t$"{spawner_path}".spawn({data})')

    def makers(self, script, scene, holder, parent, count, pool):
        rng = self.rng
        for _ in range(count):
            how = rng.choice(["list", "list", "one", "one", "choice", "choice", "code"])
            if how == "code":
                self.maker(script, scene, holder, parent, [], how)
            elif how == "one":
                self.maker(script, scene, holder, parent, [rng.choice(pool)], how)
            else:
                self.maker(script, scene, holder, parent, rng.sample(pool, min(len(pool), rng.choice([1, 2, 3]) if how == "list" else rng.choice([2, 3]))), how)

    def level(self, number, name, pool, players):
        rng = self.rng
        low = f"level{number}"
        body = rng.choice(["Node2D", "Node2D", "Node3D", "Node"])
        scene = self.scene(f"levels/{low}.tscn", name, body)
        script = self.script(f"levels/{low}.gd", body)
        root = scene.node(name, body, groups=["level"], script=scene.resource("Script", script.path))
        self.methods(script, rng.randrange(3))
        self.makers(script, scene, root, ".", rng.choice([2, 3, 4]), pool)
        if rng.random() < 0.5:
            actor = rng.choice(pool)
            scene.node("Boss", instance=actor.path)
            self.patterns.append("static")
        if rng.random() < 0.4:
            code = self.script(f"levels/{low}_chat.gd", "Node")
            self.methods(code, rng.randrange(1, 3))
            script.ready += [f'var chat = preload("{code.path}").new()', 'chat.name = "Chat"', "add_child(chat)"]
            self.patterns.append("node in code")
        if rng.random() < 0.15 and body != "Node":
            script.ready += [
                "var config = SceneReplicationConfig.new()", 'config.add_property(^".:position")',
                "var by_code = MultiplayerSynchronizer.new()", 'by_code.name = "ByCode"', "by_code.replication_interval = 0.2", "by_code.replication_config = config", "add_child(by_code)",
            ]
            self.patterns.append("synchronizer in code")
        if rng.random() < 0.7:
            scene.node("Players", "Node2D")
            player = rng.choice(players)
            expression = self.one(script, scene, root, player.path, player.name)
            inputs = [part for part in player.inputs]
            lines = [
                '@rpc("authority", "call_local", "reliable")', "func join(id: int) -> void:", f"\tvar player = {expression}.instantiate()",
                "\tplayer.name = " + rng.choice(["str(id)", '"Player%d" % id', '"%s" % id']),
            ]
            if inputs and rng.random() < 0.5:
                lines.append(f'\tplayer.get_node("{inputs[0]}").set_multiplayer_authority(id)')
            else:
                lines.append("\tplayer.set_multiplayer_authority(id)")
            lines.append(rng.choice(["\t$Players.add_child(player)", '\tget_node("Players").add_child(player, true)']))
            script.function(*lines)
            self.table["methods"].setdefault(script.path, [])
            self.table["joins"][script.path] = "join"
            self.patterns.append("players by hand")
        return scene

    def build(self):
        rng = self.rng
        pool = [self.actor() for _ in range(rng.choice([3, 4, 5, 6]))]
        if rng.random() < 0.4:
            pool.append(self.twin(rng.choice(pool)))
            self.patterns.append("twin")
        if rng.random() < 0.35:
            pool.append(self.heir(rng.choice(pool)))
            self.patterns.append("inherited scene")
        players = rng.sample(pool, min(len(pool), 2))
        if rng.random() < 0.6:
            base = self.actor()
            self.makers(base.script, base.scene, base.scene.nodes[0][1], ".", 1, pool)
            self.patterns.append("nested")
            pool.append(base)
        count = 1 if rng.random() < 0.3 else 2
        same = rng.random() < 0.3
        levels = [self.level(i, "Level" if same else ["Field", "Cave"][i], pool, players) for i in range(count)]
        main = self.scene("main.tscn", "Main", "Node")
        code = self.script("main.gd", "Node")
        main.node("Main", "Node", script=main.resource("Script", code.path))
        self.methods(code, rng.randrange(3))
        main.node("Levels", "Node")
        ways = ["static"] if count == 1 else ["child", "child", "root", "scene", "packed"]
        way = rng.choice([way for way in ways if not self.has_interfaces or way in ("static", "child")])
        self.patterns.append(f"levels: {way}")
        self.table["levels"] = count
        autoloads = [("Boot", "boot.gd")]
        opener, opener_path, text = code, "Main", json.dumps([scene.path for scene in levels])
        if way in ("scene", "packed") or rng.random() < 0.4:
            net = self.script("net.gd", "Node")
            self.methods(net, rng.randrange(1, 3))
            autoloads.append(("Net", "net.gd"))
            self.patterns.append("autoload")
            if way in ("scene", "packed", "root"):
                opener, opener_path = net, "Net"
        self.table["open"] = {"node": opener_path, "method": "open_level"}
        lines = ['@rpc("authority", "call_local", "reliable")', "func open_level(index):"]
        if way == "static":
            main.node(levels[0].name, parent="Levels" if rng.random() < 0.5 else ".", instance=levels[0].path)
            self.table["open"] = {}
        elif way == "child":
            lines += ["\tfor old in $Levels.get_children():", "\t\told.free()", f"\tvar level = load({text}[index]).instantiate()", "\t$Levels.add_child(level)"]
        elif way == "root":
            name = opener.constant("levels", "[" + ", ".join(f'preload("{self.reference(scene.path)}")' for scene in levels) + "]")
            lines += ['\tfor old in get_tree().get_nodes_in_group("level"):', "\t\told.free()", f"\tget_tree().root.add_child({name}[index].instantiate())"]
        elif way == "scene":
            lines += ["\tmatch index:"]
            for i, scene in enumerate(levels):
                lines += [f"\t\t{i}:", f'\t\t\tget_tree().change_scene_to_file("{self.reference(scene.path)}")']
        else:
            lines += [f"\tvar scenes = [{', '.join(chr(34) + scene.path + chr(34) for scene in levels)}]", "\tget_tree().change_scene_to_packed(load(scenes[index]))"]
        if way != "static":
            opener.function(*lines)
            self.table["methods"].setdefault(opener.path, [])
        if self.has_interfaces:
            self.transport, start = "websocket" if self.transport == "websocket" else "enet", "combo.tscn"
            combo = self.scene("combo.tscn", "Combo", "Node")
            script = self.script("combo.gd", "Node")
            combo.node("Combo", "Node", script=combo.resource("Script", script.path))
            for i in range(self.clients + 1):
                # The interface of each starts above its main scene.
                combo.node(f"Side{i}", "Node")
                combo.node("Main", parent=f"Side{i}", instance=main.path)
            script.function("func _enter_tree() -> void:", "\tfor side in get_children():", '\t\tget_tree().set_multiplayer(MultiplayerAPI.create_default_interface(), str(get_path()) + "/" + str(side.name))')
            self.patterns.append("interfaces")
        else:
            start = "main.tscn"
        for file in ("boot.gd", "driver.gd"):
            shutil.copy(os.path.join(HERE, file), self.folder)
        for script in self.scripts:
            self.write(script.path[6:], script.text())
            if self.has_uids:
                self.write(script.path[6:] + ".uid", self.uid(script.path) + "\n")
        for scene in self.scenes:
            self.write(scene.path[6:], scene.text())
        lines = [f'{name}="*{"res://" + path}"' for name, path in autoloads]
        self.write("project.godot", "\n".join(["config_version=5", "", "[application]", "", f'config/name="game {self.seed}"', f'run/main_scene="res://{start}"', "", "[autoload]", ""] + lines) + "\n")
        self.write("table.json", json.dumps(self.table, indent=1))
        self.caches()
        self.write("../game.json", json.dumps({"seed": self.seed, "transport": self.transport, "clients": self.clients, "interfaces": self.has_interfaces, "auth": self.table["auth"], "patterns": sorted(set(self.patterns)), "edits": self.edits}, indent=1))

    def caches(self):
        """Writes the files that the editor would write when it imports the project."""
        entries = [(path, number) for path, number in self.uids.items()]
        data = struct.pack("<I", len(entries))
        for path, number in entries:
            data += struct.pack("<qI", number, len(path.encode())) + path.encode()
        os.makedirs(os.path.join(self.folder, ".godot"), exist_ok=True)
        with open(os.path.join(self.folder, ".godot/uid_cache.bin"), "wb") as file:
            file.write(data)
        listed = ", ".join(
            f'{{\n"base": &"{base}",\n"class": &"{name}",\n"icon": "",\n"is_abstract": false,\n"is_tool": false,\n"language": &"GDScript",\n"path": "{path}"\n}}'
            for name, (path, base) in self.classes.items())
        self.write(".godot/global_script_class_cache.cfg", f"list=[{listed}]\n")


def differ(a, b):
    """Whether the state of a spawn tells two scenes apart: by its number of values, or by their types."""
    if len(a.spawn_types) != len(b.spawn_types):
        return True
    pairs = [pair for pair in zip(a.spawn_types, b.spawn_types) if None not in pair]
    return any(x != y and {x, y} != {"int", "float"} for x, y in pairs)


def swapped(items, i, j):
    items = list(items)
    items[i], items[j] = items[j], items[i]
    return items


def write(folder, seed):
    """Writes the project to `folder`/project, and what is known of it to `folder`/game.json."""
    project = os.path.join(folder, "project")
    os.makedirs(project, exist_ok=True)
    game = Game(project, seed)
    game.build()
    return game
