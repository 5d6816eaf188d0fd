#!/usr/bin/env python3
"""Plays generated games, records them, and compares the names that gdwire shows with those of the game.

    game.py play DIR SEED                    writes, plays and records a game in DIR
    game.py check DIR... [--gdwire PROGRAM]  compares the names in recordings: whole, without the beginning, and with an edited project
    game.py soak DIR [SEED]                  plays and checks one seed after another, until it is stopped; keeps games with wrong names

The engine is GDWIRE_GODOT4, or what `tests/engine/install.sh` installed, or `godot4` or `godot` in PATH; the recorder is dumpcap or tcpdump, which must be allowed to
capture on the loopback interface. A missing one ends the program with 77.
"""
import argparse
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
import names
import project

MISSING = 77
INSTALLED = os.path.join(project.HERE, "../../../target/engines/godot4")


def find(*programs):
    for program in programs:
        path = shutil.which(program)
        if path:
            return path
    print(f"missing: {' or '.join(programs)}", file=sys.stderr)
    sys.exit(MISSING)


def free_port():
    # A port that is free for both protocols.
    for _ in range(100):
        with socket.socket() as tcp, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
            tcp.bind(("127.0.0.1", 0))
            port = tcp.getsockname()[1]
            try:
                udp.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    sys.exit("no port is free")


def record(path, port):
    """Starts a recording of `port`, and returns once it runs."""
    recorder = find("tcpdump", "dumpcap")
    if recorder.endswith("tcpdump"):
        # Root of a user namespace cannot become another user.
        command = [recorder, "-i", "lo", "-Z", "root", "-U", "-B", "8192", "-s", "0", "-w", path, f"port {port}"]
    else:
        command = [recorder, "-q", "-P", "-i", "lo", "-B", "8", "-w", path, "-f", f"port {port}"]
    running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    deadline = time.time() + 10
    while not (os.path.exists(path) and os.path.getsize(path)):
        if running.poll() is not None or time.time() > deadline:
            running.kill()
            print(f"missing: permission to capture on the loopback interface: {running.communicate()[1].strip()}", file=sys.stderr)
            sys.exit(MISSING)
        time.sleep(0.05)
    return running


def play(folder, seed, seconds, web=None):
    given = os.environ.get("GDWIRE_GODOT4")
    engine = find(given) if given else find(INSTALLED, "godot4", "godot")
    shutil.rmtree(os.path.join(folder, "project"), ignore_errors=True)
    game = project.write(folder, seed)
    capture = os.path.join(folder, "game.pcap")
    if os.path.exists(capture):
        os.remove(capture)
    port = free_port()
    recorder = record(capture, port)
    roles = ["all"] if game.has_interfaces else ["server"] + [f"client{i}" for i in range(game.clients)]
    ends = []
    with tempfile.TemporaryDirectory() as home:
        environment = dict(os.environ, HOME=home, XDG_DATA_HOME=home, XDG_CONFIG_HOME=home, XDG_CACHE_HOME=home)
        for role in roles:
            where = os.path.join(folder, "project")
            if web and role.startswith("client"):
                # The file is copied from there to the folder.
                command = [os.path.join(project.HERE, "../web.py"), web, where, folder]
                out = f"user://out/{role}.part"
            else:
                command = [engine, "--headless", "--path", where, "--"]
                out = os.path.abspath(os.path.join(folder, f"{role}.part"))
            command += [role, "websocket" if web else game.transport, port, seed, seconds, game.clients, out]
            with open(os.path.join(folder, f"{role}.log"), "w") as log:
                ends.append(subprocess.Popen([str(part) for part in command], stdout=log, stderr=log, env=environment))
        try:
            for end in ends:
                end.wait(timeout=seconds + 120)
        except subprocess.TimeoutExpired:
            sys.exit(f"seed {seed}: the game does not end")
        finally:
            for end in ends:
                end.terminate()
                end.wait()
            time.sleep(0.3)
            recorder.send_signal(signal.SIGINT)
            recorder.communicate()
    lines = []
    for role in roles:
        part = os.path.join(folder, f"{role}.part")
        with open(part, encoding="utf-8") as file:
            lines += [json.loads(line) for line in file]
        os.remove(part)
    with open(os.path.join(folder, "truth.ndjson"), "w", encoding="utf-8") as file:
        for line in sorted(lines, key=lambda line: line["t"]):
            file.write(json.dumps(line) + "\n")
    return game


def check(folder, gdwire, verbose=False):
    """Prints a line for each way to read the recording; returns whether all names are right."""
    with open(os.path.join(folder, "game.json"), encoding="utf-8") as file:
        game = json.load(file)
    truth = names.Truth(os.path.join(folder, "truth.ndjson"))
    capture, whole = os.path.join(folder, "game.pcap"), os.path.join(folder, "project")
    results = []
    with tempfile.TemporaryDirectory() as scratch:
        results.append(names.compare(gdwire, truth, capture, whole, "whole"))
        for share, name in ((1 / 3, "from a third"), (1 / 2, "from half")):
            cut = os.path.join(scratch, f"{name}.pcap")
            names.cut(capture, cut, share)
            results.append(names.compare(gdwire, truth, cut, whole, name))
        for edit in names.edits(game):
            edited = os.path.join(scratch, f"edited-{len(results)}")
            shutil.copytree(whole, edited)
            names.apply(edit, edited)
            results.append(names.compare(gdwire, truth, capture, edited, names.describe(edit)))
            results[-1].unused += not truth.shows(edit)
    print(f"seed {game['seed']}: {game['transport']}, {game['clients']} clients, {', '.join(game['patterns'])}")
    for result in results:
        result.show(verbose)
    sys.stdout.flush()
    return results


def add(totals, results):
    for result in results:
        totals[result.name] = totals[result.name] + result if result.name in totals else result


def show(totals, verbose=False):
    for result in totals.values():
        result.show(verbose)


def check_all(folders, gdwire, options):
    totals = {}
    for folder in folders:
        add(totals, check(folder, gdwire, options.verbose))
    if len(folders) > 1:
        print("all:")
        show(totals)
    if options.numbers:
        with open(options.numbers, "w", encoding="utf-8") as file:
            json.dump([result.numbers() for result in totals.values()], file, indent=1)
    return not any(result.wrong for result in totals.values())


def soak(folder, seed, gdwire, options):
    totals = {}
    while True:
        game = os.path.join(folder, str(seed))
        play(game, seed, options.seconds)
        results = check(game, gdwire, options.verbose)
        if not any(result.wrong for result in results):
            shutil.rmtree(game)
        add(totals, results)
        print("all so far:")
        show(totals)
        seed += 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    tasks = parser.add_subparsers(dest="task", required=True)
    of_play, of_check, of_soak = tasks.add_parser("play"), tasks.add_parser("check"), tasks.add_parser("soak")
    of_play.add_argument("folder")
    of_play.add_argument("seed", type=int)
    of_check.add_argument("folders", nargs="+")
    of_check.add_argument("--numbers", metavar="FILE", help="write the sums to a JSON file")
    of_soak.add_argument("folder")
    of_soak.add_argument("seed", nargs="?", type=int, default=int(time.time()))
    of_play.add_argument("--web", metavar="FOLDER", help="the clients run in a browser: with the web build in this folder, over WebSocket")
    for task in (of_play, of_soak):
        task.add_argument("--seconds", type=float, default=8, help="how long each game lasts")
    for task in (of_check, of_soak):
        task.add_argument("--gdwire", default=os.environ.get("GDWIRE", "gdwire"), help="the program to check")
        task.add_argument("--verbose", action="store_true", help="print each wrong name")
    options = parser.parse_args()
    if options.task == "play":
        play(options.folder, options.seed, options.seconds, options.web)
        return
    gdwire = find(options.gdwire)
    if options.task == "check":
        sys.exit(not check_all(options.folders, gdwire, options))
    soak(options.folder, options.seed, gdwire, options)


main()
