#!/usr/bin/env node
// Tests a built package: on all recorded values, and on captures.
//
//   run.js FOLDER     FOLDER is the package, unpacked
//
// The variable GDWIRE_COMMAND names a command of the same version, which must print the same messages.
// GDWIRE_RUNS is how many altered values are read, 20,000 without it, and GDWIRE_SEED which ones.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";

const folder = path.resolve(process.argv[2]);
const corpus = path.resolve(import.meta.dirname ?? path.dirname(process.argv[1]), "../../../../corpus");
const values = await import(pathToFileURL(path.join(folder, "index.js")));
const full = await import(pathToFileURL(path.join(folder, "full.js")));

const lines = (file) =>
  fs.readFileSync(path.join(corpus, file), "utf8").trim().split("\n").map((line) => JSON.parse(line));
const bytes = (hex) => new Uint8Array(Buffer.from(hex, "hex"));
const hex = (array) => Buffer.from(array).toString("hex");

/** The same bytes as objects of several classes, also at odd places: packed arrays cannot be shown in place there. */
function placed(data) {
  class Message extends Uint8Array { slice() { throw new Error("the slice of another class"); } }
  const at = (Class, memory) => {
    const made = new Class(memory, 1, data.length);
    made.set(data);
    return made;
  };
  // A Buffer's memory is a part of a pool.
  const pooled = Buffer.concat([Buffer.alloc(1), data]).subarray(1);
  return [
    data, at(Uint8Array, new ArrayBuffer(data.length + 1)), at(Message, new ArrayBuffer(data.length + 1)),
    at(Uint8Array, new SharedArrayBuffer(data.length + 1)), Buffer.from(data), pooled,
  ];
}

/** The files of a project. */
function project(folder) {
  const files = fs.readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(files.map((file) => {
    const place = path.join(file.parentPath ?? file.path, file.name);
    return [path.relative(folder, place), fs.readFileSync(place)];
  }));
}

/** A capture of datagrams. */
function captureOf(...payloads) {
  const header = Buffer.from("d4c3b2a1020004000000000000000000ffff000065000000", "hex");
  const packets = payloads.map((payload) => {
    const packet = Buffer.alloc(44);
    packet.writeUInt32LE(28 + payload.length, 8);
    packet.writeUInt32LE(28 + payload.length, 12);
    packet.set([0x45, 0, (28 + payload.length) >> 8, 28 + payload.length, 0, 0, 0, 0, 64, 17], 16);
    packet.set([127, 0, 0, 1, 127, 0, 0, 1, 15, 160, 19, 136, (8 + payload.length) >> 8, 8 + payload.length], 28);
    return Buffer.concat([packet, payload]);
  });
  return Buffer.concat([header, ...packets]);
}

const tests = {
  "shared cases": () => {
    const cases = lines("cases.ndjson");
    assert.ok(cases.length > 600);
    for (const { gdwire, name } of [{ gdwire: values, name: "values" }, { gdwire: full, name: "full" }]) {
      for (const line of cases) {
        const options = { dialect: line.dialect, double: line.double, exact: true };
        const written = line.written ?? line.hex;
        for (const data of placed(bytes(line.hex))) {
          assert.equal(hex(gdwire.encode(gdwire.parse(data, options), options)), written, `${name} ${line.native}`);
        }
      }
    }
    for (const line of cases) {
      const options = { dialect: line.dialect, double: line.double };
      assert.equal(full.toJson(bytes(line.hex), options), line.native);
      assert.equal(full.toJson(bytes(line.hex), { ...options, values: "plain" }), line.plain);
      if (line.is_lossless) assert.equal(hex(full.fromJson(line.native, options)), line.written ?? line.hex);
    }
  },

  "all recorded values": () => {
    let count = 0;
    const files = fs.readdirSync(path.join(corpus, "captures")).filter((name) => name.endsWith(".ndjson"));
    const sources = files.map((name) => [`captures/${name}`, name.split("-")[0].replace("official", "godot4"), false]);
    for (const engine of ["godot3", "godot4", "godot4-double", "pandemonium4", "pandemonium5"]) {
      sources.push([`${engine}/values.ndjson`, engine.split("-")[0], engine.endsWith("double")]);
    }
    for (const [file, dialect, double] of sources) {
      for (const line of lines(file).filter((line) => line.text !== undefined && line.hex)) {
        const options = { dialect, double, exact: true };
        const data = bytes(line.hex);
        const written = values.encode(values.parse(data, options), options);
        // Engines leave what their buffer held in the padding of node paths.
        assert.equal(written.length, data.length, file);
        assert.ok(written.every((byte, at) => byte === data[at] || byte === 0), `${file}: ${line.text}`);
        count += 1;
      }
    }
    assert.ok(count > 1000, `only ${count}`);
  },

  "types": () => {
    const { parse, encode, Vector2, Vector3, NodePath, StringName, PackedArray } = values;
    const state = {
      hp: 87, ratio: 0.5, at: new Vector3(1, 2, 3), list: [null, true, "x", -1, 2n ** 60n], big: 2 ** 40,
      path: new NodePath(["root", "Main"], ["position"], true), name: new StringName("boss"),
      points: new PackedArray("PackedVector2Array", new Float32Array([1, 2, 3, 4])), bytes: new Uint8Array([1, 2, 3]),
    };
    const data = encode(state);
    const read = parse(data);
    assert.deepEqual(read, state);
    assert.equal(`${read.path}`, "/root/Main:position");
    assert.deepEqual([...read.points], [new Vector2(1, 2), new Vector2(3, 4)]);
    assert.equal(read.points.numbers.buffer, data.buffer, "a packed array is not a copy");
    assert.deepEqual(Object.keys(parse(encode(new Map([["b", 1], ["10", 2], ["a", 3]])))), []);
    assert.deepEqual([...parse(encode(new Map([["b", 1], ["10", 2], ["a", 3]]))).keys()], ["b", "10", "a"]);
    assert.equal(parse(encode({ ["__proto__x"]: 1 }))["__proto__x"], 1);
    assert.equal(parse(bytes("0300010000000000000045c0")), -42);
    assert.ok(parse(bytes("0300010000000000000045c0"), { exact: true }) instanceof values.Float);
  },

  "typed arrays of Buffers": () => {
    const { parse, encode } = values;
    for (const array of [new Int32Array([7, 8]), new Float64Array([1, 2]), new BigInt64Array([3n, 4n]), new Uint8Array([1, 2, 3])]) {
      for (const data of placed(encode([array, { array }]))) {
        const [first, { array: second }] = parse(data);
        for (const read of [first, second]) {
          assert.deepEqual(read, array);
          assert.equal(Object.getPrototypeOf(read), Object.getPrototypeOf(array));
        }
      }
    }
    const points = new values.PackedArray("PackedVector2Array", new Float32Array([1, 2, 3, 4]));
    for (const data of placed(encode(points))) assert.deepEqual(parse(data), points);
    // Nothing else reads past the bytes, either.
    const [frame, save] = [encode([true, "text"]), fs.readFileSync(path.join(corpus, "captures/godot4-file.bin"))];
    for (const data of placed(frame)) {
      assert.equal(new values.Scanner().push(data), data.length);
      assert.equal(full.toText(data), '[true, "text"]');
      assert.deepEqual(full.fromJson(full.toJson(data)), frame);
      assert.deepEqual(encode({ bytes: Buffer.from(data) }), encode({ bytes: new Uint8Array(data) }));
    }
    for (const data of placed(new Uint8Array(save))) {
      const frames = new values.FrameReader();
      frames.push(data);
      assert.equal(frames.next().length, new DataView(save.buffer, save.byteOffset).getUint32(0, true));
    }
  },

  "altered values": () => {
    const { parse, encode } = values;
    const recorded = lines("cases.ndjson").map(({ hex, dialect, double }) => [bytes(hex), { dialect, double, exact: true }]);
    const runs = Number(process.env.GDWIRE_RUNS ?? 20_000);
    let random = Number(process.env.GDWIRE_SEED ?? 1);
    /** A whole number below a limit, by a generator of Lehmer. */
    const below = (limit) => (random = (random * 48271) % 0x7fffffff) % limit;
    let read = 0;
    for (let run = 0; run < runs; run += 1) {
      const [data, options] = recorded[below(recorded.length)];
      const changed = [...data];
      for (let change = below(4); change >= 0; change -= 1) {
        const at = below(changed.length + 1);
        const piece = recorded[below(recorded.length)][0].subarray(below(16)).subarray(0, 1 + below(32));
        const edge = [0, 1, 0x7f, 0x80, 0xff][below(5)];
        const [start, deleted, added] = [
          [at, 1, [below(256)]], [at - (at % 4), 4, [edge, 0, 0, edge]], [at, 1 + below(16), []], [at, 0, piece], [at, piece.length, piece],
        ][below(5)];
        changed.splice(start, deleted, ...added);
      }
      const place = () => JSON.stringify([hex(changed), options]);
      let value;
      try {
        value = parse(new Uint8Array(changed), options);
      } catch (error) {
        assert.ok(error.offset <= changed.length, place());
        continue;
      }
      // A value that was read can be written, and is then read as the same. Only wide reals may not fit.
      const wide = { ...options, double: true };
      let written, width = options;
      try {
        written = encode(value, options);
      } catch (error) {
        assert.match(error.message, /write double reals/, place());
        [written, width] = [encode(value, wide), wide];
      }
      const again = encode(parse(written, width), width);
      // A processor sets one bit of some NaNs of four bytes when it widens them.
      assert.equal(again.length, written.length, place());
      if (hex(again) !== hex(written)) assert.match(full.toText(written, width), /nan/, place());
      read += 1;
    }
    assert.ok(runs / 20 < read && read < runs, `${read} of ${runs}`);
  },

  "large values, and small ones after them": () => {
    const { parse, encode } = values;
    // The module's memory grows and moves.
    for (let size = 1; size <= 100_000; size *= 10) {
      const large = {};
      for (let entry = 0; entry < size; entry += 1) large[`entry ${entry}`] = [entry, "é".repeat(entry % 50), entry / 3];
      for (const value of [large, { a: 1 }, new Uint8Array(30 * size), "x".repeat(size), ""]) {
        assert.deepEqual(parse(encode(value)), value);
      }
    }
  },

  "keys that are remembered": () => {
    // The bytes of the second key are the codes of the first one's letters, and both have the same hash.
    for (const key of ["\u00e1\u008f\u0080", "\u13c0"]) {
      assert.deepEqual(values.parse(values.encode({ [key]: 1 })), { [key]: 1 });
    }
  },

  "places of packed arrays": () => {
    const two = new values.PackedArray("PackedVector2Array", new Float32Array([1, 2, 3, 4]));
    const found = [0, 1, 2, -1, -2, -3, -4].map((place) => two.at(place)?.x);
    assert.deepEqual(found, [1, 3, undefined, 3, 1, undefined, undefined]);
  },

  "values whose getters read and write values": () => {
    const { parse, encode } = values;
    const payload = { list: ["a", 7, new Float32Array([0.5]), "é".repeat(3000)] };
    const value = { id: 1, name: "first", get blob() { return encode(payload); }, z: ["last"] };
    const plain = { ...value };
    assert.deepEqual(encode(value), encode(plain));
    assert.deepEqual(parse(parse(encode(value)).blob), payload);
    // Also after an error in one of them, and if it makes the memory grow.
    const failing = { a: "x", get bad() { try { encode({ b: () => 1 }); } catch { return "none"; } return "some"; }, z: 2 };
    assert.deepEqual(encode(failing), encode({ a: "x", bad: "none", z: 2 }));
    const large = encode(new Uint8Array(40_000_000));
    const growing = { a: "x", get size() { return parse(large).length; }, empty: new Uint8Array(0), z: "é" };
    assert.deepEqual(parse(encode(growing)), { a: "x", size: 40_000_000, empty: new Uint8Array(0), z: "é" });
    parse(encode(new Uint8Array(90_000_000)));
    assert.deepEqual(parse(encode(new Uint8Array(0))), new Uint8Array(0));
    assert.throws(() => encode({ get bad() { throw new Error("mine"); } }), /mine/);
    assert.deepEqual(encode(plain), encode(value));
  },

  "errors": () => {
    const { parse, encode, Vector3 } = values;
    const data = encode({ players: [1, { name: "rope" }] });
    for (let length = 0; length < data.length; length += 1) {
      assert.throws(() => parse(data.subarray(0, length)), (error) => error.offset <= length && /^byte \d+: /.test(error.message));
    }
    for (const engine of ["godot3", "godot4"]) {
      for (const { hex: damaged } of lines(`${engine}/verdicts.ndjson`)) {
        try { encode(parse(bytes(damaged), { dialect: engine }), { dialect: engine }); } catch (error) { assert.ok(error.message); }
      }
    }
    const nested = new Uint8Array(800_000);
    for (let at = 0; at < nested.length; at += 8) nested.set([28, 0, 0, 0, 1, 0, 0, 0], at);
    assert.throws(() => parse(nested), /nested|deep/);
    const itself = [];
    itself.push(itself);
    assert.throws(() => encode(itself), /nested too deep/);
    assert.throws(() => encode({ a: [1, new values.Vector2i(1, 2)] }, { dialect: "godot3" }), (error) => error.path === "/a/1");
    assert.throws(() => encode(() => 1), TypeError);
    assert.throws(() => parse(data, { dialect: "godot5" }), RangeError);
    // Values that would be written as something else are refused.
    const huge = [new values.Vector2(1e308, 0), new values.Color(1e308, 0, 0, 0)];
    for (const kind of ["PackedVector2Array", "PackedColorArray"]) {
      huge.push(new values.PackedArray(kind, new Float64Array([1, 1e308, 1, 1])));
    }
    for (const value of huge) assert.throws(() => encode(value), /1e308.* cannot write with four bytes/);
    assert.throws(() => encode(`${"x".repeat(40)}\ud800`), /half of a surrogate pair/);
    assert.throws(() => encode({ "\udc00": 1 }), /half of a surrogate pair/);
    assert.deepEqual(parse(encode("\u{1f680}")), "\u{1f680}");
    assert.throws(() => encode(new values.Basis(new Vector3(1, 2, 3))), /a Basis has three rows, not 1/);
    const typed = values.TypedArray.withType([1], new values.ElementType("klass", "Node"));
    assert.throws(() => encode(typed), /the form of an element type is "kind", "class" or "script", not klass/);
    for (const texts of [values.PackedStringArray.of("a", 1), new values.StringName(7), new values.NodePath([undefined])]) {
      assert.throws(() => encode(texts), /^TypeError: a text is a string, not (number|undefined)/);
    }
    for (const value of [values.RID, values.ObjectID].flatMap((Id) => [new Id(2n ** 64n), new Id(-(2n ** 63n) - 1n)])) {
      assert.throws(() => encode(value), /^RangeError: -?\d+ has more than 64 bits/);
    }
    for (const value of ["1", undefined, null]) {
      assert.throws(() => encode(new values.Float(value)), /^TypeError: Float consists of a number, not/);
    }
    const named = values.TypedArray.withType([1], new values.ElementType("kind", "constructor"));
    assert.throws(() => encode(named), /no kind is called constructor/);
    assert.throws(() => encode(values.TypedArray.withType([1], undefined, "TypedArrray")), /no kind of TypedArray is called TypedArrray/);
    for (const write of [full.fromText, full.fromJson]) assert.throws(() => write('"s:\ud800"'), /half of a surrogate pair/);
    assert.throws(() => new values.NodePath("Main/World"), /made of a list of names/);
    for (const read of [() => parse(data, "godot3"), () => encode(1, "godot3"), () => new values.Scanner("godot3")]) {
      assert.throws(read, /^TypeError: options are an object, such as { dialect: "godot3" }/);
    }
    // After an error, all goes on.
    assert.deepEqual(parse(data), { players: [1, { name: "rope" }] });
  },

  "streams": () => {
    const frames = new values.FrameReader();
    frames.push(new Uint8Array([2, 0, 0, 0, 104]));
    assert.equal(frames.next(), undefined);
    frames.push(new Uint8Array([105]));
    assert.deepEqual(frames.next(), new Uint8Array([104, 105]));
    for (const dialect of ["godot3", "godot4", "pandemonium5"]) {
      const save = fs.readFileSync(path.join(corpus, `captures/${dialect}-file.bin`));
      const sizes = [];
      frames.push(save);
      for (let frame; (frame = frames.next());) sizes.push(values.encode(values.parse(frame, { dialect }), { dialect }).length);
      assert.deepEqual(sizes, lines(`captures/${dialect}-file.ndjson`).filter(({ hex }) => hex).map(({ hex }) => hex.length / 2));
    }
    const scanner = new values.Scanner({ dialect: "godot4" });
    const data = values.encode([true, "text"]);
    assert.equal(scanner.push(data.subarray(0, 10)), undefined);
    assert.equal(scanner.push(data.subarray(10)), data.length - 10);
    assert.equal(scanner.push(data), data.length);
    // A browser's WebSocket gives ArrayBuffers or Blobs: not nothing, but an error.
    for (const wrong of [data.buffer, "text", undefined]) {
      assert.throws(() => frames.push(wrong), /^TypeError: bytes are a Uint8Array/);
      assert.throws(() => scanner.push(wrong), /^TypeError: bytes are a Uint8Array/);
    }
  },

  "captures": () => {
    const game = fs.readFileSync(path.join(corpus, "captures/godot4-game-enet.pcapng"));
    const arena = project(path.join(corpus, "project/arena"));
    const messages = [...full.messages(game, { project: arena })];
    assert.equal(messages.length, 478);
    assert.ok(messages.some((message) => message.rpc?.method === "take_hit"));
    assert.equal(full.stats(game, { project: arena }).messages, 478);
    const lossy = fs.readFileSync(path.join(corpus, "captures/godot4-game-enet-lossy-client-side.pcapng"));
    assert.ok(full.diagnose(lossy).findings.some(({ kind }) => kind === "unreliable_missing"));
    assert.match(full.report(game, { name: "game" }), /^<!doctype html>/);
    assert.throws(() => [...full.messages(new Uint8Array(100))], /neither a pcap nor a pcapng file/);
    // Ints beyond 2^53 keep their value, also beside texts that look like them.
    const wide = { id: 2n ** 60n + 1n, list: [-(2n ** 63n), 5, 2 ** 53 - 1], text: '1152921504606846977 "\\', real: 2 ** 70 };
    const capture = captureOf(full.encode(wide), full.encode(1), full.encode("x".repeat(60_000)));
    const [first, , last] = full.messages(capture);
    assert.deepEqual(first.value, wide);
    assert.equal(last.value.length, 60_000);
    // Inputs that are not bytes are refused, and so are results that were not collected.
    for (const wrong of ["game.pcapng", new ArrayBuffer(100), [1, 2], new Int8Array(8), undefined, null, {}]) {
      for (const read of [(it) => [...full.messages(it)], full.stats, full.parse, full.toText, full.explain, values.parse]) {
        assert.throws(() => read(wrong), (error) => error instanceof TypeError && /^bytes are a Uint8Array/.test(error.message));
      }
    }
    assert.throws(() => full.stats(game, { project: "arena" }), /a project is an object or a Map/);
    const nothing = new full.CaptureReader();
    nothing.push(game);
    nothing.finish();
    for (const what of ["messages", "stats", "diagnosis", "report"]) {
      assert.throws(() => nothing[what](), new RegExp(`this needs new CaptureReader\\({ ${what}: true }\\)`));
    }
    // In small pieces, the same.
    const reader = new full.CaptureReader({ messages: true, losses: true, project: arena });
    const inPieces = [];
    for (let at = 0; at < game.length; at += 1000) {
      reader.push(game.subarray(at, at + 1000));
      inPieces.push(...reader.messages());
    }
    reader.finish();
    assert.deepEqual([...inPieces, ...reader.messages()], messages);
    // If compressed data is cut off, the messages before the cut are returned.
    const cut = gzipSync(game).subarray(0, 10_000);
    const before = [...full.messages(cut, { project: arena })];
    assert.match(before.pop().damaged, /^gzip data: cut off/);
    assert.ok(before.length > 100);
    assert.deepEqual(before, messages.slice(0, before.length));
    assert.deepEqual(full.stats(cut).errors, [{ reason: "damaged file", count: 1 }]);
    assert.match(full.report(cut), /^<!doctype html>/);
    for (const name of fs.readdirSync(path.join(corpus, "captures")).filter((name) => /\.pcap(ng)?$/.test(name))) {
      const count = [...full.messages(fs.readFileSync(path.join(corpus, "captures", name)))].length;
      assert.ok(count > 0, name);
    }
  },

  "captures as the command reads them": () => {
    const command = process.env.GDWIRE_COMMAND;
    const all = fs.readdirSync(path.join(corpus, "captures")).filter((name) => /\.pcap(ng)?$/.test(name));
    const arena = path.join(corpus, "project/arena");
    let contradicted = 0;
    const spelled = (value) => JSON.stringify(value, (_, it) => (typeof it === "bigint" ? `${it}n` : it));
    for (const [pattern, folder] of [[/^godot4-game/, arena], [/-rpc|-udp/, undefined]]) {
      const names = all.filter((name) => pattern.test(name));
      assert.ok(names.length > 5, `${pattern}`);
      for (const name of names) {
        const file = path.join(corpus, "captures", name);
        const options = { messages: true, losses: true, name: file, ...(folder ? { project: project(folder) } : {}) };
        const capture = fs.readFileSync(file);
        const messages = spelled([...full.messages(capture, options)]);
        const readerOf = (passes, size, more) => {
          const reader = new full.CaptureReader({ ...options, ...more });
          for (const pass of passes) {
            for (let at = 0; at < capture.length; at += size) reader[pass](capture.subarray(at, at + size));
          }
          reader.finish();
          return reader;
        };
        // As from a pipe, of which the later packets are not known.
        const live = readerOf(["push"], capture.length, {});
        if (spelled(live.messages()) !== messages) contradicted += 1;
        assert.throws(() => live.scan(capture), /scanned before its first piece is pushed/);
        const scanned = readerOf(["scan", "push"], 997, { report: true });
        assert.equal(spelled(scanned.messages()), messages, name);
        assert.equal(scanned.report(), full.report(capture, options), name);
        if (!command) continue;
        const run = (...given) => {
          const named = [...given, "--quiet", ...(folder ? ["--project", folder] : []), file];
          return execFileSync(command, named, { maxBuffer: 1 << 28, encoding: "utf8" });
        };
        for (const values of ["plain", "native"]) {
          const lines = readerOf(["scan", "push"], capture.length, { native: values === "native" }).lines();
          assert.deepEqual(run("decode", "--format", "ndjson", "--values", values).split("\n").slice(0, -1), lines, name);
        }
        assert.deepEqual(JSON.parse(run("stats", "--format", "json")), full.stats(capture, options), name);
        assert.deepEqual(JSON.parse(run("diagnose", "--format", "json")), full.diagnose(capture, options), name);
      }
    }
    assert.ok(contradicted > 0, "no capture contradicts a name");
    // A file that cannot be read is an error of the messages, with a project too.
    assert.throws(() => [...full.messages(new Uint8Array(100), { project: project(arena) })], /neither a pcap nor a pcapng file/);
  },

  "options that are wrong": () => {
    const game = fs.readFileSync(path.join(corpus, "captures/godot4-game-enet.pcapng"));
    const data = full.encode(1);
    for (const values of ["Native", "NATIVE", "", null, 1]) {
      assert.throws(() => full.messages(game, { values }), /^RangeError: values are "plain" or "native", not /);
    }
    assert.throws(() => full.toJson(data, { values: "Plain" }), /^RangeError: values are "plain" or "native", not Plain/);
    const files = [...project(path.join(corpus, "project/arena"))];
    const needs = /^TypeError: a project has a file project\.godot, and its paths begin in the folder of that file/;
    const moved = [
      ["arena/", /; there is "arena\/project.godot", so remove "arena\/" from the paths$/],
      ["./", /remove "\.\/"/], ["res://", /remove "res:\/\/"/],
    ];
    for (const [before, advice] of moved) {
      const wrong = new Map(files.map(([name, content]) => [before + name, content]));
      for (const read of [full.stats, full.diagnose, full.report, (it, options) => [...full.messages(it, options)]]) {
        assert.throws(() => read(game, { project: wrong }), needs);
        assert.throws(() => read(game, { project: wrong }), advice);
      }
      assert.throws(() => new full.Session({ project: Object.fromEntries(wrong) }), needs);
    }
    for (const wrong of [{}, new Map(), { "main.gd": "extends Node" }, []]) {
      assert.throws(() => full.stats(game, { project: wrong }), needs);
    }
    assert.throws(() => full.stats(game, { project: { "project.godot": new ArrayBuffer(8) } }), /^TypeError: bytes are a Uint8Array/);
    // Like the engine, this ignores hidden files, and folders with a file named .gdignore: here is a class again.
    const named = files.map(([name, content]) => [name, `${content}`.replace('"res://world/base_chat.gd"', "BaseChat1")]);
    const calls = (...more) => full.stats(game, { project: new Map([...named, ...more]) }).calls.map(({ method }) => method);
    const again = 'class_name BaseChat1\nextends Node\n@rpc("any_peer")\nfunc chat():\n\tpass\n';
    assert.notDeepEqual(calls(["old/chat.gd", again]), calls());
    assert.deepEqual(calls(["old/chat.gd", again], ["old/.gdignore", ""]), calls());
    assert.deepEqual(calls([".git/chat.gd", again]), calls());
    // Reals of eight bytes do not need a dialect.
    const wide = captureOf(...[0.1, 0.2].map((x) => full.encode(new full.Vector3(x, 1, 2), { double: true })));
    assert.equal([...full.messages(wide, { double: true })].length, 2);
  },

  "arguments that are wrong": () => {
    const session = new full.Session({ methods: "Main: say" });
    const data = full.encode(1);
    const wrong = [
      [() => session.call("/root/Main", "say", [1]), /^TypeError: the target of a call is an integer from .*, not string/],
      [() => session.call(0, "Main", ["say"]), /^TypeError: a method is a string, not Array/],
      [() => session.call(0, new full.NodePath(["Main"]), "say"), /^TypeError: the path of a node is a string, not NodePath/],
      [() => session.call(2 ** 40, "Main", "say"), /^RangeError: the target of a call is an integer/],
      [() => session.connected("2"), /^TypeError: a peer is an integer/],
      [() => session.disconnected(), /^TypeError: a peer is an integer .*, not undefined/],
      [() => session.receive(data), /^TypeError: a peer is an integer .*, not Uint8Array/],
      [() => session.receive(2, data, 256), /^RangeError: a channel/],
      [() => session.handleTime(), /^TypeError: a time is a number/],
      [() => new full.Session({ methods: ["say"] }), /^TypeError: a list of methods is a string/],
      [() => full.fromText(data), /^TypeError: the text of a value is a string, not Uint8Array/],
      [() => full.fromJson({}), /^TypeError: JSON is a string, not Object/],
      [() => full.convert(data), /^TypeError: convert needs the dialect/],
      [() => full.convert(data, { from: "godot3" }), /^TypeError: convert needs the dialect/],
      [() => full.stats(data, { name: 1 }), /^TypeError: the name of a capture/],
      [() => full.stats(data, { transport: 1 }), /^TypeError: a transport/],
      [() => values.parse(data, { maxDepth: -1 }), /^RangeError: maxDepth/],
      [() => values.parse(data, { maxDepth: NaN }), /^RangeError: maxDepth/],
      [() => new values.FrameReader("100"), /^TypeError: the limit/],
      [() => new values.FrameReader(-1), /^RangeError: the limit/],
    ];
    for (const [call, error] of wrong) assert.throws(call, error);
  },

  "sessions": () => {
    const methods = "Main/World: move, said, say";
    const server = new full.Session({ methods });
    const client = new full.Session({ methods, id: 2 });
    server.connected(2);
    client.connected(1);
    const pass = () => {
      for (let round = 0; round < 4; round += 1) {
        for (const { bytes } of server.packets()) client.receive(1, bytes);
        for (const { bytes } of client.packets()) server.receive(2, bytes);
      }
    };
    pass();
    client.call(1, "Main/World", "say", "hello", new full.Vector2(1, 2), { hp: 87 });
    pass();
    const calls = [...server.events()].filter(({ kind }) => kind === "call");
    assert.deepEqual(calls, [
      { kind: "call", peer: 2, path: "Main/World", method: "say", args: ["hello", new full.Vector2(1, 2), { hp: 87 }] },
    ]);
    server.call(0, "Main/World", "said", 2, "hello");
    pass();
    assert.deepEqual([...client.events()].find(({ kind }) => kind === "call").args, [2, "hello"]);
    assert.throws(() => server.call(0, "Main/World", "nothing"), /nothing/);
    assert.throws(() => server.receive(2, new ArrayBuffer(8)), /^TypeError: bytes are a Uint8Array/);
    for (const id of [1, 0, -5, 2 ** 31, 2.5, "2"]) assert.throws(() => new full.Session({ methods, id }), /the id of a client/);
  },

  "what is freed": () => {
    const makers = [
      [() => new values.FrameReader(), (it) => it.next()], [() => new values.Scanner(), (it) => it.push(new Uint8Array(4))],
      [() => new full.FrameReader(), (it) => it.needed], [() => new full.Session(), (it) => [...it.events()]],
      [() => new full.CaptureReader({ messages: true }), (it) => it.messages()],
    ];
    for (const [make, use] of makers) {
      const it = make();
      use(it);
      it.free();
      assert.throws(() => use(it), /this object was freed/);
      it.free();
    }
  },

  "paths as Windows spells them": () => {
    const game = fs.readFileSync(path.join(corpus, "captures/godot4-game-enet.pcapng"));
    const files = [...project(path.join(corpus, "project/arena"))].map(([name, content]) => [name.replaceAll("/", "\\"), content]);
    assert.ok([...full.messages(game, { project: new Map(files) })].some(({ rpc }) => rpc?.method === "take_hit"));
  },

  "spellings": () => {
    const data = full.encode({ at: new full.Vector2(1, 2) });
    assert.equal(full.toText(data), '{ "at": Vector2(1, 2) }');
    assert.deepEqual(full.fromText('{ "at": Vector2(1, 2) }'), data);
    assert.deepEqual(full.parse(full.convert(data, { to: "godot3" }), { dialect: "godot3" }), { at: new full.Vector2(1, 2) });
    assert.ok(full.detect(data).includes("godot4"));
    const fields = full.explain(data);
    assert.ok(fields.length > 5 && fields.every(({ valid }) => valid));
  },
};

for (const [name, test] of Object.entries(tests)) {
  if (process.argv[3] && !name.includes(process.argv[3])) continue;
  test();
  console.log("ok", name);
}
