/** The engine that wrote bytes, or is to read them. */
export type Dialect = "godot3" | "godot4" | "pandemonium4" | "pandemonium5";

export interface DialectOptions {
  /** "godot4" if it is missing. */
  dialect?: Dialect;
  /** Whether the engine was built with double precision. */
  double?: boolean;
}

export interface ParseOptions extends DialectOptions {
  /** Reads floats without a fraction as `Float`, so that every value comes back as the same bytes. */
  exact?: boolean;
  /** How many containers may be nested: up to 1,024. */
  maxDepth?: number;
}

/** A value of Godot: `parse` returns it, and `encode` takes it. */
export type Variant =
  | null | undefined | boolean | number | bigint | string
  | Variant[] | { [key: string]: Variant } | Map<Variant, Variant>
  | Uint8Array | Int32Array | BigInt64Array | Float32Array | Float64Array
  | PackedArray | PackedStringArray | TypedArray | TypedDictionary
  | Vector2 | Vector2i | Vector3 | Vector3i | Vector4 | Vector4i | Quaternion | Color | Rect2 | Rect2i | AABB
  | Plane | Transform2D | Basis | Transform3D | Projection
  | Float | StringName | NodePath | RID | ObjectID | Callable | Signal | GodotObject;

/** A value that `encode` takes: a `Variant`, and interfaces and read-only arrays of such. */
export type Encodable<T> = T extends Variant ? T
  : T extends (...parameters: never[]) => unknown ? never
  : T extends object ? { readonly [Name in keyof T]: Encodable<T[Name]> }
  : never;

/** Bytes in memory of their own, which `WebSocket.send` takes. */
export type Bytes = ReturnType<typeof Uint8Array.of>;

/** An error of `parse` or `encode`. */
export interface GdwireError extends Error {
  name: "GdwireError";
  /** The byte where the problem is. */
  offset?: number;
  /** The place in the value, such as "/cells/1". */
  path: string;
}

/** Reads the value that the bytes are. Throws a GdwireError. */
export function parse(bytes: Uint8Array, options?: ParseOptions): Variant;
/** Writes a value as bytes, as an engine of the dialect writes it. Throws a GdwireError. */
export function encode<T>(value: T & Encodable<T>, options?: DialectOptions): Bytes;
export const dialects: Dialect[];

/** Puts the pieces of a stream together and returns its frames. */
export class FrameReader {
  /** `limit` is the length of the longest frame. */
  constructor(limit?: number);
  push(piece: Uint8Array): void;
  /** The next whole frame, without its length. */
  next(): Bytes | undefined;
  readonly needed: number;
  free(): void;
}

/** Finds where values end in a stream without lengths. */
export class Scanner {
  constructor(options?: DialectOptions);
  /** How many bytes of the piece belong to the value that ends in it; undefined if it goes on. */
  push(piece: Uint8Array): number | undefined;
  free(): void;
}

export class Vector2 { constructor(x: number, y: number); x: number; y: number; }
export class Vector2i { constructor(x: number, y: number); x: number; y: number; }
export class Vector3 { constructor(x: number, y: number, z: number); x: number; y: number; z: number; }
export class Vector3i { constructor(x: number, y: number, z: number); x: number; y: number; z: number; }
export class Vector4 { constructor(x: number, y: number, z: number, w: number); x: number; y: number; z: number; w: number; }
export class Vector4i { constructor(x: number, y: number, z: number, w: number); x: number; y: number; z: number; w: number; }
export class Quaternion { constructor(x: number, y: number, z: number, w: number); x: number; y: number; z: number; w: number; }
export class Color { constructor(r: number, g: number, b: number, a: number); r: number; g: number; b: number; a: number; }
export class Rect2 { constructor(position: Vector2, size: Vector2); position: Vector2; size: Vector2; }
export class Rect2i { constructor(position: Vector2i, size: Vector2i); position: Vector2i; size: Vector2i; }
export class AABB { constructor(position: Vector3, size: Vector3); position: Vector3; size: Vector3; }
export class Plane { constructor(normal: Vector3, d: number); normal: Vector3; d: number; }
export class Transform2D { constructor(x: Vector2, y: Vector2, origin: Vector2); x: Vector2; y: Vector2; origin: Vector2; }
/** A matrix, as it is sent: by rows. The axes are its columns. */
export class Basis { constructor(first: Vector3, second: Vector3, third: Vector3); rows: Vector3[]; }
export class Transform3D { constructor(basis: Basis, origin: Vector3); basis: Basis; origin: Vector3; }
export class Projection { constructor(x: Vector4, y: Vector4, z: Vector4, w: Vector4); x: Vector4; y: Vector4; z: Vector4; w: Vector4; }
/** A float without a fraction, which a number of JavaScript would turn into an int. */
export class Float { constructor(value: number); value: number; valueOf(): number; }
/** A string that the engine keeps in memory only once. */
export class StringName { constructor(text: string); text: string; toString(): string; }
/** A path in the scene tree: names, then subnames that lead into a node's properties. */
export class NodePath {
  constructor(names: string[], subnames?: string[], isAbsolute?: boolean);
  names: string[];
  subnames: string[];
  isAbsolute: boolean;
  toString(): string;
}
export class RID { constructor(id: bigint); id: bigint; }
/** An object that was sent as its id in the process that sent it. */
export class ObjectID { constructor(id: bigint); id: bigint; }
/** A function to call, of which the engines send only that it is one. */
export class Callable { private readonly isCallable; }
export class Signal { constructor(name: string, objectId: bigint); name: string; objectId: bigint; }
/** An object with its class and its properties. No class: the object null. */
export class GodotObject {
  constructor(className?: string, properties?: [string, Variant][]);
  className: string;
  properties: [string, Variant][];
}
/** The declared type of a container's elements. */
export class ElementType {
  constructor(form: "kind" | "class" | "script", name: string);
  form: "kind" | "class" | "script";
  name: string;
}
/** An array whose elements have a declared type. */
export class TypedArray extends Array<Variant> {
  static withType(elements: Iterable<Variant>, elementType?: ElementType, kind?: "Array" | "TypedArray" | "PackedTypedArray"): TypedArray;
  elementType?: ElementType;
  kind: "Array" | "TypedArray" | "PackedTypedArray";
}
/** A dictionary whose keys and values have declared types. */
export class TypedDictionary extends Map<Variant, Variant> {
  constructor(entries?: Iterable<[Variant, Variant]>, keyType?: ElementType, valueType?: ElementType);
  keyType?: ElementType;
  valueType?: ElementType;
}
/** A packed array of strings. */
export class PackedStringArray extends Array<string> {}
/** A packed array of vectors or colours: their numbers, which lie in the bytes that were read. */
export class PackedArray<T = Vector2 | Vector2i | Vector3 | Vector3i | Vector4 | Vector4i | Color> implements Iterable<T> {
  constructor(kind: string, numbers: Float32Array | Float64Array | Int32Array, wide?: boolean);
  kind: string;
  numbers: Float32Array | Float64Array | Int32Array;
  /** Whether the numbers had eight bytes on the wire. */
  wide: boolean;
  readonly length: number;
  at(index: number): T | undefined;
  [Symbol.iterator](): Iterator<T>;
}
