// Everything: values, streams, captures, reports and conversions.

import { makeCaptures } from "./captures.js";
import * as wasm from "./full/gdwire.js";
import { load } from "./load.js";
import { makeValues } from "./values.js";

export * from "./types.js";

const { memory } = wasm.initSync({ module: await load(new URL("./full/gdwire_bg.wasm", import.meta.url)) });
const values = makeValues(wasm, memory);
export const { parse, encode, dialects, FrameReader, Scanner } = values;
export const {
  CaptureReader, Session, messages, stats, diagnose, report, toJson, fromJson, toText, fromText, detect, explain, convert,
} = makeCaptures(wasm, values);
