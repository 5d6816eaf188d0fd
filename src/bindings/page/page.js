"use strict";
(() => {
  const $ = (id) => document.getElementById(id);
  const blob = (text) => URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  const worker = new Worker(blob($("module").textContent + $("worker").textContent));
  const waiting = new Map();
  let ids = 0;
  const ask = (task, input) => new Promise((resolve, reject) => {
    ids += 1;
    waiting.set(ids, [resolve, reject]);
    worker.postMessage({ id: ids, task, ...input });
  });
  worker.onmessage = ({ data }) => {
    if (data.progress !== undefined) {
      $("progress").textContent = `${Math.round(100 * data.progress)}%, ${data.messages} messages`;
      return;
    }
    const [resolve, reject] = waiting.get(data.id);
    waiting.delete(data.id);
    if (data.problem === undefined) resolve(data.result);
    else reject(new Error(data.problem));
  };

  const element = (name, text, className = "") => Object.assign(document.createElement(name), { textContent: text, className });
  const row = (...cells) => {
    const made = document.createElement("tr");
    made.append(...cells.map((cell) => element("td", cell ?? "")));
    return made;
  };
  const choose = (attribute) => {
    for (const button of document.querySelectorAll(`[data-${attribute}]`)) {
      button.onclick = () => {
        for (const other of document.querySelectorAll(`[data-${attribute}]`)) {
          other.classList.toggle("chosen", other === button);
          $(other.dataset[attribute]).hidden = other !== button;
        }
      };
    }
  };
  choose("tab");
  choose("part");

  // ---- Captures ----

  let capture;
  let project = [];
  const showMessages = ({ count, all, found, more = 0 }) => {
    const rest = more > 0 ? `; ${more} later ones are not listed` : "";
    $("matches").textContent = `${count} of ${all} rows${count > found.length ? `, the first ${found.length} are shown` : ""}${rest}`;
    $("rows").replaceChildren(...found.map((it) => row(it.frame, it.time?.slice(11, 23), it.src, it.dst, it.content)));
  };
  const showFindings = ({ findings }) => {
    const items = findings.map(({ severity, text, first_frame: first, last_frame: last, kind }) => {
      const item = element("p", "");
      item.append(element("span", severity, severity), `: ${text} (frames ${first} to ${last}) [${kind}]`);
      return item;
    });
    $("findings").replaceChildren(...(items.length > 0 ? items : [element("p", "Nothing is wrong.")]));
  };
  const showStatistics = (stats) => {
    const parts = [];
    for (const [name, list] of Object.entries(stats)) {
      if (!Array.isArray(list) || list.length === 0 || typeof list[0] !== "object") continue;
      const names = Object.keys(list[0]).filter((column) => typeof list[0][column] !== "object");
      const table = document.createElement("table");
      const head = document.createElement("tr");
      head.append(...names.map((column) => element("th", column)));
      table.append(head, ...list.slice(0, 200).map((item) => row(...names.map((column) => item[column]))));
      const frame = element("div", "", "wide");
      frame.append(table);
      parts.push(element("h2", name), frame);
    }
    $("statistics").replaceChildren(element("p", `${stats.messages} messages, ${stats.message_bytes} bytes, ${stats.seconds ?? 0} seconds`), ...parts);
  };
  let reads = 0;
  const read = async () => {
    if (!capture) return;
    reads += 1;
    const number = reads;
    $("progress").textContent = "reading";
    try {
      const result = await ask("read", { file: capture, project });
      // Another capture or project was chosen meanwhile.
      if (number !== reads) return;
      $("progress").textContent = `${capture.name}: ${result.stats.messages} messages`;
      $("found").hidden = false;
      showMessages(result);
      showFindings(result.diagnosis);
      showStatistics(result.stats);
      $("report").srcdoc = result.report;
      $("save").href = URL.createObjectURL(new Blob([result.report], { type: "text/html" }));
    } catch (error) {
      if (number !== reads) return;
      $("progress").textContent = `${capture.name}: ${error.message}`;
      $("found").hidden = true;
    }
  };
  $("file").onchange = () => { [capture] = $("file").files; read(); };
  // A browser's path begins with the folder itself.
  const inFolder = (path) => path.split("/").slice(1).join("/");
  $("project").onchange = () => {
    project = [...$("project").files].map((file) => [inFolder(file.webkitRelativePath), file]);
    read();
  };
  const folderFiles = async (entry, path = "") => {
    if (entry.isFile) return [[path + entry.name, await new Promise((resolve, reject) => entry.file(resolve, reject))]];
    const reader = entry.createReader();
    const found = [];
    for (;;) {
      const entries = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
      if (entries.length === 0) return found;
      for (const inner of entries) found.push(...(await folderFiles(inner, `${path}${entry.name}/`)));
    }
  };
  document.ondragover = (event) => { event.preventDefault(); $("drop").classList.add("over"); };
  document.ondragleave = () => $("drop").classList.remove("over");
  document.ondrop = async (event) => {
    event.preventDefault();
    $("drop").classList.remove("over");
    const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry()).filter(Boolean);
    for (const entry of entries) {
      if (entry.isDirectory) project = (await folderFiles(entry)).map(([path, file]) => [inFolder(path), file]);
      else capture = await new Promise((resolve, reject) => entry.file(resolve, reject));
    }
    read();
  };
  $("search").oninput = async () => showMessages(await ask("search", { text: $("search").value }));

  // ---- Values ----

  const bytesOf = (text) => {
    const compact = text.replace(/\s+/g, "");
    if (/^([0-9a-fA-F]{2})*$/.test(compact)) return Uint8Array.from(compact.match(/../g) ?? [], (pair) => parseInt(pair, 16));
    if (/^[0-9a-fA-F]*$/.test(compact)) throw new Error(`hex has two digits for each byte, and these are ${compact.length}`);
    try {
      return Uint8Array.from(atob(compact), (letter) => letter.charCodeAt(0));
    } catch {
      throw new Error("this is neither hex nor base64");
    }
  };
  const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join(" ");
  const dialects = ["godot4", "godot3", "pandemonium4", "pandemonium5"];
  $("from").append(new Option("detected", ""), ...dialects.map((name) => new Option(name, name)));
  $("to").append(...dialects.map((name) => new Option(name, name)));
  const explain = async () => {
    for (const part of ["problem", "text", "json", "converted"]) $(part).textContent = "";
    $("fields").replaceChildren();
    try {
      const bytes = bytesOf($("bytes").value);
      if (bytes.length === 0) return;
      const input = { bytes, dialect: $("from").value, double: $("double").checked, to: $("to").value, lossy: $("lossy").checked };
      const result = await ask("explain", input);
      $("problem").textContent = result.problem ?? `read as ${result.dialect}`;
      $("text").textContent = result.text ?? "";
      $("json").textContent = result.json ?? "";
      $("converted").textContent = result.converted ? hex(result.converted) : "";
      $("fields").replaceChildren(...result.fields.map(({ offset, len, depth, name, value }) => {
        const shown = hex(bytes.subarray(offset, offset + Math.min(len, 16))) + (len > 16 ? " …" : "");
        return row(offset, shown, `${"  ".repeat(depth)}${name}`, value);
      }));
    } catch (error) {
      $("problem").textContent = error.message;
    }
  };
  for (const input of ["bytes", "from", "double", "to", "lossy"]) $(input).oninput = explain;
})();
