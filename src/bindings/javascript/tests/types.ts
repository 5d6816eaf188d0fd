// Code that TypeScript has to accept, and code that it has to refuse: `tsc --noEmit --strict` checks this file.

import {
  Color, ElementType, Float, FrameReader, NodePath, PackedArray, Scanner, TypedArray, TypedDictionary, Vector2, dialects, encode, parse,
  type Dialect, type GdwireError, type Variant,
} from "gdwire";
import * as full from "gdwire/full";

interface Player { name: string; position: Vector2 }

/** Narrows a value, as the code of a server has to. */
function player(bytes: Uint8Array): Player | undefined {
  const value: Variant = parse(bytes, { dialect: "godot4", exact: true, maxDepth: 16 });
  if (typeof value !== "object" || value === null || value instanceof Map || !("name" in value)) return undefined;
  const { name, position } = value as { [key: string]: Variant };
  return typeof name === "string" && position instanceof Vector2 ? { name, position } : undefined;
}

const state = encode({
  hp: 87, ratio: new Float(1), large: 2n ** 60n, at: new Vector2(1, 2), tint: new Color(1, 0, 0, 1),
  path: new NodePath(["root", "Main"], [], true), bytes: new Uint8Array(4), none: null,
  points: new PackedArray("PackedVector2Array", Float32Array.of(1, 2)), list: [1, "two", [3]], map: new Map([[1, "one"]]),
});
export const found: string | undefined = player(state)?.name;
export const known: Dialect[] = dialects;
export const typed: number = TypedArray.withType([1, 2], new ElementType("kind", "int")).length + new TypedDictionary([["a", 1]]).size;

const points = parse(state);
if (points instanceof PackedArray) for (const point of points) console.log(point);
const frame: Uint8Array | undefined = new FrameReader(1024).next();
const end: number | undefined = new Scanner({ dialect: "godot3" }).push(state);
console.log(frame, end);

try {
  parse(new Uint8Array());
} catch (error) {
  const { message, offset, path } = error as GdwireError;
  console.log(message, offset?.toFixed(), path.length);
}

for (const { frame, rpc, lost } of full.messages(state, { project: { "project.godot": "", "main.gd": "extends Node" }, values: "native" })) {
  console.log(frame?.toFixed(), rpc?.command.length, lost?.length);
}
export const messages: number = full.stats(state).messages + full.diagnose(state, { double: true }).findings.length;
export const page: string = full.report(state, { name: "game" });
const reader = new full.CaptureReader({ messages: true, stats: true });
reader.scan(state);
reader.push(state);
reader.finish();
console.log(reader.lines().length, reader.messages().length, reader.stats().messages);

const session = new full.Session({ methods: "Main: say", id: 2, exact: true });
session.receive(1, state, 0);
session.call(0, "Main", "say", "hello", new Vector2(1, 2));
for (const { to, bytes } of session.packets()) console.log(to.toFixed(), bytes.length);
for (const event of session.events()) {
  if (event.kind === "call") console.log(event.method.length, event.args[0]);
  else if (event.kind === "set") console.log(event.property.length);
  else if (event.kind === "bytes") console.log(event.bytes.length);
  else console.log(event.peer, event.text.length);
}
console.log(full.convert(state, { from: "godot4", to: "godot3" }).length, full.toText(state), full.explain(state)[0]?.valid);

// An interface, and what cannot be changed, are values, too; and what is written can be sent.
const tags: readonly string[] = ["boss"];
const boss: Player = { name: "boss", position: new Vector2(1, 2) };
const sent: Uint8Array<ArrayBuffer> = encode({ boss, tags, list: [boss] });
session.call(0, "Main", "say", boss, tags);
console.log(sent.length);

// @ts-expect-error: no such dialect
parse(state, { dialect: "godot5" });
// @ts-expect-error: a function is no value
encode(() => 1);
// @ts-expect-error: a date is no value, in an object neither
encode({ at: [new Date()] });
// @ts-expect-error: two numbers are needed
new Vector2(1);
// @ts-expect-error: the target is needed
full.convert(state, {});
// @ts-expect-error: events of calls have no bytes
for (const event of session.events()) if (event.kind === "call") console.log(event.bytes);
