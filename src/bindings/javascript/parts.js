#!/usr/bin/env node
// Prints what a compiled module consists of, as a table: the functions of each part, and the constants.
//
//   parts.js MODULE     MODULE is what cargo has compiled, with the names of its functions

import fs from "node:fs";
import zlib from "node:zlib";

const module = fs.readFileSync(process.argv[2]);

// The purposes of the crate's folders and of other crates, by which their sizes are added up.
const PARTS = [
  ["names from projects: GDScript, C# and scenes", /^gdwire game::project|GameNames|^gamenames/],
  ["multiplayer packets and sessions", /^gdwire game|^session/],
  ["statistics, findings and the report", /^gdwire analysis::(?!explain)|^sha2|^capturereader_(stats|diagnosis|report)/],
  ["transports: IP, TCP, ENet, WebSocket", /^gdwire net|^(etherparse|httparse|sha1) /],
  ["captures and connections", /^gdwire capture|^(pcap_parser|lru) |^gdwire_wasm captures|^capturereader/],
  ["compression: gzip, Zstandard, LZ4, FastLZ", /^gdwire format::compression|^(ruzstd|miniz_oxide|lz4_flex|twox_hash|crc32fast|flate2) /],
  ["values: reading, writing, text, JSON, conversion", /^gdwire |^gdwire_wasm (en|de)code|^(zmij|itoa|json_event_parser|simdutf8|nom|bytemuck) |^(en|de)code|^(from|to)(Json|Text)|^explain|^convert/],
];
const OTHER = "Rust's standard library and small crates";

/** A number of the module, in LEB128, and the place after it. */
function number(at) {
  let result = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = module[at++];
    result += (byte & 127) * 2 ** shift;
    if (byte < 128) return [result, at];
  }
}

const bodies = [];
const names = new Map();
let imports = 0;
let constants = Buffer.alloc(0);
for (let at = 8; at < module.length;) {
  const id = module[at];
  let [length, place] = number(at + 1);
  at = place + length;
  const next = () => {
    let value;
    [value, place] = number(place);
    return value;
  };
  const text = () => {
    const size = next();
    place += size;
    return module.toString("utf8", place - size, place);
  };
  if (id === 2) {
    for (let count = next(); count > 0; count -= 1) {
      text();
      text();
      // wasm-bindgen's modules import functions only.
      if (module[place++] !== 0) throw new Error("the module imports more than functions");
      next();
      imports += 1;
    }
  } else if (id === 10) {
    for (let count = next(); count > 0; count -= 1) {
      const size = next();
      bodies.push(module.subarray(place, place + size));
      place += size;
    }
  } else if (id === 11) {
    constants = module.subarray(place, at);
  } else if (id === 0 && text() === "name") {
    while (place < at) {
      const kind = module[place++];
      const end = next() + place;
      if (kind === 1) for (let count = next(); count > 0; count -= 1) names.set(next(), text());
      place = end;
    }
  }
}
if (names.size === 0) throw new Error("the functions of the module have no names");

/**
 * The crate and the modules that a mangled name belongs to, after those of the standard library. Functions
 * that JavaScript calls have plain names.
 */
function owner(name) {
  let found = name;
  // At the end of a generic function's name stands the crate that it was made for.
  const own = name.replace(/Cs[0-9A-Za-z]*_\d+[a-z_]+$/, "");
  for (const crate of own.matchAll(/Cs[0-9A-Za-z]*_/g)) {
    const path = [];
    let rest = own.slice(crate.index + crate[0].length);
    for (let part; path.length < 4 && (part = /^(?:s[0-9A-Za-z]*_)?(\d+)_?/.exec(rest));) {
      path.push(rest.slice(part[0].length, part[0].length + Number(part[1])));
      rest = rest.slice(part[0].length + Number(part[1]));
    }
    found = `${path[0]} ${path.slice(1).join("::")}`;
    if (!/^(core|alloc|std) /.test(found)) return found;
  }
  return found;
}

const parts = new Map();
bodies.forEach((body, index) => {
  const name = names.get(imports + index) ?? "";
  // wasm-bindgen reads and removes them.
  if (name.includes("WasmDescribe") || name.startsWith("__wbindgen_describe")) return;
  const from = `${owner(name)} ${name}`;
  const part = PARTS.find(([, pattern]) => pattern.test(from))?.[0] ?? OTHER;
  parts.set(part, [...(parts.get(part) ?? []), body]);
});
parts.set("constants: texts, tables, the report's page", [constants]);
const rows = [...parts].map(([part, bytes]) => [part, bytes.length, Buffer.concat(bytes)]);
const whole = rows.reduce((sum, [, , bytes]) => sum + bytes.length, 0);
console.log("| part | size | of all | compressed alone |");
console.log("|---|---|---|---|");
for (const [part, , bytes] of rows.sort((a, b) => b[2].length - a[2].length)) {
  const packed = zlib.gzipSync(bytes, { level: 9 }).length;
  console.log(`| ${part} | ${Math.round(bytes.length / 1000)} kB | ${Math.round((100 * bytes.length) / whole)}% | ${Math.round(packed / 1000)} kB |`);
}
