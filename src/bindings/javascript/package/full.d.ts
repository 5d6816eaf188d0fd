import type { Bytes, Dialect, DialectOptions, Encodable, ParseOptions, Variant } from "./index.js";
export * from "./index.js";

export interface CaptureOptions {
  /** The files of the game's project: their paths from the folder of `project.godot`, which is one of them, and their contents. */
  project?: Map<string, Uint8Array | string> | { [path: string]: Uint8Array | string };
  /** A list of methods by hand. */
  methods?: string;
  /** The dialect, the width of reals and the transport. Those that are missing are detected. */
  dialect?: Dialect;
  double?: boolean;
  transport?: string;
}

/** A message, as `gdwire decode --format ndjson` writes it. Ints beyond 2^53 are BigInts. */
export interface CapturedMessage {
  frame?: number;
  time?: string | null;
  transport?: string;
  src?: string;
  dst?: string;
  offset?: number;
  len?: number;
  kind?: string;
  value?: unknown;
  rpc?: { command: string; [key: string]: unknown };
  lost?: string;
  damaged?: string;
  [key: string]: unknown;
}

/** With the keys `lost` and `damaged`, what was lost or is damaged is among the messages, unless `losses` is false. */
export function messages(
  bytes: Uint8Array,
  options?: CaptureOptions & { values?: "plain" | "native"; losses?: boolean },
): IterableIterator<CapturedMessage>;
export function stats(bytes: Uint8Array, options?: CaptureOptions & { name?: string }): { messages: number; [key: string]: unknown };
export function diagnose(bytes: Uint8Array, options?: CaptureOptions & { name?: string }): { findings: { kind: string; [key: string]: unknown }[]; [key: string]: unknown };
/** A page of HTML with plots. */
export function report(bytes: Uint8Array, options?: CaptureOptions & { name?: string }): string;

/**
 * Reads a capture that arrives in pieces. With `losses`, what was lost or is damaged is among the messages, as
 * `messages` has it.
 */
export class CaptureReader {
  constructor(options?: CaptureOptions & {
    name?: string; messages?: boolean; losses?: boolean; native?: boolean; stats?: boolean; diagnosis?: boolean; report?: boolean;
  });
  /**
   * Reads the next piece of the file only for what its packets show about the names of the project. If the
   * whole file is scanned first, and pushed after that, the results are those of `messages` and `stats`.
   */
  scan(piece: Uint8Array): void;
  /**
   * Reads the next piece of the file. Throws if the file is not a capture. All pieces after that are ignored, and so
   * are those after a damaged place, which `losses` has as a message.
   */
  push(piece: Uint8Array): void;
  finish(): void;
  /** The messages since the last call, each as JSON. */
  lines(): string[];
  /** The messages since the last call. */
  messages(): CapturedMessage[];
  stats(): ReturnType<typeof stats>;
  diagnosis(): ReturnType<typeof diagnose>;
  report(): string;
  free(): void;
}

/** A peer of a multiplayer game, without sockets: the server, or with an `id` a client. */
export class Session {
  constructor(options?: Pick<CaptureOptions, "project" | "methods" | "dialect" | "double"> & Pick<ParseOptions, "exact"> & { id?: number });
  connected(peer: number): void;
  disconnected(peer: number): void;
  receive(peer: number, packet: Uint8Array, channel?: number): void;
  handleTime(milliseconds: number): void;
  /** Calls a method of a node on a peer; 0 stands for all others. */
  call<T extends unknown[]>(target: number, path: string, method: string, ...args: T & Encodable<T>): void;
  packets(): IterableIterator<{ to: number; channel: number; mode: string; bytes: Bytes }>;
  events(): IterableIterator<
    | { kind: "call"; peer: number; path: string; method: string; args: Variant[] }
    | { kind: "set"; peer: number; path: string; property: string; args: Variant[] }
    | { kind: "bytes"; peer: number; bytes: Bytes }
    | { kind: "connected" | "disconnected" | "mismatch" | "refused" | "other"; peer: number; path: string; text: string }
  >;
  free(): void;
}

export function toJson(bytes: Uint8Array, options?: DialectOptions & { values?: "native" | "plain" }): string;
export function fromJson(text: string, options?: DialectOptions): Bytes;
export function toText(bytes: Uint8Array, options?: DialectOptions): string;
export function fromText(text: string, options?: DialectOptions): Bytes;
/** The dialects that read the bytes best. */
export function detect(bytes: Uint8Array): Dialect[];
/** Explains each byte of a value. */
export function explain(bytes: Uint8Array, options?: DialectOptions): {
  offset: number; len: number; depth: number; name: string; value: string; valid: boolean;
}[];
/** The bytes that another engine writes for the same value. */
export function convert(bytes: Uint8Array, options: {
  from?: Dialect; to: Dialect; fromDouble?: boolean; toDouble?: boolean; lossy?: boolean;
}): Bytes;
