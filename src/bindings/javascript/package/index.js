// Values and streams. `gdwire/full` has all of this, and captures, sessions and conversions.

import { load } from "./load.js";
import { makeValues } from "./values.js";
import * as wasm from "./values/gdwire.js";

export * from "./types.js";

const { memory } = wasm.initSync({ module: await load(new URL("./values/gdwire_bg.wasm", import.meta.url)) });
export const { parse, encode, dialects, FrameReader, Scanner } = makeValues(wasm, memory);
