// Captures, and other spellings of values: what the full module has beside values.

/** Makes the functions of an instance of the full module. */
export function makeCaptures(wasm, { checked, dialectNumber, encode, FREED, parse }) {
  const bytesOf = (file) => (typeof file === "string" ? new TextEncoder().encode(file) : file);

  /** The names of a project: an object or a Map of paths and contents. */
  const names = ({ project, methods }) => {
    if (!project && !methods) return undefined;
    if (typeof project === "string") throw new TypeError("a project is an object or a Map with its files: paths and contents");
    const found = new wasm.GameNames();
    if (methods) found.methods(methods);
    for (const [path, content] of project instanceof Map ? project : Object.entries(project ?? {})) {
      // Windows has another separator.
      found.file(path.replaceAll("\\", "/"), bytesOf(content));
    }
    return found;
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
      this.#name = options.name ?? "capture";
      this.#reader = new wasm.CaptureReader(what, names(options), numberOf(options), options.transport);
    }
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
  function* pieces(bytes) {
    checked(bytes);
    for (let at = 0; at < bytes.length; at += PIECE) yield bytes.subarray(at, at + PIECE);
  }
  function collect(bytes, options, what, result) {
    const reader = new CaptureReader({ ...options, ...what });
    try {
      for (const piece of pieces(bytes)) reader.push(piece);
      reader.finish();
      return result(reader);
    } finally {
      reader.free();
    }
  }

  /** The messages of a capture, as `gdwire decode --format ndjson` writes them. */
  function* messages(bytes, options = {}) {
    const native = options.values === "native";
    const reader = new CaptureReader({ ...options, messages: true, losses: options.losses ?? true, native });
    try {
      for (const piece of pieces(bytes)) {
        reader.push(piece);
        yield* reader.messages();
      }
      reader.finish();
      yield* reader.messages();
    } finally {
      reader.free();
    }
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
    connected(peer) { this.#session.connected(peer); }
    disconnected(peer) { this.#session.disconnected(peer); }
    receive(peer, packet, channel) { this.#session.receive(peer, checked(packet), channel); }
    handleTime(milliseconds) { this.#session.handleTime(milliseconds); }
    /** Calls a method of a node on a peer; 0 stands for all others. */
    call(target, path, method, ...parameters) {
      this.#session.call(target, path, method, parameters.map((parameter) => encode(parameter, this.#options)));
    }
    /** The packets to send. */
    *packets() {
      for (let packet = this.#session.nextPacket(); packet; packet = this.#session.nextPacket()) {
        const { to, channel, mode, bytes } = packet;
        packet.free();
        yield { to, channel, mode, bytes };
      }
    }
    /** What has happened. */
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

  const toJson = (bytes, options = {}) => wasm.toJson(checked(bytes), dialectNumber(options), options.values !== "plain");
  const fromJson = (text, options) => wasm.fromJson(text, dialectNumber(options));
  const toText = (bytes, options) => wasm.toText(checked(bytes), dialectNumber(options));
  const fromText = (text, options) => wasm.fromText(text, dialectNumber(options));
  const detect = (bytes) => wasm.detect(checked(bytes)).split(" ").filter(Boolean);
  const explain = (bytes, options) => JSON.parse(wasm.explain(checked(bytes), dialectNumber(options)));
  const convert = (bytes, { from = "godot4", to, fromDouble = false, toDouble = false, lossy = false }) =>
    wasm.convert(
      checked(bytes),
      dialectNumber({ dialect: from, double: fromDouble }),
      dialectNumber({ dialect: to, double: toDouble }),
      lossy,
    );

  return { CaptureReader, Session, messageOf, messages, stats, diagnose, report, toJson, fromJson, toText, fromText, detect, explain, convert };
}
