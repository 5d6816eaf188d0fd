#!/usr/bin/env python3
"""Tests the package `gdwire` that is installed: on all recorded values, and on captures.

    run.py          NumPy, pandas, Polars, PyArrow and DuckDB are used if they are installed

The variable GDWIRE_COMMAND names a command of the same version, which must print the same messages.
GDWIRE_RUNS is how many altered values are read, 20,000 without it, and GDWIRE_SEED which ones.
"""

import collections.abc
import contextlib
import enum
import gc
import gzip
import io
import json
import math
import os
import pickle
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from fractions import Fraction
from pathlib import Path
from random import Random

import gdwire
from gdwire import Array, Dictionary, ElementType, NodePath, Object, PackedArray, StringName, Vector2, Vector2i, Vector3

ROOT = Path(__file__).resolve().parents[4]
CORPUS = ROOT / "corpus"
ARENA = CORPUS / "project/arena"
GAME = CORPUS / "captures/godot4-game-enet.pcapng"


def lines(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def plain(value):
    """A value as plain JSON spells it."""
    match value:
        case bool() | None | int():
            return value
        case float():
            return value if math.isfinite(value) else str(value)
        case gdwire.Basis():
            return plain(sum(zip(*value.rows), ()))
        case gdwire.Transform3D():
            return plain(value.basis) + plain(value.origin)
        case gdwire.Callable():
            return None
        case gdwire.RID():
            return value.id
        case gdwire.ObjectID():
            return {"id": value.id}
        case NodePath():
            return str(value)
        case str():
            return str(value)
        case PackedArray(kind="PackedByteArray"):
            return value.tobytes().hex()
        case PackedArray():
            return [plain(element) for element in value.tolist()]
        case dict() | Dictionary():
            return {key_text(key): plain(element) for key, element in value.items()}
        case Object():
            properties = {name: plain(element) for name, element in value.properties}
            return {"class": value.class_name, "properties": properties} if value.class_name else None
        case gdwire.Signal():
            return {"name": value.name, "id": value.object_id}
        case tuple():
            return [part for item in value for part in (plain(item) if isinstance(item, tuple) else [plain(item)])]
        case list():
            return [plain(element) for element in value]
    raise AssertionError(type(value))


def key_text(key):
    return str(key) if isinstance(key, str) else json.dumps(plain(key))


def test_shared_cases():
    cases = lines(CORPUS / "cases.ndjson")
    assert len(cases) > 600, len(cases)
    for case in cases:
        data, dialect = bytes.fromhex(case["hex"]), {"dialect": case["dialect"], "double": case["double"]}
        value = gdwire.loads(data, **dialect)
        written = bytes.fromhex(case.get("written", case["hex"]))
        assert gdwire.dumps(value, **dialect) == written, case
        assert gdwire.loads(bytearray(data), **dialect) is not None or value is None
        assert gdwire.to_json(data, **dialect) == case["native"], case
        assert gdwire.from_json(case["native"], **dialect) == written or not case["is_lossless"], case
        # Keys that are no strings are spelled as literals, which the crate tests.
        if '"Vector2(' not in case["plain"]:
            assert same(plain(value), json.loads(case["plain"])), (case, plain(value))


def same(ours, theirs):
    """Whether two documents are equal, except for the last bits of numbers that had four bytes."""
    if isinstance(ours, float) and isinstance(theirs, float | int):
        return math.isclose(ours, theirs, rel_tol=1e-6)
    if isinstance(ours, list) and isinstance(theirs, list):
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    if isinstance(ours, dict) and isinstance(theirs, dict):
        return ours.keys() == theirs.keys() and all(same(ours[key], theirs[key]) for key in ours)
    return ours == theirs


def recorded_values():
    """The bytes of each recorded value, with the dialect and whether its reals have 64 bits."""
    for path in sorted(CORPUS.glob("captures/*.ndjson")) + sorted(CORPUS.glob("*/values.ndjson")):
        engine = path.parent.name if path.name == "values.ndjson" else path.name
        for line in lines(path):
            if "text" in line and "hex" in line:
                yield bytes.fromhex(line["hex"]), engine.split("-")[0].replace("official", "godot4"), "-double" in engine


def test_all_recorded_values_come_back_with_the_same_bytes():
    count = 0
    for data, dialect, double in recorded_values():
        written = gdwire.dumps(gdwire.loads(data, dialect, double=double), dialect, double=double)
        # Engines leave what their buffer held in the padding of node paths.
        assert len(written) == len(data), (dialect, data.hex())
        assert all(ours in (theirs, 0) for ours, theirs in zip(written, data)), (dialect, data.hex())
        count += 1
    assert count > 1000, count


def altered(data, others, random):
    """Bytes with a few changes: other bytes, edge values of a length, a piece less, a piece of another value."""
    data = bytearray(data[:4096])
    for _ in range(random.randint(1, 4)):
        at = random.randrange(len(data) + 1)
        piece = random.choice(others)[random.randrange(64) :][: random.randrange(1, 64)]
        match random.randrange(5):
            case 0:
                data[at : at + 1] = random.randbytes(1)
            case 1:
                at -= at % 4
                data[at : at + 4] = random.choice((0, 1, 2**31 - 1, 2**31, 2**32 - 1, len(data))).to_bytes(4, "little")
            case 2:
                del data[at : at + random.randrange(1, 32)]
            case 3:
                data[at:at] = piece
            case 4:
                data[at : at + len(piece)] = piece
    return bytes(data)


def test_altered_values():
    values = list(recorded_values())
    others = [data for data, *_ in values]
    seed, runs = int(os.environ.get("GDWIRE_SEED", "1")), int(os.environ.get("GDWIRE_RUNS", "20000"))
    random, read = Random(seed), 0
    for _ in range(runs):
        data, dialect, double = random.choice(values)
        data = altered(data, others, random)
        place = (data.hex(), dialect, double)
        try:
            value = gdwire.loads(data, dialect, double=double)
        except gdwire.DecodeError as error:
            assert 0 <= error.offset <= len(data), place
            continue
        # A value that was read can be written, and is then read as the same. Only wide reals may not fit.
        try:
            written = gdwire.dumps(value, dialect, double=double)
        except gdwire.EncodeError as error:
            assert "write double reals" in str(error), (place, error)
            double = True
            written = gdwire.dumps(value, dialect, double=double)
        again = gdwire.dumps(gdwire.loads(written, dialect, double=double), dialect, double=double)
        # A processor sets one bit of some NaNs of four bytes when it widens them.
        assert again == written or (len(again) == len(written) and "nan" in repr(value)), place
        read += 1
    assert runs // 20 < read < runs, (read, runs)


def test_damaged_values():
    data = gdwire.dumps({"players": [1, {"name": "rope"}]})
    for length in range(len(data)):
        try:
            gdwire.loads(data[:length])
            raise AssertionError(length)
        except gdwire.DecodeError as error:
            assert error.offset <= length
    try:
        gdwire.loads(data[:-4])
        raise AssertionError
    except gdwire.DecodeError as error:
        assert error.path == "/players/1/name", error.path
        assert "the input ends inside" in str(error)
    for dialect, verdicts in (("godot3", "godot3"), ("godot4", "godot4")):
        for line in lines(CORPUS / verdicts / "verdicts.ndjson"):
            try:
                gdwire.dumps(gdwire.loads(bytes.fromhex(line["hex"]), dialect), dialect)
            except (gdwire.DecodeError, gdwire.EncodeError):
                pass
    nested = b"\x1c\0\0\0\x01\0\0\0" * 100_000
    try:
        gdwire.loads(nested)
        raise AssertionError
    except gdwire.DecodeError as error:
        assert str(error).startswith("/0" * 12 + "/…/0/0/0/0: "), error
        assert "nested" in str(error) or "deep" in str(error), error
    deep = []
    deep.append(deep)
    refused("/0/0/…/0/0/0/0: more than 1024 nested containers", gdwire.dumps, deep)
    for wrong, path in ((deep, "/0"), ({"a": [1, object()]}, "/a/1"), ({"b": 2**63}, "/b"), ([Vector2(1, "x")], "/0"), ([Vector2i(1, 2**40)], "/0")):
        try:
            gdwire.dumps(wrong)
            raise AssertionError(path)
        except gdwire.EncodeError as error:
            assert error.path.startswith(path), error.path
    for levels, place in ((16, "/a" * 16), (17, "/a" * 12 + "/…" + "/a" * 4)):
        wrong = object()
        for _ in range(levels):
            wrong = {"a": wrong}
        refused(f"{place}: no Variant", gdwire.dumps, wrong)
    for wrong, problem in (
        (2**63, "an int has 64 bits"), (NodePath("Main/World"), "tuples of names"), (Dictionary(["a"]), "pairs of a key and a value"),
        (Object("Node", {"name": "x"}), "pairs of a name and a value"),
    ):
        refused(problem, gdwire.dumps, [wrong])


def test_altered_captures():
    seed, runs = int(os.environ.get("GDWIRE_SEED", "1")), int(os.environ.get("GDWIRE_RUNS", "20000")) // 200
    random, capture = Random(seed), GAME.read_bytes()
    with tempfile.NamedTemporaryFile(suffix=".pcapng") as file:
        for run in range(runs):
            data = bytearray(capture)
            for _ in range(random.randint(1, 200)):
                data[random.randrange(len(data))] = random.randrange(256)
            file.seek(0)
            file.write(data)
            file.flush()
            try:
                messages = list(gdwire.messages(file.name))
            except gdwire.CaptureError as error:
                assert "byte" in str(error), (seed, run, error)
                continue
            told = sum("damaged" not in message and "lost" not in message for message in messages)
            assert told == gdwire.stats(file.name)["messages"], (seed, run)
            gdwire.diagnose(file.name)


def test_types():
    value = {
        "name": StringName("boss"), "path": NodePath(("root", "Main"), ("position",), True), "at": Vector3(1, 2, 3),
        "typed": Array([1, 2], ElementType("kind", "int")), "list": [None, True, 1, 2.5, "x"], "bytes": b"abc",
    }
    read = gdwire.loads(gdwire.dumps(value))
    assert read["name"] == "boss" and type(read["name"]) is StringName
    assert str(read["path"]) == "/root/Main:position" and read["path"] == value["path"]
    assert read["at"] == (1.0, 2.0, 3.0) and read["at"].y == 2.0
    assert read["typed"] == [1, 2] and read["typed"].element_type == ("kind", "int")
    assert read["list"] == [None, True, 1, 2.5, "x"]
    assert bytes(read["bytes"]) == b"abc" and read["bytes"].kind == "PackedByteArray"
    assert pickle.loads(pickle.dumps(read)) == read
    # Keys that are one key in Python, and one that it does not take.
    keys = Dictionary([(1, "int"), (1.0, "float"), (True, "bool"), ("a", 1), (StringName("a"), 2), ([1], 3)])
    read = gdwire.loads(gdwire.dumps(keys))
    assert isinstance(read, Dictionary) and read == keys and read[1.0] == "float" and read[[1]] == 3
    # A double-precision engine keeps what the others round.
    assert gdwire.loads(gdwire.dumps(Vector2(0.1, 0))).x != 0.1
    assert gdwire.loads(gdwire.dumps(Vector2(0.1, 0), double=True), double=True).x == 0.1


def test_packed_arrays():
    points = PackedArray("PackedVector3Array", [(1, 2, 3), (4, 5, 6)])
    data = gdwire.dumps({"n": 1, "points": points})
    read = gdwire.loads(data)["points"]
    assert len(read) == 2 and read[-1] == Vector3(4, 5, 6) and list(read)[0].z == 3
    view = memoryview(read)
    assert (view.shape, view.format, view.readonly) == ((2, 3), "<f", True)
    assert pickle.loads(pickle.dumps(read)) == read
    try:
        import numpy
    except ImportError:
        return
    array = numpy.asarray(read)
    assert array.shape == (2, 3) and array.dtype == numpy.float32 and array[1, 2] == 6
    # Not a copy: it stands in the bytes that were decoded.
    start = numpy.frombuffer(data, numpy.uint8).ctypes.data
    assert start <= array.ctypes.data < start + len(data)
    del read
    gc.collect()
    assert array[0, 0] == 1
    for kind, dtype, shape in (
        ("PackedFloat64Array", "f8", (5,)), ("PackedInt32Array", "i4", (5,)), ("PackedInt64Array", "i8", (5,)),
        ("PackedColorArray", "f4", (5, 4)), ("PackedVector2Array", "f8", (5, 2)),
    ):
        numbers = numpy.arange(math.prod(shape)).reshape(shape).astype(dtype)
        back = gdwire.loads(gdwire.dumps(PackedArray(kind, numbers)))
        assert back.kind == kind and numpy.array_equal(numpy.asarray(back), numbers), kind


def refused(problem, work, *arguments, **options):
    """Whether the call raises an error of this package, or of Python, that says this."""
    try:
        work(*arguments, **options)
    except (TypeError, ValueError) as error:
        assert problem in str(error), error
    else:
        raise AssertionError(problem)


def test_packed_arrays_as_sequences():
    packed = PackedArray("PackedVector2Array", [(1, 2), (3, 4), (1, 2)])
    assert isinstance(packed, collections.abc.Sequence)
    assert packed[1:] == [Vector2(3, 4), Vector2(1, 2)] and packed[::-1] == list(reversed(packed))
    assert packed.index((3, 4)) == 1 and packed.count((1, 2)) == 2 and (3, 4) in packed
    assert packed.index((1, 2), 1) == 2
    refused("not in list", packed.index, 5)


def test_numbers_that_become_infinite_are_refused():
    for number in (1e308, -1e308, 3.5e38):
        refused(f"{number!r} becomes infinite".replace("e+", "e"), PackedArray, "PackedFloat32Array", [0, number])
        refused("becomes infinite in PackedColorArray", PackedArray, "PackedColorArray", [(0, 0, number, 1)])
        vectors = PackedArray("PackedVector2Array", [(0, number)])
        for value in (vectors, Vector2(number, 0)):
            refused("cannot write with four bytes", gdwire.dumps, value)
        assert gdwire.loads(gdwire.dumps(vectors, double=True), double=True)[0] == (0, number)
    assert list(PackedArray("PackedFloat32Array", [math.inf, -math.inf, 3.4e38, 0.1]))[:2] == [math.inf, -math.inf]
    assert math.isnan(PackedArray("PackedFloat32Array", [math.nan])[0])
    try:
        import numpy
    except ImportError:
        return
    # NumPy's float64 is another format, which is not rounded.
    refused("numbers of the format <f, not d", PackedArray, "PackedFloat32Array", numpy.array([1e308]))
    refused("numbers of the format <f, not d", PackedArray, "PackedColorArray", numpy.array([[1e308, 0, 0, 1]]))
    refused("cannot write with four bytes", gdwire.dumps, PackedArray("PackedVector2Array", numpy.array([[1e308, 0]])))


def test_arrays_of_other_numbers_are_refused():
    import array

    colours = array.array("B", range(16))
    refused("numbers of the format <f, not B", PackedArray, "PackedColorArray", colours)
    assert len(PackedArray("PackedColorArray", bytes(colours))) == 1
    assert list(PackedArray("PackedByteArray", colours)) == list(range(16))
    refused("not b", PackedArray, "PackedByteArray", array.array("b", [-1]))
    rows = memoryview(bytes(48)).cast("f", [4, 3])
    refused("has 2 numbers, not [3]", PackedArray, "PackedVector2Array", rows)
    assert len(PackedArray("PackedVector3Array", rows)) == 4


def test_numbers_that_are_no_int_or_float():
    back = lambda value: gdwire.loads(gdwire.dumps(value))  # noqa: E731
    assert back(enum.IntFlag("Layer", "GROUND AIR").AIR) == 2
    refused("the type fractions.Fraction", gdwire.dumps, Fraction(1, 3))
    refused("numbers of the format B, not f", gdwire.dumps, memoryview(bytes(8)).cast("f"))
    try:
        import numpy
    except ImportError:
        return
    scalars = numpy.float32(0.1), numpy.float16("nan"), numpy.int64(-3), numpy.uint8(7), numpy.bool_(True), numpy.str_("x")
    read = back(list(scalars))
    assert [type(value) for value in read] == [float, float, int, int, bool, str], read
    assert str(read) == str([value.item() for value in scalars])
    assert back({numpy.int32(1): numpy.float64(0.5)}) == {1: 0.5}
    refused("the type numpy.timedelta64", gdwire.dumps, numpy.timedelta64(1, "s"))


def test_saves_as_the_readme_reads_them():
    readme = (ROOT / "src/bindings/python/README.md").read_text(encoding="utf-8")
    [code] = [block.removeprefix("python") for block in readme.split("```") if "def saved" in block]
    scope = {"gdwire": gdwire}
    exec(code, scope)
    for dialect in "godot3", "godot4", "pandemonium5":
        save = CORPUS / f"captures/{dialect}-file.bin"
        written = [len(line["hex"]) // 2 for line in lines(save.with_suffix(".ndjson")) if "hex" in line]
        assert [len(gdwire.dumps(value, dialect)) for value in scope["saved"](save, dialect)] == written


def test_a_dictionary_that_changes_while_it_is_written():
    class Number:
        def __float__(self):
            value.clear()
            value.update(one=1, two=2)
            return 1.0

    value = {"one": 1, "at": Vector2(Number(), 0), "two": 2, "three": 3}
    refused("a Dictionary was opened for 4 entries", gdwire.dumps, value)


def test_messages():
    command = os.environ.get("GDWIRE_COMMAND")
    for path, project in ((GAME, ARENA), (CORPUS / "captures/godot3-rpc.pcapng", None)):
        ours = list(gdwire.messages(path, project=project))
        assert len(ours) > 100
        if command:
            arguments = ["--project", project] if project else []
            lines = subprocess.run(
                [command, "decode", "--quiet", "--format", "ndjson", *arguments, path], stdout=subprocess.PIPE
            ).stdout.splitlines()
            assert [json.loads(line) for line in lines] == ours, path
    lossy = list(gdwire.messages(CORPUS / "captures/godot4-game-enet-lossy-client-side.pcapng"))
    assert any("lost" in message for message in lossy)
    names = {message["rpc"].get("method") for message in gdwire.messages(GAME, project=ARENA) if "rpc" in message}
    assert "take_hit" in names, names
    for wrong, error in ((ARENA / "project.godot", gdwire.CaptureError), (ROOT / "missing", FileNotFoundError)):
        try:
            list(gdwire.messages(wrong))
            raise AssertionError(wrong)
        except error as raised:
            assert str(wrong) in str(raised) and "os error" not in str(raised)
    try:
        gdwire.messages(GAME, project=ARENA.parent)
        raise AssertionError("no project")
    except FileNotFoundError as raised:
        assert raised.filename == str(ARENA.parent / "project.godot"), raised
    try:
        gdwire.messages(io.BytesIO(GAME.read_bytes()))
        raise AssertionError("bytes")
    except TypeError as raised:
        assert "by its path, not by BytesIO" in str(raised), raised


def test_compressed_captures_that_are_cut_off():
    command = os.environ.get("GDWIRE_COMMAND")
    whole = gzip.compress(GAME.read_bytes(), mtime=0)
    with tempfile.NamedTemporaryFile(suffix=".gz") as file:
        file.write(whole[: len(whole) // 2])
        file.flush()
        read = list(gdwire.messages(file.name, project=ARENA))
        [damage] = [message for message in read if "damaged" in message]
        told = [message for message in read if message.get("time") and "lost" not in message]
        assert len(told) > 100 and damage["damaged"].startswith("gzip data: cut off"), damage
        assert not any("damaged" in message for message in gdwire.messages(file.name, losses=False))
        stats = gdwire.stats(file.name)
        assert (stats["messages"], stats["errors"]) == (len(told), [{"reason": "damaged file", "count": 1}])
        gdwire.diagnose(file.name)
        if command:
            arguments = [command, "decode", "--project", ARENA, "--format", "ndjson", file.name]
            lines = subprocess.run(arguments, capture_output=True).stdout.splitlines()
            assert [json.loads(line) for line in lines] == read
        try:
            import pyarrow
        except ImportError:
            return
        losses = pyarrow.table(gdwire.read(file.name, table="losses")).to_pylist()
        assert [row["offset"] for row in losses if row["what"] == "damaged"] == [damage["offset"]]
        assert pyarrow.table(gdwire.read(file.name)).num_rows == len(told)


def test_analyses():
    stats = gdwire.stats(GAME, project=ARENA, interval=1)
    assert stats["messages"] == 478 and stats["seconds"] > 6
    findings = gdwire.diagnose(CORPUS / "captures/godot4-game-enet-lossy-client-side.pcapng", project=ARENA)
    assert any(finding["kind"] == "unreliable_missing" for finding in findings["findings"]), findings
    refused("values are plain or native, not 'all'", gdwire.messages, GAME, values="all")
    for table in ("messages", "states", "losses", "connections"):
        assert "file" in gdwire.read(GAME, table=table).columns
    readers = {
        "pyarrow": lambda module, table: module.table(table).num_rows,
        "polars": lambda module, table: module.DataFrame(table).height,
        "pandas": lambda module, table: len(module.DataFrame.from_arrow(table)),
        "duckdb": lambda module, rows: module.sql("select count(*) from rows").fetchall()[0][0],
    }
    for name, rows in readers.items():
        try:
            module = __import__(name)
        except ImportError:
            continue
        assert rows(module, gdwire.read(GAME, project=ARENA, columns=["time", "method", "len"])) == 478, name


def test_reading_ends_at_ctrl_c():
    """A thread writes a capture into a pipe, and asks for the end of the reading in the middle of it."""
    capture = (CORPUS / "captures/godot3-udp-usec.pcap").read_bytes()

    def write(pipe, written):
        with contextlib.suppress(BrokenPipeError), open(pipe, "wb", buffering=0) as file:
            file.write(capture[:24])
            for round in range(1000):
                file.write(capture[24:])
                written.append(round)
                if round == 10:
                    os.kill(os.getpid(), signal.SIGINT)

    def without_messages(pipe):
        return list(gdwire.messages(pipe, transport="tcp"))

    def rows_without_messages(pipe):
        try:
            return pyarrow.table(gdwire.read(pipe, transport="tcp"))
        except pyarrow.ArrowInvalid as error:
            assert "reading was interrupted" in str(error), error
            raise KeyboardInterrupt from error

    reads = [gdwire.stats, without_messages]
    with contextlib.suppress(ImportError):
        import pyarrow

        reads.append(rows_without_messages)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    for read in reads:
        written = []
        with tempfile.TemporaryDirectory() as folder:
            pipe = Path(folder) / "capture.pcap"
            os.mkfifo(pipe)
            writer = threading.Thread(target=write, args=(pipe, written))
            writer.start()
            try:
                read(pipe)
                raise AssertionError("it went on")
            except KeyboardInterrupt:
                pass
            writer.join()
        assert 10 < len(written) < 1000, read
    signal.signal(signal.SIGINT, before)


def test_pipes_are_read_once_and_as_they_come():
    """The pipe is opened by its reader before its writer, which writes the rest after the first message."""
    capture = GAME.read_bytes()

    def write(pipe, has_come):
        time.sleep(0.1)
        with open(pipe, "wb", buffering=0) as file:
            file.write(capture[:-20_000])
            assert has_come.wait(60)
            file.write(capture[-20_000:])

    def messages(pipe, has_come, project):
        messages = gdwire.messages(pipe, project=project)
        first = next(messages)
        has_come.set()
        return [first, *messages]

    def rows(pipe, has_come, project):
        table = gdwire.read(pipe, project=project)
        has_come.set()
        try:
            import pyarrow
        except ImportError:
            return messages(pipe, has_come, project)
        return pyarrow.table(table)

    for read in (messages, rows):
        for project in (None, ARENA):
            with tempfile.TemporaryDirectory() as folder:
                pipe, has_come = Path(folder) / "capture.pcapng", threading.Event()
                os.mkfifo(pipe)
                writer = threading.Thread(target=write, args=(pipe, has_come))
                writer.start()
                assert len(read(pipe, has_come, project)) == 478, read
                writer.join()


def test_spark():
    """The job of the documentation gives the same answers as DuckDB, if both are there."""
    submit = Path(sys.executable).with_name("spark-submit")
    try:
        import duckdb
        import pyarrow
    except ImportError:
        return
    if not submit.exists():
        return
    tables = ROOT / "tests/tables"
    questions = [tables / f"{name}.sql" for name in ("bandwidth", "loss")]
    names = "messages", "connections"
    with tempfile.TemporaryDirectory() as folder:
        captures = [Path(shutil.copy(path, folder)) for path in (GAME, GAME.with_name("godot3-enet.pcapng"))]
        answers = Path(folder) / "answers"
        options = ["--master", "local[2]", "--driver-java-options", "-XX:TieredStopAtLevel=1"]
        for option in ("sql.session.timeZone=UTC", "sql.shuffle.partitions=2", "ui.enabled=false"):
            options += ["--conf", f"spark.{option}"]
        job = [submit, *options, tables / "spark_job.py", folder, answers, *questions]
        places = {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
        done = subprocess.run(job, env=os.environ | places, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        session = duckdb.connect()
        session.execute("set timezone = 'UTC'")
        for name in names:
            rows = pyarrow.concat_tables(pyarrow.table(gdwire.read(path, table=name)) for path in captures)
            session.register(name, rows)
        for question in questions:
            found = [line for path in (answers / question.stem).glob("*.json") for line in lines(path)]
            expected = session.sql(question.read_text()).to_arrow_table().to_pylist()
            assert found, question
            assert sorted(map(row_text, found)) == sorted(map(row_text, expected)), (found, expected)


def row_text(row):
    """A row as text, in which a time is spelled as Spark does."""
    def spelled(value):
        return value.strftime("%Y-%m-%dT%H:%M:%S.000Z") if hasattr(value, "strftime") else str(value)

    return str({name: spelled(value) for name, value in row.items()})


def test_dictionaries_with_the_same_keys():
    keys = [f"key_{number}" for number in range(12)]
    for order in (keys, keys[::-1]):
        for round in range(5):
            state = {key: [round, key] for key in order}
            read = gdwire.loads(gdwire.dumps(state))
            assert read == state and list(read) == order
            # Changes to one of them do not show in the next.
            read.pop(keys[0])
            read["more"] = read
    for _ in range(3):
        twice = gdwire.loads(gdwire.dumps(Dictionary([(key, 1) for key in keys] + [(keys[0], 2)])))
        assert isinstance(twice, Dictionary) and len(twice) == 13


def test_texts_that_are_kept():
    """Keys and short texts are kept for the next value; what is kept may change while a value is read."""
    texts = [text * length for length in range(1, 40) for text in ("a", "b", "é")]
    texts += [f"{start}{number}" for start in ("", "key_", "a longer name of ") for number in range(3000)]
    value = {text: [text, StringName(text)] for text in texts}
    data = gdwire.dumps(value)
    for _ in range(3):
        read = gdwire.loads(data)
        assert read == value and list(read) == texts
        assert all(type(name) is StringName for _, name in read.values())
    # Typed dictionaries call Python code, and give the texts to it.
    typed = [Dictionary([(text, text) for text in texts], ElementType("kind", "String"))] * 2
    assert gdwire.loads(gdwire.dumps(typed)) == typed

    small = gdwire.dumps({"hp": "full", StringName("who"): None, "alive": True, "dead": False, "id": 7, "x": []})
    [key, other, *_], full = gdwire.loads(small), gdwire.loads(small)["hp"]
    counts = [sys.getrefcount(it) for it in (key, other, full, None, True, False)]
    for _ in range(10_000):
        gdwire.loads(small)
        gdwire.loads(gdwire.dumps(["hp", "full"]))
        try:
            gdwire.loads(small[:-4])
        except gdwire.DecodeError:
            pass
    after = [sys.getrefcount(it) for it in (key, other, full, None, True, False)]
    assert all(abs(one - two) < 1000 for one, two in zip(counts, after)), (counts, after)


def test_values_in_values():
    """The garbage collector calls code that reads values, in the middle of one."""
    value = [{f"key {number}": [number, Vector2(number, 2.0), f"text {number}"]} for number in range(5000)]
    data, other = gdwire.dumps(value), gdwire.dumps({f"other {number}": "text" for number in range(2000)})
    read = []
    calls = lambda phase, _: read.append(len(gdwire.loads(other)))  # noqa: E731
    gc.callbacks.append(calls)
    try:
        assert gdwire.loads(data) == value
    finally:
        gc.callbacks.remove(calls)
    assert read and set(read) == {2000}


def test_all_names_are_exported():
    from gdwire import captures, errors, types

    assert set(gdwire.__all__) >= {*captures.__all__, *errors.__all__, *types.__all__}
    assert all(hasattr(gdwire, name) for name in gdwire.__all__)


def test_threads():
    data = gdwire.dumps([{"text": "x" * 1000, "numbers": list(range(100))}] * 200)
    results = []
    threads = [threading.Thread(target=lambda: results.append(gdwire.loads(data))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 4 and all(result == results[0] for result in results)


def main():
    tests = {name: test for name, test in globals().items() if name.startswith("test_")}
    wanted = [name for name in tests if not sys.argv[1:] or any(part in name for part in sys.argv[1:])]
    for name in wanted:
        tests[name]()
        print("ok", name)


if __name__ == "__main__":
    main()
