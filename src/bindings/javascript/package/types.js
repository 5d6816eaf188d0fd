// The types of Godot that JavaScript lacks, with their names in Godot 4.

export class Vector2 { constructor(x, y) { this.x = x; this.y = y; } }
export class Vector2i { constructor(x, y) { this.x = x; this.y = y; } }
export class Vector3 { constructor(x, y, z) { this.x = x; this.y = y; this.z = z; } }
export class Vector3i { constructor(x, y, z) { this.x = x; this.y = y; this.z = z; } }
export class Vector4 { constructor(x, y, z, w) { this.x = x; this.y = y; this.z = z; this.w = w; } }
export class Vector4i { constructor(x, y, z, w) { this.x = x; this.y = y; this.z = z; this.w = w; } }
export class Quaternion { constructor(x, y, z, w) { this.x = x; this.y = y; this.z = z; this.w = w; } }
export class Color { constructor(r, g, b, a) { this.r = r; this.g = g; this.b = b; this.a = a; } }
export class Rect2 { constructor(position, size) { this.position = position; this.size = size; } }
export class Rect2i { constructor(position, size) { this.position = position; this.size = size; } }
export class AABB { constructor(position, size) { this.position = position; this.size = size; } }
export class Plane { constructor(normal, d) { this.normal = normal; this.d = d; } }
export class Transform2D { constructor(x, y, origin) { this.x = x; this.y = y; this.origin = origin; } }
/** A matrix, as it is sent: by rows. The axes are its columns. */
export class Basis { constructor(...rows) { this.rows = rows; } }
export class Transform3D { constructor(basis, origin) { this.basis = basis; this.origin = origin; } }
export class Projection { constructor(x, y, z, w) { this.x = x; this.y = y; this.z = z; this.w = w; } }

/** A float without a fraction, which a number of JavaScript would turn into an int. */
export class Float {
  constructor(value) { this.value = value; }
  valueOf() { return this.value; }
  toJSON() { return this.value; }
}

/** A string that the engine keeps in memory only once. */
export class StringName {
  constructor(text) { this.text = text; }
  toString() { return this.text; }
  toJSON() { return this.text; }
}

/** A path in the scene tree: names, then subnames that lead into a node's properties. */
export class NodePath {
  constructor(names, subnames = [], isAbsolute = false) {
    if (typeof names === "string") throw new TypeError(`a NodePath is made of a list of names, such as ["Main", "World"], not "${names}"`);
    this.names = names;
    this.subnames = subnames;
    this.isAbsolute = isAbsolute;
  }
  toString() {
    return (this.isAbsolute ? "/" : "") + this.names.join("/") + this.subnames.map((name) => `:${name}`).join("");
  }
  toJSON() { return this.toString(); }
}

export class RID { constructor(id) { this.id = id; } }
/** An object that was sent as its id in the process that sent it. */
export class ObjectID { constructor(id) { this.id = id; } }
export class Callable {}
export class Signal { constructor(name, objectId) { this.name = name; this.objectId = objectId; } }
/** An object with its class and its properties: pairs of a name and a value. No class: the object null. */
export class GodotObject { constructor(className = "", properties = []) { this.className = className; this.properties = properties; } }

/** The declared type of a container's elements: `form` is "kind", "class" or "script". */
export class ElementType { constructor(form, name) { this.form = form; this.name = name; } }

/** An array whose elements have a declared type. Arrays without one are plain arrays. */
export class TypedArray extends Array {
  static get [Symbol.species]() { return Array; }
  static withType(elements, elementType, kind = "Array") {
    const array = new TypedArray();
    for (const element of elements) array.push(element);
    return Object.assign(array, { elementType, kind });
  }
}

/** A dictionary whose keys and values have declared types. */
export class TypedDictionary extends Map {
  constructor(entries = [], keyType = undefined, valueType = undefined) {
    super(entries);
    this.keyType = keyType;
    this.valueType = valueType;
  }
}

/** A packed array of strings. */
export class PackedStringArray extends Array {}

/** A packed array of vectors or colours: their numbers, which lie in the bytes that were read. */
export class PackedArray {
  /** `kind` is such as "PackedVector3Array"; `numbers` a typed array. `wide`: they had eight bytes on the wire. */
  constructor(kind, numbers, wide = false) {
    const shape = PACKED[kind];
    if (!shape) throw new TypeError(`no packed array of vectors is called ${kind}`);
    this.kind = kind;
    this.numbers = numbers;
    this.wide = wide;
  }
  get length() { return this.numbers.length / PACKED[this.kind][1]; }
  at(index) {
    const [Class, size] = PACKED[this.kind];
    const place = (index < 0 ? index + this.length : index) * size;
    return place >= 0 && place < this.numbers.length ? new Class(...this.numbers.subarray(place, place + size)) : undefined;
  }
  *[Symbol.iterator]() {
    for (let index = 0; index < this.length; index += 1) yield this.at(index);
  }
}

/** The class of each packed array's elements, how many numbers they have, and whether these are ints. */
export const PACKED = {
  PackedVector2Array: [Vector2, 2, false],
  PackedVector2iArray: [Vector2i, 2, true],
  PackedVector3Array: [Vector3, 3, false],
  PackedVector3iArray: [Vector3i, 3, true],
  PackedVector4Array: [Vector4, 4, false],
  PackedVector4iArray: [Vector4i, 4, true],
  PackedColorArray: [Color, 4, false],
};
