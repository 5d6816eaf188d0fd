// Reads captures and values, so that the page never waits. It runs after the module's JavaScript.

let module;
const loaded = wasmModule(MODULE_PACKED).then((made) => { module = made; });
let lines = [];
// More messages would take too much memory. They are counted, but neither listed nor searched.
const MOST_LINES = 500_000;
let more = 0;
const PIECE = 4 << 20;
const SHOWN = 500;

// Ints beyond 2^53 are BigInts, which JSON spells as the other numbers.
const spelled = (content) => JSON.stringify(content, (_, it) => (typeof it === "bigint" ? `\ue000${it}\ue000` : it))
  .replaceAll(/"\ue000(-?\d+)\ue000"/g, "$1");

const brief = (message) => {
  const { frame, time, src, dst, rpc, value, lost, damaged, debugger: command } = message;
  const problem = lost === undefined ? damaged : `lost: ${lost}`;
  const content = problem ?? spelled(rpc ?? value ?? command ?? null);
  return { frame, time, src, dst, content: content.length > 400 ? `${content.slice(0, 400)}…` : content };
};

function search(text) {
  const wanted = text.toLowerCase();
  const found = [];
  let count = 0;
  for (const line of lines) {
    if (wanted !== "" && !line.toLowerCase().includes(wanted)) continue;
    count += 1;
    if (found.length < SHOWN) found.push(brief(module.messageOf(line)));
  }
  return { count, all: lines.length, found, more };
}

async function read(file, project) {
  [lines, more] = [[], 0];
  const files = new Map();
  // The library reads these files, and needs only the paths of others.
  const isRead = (path) => /\.(gd|cs|tscn|tres|uid|godot)$/i.test(path);
  for (const [path, content] of project) files.set(path, isRead(path) ? new Uint8Array(await content.arrayBuffer()) : "");
  const reader = new module.CaptureReader({
    name: file.name, messages: true, losses: true, stats: true, diagnosis: true, report: true,
    project: files.size > 0 ? files : undefined,
  });
  const take = () => {
    for (const line of reader.lines()) {
      if (lines.length < MOST_LINES) lines.push(line);
      else more += 1;
    }
  };
  // With a project, the file is first read for what its packets show about the names.
  const passes = files.size > 0 ? ["scan", "push"] : ["push"];
  try {
    for (const [number, pass] of passes.entries()) {
      for (let at = 0; at < file.size; at += PIECE) {
        reader[pass](new Uint8Array(await file.slice(at, at + PIECE).arrayBuffer()));
        take();
        const progress = (number + Math.min(at + PIECE, file.size) / file.size) / passes.length;
        postMessage({ progress, messages: lines.length + more });
      }
    }
    reader.finish();
    take();
    return { stats: reader.stats(), diagnosis: reader.diagnosis(), report: reader.report(), ...search("") };
  } finally {
    reader.free();
  }
}

function explain({ bytes, dialect, double, to, lossy }) {
  const detected = module.detect(bytes);
  const options = { dialect: dialect || detected[0] || "godot4", double };
  const result = { dialect: options.dialect, detected, fields: module.explain(bytes, options) };
  try {
    result.text = module.toText(bytes, options);
    result.json = module.toJson(bytes, options);
    result.converted = module.convert(bytes, { from: options.dialect, fromDouble: double, to, lossy });
  } catch (error) {
    result.problem = error.message;
  }
  return result;
}

async function run({ id, task, ...input }) {
  try {
    await loaded;
    const tasks = { read: () => read(input.file, input.project), search: () => search(input.text), explain: () => explain(input) };
    postMessage({ id, result: await tasks[task]() });
  } catch (error) {
    postMessage({ id, problem: error.message });
  }
}

// One task after another: a capture is read in pieces, and another one must not begin between them.
let last = Promise.resolve();
onmessage = ({ data }) => { last = last.then(() => run(data)); };
