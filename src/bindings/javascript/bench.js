#!/usr/bin/env node
// Compares `parse` and `encode` with npm's godot-binary-serialization on the same state, which must be
// of Godot 3: that package reads nothing else.
//
//   bench.js FOLDER     FOLDER is the package, unpacked; needs `npm install godot-binary-serialization`

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";

const { parse, encode, Vector2, Vector3, Float } = await import(pathToFileURL(path.resolve(process.argv[2], "index.js")));
const other = createRequire(path.join(process.cwd(), "bench.js"))("godot-binary-serialization").PacketPeer;

const state = {
  id: 7, name: "player_one", pos: new Vector3(1, 2, 3), vel: new Vector3(1, 2, 3), hp: 87.5, alive: true,
  score: 409, aim: new Vector2(1, 2),
};
const options = { dialect: "godot3" };
const data = Buffer.from(encode(state, options));
assert.deepEqual(parse(data, options), state);
const theirs = other.get_var(data).value ?? other.get_var(data);

/** Nanoseconds of one call: the best of several rounds. */
function fastest(work) {
  let best = Infinity;
  for (let round = 0; round < 30; round += 1) {
    const start = process.hrtime.bigint();
    for (let call = 0; call < 20_000; call += 1) work();
    best = Math.min(best, Number(process.hrtime.bigint() - start) / 20_000);
  }
  return best;
}

const rows = [
  ["parse", () => parse(data, options), () => other.get_var(data)],
  ["encode", () => encode(state, options), () => other.put_var(theirs)],
];
for (const [name, ours, other] of rows) {
  let times;
  try {
    times = [fastest(ours), fastest(other)];
  } catch (error) {
    console.log(`${name}: ${error.message}`);
    continue;
  }
  console.log(`${name.padEnd(8)} gdwire ${times[0].toFixed(0)} ns, godot-binary-serialization ${times[1].toFixed(0)} ns: ${(times[1] / times[0]).toFixed(1)} x`);
}
