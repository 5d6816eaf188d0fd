#!/usr/bin/env node
// Compares `parse` and `encode` with npm's godot-binary-serialization on the same state, as a table.
//
//   bench.js FOLDER     FOLDER is the package, unpacked; needs `npm install godot-binary-serialization`
//
// The state is of Godot 3, because that package reads nothing else, and without vectors, because it misreads
// what follows a vector in a dictionary.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";

const { parse, encode, Vector3 } = await import(pathToFileURL(path.resolve(process.argv[2], "index.js")));
const require = createRequire(path.join(process.cwd(), "bench.js"));
const other = require("godot-binary-serialization").PacketPeer;
const { version } = require("godot-binary-serialization/package.json");

const options = { dialect: "godot3" };
const state = {
  id: 7, name: "player_one", x: 1.5, y: 2.5, z: -3.5, velocity_x: 0.25, velocity_y: 9.75, hp: 87.5, alive: true,
  score: 409, team: "red", items: [1, 2, 3],
};
const data = Buffer.from(encode(state, options));
// Both read and write it.
assert.deepEqual(parse(data, options), state);
assert.deepEqual(other.get_var(data), state);
assert.deepEqual(parse(other.put_var(state), options), state);

/** Nanoseconds of one call: the best of several rounds. */
function fastest(work) {
  const calls = 2000;
  let best = Infinity;
  for (let round = 0; round < 60; round += 1) {
    const start = process.hrtime.bigint();
    for (let call = 0; call < calls; call += 1) work();
    best = Math.min(best, Number(process.hrtime.bigint() - start) / calls);
  }
  return best;
}

console.log(`| a state of ${data.length} bytes, Node ${process.versions.node} | gdwire | godot-binary-serialization ${version} | |`);
console.log("|---|---|---|---|");
const rows = [
  ["parse", () => parse(data, options), () => other.get_var(data)],
  ["encode", () => encode(state, options), () => other.put_var(state)],
];
for (const [name, ours, theirs] of rows) {
  const times = [fastest(ours), fastest(theirs)];
  const cells = times.map((time) => `${(time / 1000).toFixed(1)} µs`);
  console.log(`| \`${name}\` | ${cells.join(" | ")} | ${(times[1] / times[0]).toFixed(1)} × faster |`);
}
const withVector = { at: new Vector3(1, 2, 3), hp: 87 };
const names = Object.keys(other.get_var(Buffer.from(encode(withVector, options))));
console.log(`\ngodot-binary-serialization reads the keys of { at: Vector3, hp } as: ${names.join(", ")}.`);
