#!/usr/bin/env python3
"""Adds the classes of an engine and the types of their properties to src/game/project/script/engine.txt.

    godot --headless --dump-extension-api
    tests/engine/classes.py extension_api.json

Several files may be given, the oldest version first. The type of a property is that which its getter
returns, because that is what a synchronizer sends; `any` if versions of the engine differ.
"""

import json
import sys
from pathlib import Path

TABLE = Path(__file__).parents[2] / "src/game/project/script/engine.txt"
NO_KIND = {"Variant", "Object", "RID", "Callable", "Signal"}


def read():
    """The classes of the table: name to base class and properties."""
    classes = {}
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        name, *rest = line.split()
        properties = {}
        for kind, names in (words.split(":") for words in rest[1:]):
            properties |= dict.fromkeys(names.split(","), kind)
        classes[name] = (rest[0] if rest else None, properties)
    return classes


def write(classes):
    with TABLE.open("w", encoding="utf-8") as table:
        for name, (base, properties) in sorted(classes.items(), key=lambda it: it[0].lower()):
            kinds = {}
            for property, kind in sorted(properties.items()):
                kinds.setdefault(kind, []).append(property)
            words = (f"{kind}:{','.join(names)}" for kind, names in sorted(kinds.items()))
            print(name, *([base, *words] if base else []), file=table)


def kind(type, builtin):
    """The kind of values of a type of the API; none for objects and for any type."""
    if type.startswith(("enum::", "bitfield::")):
        return "int"
    if type.startswith("typedarray::"):
        return "Array"
    if type.startswith("typeddictionary::"):
        return "Dictionary"
    return type if type in builtin else None


def merge(classes, api):
    builtin = {it["name"] for it in api["builtin_classes"]} - NO_KIND | {"bool", "int", "float"}
    described = {it["name"]: it for it in api["classes"]}

    def line(name):
        """The class and those that it inherits."""
        while name:
            yield described[name]
            name = described[name].get("inherits")

    for name, it in described.items():
        if "Node" not in (base["name"] for base in line(name)):
            classes.setdefault(name, (None, {}))
            continue
        _, properties = classes.get(name, (None, {}))
        for property in it.get("properties", []):
            methods = (method for base in line(name) for method in base.get("methods", []))
            getter = next((method for method in methods if method["name"] == property.get("getter")), None)
            found = kind(getter["return_value"]["type"] if getter else property["type"], builtin)
            if found and properties.setdefault(property["name"], found) != found:
                properties[property["name"]] = "any"
        classes[name] = (it["inherits"], properties)


if __name__ == "__main__":
    classes = read()
    for path in sys.argv[1:]:
        merge(classes, json.loads(Path(path).read_text(encoding="utf-8")))
    write(classes)
