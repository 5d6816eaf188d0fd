#!/usr/bin/env node
// Tests a built page from disk in `chromium`, through its debugging protocol.
//
//   test.js PAGE

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

const page = path.resolve(process.argv[2]);
const corpus = path.resolve(path.dirname(new URL(import.meta.url).pathname), "../../../corpus");
const profile = fs.mkdtempSync(path.join(os.tmpdir(), "gdwire-page-"));
const browser = spawn("chromium", [
  "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--remote-debugging-pipe",
  `--user-data-dir=${profile}`, "about:blank",
], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
const [, , , input, output] = browser.stdio;
const waiting = new Map();
const requests = [];
const problems = [];
let rest = "";
let ids = 0;
output.on("data", (data) => {
  const messages = (rest + data).split("\0");
  rest = messages.pop();
  for (const message of messages.map((text) => JSON.parse(text))) {
    if (message.id !== undefined) {
      const [resolve, reject] = waiting.get(message.id);
      if (message.error) reject(new Error(message.error.message));
      else resolve(message.result);
    } else if (message.method === "Network.requestWillBeSent") {
      requests.push(message.params.request.url);
    } else if (message.method === "Log.entryAdded") {
      problems.push(message.params.entry.text);
    } else if (message.method === "Runtime.exceptionThrown") {
      problems.push(JSON.stringify(message.params.exceptionDetails));
    }
  }
});
let session;
const call = (method, params = {}) => new Promise((resolve, reject) => {
  ids += 1;
  waiting.set(ids, [resolve, reject]);
  input.write(`${JSON.stringify({ id: ids, method, params, ...(session && { sessionId: session }) })}\0`);
});
const evaluate = async (expression) => {
  const { result, exceptionDetails } = await call("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
  assert.equal(exceptionDetails, undefined, JSON.stringify(exceptionDetails));
  return result.value;
};
/** Waits until the expression is true. */
const until = async (expression) => {
  for (let tries = 0; tries < 600; tries += 1) {
    if (await evaluate(expression)) return;
    await new Promise((resolve) => { setTimeout(resolve, 100); });
  }
  assert.fail(`never true: ${expression}; ${await evaluate("document.body.innerText.slice(0, 500)")}; ${problems}`);
};
const choose = async (selector, files) => {
  const { root } = await call("DOM.getDocument");
  const { nodeId } = await call("DOM.querySelector", { nodeId: root.nodeId, selector });
  await call("DOM.setFileInputFiles", { files, nodeId });
};

try {
  const { targetId } = await call("Target.createTarget", { url: "about:blank" });
  ({ sessionId: session } = await call("Target.attachToTarget", { targetId, flatten: true }));
  for (const domain of ["Page", "Network", "Log", "Runtime", "DOM"]) await call(`${domain}.enable`);
  await call("Page.navigate", { url: `file://${page}` });
  await until("document.readyState === 'complete' && document.getElementById('to')?.options.length === 4");
  assert.deepEqual(requests.filter((url) => !/^(file|blob|data|about):/.test(url)), []);
  requests.length = 0;

  // A capture with the names of its project.
  await choose("#project", [path.join(corpus, "project/arena")]);
  await choose("#file", [path.join(corpus, "captures/godot4-game-enet.pcapng")]);
  await until("/: 478 messages$/.test(document.getElementById('progress').textContent)");
  assert.match(await evaluate("document.getElementById('matches').textContent"), /^478 of 478 messages/);
  assert.match(await evaluate("document.getElementById('rows').textContent"), /take_hit/);
  await evaluate("search.value = 'take_hit'; search.oninput()");
  await until("/^27 of 478/.test(document.getElementById('matches').textContent)");
  assert.match(await evaluate("document.getElementById('statistics').textContent"), /478 messages/);
  assert.ok(await evaluate("document.getElementById('findings').children.length > 0"));
  assert.match(await evaluate("document.getElementById('report').srcdoc"), /^<!doctype html>/);
  await evaluate("document.querySelector('[data-part=plots]').click()");
  await until("document.getElementById('report').contentDocument?.querySelector('canvas') !== null");

  // A value, byte by byte, and for another engine.
  await evaluate(`document.querySelector('[data-tab=value]').click();
    bytes.value = '1b000000010000000400000002000000687000000200000057000000';
    document.getElementById('to').value = 'godot3';
    bytes.oninput()`);
  await until("document.getElementById('fields').children.length > 4");
  assert.match(await evaluate("document.getElementById('text').textContent"), /\{ "hp": 87 \}/);
  assert.match(await evaluate("document.getElementById('converted').textContent"), /^12 00 00 00/);
  await evaluate("bytes.value = 'GwAAAAEAAAAEAAAAAgAAAGhwAAACAAAAVwAAAA=='; bytes.oninput()");
  await until("document.getElementById('text').textContent.includes('87')");
  await evaluate("bytes.value = '#'; bytes.oninput()");
  await until("/neither hex nor base64/.test(document.getElementById('problem').textContent)");

  // No request has left the page, and none could.
  assert.deepEqual(requests.filter((url) => !/^(blob|data|about):/.test(url)), []);
  assert.equal(await evaluate("fetch('http://127.0.0.1:9/').then(() => 'sent', error => 'refused')"), "refused");
  assert.ok(problems.some((text) => /Content Security Policy/.test(text)), String(problems));
  console.log("ok page");
} finally {
  session = undefined;
  // Its other processes still write into the profile for a moment after it has ended.
  const ended = new Promise((resolve) => { browser.on("exit", resolve); });
  call("Browser.close").catch(() => undefined);
  const impatient = setTimeout(() => browser.kill("SIGKILL"), 5000);
  await ended;
  clearTimeout(impatient);
  await fs.promises.rm(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}
process.exit(0);
