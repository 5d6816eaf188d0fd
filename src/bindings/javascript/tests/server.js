#!/usr/bin/env node
// Tests examples/server.js with Godot 4 as its client: in a browser, and beside it on the desktop. They say
// something, and both have to hear both.
//
//   server.js FOLDER GODOT [WEB]   in FOLDER, `gdwire` and `ws` are installed; GODOT is the engine, and WEB
//                                  the folder of its web export template, which runs in `chromium`

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [folder, godot, web] = process.argv.slice(2).map((argument) => path.resolve(argument));
const tests = import.meta.dirname ?? path.dirname(process.argv[1]);
const { encode, PackedArray, Vector2 } = await import(pathToFileURL(path.join(folder, "node_modules/gdwire/index.js")));
const temporary = fs.mkdtempSync(path.join(os.tmpdir(), "gdwire-server-"));
const children = [];

/** Starts a program, and collects the lines that it prints. */
function start(program, args, options = {}) {
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"], ...options });
  const printed = { lines: [], errors: "" };
  createInterface({ input: child.stdout }).on("line", (line) => printed.lines.push(line));
  child.stderr.on("data", (data) => { printed.errors += data; });
  children.push(child);
  return { child, printed, exit: once(child, "close") };
}

/** A copy of the game, because the engine writes into its folder. */
function game(name) {
  fs.cpSync(path.join(tests, "game"), path.join(temporary, name), { recursive: true });
  return path.join(temporary, name);
}

const watch = setTimeout(() => {
  console.error("the clients did not end within 150 s");
  children.forEach((child) => child.kill());
}, 150_000);
try {
  // Beside what is installed, as a user has it.
  const example = path.join(folder, "server.mjs");
  fs.copyFileSync(path.join(tests, "../examples/server.js"), example);
  const server = start(process.execPath, [example, "0"], { cwd: folder });
  const [line] = await once(server.child.stdout, "data");
  const port = /^listening on (\d+)/.exec(line)[1];

  // Whoever sends what is no frame loses the connection, and the server goes on.
  const stranger = net.connect(port, "127.0.0.1");
  const key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13";
  stranger.write(`GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n${key}\r\n\r\n`);
  await once(stranger, "data");
  stranger.write(new Uint8Array([0x8f, 0x80, 0, 0, 0, 0]));
  stranger.on("error", () => undefined);
  await once(stranger, "close");

  const names = web ? ["browser", "desktop"] : ["desktop"];
  const clients = names.map((name) => {
    const args = [port, name, ...names];
    return name === "browser"
      ? start("python3", [path.join(tests, "../../../../tests/engine/web.py"), web, game(name), path.join(temporary, "out"), ...args])
      : start(godot, ["--headless", "--path", game(name), "--", ...args]);
  });
  for (const [place, { printed, exit }] of clients.entries()) {
    const [code] = await exit;
    assert.equal(code, 0, `${names[place]}: ${printed.lines.join("\n")} ${printed.errors}`);
    for (const name of names) {
      const value = { name, at: new Vector2(1, 2), points: new PackedArray("PackedVector3Array", Float32Array.of(3, 4, 5)) };
      const heard = `heard ${name} ${name === names[place]} 1 ${Buffer.from(encode(value)).toString("hex")}`;
      assert.ok(printed.lines.includes(heard), `${names[place]} has not "${heard}": ${printed.lines.join("\n")}`);
    }
    assert.doesNotMatch(printed.errors, /SCRIPT ERROR|checksum|RPC/);
  }
  server.child.kill();
  await server.exit;
  assert.match(server.printed.errors, /^2: Invalid WebSocket frame[^\n]*\n$/);
  console.log(`ok a server for ${names.join(" and ")}`);
} finally {
  clearTimeout(watch);
  children.forEach((child) => child.kill());
  fs.rmSync(temporary, { recursive: true, force: true });
}
