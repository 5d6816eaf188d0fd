#!/usr/bin/env node
// Takes the pictures of a built page that its README shows.
//
//   pictures.js PAGE FOLDER     writes them into FOLDER, which is `pictures` beside this file

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { withPage } from "./browser.js";

const corpus = path.resolve(path.dirname(new URL(import.meta.url).pathname), "../../../corpus");

// For each picture: code that runs before, and a condition that holds once the page shows it.
const SCENES = {
  messages: ["", "document.getElementById('rows').children.length > 10"],
  statistics: ["document.querySelector('[data-part=statistics]').click()", "document.querySelector('#statistics table') !== null"],
  report: [
    "document.querySelector('[data-part=plots]').click()",
    "document.getElementById('report').contentDocument?.querySelector('canvas') != null",
  ],
  value: [
    `document.querySelector('[data-tab=value]').click();
    bytes.value = '@VALUE@';
    document.getElementById('to').value = 'godot3';
    bytes.oninput()`,
    "document.getElementById('fields').children.length > 4",
  ],
};
export const NAMES = Object.keys(SCENES);

/** A value that a game sent: the first dictionary that is neither tiny nor longer than the window. */
function recordedValue() {
  const lines = fs.readFileSync(path.join(corpus, "cases.ndjson"), "utf8").trim().split("\n").map((line) => JSON.parse(line));
  const found = lines.find(({ dialect, double, hex, plain }) =>
    dialect === "godot4" && !double && /^\{.*\[/.test(plain) && hex.length > 200 && hex.length < 400);
  assert.ok(found, "no recorded value fits the picture");
  return found.hex;
}

/** Writes all pictures into a folder. */
export async function takePictures(page, folder) {
  fs.mkdirSync(folder, { recursive: true });
  await withPage(page, async ({ call, choose, evaluate, until }) => {
    await call("Emulation.setDeviceMetricsOverride", { width: 1000, height: 520, deviceScaleFactor: 1, mobile: false });
    await call("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: "light" }] });
    await choose("#project", [path.join(corpus, "project/arena")]);
    await choose("#file", [path.join(corpus, "captures/godot4-game-enet.pcapng")]);
    // The files of the folder may be found later than the capture, which is then read again.
    await until("/: 478 messages$/.test(document.getElementById('progress').textContent) && /take_hit/.test(document.getElementById('rows').textContent)");
    for (const [name, [action, isShown]] of Object.entries(SCENES)) {
      await evaluate(action.replace("@VALUE@", recordedValue()));
      await until(isShown);
      await evaluate(`document.getElementById('report').contentDocument?.querySelector('canvas')?.closest('section')?.scrollIntoView();
        document.querySelector('main:not([hidden]) > section:not([hidden]), #problem').scrollIntoView()`);
      // Plots are drawn in the next frames.
      await evaluate("new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 500)))");
      const { data } = await call("Page.captureScreenshot", { format: "webp", quality: 35 });
      fs.writeFileSync(path.join(folder, `${name}.webp`), Buffer.from(data, "base64"));
    }
  });
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  await takePictures(...process.argv.slice(2));
  process.exit(0);
}
