#!/usr/bin/env node
// Puts the page together: one file of HTML, which also works from disk.
//
//   build.js PACKAGE OUT     PACKAGE is the npm package, unpacked; OUT the file to write
//
// From disk, a page may not load other files. So the module stands in the page, compressed and as base64,
// and its JavaScript and the worker's as text, from which the page starts a worker.

import crypto from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import zlib from "node:zlib";

const [folder, out] = process.argv.slice(2).map((argument) => path.resolve(argument));
const here = path.dirname(new URL(import.meta.url).pathname);
const read = (...parts) => fs.readFileSync(path.join(...parts), "utf8");
const [page, style, worker, script] = ["index.html", "style.css", "worker.js", "page.js"].map((name) => read(here, name));

// The modules of the package as one script.
const snippets = fs.readdirSync(path.join(folder, "full"), { recursive: true }).filter((name) => /inline\d+\.js$/.test(name));
const plain = (text) => text
  .replace(/^import [^;]*;$/gm, "")
  .replace(/^export \*[^;]*;$/gm, "")
  .replace(/^export \{[^}]*\};$/gm, "")
  .replace(/^export /gm, "");
const glue = [...snippets.map((name) => plain(read(folder, "full", name))), plain(read(folder, "full/gdwire.js"))]
  .join("\n").replaceAll("import.meta.url", "self.location.href");
const exported = [...read(folder, "full/gdwire.js").matchAll(/^export (?:class|function) (\w+)/gm)].map((match) => match[1]);
const types = plain(read(folder, "types.js"));
const values = plain(read(folder, "values.js")).replace(/^const \{[^}]*\} = types;$/m, "");
const captures = plain(read(folder, "captures.js"));
const packed = zlib.gzipSync(fs.readFileSync(path.join(folder, "full/gdwire_bg.wasm")), { level: 9 });
const module = `"use strict";
const MODULE_PACKED = Uint8Array.from(atob("${packed.toString("base64")}"), (letter) => letter.charCodeAt(0));
const wasm = (() => { ${glue}
return { ${exported.join(", ")}, initSync }; })();
const { makeValues } = (() => { ${types}
${values}
return { makeValues }; })();
${captures}
async function wasmModule(packed) {
  const bytes = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const { memory } = wasm.initSync({ module: await new Response(bytes).arrayBuffer() });
  const values = makeValues(wasm, memory);
  return { ...values, ...makeCaptures(wasm, values) };
}
`;

const hash = (text) => `'sha256-${crypto.createHash("sha256").update(text).digest("base64")}'`;
// The report is shown in a frame, for which this page's policy holds, too.
const { report } = await import(pathToFileURL(path.join(folder, "full.js")));
const header = new Uint8Array(24);
new DataView(header.buffer).setUint32(0, 0xa1b2c3d4, true);
header.set([2, 0, 4, 0], 4);
header[20] = 1;
const inReport = (name) => [...report(header).matchAll(new RegExp(`<${name}>([^]*?)</${name}>`, "g"))].map((match) => hash(match[1]));
const policy = [
  "default-src 'none'",
  `script-src ${[hash(script), ...inReport("script")].join(" ")} 'wasm-unsafe-eval' blob:`,
  `style-src ${[hash(style), ...inReport("style")].join(" ")}`,
  "worker-src blob:",
  "connect-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");
// In a script, nothing may look like its end.
const inScript = (text) => text.replaceAll("</script", "<\\/script");
const parts = { POLICY: policy, STYLE: style, MODULE: inScript(module), WORKER: inScript(worker), SCRIPT: script };
fs.mkdirSync(path.dirname(out), { recursive: true });
fs.writeFileSync(out, page.replace(/@([A-Z]+)@/g, (_, name) => parts[name]));
