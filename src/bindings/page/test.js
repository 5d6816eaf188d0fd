#!/usr/bin/env node
// Tests a built page from disk in `chromium`.
//
//   test.js PAGE

import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { withPage } from "./browser.js";
import { NAMES, takePictures } from "./pictures.js";

const page = path.resolve(process.argv[2]);
const here = path.dirname(new URL(import.meta.url).pathname);
const corpus = path.resolve(here, "../../../corpus");

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "gdwire-page-"));
const cut = path.join(folder, "cut.pcap");
// Projects have files larger than the memory. Only their paths are needed.
const game = path.join(folder, "game");
fs.cpSync(path.join(corpus, "project/arena"), game, { recursive: true });
fs.writeFileSync(path.join(game, "movie.ogv"), "");
fs.truncateSync(path.join(game, "movie.ogv"), 6_000_000_000);
fs.writeFileSync(cut, fs.readFileSync(path.join(corpus, "captures/godot3-udp-usec.pcap")).subarray(0, -5));

await withPage(page, async ({ choose, evaluate, until, requests, problems }) => {
  assert.deepEqual(requests.filter((url) => !/^(file|blob|data|about):/.test(url)), []);
  requests.length = 0;

  // A capture with the names of its project.
  await choose("#project", [game]);
  await choose("#file", [path.join(corpus, "captures/godot4-game-enet.pcapng")]);
  // The browser may find the files of the folder later than the capture, which is then read again.
  await until("/: 478 messages$/.test(document.getElementById('progress').textContent) && /take_hit/.test(document.getElementById('rows').textContent)");
  assert.match(await evaluate("document.getElementById('matches').textContent"), /^478 of 478 rows/);
  await evaluate("search.value = 'take_hit'; search.oninput()");
  await until("/^27 of 478/.test(document.getElementById('matches').textContent)");
  assert.match(await evaluate("document.getElementById('statistics').textContent"), /478 messages/);
  assert.ok(await evaluate("document.getElementById('findings').children.length > 0"));
  assert.match(await evaluate("document.getElementById('report').srcdoc"), /^<!doctype html>/);
  await evaluate("document.querySelector('[data-part=plots]').click()");
  await until("document.getElementById('report').contentDocument?.querySelector('canvas') !== null");

  // Later packets decide which names fit, so the capture is read for them first: here for one of frame 9.
  await choose("#file", [path.join(corpus, "captures/godot4-game-enet-lossy-client-side.pcapng")]);
  await until("/lossy-client-side.pcapng: \\d+ messages$/.test(document.getElementById('progress').textContent)");
  await evaluate("search.value = '\"frame\":9,'; search.oninput()");
  await until("/^1 of/.test(document.getElementById('matches').textContent)");
  assert.match(await evaluate("document.getElementById('rows').textContent"), /"properties":{"position":\[0,0\],"facing":0.5}/);

  // Losses are listed with the messages, but are no messages.
  await choose("#file", [path.join(corpus, "captures/godot3-enet.pcapng")]);
  await until("/: 59 messages$/.test(document.getElementById('progress').textContent)");
  await evaluate("search.value = ''; search.oninput()");
  await until("document.getElementById('matches').textContent === '60 of 60 rows'");

  // If a file cannot be read, nothing is shown of the file before it.
  await choose("#file", [path.join(here, "README.md")]);
  await until("document.getElementById('progress').textContent === 'README.md: byte 0: neither a pcap nor a pcapng file'");
  assert.equal(await evaluate("document.getElementById('found').hidden"), true);

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
  // The last digit is missing: not base64.
  await evaluate("bytes.value = '02 00 00 00 2a 00 00 0'; bytes.oninput()");
  await until("/two digits for each byte, and these are 15/.test(document.getElementById('problem').textContent)");

  // The end of a file is missing.
  await evaluate("document.querySelector('[data-tab=capture]').click()");
  await choose("#file", [cut]);
  await until("document.getElementById('rows').textContent.includes('the file is cut off')");

  // No request has left the page, and none could.
  assert.deepEqual(requests.filter((url) => !/^(blob|data|about):/.test(url)), []);
  assert.equal(await evaluate("fetch('http://127.0.0.1:9/').then(() => 'sent', error => 'refused')"), "refused");
  assert.ok(problems.some((text) => /Content Security Policy/.test(text)), String(problems));
});
console.log("ok page");

// The pictures of the README, taken again. Those in the repository are small.
try {
  await takePictures(page, folder);
  const readme = fs.readFileSync(path.join(here, "README.md"), "utf8");
  const sizes = NAMES.map((name) => {
    assert.ok(readme.includes(`pictures/${name}.webp`), `the README does not show ${name}`);
    // A picture that shows nothing compresses to less.
    assert.ok(fs.statSync(path.join(folder, `${name}.webp`)).size > 8000, `${name} shows nothing`);
    return fs.statSync(path.join(here, "pictures", `${name}.webp`)).size;
  });
  assert.ok(sizes.reduce((sum, size) => sum + size) < 150_000, `the pictures are too large: ${sizes}`);
} finally {
  fs.rmSync(folder, { recursive: true });
}
console.log("ok pictures");
process.exit(0);
