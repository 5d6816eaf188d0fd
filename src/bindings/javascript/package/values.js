// Values: makes objects of the tape that `decode` of the module writes, and writes the tape that
// `encode` reads. The module checks everything; here is only what JavaScript makes of it.

import * as types from "./types.js";

const {
  AABB, Basis, Callable, Color, ElementType, Float, GodotObject, NodePath, ObjectID, PACKED, PackedArray,
  PackedStringArray, Plane, Projection, Quaternion, RID, Rect2, Rect2i, Signal, StringName, Transform2D,
  Transform3D, TypedArray, TypedDictionary, Vector2, Vector2i, Vector3, Vector3i, Vector4, Vector4i,
} = types;

// The numbers of the kinds on the tape: the order of the crate, which a test compares.
export const KINDS = (
  "Nil bool int float String Vector2 Vector2i Rect2 Rect2i Vector3 Vector3i Transform2D Vector4 Vector4i Plane " +
  "Quaternion AABB Basis Transform3D Projection Color StringName NodePath RID Object Callable Signal Dictionary Array " +
  "TypedArray PackedTypedArray PackedByteArray PackedInt32Array PackedInt64Array PackedFloat32Array " +
  "PackedFloat64Array PackedStringArray PackedVector2Array PackedVector2iArray PackedVector3Array " +
  "PackedVector3iArray PackedVector4Array PackedVector4iArray PackedColorArray"
).split(" ");
const NUMBER = { __proto__: null, ...Object.fromEntries(KINDS.map((name, number) => [name, number])) };

// Such keys would lose their place, or their meaning, in an object.
const isPlainKey = (key) => typeof key === "string" && key !== "__proto__" && !/^(0|[1-9]\d*)$/.test(key);

/** Replaces an object of the module that was freed. */
const FREED = new Proxy({}, {
  get(_, name) {
    if (name === "free") return () => {};
    throw new Error("this object was freed: it has no memory any more");
  },
});

/** The name of a value's type, for an error. */
const nameOf = (given) => (given === null ? "null" : typeof given === "object" ? given.constructor?.name ?? "an object" : typeof given);

/** Makes `parse` and `encode` of an instance of the module. */
export function makeValues(wasm, memory) {
  const dialects = wasm.dialects().split(" ");
  if (wasm.kinds() !== KINDS.join(" ")) throw new Error("values.js belongs to another version of the module");
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  // Eight bytes as two words, an int and a float.
  const halves = new Uint32Array(2);
  const [asFloat, asInt] = [new Float64Array(halves.buffer), new BigInt64Array(halves.buffer)];
  const asUnsigned = new BigUint64Array(halves.buffer);

  /** The number of a dialect, as the module takes it. */
  function dialectNumber(options = {}) {
    if (typeof options === "string") throw new TypeError(`options are an object, such as { dialect: "${options}" }`);
    const { dialect = "godot4", double = false } = options;
    const number = dialects.indexOf(dialect);
    if (number < 0) throw new RangeError(`no dialect is called ${dialect}; there are ${dialects.join(", ")}`);
    return number | (double ? 0x100 : 0);
  }

  const checkText = (string) => {
    if (/\p{Surrogate}/u.test(string)) throw new RangeError("a text has half of a surrogate pair, which no bytes correspond to");
  };
  /** A text or an int from outside, which the module would take for another one if it were none. */
  const textOf = (given, what) => {
    if (typeof given !== "string") throw new TypeError(`${what} is a string, not ${nameOf(given)}`);
    checkText(given);
    return given;
  };
  const intOf = (given, what, least = -0x80000000, most = 0x7fffffff) => {
    if (Number.isInteger(given) && least <= given && given <= most) return given;
    const problem = `${what} is an integer from ${least} to ${most}, not ${typeof given === "number" ? given : nameOf(given)}`;
    throw typeof given === "number" ? new RangeError(problem) : new TypeError(problem);
  };

  // ---- Reading ----

  let input, view, tape, at, exact;
  const keys = new Array(512);

  const text = (start, length) => {
    if (length > 32) return decoder.decode(input.subarray(start, start + length));
    let result = "";
    for (let place = start; place < start + length; place += 1) {
      const byte = input[place];
      if (byte > 127) return decoder.decode(input.subarray(start, start + length));
      result += String.fromCharCode(byte);
    }
    return result;
  };

  // Keys repeat from value to value.
  const key = (start, length) => {
    if (length > 32) return text(start, length);
    let hash = length;
    for (let place = start; place < start + length; place += 1) hash = (hash * 31 + input[place]) | 0;
    const kept = keys[hash & 511];
    if (kept !== undefined && kept.length === length) {
      let place = 0;
      while (place < length && kept.charCodeAt(place) === input[start + place]) place += 1;
      if (place === length) return kept;
    }
    const made = text(start, length);
    // The comparison above is of the codes of letters with bytes, which are the same in ASCII only.
    if (made.length === length) keys[hash & 511] = made;
    return made;
  };

  const someText = () => text(tape[at++], tape[at++]);

  const wide = (from) => {
    halves[0] = tape[at++];
    halves[1] = tape[at++];
    return from[0];
  };

  /** The numbers of a packed array, in place if their place allows it. */
  const numbers = (Class, start, count) => {
    const place = input.byteOffset + start;
    if (place % Class.BYTES_PER_ELEMENT === 0) return new Class(input.buffer, place, count);
    return new Class(input.slice(start, start + count * Class.BYTES_PER_ELEMENT).buffer);
  };

  const packed = (Class) => {
    const start = tape[at++];
    return numbers(Class, start + 4, view.getUint32(start, true));
  };

  const elementType = () => {
    const form = tape[at++];
    if (form === 1) {
      const kind = KINDS[tape[at]];
      at += 2;
      return new ElementType("kind", kind);
    }
    const name = someText();
    return form === 0 ? undefined : new ElementType(form === 2 ? "class" : "script", name);
  };

  function dictionary(flags) {
    const count = tape[at++];
    const [keyType, valueType] = flags ? [elementType(), elementType()] : [];
    let object = flags ? undefined : {};
    let map = flags ? new TypedDictionary([], keyType, valueType) : undefined;
    for (let entry = 0; entry < count; entry += 1) {
      let name;
      if ((tape[at] & 0xff) === 4) {
        name = key(tape[at + 1], tape[at + 2]);
        at += 3;
      } else {
        name = value();
      }
      if (map === undefined && !(isPlainKey(name) && !Object.hasOwn(object, name))) {
        map = new Map(Object.entries(object));
        object = undefined;
      }
      if (map === undefined) object[name] = value();
      else map.set(name, value());
    }
    return map ?? object;
  }

  function array(kind, flags) {
    const count = tape[at++];
    const types = flags ? [elementType(), elementType()] : undefined;
    const elements = new Array(count);
    for (let element = 0; element < count; element += 1) elements[element] = value();
    return types ? TypedArray.withType(elements, types[0], KINDS[kind]) : elements;
  }

  function object(flags) {
    if (flags === 0) return new GodotObject();
    if (flags === 1) return new ObjectID(wide(asUnsigned));
    const count = tape[at++];
    const className = someText();
    const properties = [];
    for (let property = 0; property < count; property += 1) {
      const name = someText();
      properties.push([name, value()]);
    }
    return new GodotObject(className, properties);
  }

  /** A math value: `real(n)` is its number at that place. */
  function math(kind, isWide) {
    const start = tape[at++];
    const real = isWide
      ? (place) => view.getFloat64(start + 8 * place, true)
      : (place) => view.getFloat32(start + 4 * place, true);
    const two = (place) => new Vector2(real(place), real(place + 1));
    const three = (place) => new Vector3(real(place), real(place + 1), real(place + 2));
    const four = (Class, place) => new Class(real(place), real(place + 1), real(place + 2), real(place + 3));
    const int = (place) => view.getInt32(start + 4 * place, true);
    switch (kind) {
      case 6: return new Vector2i(int(0), int(1));
      case 7: return new Rect2(two(0), two(2));
      case 8: return new Rect2i(new Vector2i(int(0), int(1)), new Vector2i(int(2), int(3)));
      case 10: return new Vector3i(int(0), int(1), int(2));
      case 11: return new Transform2D(two(0), two(2), two(4));
      case 12: return four(Vector4, 0);
      case 13: return new Vector4i(int(0), int(1), int(2), int(3));
      case 14: return new Plane(three(0), real(3));
      case 15: return four(Quaternion, 0);
      case 16: return new AABB(three(0), three(3));
      case 17: return new Basis(three(0), three(3), three(6));
      case 18: return new Transform3D(new Basis(three(0), three(3), three(6)), three(9));
      case 19: return new Projection(four(Vector4, 0), four(Vector4, 4), four(Vector4, 8), four(Vector4, 12));
      default: return four(Color, 0);
    }
  }

  function value() {
    const word = tape[at++];
    const [kind, flags] = [word & 0xff, word >> 8];
    switch (kind) {
      case 0: return null;
      case 1: return tape[at++] !== 0;
      case 2: {
        const low = tape[at++];
        const high = tape[at++] | 0;
        // From -2^53 to 2^53, a number is exact.
        if (high < 0x200000 && high >= -0x200000) return high * 0x100000000 + low;
        halves[0] = low;
        halves[1] = high;
        return asInt[0];
      }
      case 3: {
        const float = wide(asFloat);
        return exact && Number.isInteger(float) ? new Float(float) : float;
      }
      case 4: return someText();
      case 5: {
        const start = tape[at++];
        if (flags) return new Vector2(view.getFloat64(start, true), view.getFloat64(start + 8, true));
        return new Vector2(view.getFloat32(start, true), view.getFloat32(start + 4, true));
      }
      case 9: {
        const start = tape[at++];
        if (flags) return new Vector3(view.getFloat64(start, true), view.getFloat64(start + 8, true), view.getFloat64(start + 16, true));
        return new Vector3(view.getFloat32(start, true), view.getFloat32(start + 4, true), view.getFloat32(start + 8, true));
      }
      case 21: return new StringName(someText());
      case 22: {
        const isAbsolute = tape[at++] !== 0;
        const [names, subnames] = [new Array(tape[at++]), new Array(tape[at++])];
        for (const list of [names, subnames]) {
          for (let place = 0; place < list.length; place += 1) list[place] = someText();
        }
        return new NodePath(names, subnames, isAbsolute);
      }
      case 23: return new RID(wide(asUnsigned));
      case 24: return object(flags);
      case 25: return new Callable();
      case 26: {
        const name = someText();
        return new Signal(name, wide(asUnsigned));
      }
      case 27: return dictionary(flags);
      case 28:
      case 29:
      case 30: return array(kind, flags);
      case 31: return packed(Uint8Array);
      case 32: return packed(Int32Array);
      case 33: return packed(BigInt64Array);
      case 34: return packed(Float32Array);
      case 35: return packed(Float64Array);
      case 36: {
        const texts = new PackedStringArray();
        for (let count = tape[at++]; count > 0; count -= 1) texts.push(someText());
        return texts;
      }
      default: {
        if (kind < 31) return math(kind, flags !== 0);
        const name = KINDS[kind];
        const [, size, isInt] = PACKED[name];
        const start = tape[at++];
        const Class = isInt ? Int32Array : flags ? Float64Array : Float32Array;
        return new PackedArray(name, numbers(Class, start + 4, view.getUint32(start, true) * size), flags !== 0);
      }
    }
  }

  /**
   * Bytes from outside: a Uint8Array, also of another window or context, or of a class that extends it. A
   * Buffer, for example, has other methods of the same names, so what is returned is always a plain one.
   */
  function checked(bytes) {
    if (bytes instanceof ArrayBuffer) throw new TypeError("bytes are a Uint8Array: new Uint8Array(buffer)");
    if (typeof bytes === "string") throw new TypeError("bytes are a Uint8Array, not a string: read the file first");
    if (bytes?.[Symbol.toStringTag] !== "Uint8Array") {
      const given = Array.isArray(bytes) ? "an array: Uint8Array.from(array)" : `${bytes?.constructor?.name ?? bytes}`;
      throw new TypeError(`bytes are a Uint8Array, not ${given}`);
    }
    // Another thread may change what is shared while it is read.
    if (typeof SharedArrayBuffer !== "undefined" && bytes.buffer instanceof SharedArrayBuffer) return Uint8Array.from(bytes);
    if (Object.getPrototypeOf(bytes) === Uint8Array.prototype) return bytes;
    return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Reads the value that bytes are. */
  function parse(given, options) {
    const number = dialectNumber(options);
    const bytes = checked(given);
    const place = wasm.input(bytes.length) >>> 0;
    new Uint8Array(memory.buffer, place, bytes.length).set(bytes);
    wasm.decode(number, Math.min(intOf(options?.maxDepth ?? 1024, "maxDepth", 0), 1024));
    // Nothing below calls the module, so its memory stays where it is.
    tape = new Uint32Array(memory.buffer, wasm.tape() >>> 0);
    input = bytes;
    view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    exact = options?.exact ?? false;
    at = 0;
    try {
      return value();
    } finally {
      input = view = tape = undefined;
    }
  }

  // ---- Writing ----

  // The input of `encode` lies in the module's memory. `words` and `heap` show it; when that memory grows,
  // they become empty and are made again.
  let words = new Uint32Array(0);
  let wordCount = 0;
  let wordCapacity = 256;
  let heap = new Uint8Array(0);
  let heapLength = 0;
  let heapCapacity = 4096;

  const show = () => {
    const [wordsAt, heapAt] = [wasm.words(wordCapacity) >>> 0, wasm.heap(heapCapacity) >>> 0];
    words = new Uint32Array(memory.buffer, wordsAt, wordCapacity);
    heap = new Uint8Array(memory.buffer, heapAt, heapCapacity);
  };
  const put = (word) => {
    if (wordCount >= words.length) {
      if (wordCount >= wordCapacity) wordCapacity *= 2;
      show();
    }
    words[wordCount++] = word;
  };
  const room = (length) => {
    // After the memory has grown, nothing fits, not even nothing.
    if (heapLength + length > heap.length || heap.length === 0) {
      if (heapLength + length > heapCapacity) heapCapacity = 2 * (heapLength + length);
      show();
    }
  };
  const putWide = () => { put(halves[0]); put(halves[1]); };
  const putFloat = (number) => { asFloat[0] = number; putWide(); };
  const putInt = (number) => { asInt[0] = BigInt(number); putWide(); };
  const putId = (number) => {
    const id = BigInt(number);
    if (BigInt.asIntN(64, id) !== id && BigInt.asUintN(64, id) !== id) throw new RangeError(`${id} has more than 64 bits`);
    asUnsigned[0] = id;
    putWide();
  };
  const putText = (string) => {
    if (typeof string !== "string") throw new TypeError(`a text is a string, not ${typeof string}`);
    const { length } = string;
    room(3 * length);
    if (length <= 32) {
      let place = 0;
      for (; place < length; place += 1) {
        const unit = string.charCodeAt(place);
        if (unit > 127) break;
        heap[heapLength + place] = unit;
      }
      if (place === length) {
        put(heapLength);
        put(length);
        heapLength += length;
        return;
      }
    }
    checkText(string);
    const { written } = encoder.encodeInto(string, heap.subarray(heapLength));
    put(heapLength);
    put(written);
    heapLength += written;
  };
  const putBytes = (array) => {
    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
    room(bytes.length);
    heap.set(bytes, heapLength);
    put(heapLength);
    put(bytes.length);
    heapLength += bytes.length;
  };
  const putType = (type) => {
    if (type === undefined) { put(0); put(0); put(0); return; }
    if (type.form === "kind") {
      put(1);
      if (!(type.name in NUMBER)) throw new TypeError(`no kind is called ${type.name}`);
      put(NUMBER[type.name]);
      put(0);
    } else if (type.form === "class" || type.form === "script") {
      put(type.form === "class" ? 2 : 3);
      putText(type.name);
    } else {
      throw new TypeError(`the form of an element type is "kind", "class" or "script", not ${type.form}`);
    }
  };

  const check = (number, problem) => {
    if (typeof number !== "number") throw new TypeError(`${problem}, not ${typeof number}`);
    return number;
  };
  const reals = (kind, ...parts) => {
    put(NUMBER[kind]);
    for (const part of parts) putFloat(check(part, `${kind} consists of numbers`));
  };
  const ints = (kind, ...parts) => {
    for (const part of parts) {
      if ((part | 0) !== part) throw new RangeError(`${kind} consists of 32-bit integers`);
    }
    reals(kind, ...parts);
  };
  const xyz = ({ x, y, z }) => [x, y, z];
  const xyzw = ({ x, y, z, w }) => [x, y, z, w];
  const rows = ({ rows: all }) => {
    if (all.length !== 3) throw new TypeError(`a Basis has three rows, not ${all.length}`);
    return all.flatMap(xyz);
  };

  const WRITERS = new Map([
    [Vector2, ({ x, y }) => {
      put(5);
      putFloat(check(x, "Vector2 consists of numbers"));
      putFloat(check(y, "Vector2 consists of numbers"));
    }],
    [Vector2i, ({ x, y }) => ints("Vector2i", x, y)],
    [Vector3, ({ x, y, z }) => {
      put(9);
      putFloat(check(x, "Vector3 consists of numbers"));
      putFloat(check(y, "Vector3 consists of numbers"));
      putFloat(check(z, "Vector3 consists of numbers"));
    }],
    [Vector3i, (it) => ints("Vector3i", ...xyz(it))],
    [Vector4, (it) => reals("Vector4", ...xyzw(it))],
    [Vector4i, (it) => ints("Vector4i", ...xyzw(it))],
    [Quaternion, (it) => reals("Quaternion", ...xyzw(it))],
    [Color, ({ r, g, b, a }) => reals("Color", r, g, b, a)],
    [Rect2, ({ position, size }) => reals("Rect2", position.x, position.y, size.x, size.y)],
    [Rect2i, ({ position, size }) => ints("Rect2i", position.x, position.y, size.x, size.y)],
    [AABB, ({ position, size }) => reals("AABB", ...xyz(position), ...xyz(size))],
    [Plane, ({ normal, d }) => reals("Plane", ...xyz(normal), d)],
    [Transform2D, ({ x, y, origin }) => reals("Transform2D", x.x, x.y, y.x, y.y, origin.x, origin.y)],
    [Basis, (it) => reals("Basis", ...rows(it))],
    [Transform3D, ({ basis, origin }) => reals("Transform3D", ...rows(basis), ...xyz(origin))],
    [Projection, ({ x, y, z, w }) => reals("Projection", ...[x, y, z, w].flatMap(xyzw))],
    [Float, ({ value }) => { put(3); putFloat(check(value, "Float consists of a number")); }],
    [StringName, ({ text }) => { put(21); putText(text); }],
    [NodePath, ({ names, subnames, isAbsolute }) => {
      put(22);
      put(isAbsolute ? 1 : 0);
      put(names.length);
      put(subnames.length);
      names.forEach(putText);
      subnames.forEach(putText);
    }],
    [RID, ({ id }) => { put(23); putId(id); }],
    [ObjectID, ({ id }) => { put(24 | 0x100); putId(id); }],
    [GodotObject, ({ className, properties }, depth) => {
      if (className === "") { put(24); return; }
      put(24 | 0x200);
      put(properties.length);
      putText(className);
      for (const [name, content] of properties) {
        putText(name);
        write(content, depth);
      }
    }],
    [Callable, () => put(25)],
    [Signal, ({ name, objectId }) => { put(26); putText(name); putId(objectId); }],
    [Array, (it, depth) => { put(28); put(it.length); for (const element of it) write(element, depth); }],
    [TypedArray, (it, depth) => {
      const kind = it.kind ?? "Array";
      if (!["Array", "TypedArray", "PackedTypedArray"].includes(kind)) throw new TypeError(`no kind of TypedArray is called ${kind}`);
      put(NUMBER[kind] | 0x100);
      put(it.length);
      putType(it.elementType);
      putType(undefined);
      for (const element of it) write(element, depth);
    }],
    [Map, (it, depth) => { put(27); put(it.size); for (const [name, content] of it) { write(name, depth); write(content, depth); } }],
    [TypedDictionary, (it, depth) => {
      put(27 | 0x100);
      put(it.size);
      putType(it.keyType);
      putType(it.valueType);
      for (const [name, content] of it) { write(name, depth); write(content, depth); }
    }],
    [PackedStringArray, (it) => { put(36); put(it.length); for (const string of it) putText(string); }],
    [Uint8Array, (it) => { put(31); putBytes(it); }],
    [Int32Array, (it) => { put(32); putBytes(it); }],
    [BigInt64Array, (it) => { put(33); putBytes(it); }],
    [Float32Array, (it) => { put(34); putBytes(it); }],
    [Float64Array, (it) => { put(35); putBytes(it); }],
    [PackedArray, ({ kind, numbers: array, wide: wasWide }) => {
      const [, size, isInt] = PACKED[kind];
      const hasDoubles = array instanceof Float64Array;
      if (!(isInt ? array instanceof Int32Array : hasDoubles || array instanceof Float32Array) || array.length % size) {
        throw new TypeError(`${kind} takes ${isInt ? "an Int32Array" : "a Float32Array or Float64Array"} of whole elements`);
      }
      put(NUMBER[kind] | (hasDoubles ? (wasWide ? 0x100 : 0x200) : 0));
      putBytes(array);
    }],
  ]);
  if (typeof Buffer !== "undefined") WRITERS.set(Buffer, WRITERS.get(Uint8Array));

  function write(content, depth) {
    if (depth > 1025) throw new RangeError("the value is nested too deep: more than 1,024 containers");
    switch (typeof content) {
      case "string": put(4); putText(content); return;
      case "number":
        if (Number.isSafeInteger(content) && !Object.is(content, -0)) {
          put(2);
          put(content >>> 0);
          put(Math.floor(content / 0x100000000) >>> 0);
        } else {
          put(3);
          putFloat(content);
        }
        return;
      case "boolean": put(1); put(content ? 1 : 0); return;
      case "bigint":
        if (BigInt.asIntN(64, content) !== content) throw new RangeError(`${content} has more than 64 bits`);
        put(2);
        putInt(content);
        return;
      case "object": break;
      case "undefined": put(0); return;
      default: throw new TypeError(`no Variant corresponds to a ${typeof content}`);
    }
    if (content === null) { put(0); return; }
    const prototype = Object.getPrototypeOf(content);
    if (prototype === Object.prototype || prototype === null) {
      const names = Object.keys(content);
      put(27);
      put(names.length);
      for (const name of names) {
        put(4);
        putText(name);
        write(content[name], depth + 1);
      }
      return;
    }
    const writer = WRITERS.get(content.constructor);
    if (!writer) throw new TypeError(`no Variant corresponds to the class ${content.constructor?.name}`);
    writer(content, depth + 1);
  }

  /** Writes a value as bytes. */
  function encode(content, options) {
    const number = dialectNumber(options);
    // A getter in a value may call `encode`: its words and bytes stand after those that are there.
    const [firstWord, firstByte] = [wordCount, heapLength];
    try {
      write(content, 0);
      return wasm.encode(number, firstWord, wordCount, heapLength);
    } finally {
      [wordCount, heapLength] = [firstWord, firstByte];
    }
  }

  /** Puts the pieces of a stream together and returns its frames. */
  class FrameReader {
    #frames;
    constructor(limit) {
      this.#frames = new wasm.FrameReader(limit === undefined ? limit : intOf(limit, "the limit", 0, 0xffffffff));
    }
    push(piece) { this.#frames.push(checked(piece)); }
    /** The next whole frame, without its length; undefined until more is pushed. */
    next() { return this.#frames.next(); }
    get needed() { return this.#frames.needed; }
    free() { this.#frames.free(); this.#frames = FREED; }
  }

  /** Finds where values end in a stream without lengths. */
  class Scanner {
    #scanner;
    constructor(options) { this.#scanner = new wasm.Scanner(dialectNumber(options)); }
    /** How many bytes of the piece belong to the value that ends in it; undefined if it goes on. */
    push(piece) { return this.#scanner.push(checked(piece)); }
    free() { this.#scanner.free(); this.#scanner = FREED; }
  }

  return {
    parse,
    encode,
    dialects,
    dialectNumber,
    checked,
    textOf,
    intOf,
    FREED,
    FrameReader,
    Scanner,
  };
}
