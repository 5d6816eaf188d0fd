#!/usr/bin/env node
// A server for Godot 4 games in browsers and elsewhere: it repeats what a client says to all clients.
//
//   npm install gdwire ws
//   node server.js 8080 [FOLDER]     FOLDER is the package, if it is not installed
//
// The game's node Main/World has the methods move, said and say, with `@rpc("any_peer")`, and its peer is
// `WebSocketMultiplayerPeer.create_client("ws://127.0.0.1:8080")`.

import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [port, folder] = process.argv.slice(2);
const { Session } = await import(folder ? pathToFileURL(path.resolve(folder, "full.js")) : "gdwire/full");
const { WebSocketServer } = createRequire(path.join(process.cwd(), "server.js"))("ws");

const session = new Session({ methods: "Main/World: move, said, say" });
const clients = new Map();
let ids = 1;

function work() {
  session.handleTime(performance.now());
  for (const event of session.events()) {
    if (event.kind === "call" && event.method === "say") session.call(0, "Main/World", "said", event.peer, event.args[0]);
    if (event.kind === "refused") console.error(`${event.peer}: ${event.text}`);
  }
  for (const { to, bytes } of session.packets()) clients.get(to)?.send(bytes);
}

const server = new WebSocketServer({ port: Number(port ?? 8080), maxPayload: 1 << 20 });
server.on("connection", (socket) => {
  ids += 1;
  const id = ids;
  // The error of bytes that are not a frame. The socket is closed after it.
  socket.on("error", (error) => console.error(`${id}: ${error.message}`));
  // There may be too many clients.
  try { session.connected(id); } catch (error) { console.error(`${id}: ${error.message}`); socket.close(1013); return; }
  // The first message of a Godot 4 server is the client's id.
  socket.send(new Uint8Array(Int32Array.of(id).buffer));
  clients.set(id, socket);
  socket.on("message", (packet) => { session.receive(id, packet); work(); });
  socket.on("close", () => { clients.delete(id); session.disconnected(id); work(); });
  work();
});
server.on("listening", () => console.log(`listening on ${server.address().port}`));
setInterval(work, 16);
