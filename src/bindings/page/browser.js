// Drives `chromium` through its debugging protocol, for the test of the page and its pictures.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

/** Starts the browser, shows a page from disk to `work`, and ends the browser. */
export async function withPage(page, work) {
  const profile = fs.mkdtempSync(path.join(os.tmpdir(), "gdwire-page-"));
  const browser = spawn("chromium", [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
    "--remote-debugging-pipe", `--user-data-dir=${profile}`, "about:blank",
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
  /** Chooses files, as a user does in the browser's dialog. */
  const choose = async (selector, files) => {
    const { root } = await call("DOM.getDocument");
    const { nodeId } = await call("DOM.querySelector", { nodeId: root.nodeId, selector });
    await call("DOM.setFileInputFiles", { files, nodeId });
  };

  try {
    const { targetId } = await call("Target.createTarget", { url: "about:blank" });
    ({ sessionId: session } = await call("Target.attachToTarget", { targetId, flatten: true }));
    for (const domain of ["Page", "Network", "Log", "Runtime", "DOM"]) await call(`${domain}.enable`);
    await call("Page.navigate", { url: `file://${path.resolve(page)}` });
    await until("document.readyState === 'complete' && document.getElementById('to')?.options.length === 4");
    await work({ call, choose, evaluate, until, requests, problems });
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
}
