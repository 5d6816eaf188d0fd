#!/usr/bin/env python3
"""Runs a Godot 4 project in the web build of the engine, in a browser without a screen.

    web.py ENGINE PROJECT OUT [ARGUMENT...]

ENGINE is the folder with the engine's index.js and index.wasm, PROJECT the folder with project.godot.
The game gets the ARGUMENTs after `--`, as on a command line. What it prints is printed here, its
errors on standard error. When it quits, the files that it wrote to user://out are copied to OUT, and
its exit code is the exit code here.

The browser is `chromium`; it ends with this program. A game in it can reach this machine by WebSocket, and not by UDP or TCP.
"""
import base64
import http.server
import itertools
import json
import pathlib
import queue
import signal
import struct
import subprocess
import sys
import tempfile
import threading

PAGE = """<!DOCTYPE html>
<canvas id="canvas"></canvas>
<script src="index.js"></script>
<script>
const tell = (what, text) => {
    const request = new XMLHttpRequest();
    request.open("POST", "/" + what, false);
    request.send(text);
};
new Engine({
    args: ARGUMENTS,
    executable: "index",
    mainPack: "project.pck",
    canvasResizePolicy: 0,
    focusCanvas: false,
    ensureCrossOriginIsolationHeaders: false,
    onPrint: (...parts) => tell("print", parts.join(" ")),
    onPrintError: (...parts) => tell("error", parts.join(" ")),
    onExit: code => tell("exit", String(code)),
}).startGame().catch(error => { tell("error", String(error)); tell("exit", "1"); });
</script>
"""

# Added to the project: sends what the game wrote to the server of this program.
SENDER = """extends Node

func _init():
	DirAccess.make_dir_absolute("user://out")

func _exit_tree():
	for file in DirAccess.get_files_at("user://out"):
		var content = Marshalls.raw_to_base64(FileAccess.get_file_as_bytes("user://out/" + file))
		JavaScriptBridge.eval("tell('file/%s', '%s')" % [file, content], true)
"""


def packed(project):
    """The files of a project as a PCK, in the format of Godot 4.0, which later ones read, too."""
    files = {
        str(path.relative_to(project)): path.read_bytes()
        for path in sorted(project.rglob("*"))
        if path.is_file()
    }
    settings = files["project.godot"].decode()
    settings += '\n[autoload]\n\n_Sender="*res://_sender.gd"\n'
    settings += '\n[rendering]\n\nrenderer/rendering_method="gl_compatibility"\n'
    files["project.godot"] = settings.encode()
    files["_sender.gd"] = SENDER.encode()
    index, contents = struct.pack("<I", len(files)), b""
    for name, content in files.items():
        path = b"res://" + name.encode()
        path += bytes(-len(path) % 4)
        index += struct.pack("<I", len(path)) + path
        # The digest of a file is not checked, and no flag is set.
        index += struct.pack("<QQ16xI", len(contents), len(content), 0)
        contents += content
    start = 4 + 5 * 4 + 8 + 16 * 4 + len(index)
    head = b"GDPC" + struct.pack("<IIIIIQ64x", 2, 4, 0, 0, 0, start)
    return head + index + contents


def main():
    engine, project, out = (pathlib.Path(argument) for argument in sys.argv[1:4])
    out.mkdir(parents=True, exist_ok=True)
    arguments = json.dumps(["--", *sys.argv[4:]])
    made = {
        "/": PAGE.replace("ARGUMENTS", arguments).encode(),
        "/project.pck": packed(project),
    }
    kinds = {".js": "text/javascript", ".wasm": "application/wasm", "": "text/html"}
    exits = queue.Queue()
    errors = itertools.count()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            path = pathlib.PurePosixPath(self.path)
            file = engine / path.name
            content = made.get(self.path) or (file.is_file() and file.read_bytes())
            self.answer(200 if content else 404, kinds.get(path.suffix, "text/plain"), content or b"")

        def do_POST(self):
            text = self.rfile.read(int(self.headers["Content-Length"])).decode(errors="replace")
            what, _, name = self.path[1:].partition("/")
            if what == "exit":
                exits.put(int(text))
            elif what == "file":
                (out / pathlib.PurePosixPath(name).name).write_bytes(base64.b64decode(text))
            elif what == "print" or next(errors) < 200:
                print(text, file=sys.stderr if what == "error" else sys.stdout, flush=True)
            # The game waits for this, so what it prints stays in order.
            self.answer(200, "text/plain", b"")

        def answer(self, code, kind, content):
            self.send_response(code)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        # Without a graphics card, WebGL is emulated.
        browser = subprocess.Popen(
            ["chromium", "--headless=new", "--no-sandbox", "--no-first-run", "--disable-extensions"]
            + ["--disable-background-networking", "--use-gl=angle", "--use-angle=swiftshader"]
            + ["--enable-unsafe-swiftshader", f"--user-data-dir={profile}"]
            + [f"http://127.0.0.1:{server.server_port}/"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        threading.Thread(target=lambda: exits.put(browser.wait() and 1), daemon=True).start()
        try:
            code = exits.get(timeout=120)
        except queue.Empty:
            print("the game did not quit within 120 s", file=sys.stderr)
            code = 1
        finally:
            browser.terminate()
            browser.wait()
    sys.exit(code)


main()
