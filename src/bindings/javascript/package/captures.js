// Captures, and other spellings of values: what the full module has beside values.

/** Makes the functions of an instance of the full module. */
export function makeCaptures(wasm, { checked, dialectNumber, encode, FREED, intOf, parse, textOf }) {
  const bytesOf = (file) => (typeof file === "string" ? new TextEncoder().encode(file) : checked(file));

  /** Checks that a project has its file project.godot where its paths begin. */
  const checkPaths = (paths) => {
    if (paths.includes("project.godot")) return;
    const [found] = paths.filter((path) => path.endsWith("/project.godot")).sort((one, other) => one.length - other.length);
    const advice = found ? `; there is "${found}", so remove "${found.slice(0, -"project.godot".length)}" from the paths` : "";
    throw new TypeError(`a project has a file project.godot, and its paths begin in the folder of that file${advice}`);
  };

  /** The names of a project: an object or a Map of paths and contents. */
  const names = ({ project, methods }) => {
    if (project == null && methods == null) return undefined;
    const found = new wasm.GameNames();
    if (methods != null) found.methods(textOf(methods, "a list of methods"));
    if (project != null) {
      if (typeof project !== "object") throw new TypeError("a project is an object or a Map with its files: paths and contents");
      // Windows has another separator.
      const given = [...(project instanceof Map ? project : Object.entries(project))];
      const files = given.map(([path, content]) => [path.replaceAll("\\", "/"), content]);
      const paths = files.map(([path]) => path);
      checkPaths(paths);
      // Like the engine, this ignores hidden files, and folders with a file named .gdignore.
      const ignored = paths.filter((path) => path.endsWith("/.gdignore")).map((path) => path.slice(0, -".gdignore".length));
      for (const [path, content] of files) {
        if (!/(^|\/)\./.test(path) && !ignored.some((folder) => path.startsWith(folder))) found.file(path, bytesOf(content));
      }
    }
    return found;
  };
  /** Whether values are spelled as the engine spells them. */
  const isNative = (values) => {
    if (values !== "native" && values !== "plain") throw new RangeError(`values are "plain" or "native", not ${String(values)}`);
    return values === "native";
  };
  const numberOf = (options) => (options.dialect ? dialectNumber(options) : undefined);

  // `JSON.parse` rounds ints beyond 2^53. Where a line has some, they are marked before, and become BigInts.
  const MARK = `int ${Math.random()}`;
  const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g;
  const isWide = (token) => /^-?\d{16,}$/.test(token) && !Number.isSafeInteger(Number(token));
  /** The message of a line. */
  function messageOf(line) {
    if (!/\d{16}/.test(line)) return JSON.parse(line);
    const marked = line.replace(TOKENS, (token) => (isWide(token) ? `{"${MARK}":"${token}"}` : token));
    return JSON.parse(marked, (_, value) => (value?.[MARK] === undefined ? value : BigInt(value[MARK])));
  }

  /** Reads a capture that arrives in pieces. */
  class CaptureReader {
    #reader;
    #name;
    #what;
    /**
     * Options: `messages`, `losses`, `native`, `stats`, `diagnosis` and `report` say what is collected;
     * `project` and `methods` bring names; `dialect` and `transport` override what is detected.
     */
    constructor(options = {}) {
      const letters = { messages: "m", losses: "l", native: "n", stats: "s", diagnosis: "d", report: "r" };
      this.#what = Object.keys(letters).filter((name) => options[name]);
      const what = this.#what.map((name) => letters[name]).join("");
      const { name = "capture", double = false, transport } = options;
      this.#name = textOf(name, "the name of a capture");
      if (transport !== undefined) textOf(transport, "a transport");
      this.#reader = new wasm.CaptureReader(what, names(options), numberOf(options), double, transport);
    }
    /** Reads the next piece of the file for what it shows about the names of the project. After the last one, push the whole file. */
    scan(piece) { this.#reader.scan(checked(piece)); }
    /** Reads the next piece of the file. */
    push(piece) { this.#reader.push(checked(piece)); }
    /** Ends the file. */
    finish() { this.#reader.finish(); }
    /** The messages since the last call, each as JSON. */
    lines() {
      if (!this.#what.includes("losses")) this.#need("messages");
      return this.#reader.lines().split("\n").slice(0, -1);
    }
    /** The messages since the last call. */
    messages() { return this.lines().map(messageOf); }
    stats() { return JSON.parse(this.#need("stats").stats(this.#name)); }
    diagnosis() { return JSON.parse(this.#need("diagnosis").diagnosis(this.#name)); }
    report() { return this.#need("report").report(this.#name); }
    free() { this.#reader.free(); this.#reader = FREED; }
    /** The reader, if it collects this. */
    #need(what) {
      if (!this.#what.includes(what)) throw new Error(`this needs new CaptureReader({ ${what}: true })`);
      return this.#reader;
    }
  }

  const PIECE = 1 << 20;
  /** Reads a whole capture, first for its names, and passes the reader to a function after each piece. */
  function* read(given, options, take) {
    const bytes = checked(given);
    const reader = new CaptureReader(options);
    const pieces = function* () {
      for (let at = 0; at < bytes.length; at += PIECE) yield bytes.subarray(at, at + PIECE);
    };
    try {
      if (options.project != null) for (const piece of pieces()) reader.scan(piece);
      for (const piece of pieces()) {
        reader.push(piece);
        yield* take(reader, false);
      }
      reader.finish();
      yield* take(reader, true);
    } finally {
      reader.free();
    }
  }
  function collect(bytes, options, what, result) {
    const [found] = read(bytes, { ...options, ...what }, (reader, isFinished) => (isFinished ? [result(reader)] : []));
    return found;
  }

  /** The messages of a capture, as `gdwire decode --format ndjson` writes them. */
  function messages(bytes, options = {}) {
    const { values = "plain", losses = true } = options;
    return read(bytes, { ...options, messages: true, losses, native: isNative(values) }, (reader) => reader.messages());
  }

  const stats = (bytes, options = {}) => collect(bytes, options, { stats: true }, (reader) => reader.stats());
  const diagnose = (bytes, options = {}) => collect(bytes, options, { diagnosis: true }, (reader) => reader.diagnosis());
  const report = (bytes, options = {}) => collect(bytes, options, { report: true }, (reader) => reader.report());

  /** A peer of a multiplayer game, without sockets: the server, or with an `id` a client. */
  class Session {
    #session;
    #options;
    constructor(options = {}) {
      const { id } = options;
      if (id !== undefined && (id | 0) !== id || id < 2) {
        throw new RangeError(`the id of a client is an integer from 2 to 2147483647, not ${id}`);
      }
      this.#options = options;
      this.#session = new wasm.Session(dialectNumber(options), id, names(options));
    }
    connected(peer) { this.#session.connected(intOf(peer, "a peer")); }
    disconnected(peer) { this.#session.disconnected(intOf(peer, "a peer")); }
    receive(peer, packet, channel = 0) {
      this.#session.receive(intOf(peer, "a peer"), checked(packet), intOf(channel, "a channel", 0, 255));
    }
    handleTime(milliseconds) {
      if (!(milliseconds >= 0)) throw new TypeError(`a time is a number of milliseconds, from 0 on, not ${milliseconds}`);
      this.#session.handleTime(milliseconds);
    }
    /** Calls a method of a node on a peer; 0 stands for all others. */
    call(target, path, method, ...parameters) {
      const parts = parameters.map((parameter) => encode(parameter, this.#options));
      this.#session.call(intOf(target, "the target of a call"), textOf(path, "the path of a node"), textOf(method, "a method"), parts);
    }
    /** The packets to send. */
    *packets() {
      for (let packet = this.#session.nextPacket(); packet; packet = this.#session.nextPacket()) {
        const { to, channel, mode, bytes } = packet;
        packet.free();
        yield { to, channel, mode, bytes };
      }
    }
    /** The events since the last call. */
    *events() {
      for (let event = this.#session.nextEvent(); event; event = this.#session.nextEvent()) {
        const { kind, peer, path, text, arguments: parts } = event;
        event.free();
        if (kind === "call" || kind === "set") {
          yield { kind, peer, path, [kind === "call" ? "method" : "property"]: text, args: parts.map((part) => parse(part, this.#options)) };
        } else if (kind === "bytes") {
          yield { kind, peer, bytes: parts[0] };
        } else {
          yield { kind, peer, path, text };
        }
      }
    }
    free() { this.#session.free(); this.#session = FREED; }
  }

  const toJson = (bytes, options = {}) => wasm.toJson(checked(bytes), dialectNumber(options), isNative(options.values ?? "native"));
  const fromJson = (text, options) => wasm.fromJson(textOf(text, "JSON"), dialectNumber(options));
  const toText = (bytes, options) => wasm.toText(checked(bytes), dialectNumber(options));
  const fromText = (text, options) => wasm.fromText(textOf(text, "the text of a value"), dialectNumber(options));
  const detect = (bytes) => wasm.detect(checked(bytes)).split(" ").filter(Boolean);
  const explain = (bytes, options) => JSON.parse(wasm.explain(checked(bytes), dialectNumber(options)));
  const convert = (bytes, { from = "godot4", to, fromDouble = false, toDouble = false, lossy = false } = {}) => {
    if (to === undefined) throw new TypeError('convert needs the dialect of the other engine, such as { to: "godot3" }');
    return wasm.convert(
      checked(bytes),
      dialectNumber({ dialect: from, double: fromDouble }),
      dialectNumber({ dialect: to, double: toDouble }),
      lossy,
    );
  };

  return { CaptureReader, Session, messageOf, messages, stats, diagnose, report, toJson, fromJson, toText, fromText, detect, explain, convert };
}
