/**
 * Snapshots of `hash_ring.ts` as JSON, and the small strict JSON reader behind them. ES2020, no dependency.
 *
 *     const text = toSnapshot(ring);
 *     const same = fromSnapshot(text);                   // or fromSnapshot(readFileSync(path)): the file's bytes
 *
 * A snapshot holds V, the hash's name, the nodes with their weights and the fingerprint; never the tokens.
 * `JSON.parse` keeps the last of two members with one name, shows 1.0 as 1 and lets lone surrogates pass. Each of
 * these is refused here, so the text goes through a parser of its own, which knows the place it is at.
 */

import { DEFAULT_VNODES_PER_WEIGHT, HASH_NAME, HashRing, RingError, utf8 } from "./hash_ring.js";
import type { Change, RingOptions } from "./hash_ring.js";

/** The text is no snapshot of version 1, or the ring built from it is another one. The message names the place. */
export class SnapshotError extends RingError {
  override name = "SnapshotError";
}

/** The ring as a JSON document, with its fingerprint. */
export function toSnapshot(ring: HashRing): string {
  const nodes = ring.nodes().map(({ id, weight }) => `\n    { "id": ${quoted(id)}, "weight": ${weight} }`);
  return [
    `{\n  "format": "hash-ring",\n  "version": 1,\n  "hash": "${HASH_NAME}",`,
    `  "vnodes_per_weight": ${ring.vnodesPerWeight},\n  "nodes": [${nodes.join(",")}${nodes.length > 0 ? "\n  " : ""}],`,
    `  "fingerprint": "${hex(ring.fingerprint())}"\n}\n`,
  ].join("\n");
}

/**
 * The ring that a snapshot describes: a string, or its UTF-8 bytes (better: reading a file as text hides bytes that
 * are no UTF-8). Throws `SnapshotError`, or `TokenLimitError` before anything is allocated. O(M log M).
 */
export function fromSnapshot(text: string | Uint8Array, options: RingOptions = {}): HashRing {
  const { vnodesPerWeight, nodes, fingerprint } = readSnapshot(text);
  const ring = new HashRing(vnodesPerWeight, options);
  ring.apply(nodes);
  if (fingerprint === undefined) return ring;
  const found = hex(ring.fingerprint());
  if (fingerprint === found) return ring;
  throw new SnapshotError(`fingerprint: the snapshot states ${fingerprint}, the ring built from it has ${found}`);
}

const U32_MAX = 0xffff_ffff;
const hex = (value: bigint): string => value.toString(16).padStart(16, "0");
const quoted = (text: string): string => JSON.stringify(text);

/** A number keeps its text: no snapshot needs more than a plain integer, and 1.0 must not pass for one. */
class JsonNumber {
  constructor(readonly text: string) {}
}
type Json = null | boolean | string | JsonNumber | Json[] | Map<string, Json>;

class JsonReader {
  private at = 0;
  constructor(private readonly text: string) {}

  document(): Json {
    if (this.text.startsWith("\ufeff")) throw this.error("a byte-order mark is not allowed");
    const value = this.value("", 0);
    if (this.at < this.text.length) throw this.error("text after the end");
    return value;
  }
  private error(what: string): SnapshotError {
    const before = this.text.slice(0, this.at).split("\n");
    return new SnapshotError(`line ${before.length}, column ${before[before.length - 1]!.length + 1}: ${what}`);
  }
  private match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0];
    this.at += found?.length ?? 0;
    return found;
  }
  /** Whether `mark` comes next; it is skipped then, and the white space around it in any case. */
  private skip(mark: string): boolean {
    this.match(/[ \t\n\r]*/y);
    if (mark === "" || !this.text.startsWith(mark, this.at)) return false;
    this.at += mark.length;
    this.match(/[ \t\n\r]*/y);
    return true;
  }
  private value(place: string, depth: number): Json {
    if (depth > 32) throw this.error("nested too deeply");
    if (this.skip("[")) return this.list(place, depth);
    if (this.skip("{")) return this.object(place, depth);
    const value = this.text[this.at] === '"' ? this.string() : this.plain();
    this.skip("");
    return value;
  }
  private list(place: string, depth: number): Json[] {
    const items: Json[] = [];
    if (this.skip("]")) return items;
    do items.push(this.value(`${place}[${items.length}]`, depth + 1));
    while (this.skip(","));
    if (!this.skip("]")) throw this.error("',' or ']' is needed");
    return items;
  }
  private object(place: string, depth: number): Map<string, Json> {
    const members = new Map<string, Json>();
    if (this.skip("}")) return members;
    do {
      if (this.text[this.at] !== '"') throw this.error("a member's name is needed");
      const name = this.string();
      if (members.has(name)) throw this.error(`${place || "snapshot"}: field ${quoted(name)} stands twice`);
      if (!this.skip(":")) throw this.error("':' is needed");
      members.set(name, this.value(place ? `${place}.${name}` : name, depth + 1));
    } while (this.skip(","));
    if (!this.skip("}")) throw this.error("',' or '}' is needed");
    return members;
  }
  private plain(): Json {
    const number = this.match(/-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y);
    if (number !== undefined) return new JsonNumber(number);
    const word = this.match(/true|false|null/y);
    if (word === undefined) throw this.error("a value is needed");
    return word === "null" ? null : word === "true";
  }
  private string(): string {
    let end = this.at + 1;
    while (end < this.text.length && this.text[end] !== '"') end += this.text[end] === "\\" ? 2 : 1;
    try {
      // One string literal is what JSON.parse reads strictly: escapes, control characters, a missing quote.
      const value = JSON.parse(this.text.slice(this.at, end + 1)) as string;
      utf8(value, "string"); // refuses unpaired surrogates
      this.at = end + 1;
      return value;
    } catch (error) {
      throw this.error(error instanceof RingError ? error.message : "the string is not well-formed");
    }
  }
}

// Part of every platform with ES2020, though not of its standard library; `fatal` refuses what is no UTF-8.
declare const TextDecoder: new (
  encoding: string,
  options: { fatal: boolean; ignoreBOM: boolean },
) => { decode(bytes: Uint8Array): string };

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new SnapshotError("the snapshot is not UTF-8");
  }
}

/** A value as an error shows it. */
function shown(value: Json): string {
  if (value instanceof JsonNumber) return value.text.slice(0, 80);
  if (value instanceof Map) return "an object";
  return Array.isArray(value) ? "an array" : quoted(String(value)).slice(0, 80);
}

function fields(value: Json, place: string, allowed: string[], required: string[]): Map<string, Json> {
  if (!(value instanceof Map)) throw new SnapshotError(`${place}: an object is needed, not ${shown(value)}`);
  for (const name of value.keys()) {
    if (!allowed.includes(name)) {
      throw new SnapshotError(`${place}: unknown field ${quoted(name)}; version 1 has ${allowed.join(", ")}`);
    }
  }
  for (const name of required) {
    if (!value.has(name)) throw new SnapshotError(`${place}: field ${quoted(name)} is missing`);
  }
  return value;
}

function readText(value: Json | undefined, place: string): string {
  if (typeof value !== "string") throw new SnapshotError(`${place}: a string is needed, not ${shown(value ?? null)}`);
  return value;
}

function readCount(value: Json | undefined, place: string, otherwise: number): number {
  if (value === undefined) return otherwise;
  const text = value instanceof JsonNumber ? value.text : "";
  if (!/^[1-9][0-9]{0,9}$/.test(text) || Number(text) > U32_MAX) {
    throw new SnapshotError(`${place}: a plain integer from 1 to ${U32_MAX} is needed, not ${shown(value)}`);
  }
  return Number(text);
}

function readSnapshot(text: string | Uint8Array): {
  vnodesPerWeight: number;
  nodes: Change[];
  fingerprint: string | undefined;
} {
  const document = new JsonReader(typeof text === "string" ? text : decode(text)).document();
  const names = ["format", "version", "hash", "vnodes_per_weight", "nodes", "fingerprint"];
  const top = fields(document, "snapshot", names, ["format", "version", "nodes"]);
  if (top.get("format") !== "hash-ring") {
    throw new SnapshotError(`format: "hash-ring" is needed, not ${shown(top.get("format")!)}`);
  }
  if (readCount(top.get("version"), "version", 1) !== 1) {
    throw new SnapshotError(`version: 1 is needed, not ${shown(top.get("version")!)}`);
  }
  const hash = top.has("hash") ? readText(top.get("hash"), "hash") : HASH_NAME;
  if (hash !== HASH_NAME) {
    throw new SnapshotError(`hash: the snapshot was made with ${quoted(hash)}, this ring has ${quoted(HASH_NAME)}`);
  }
  const vnodesPerWeight = readCount(top.get("vnodes_per_weight"), "vnodes_per_weight", DEFAULT_VNODES_PER_WEIGHT);
  const list = top.get("nodes")!;
  if (!Array.isArray(list)) throw new SnapshotError(`nodes: an array is needed, not ${shown(list)}`);
  const seen = new Set<string>();
  const nodes = list.map((item, at): Change => {
    const node = fields(item, `nodes[${at}]`, ["id", "weight"], ["id"]);
    const id = readText(node.get("id"), `nodes[${at}].id`);
    if (seen.has(id)) throw new SnapshotError(`nodes[${at}].id: node ${quoted(id)} stands twice`);
    seen.add(id);
    return { op: "add", id, weight: readCount(node.get("weight"), `nodes[${at}].weight`, 1) };
  });
  if (!top.has("fingerprint")) return { vnodesPerWeight, nodes, fingerprint: undefined };
  const fingerprint = readText(top.get("fingerprint"), "fingerprint");
  if (!/^[0-9a-fA-F]{16}$/.test(fingerprint)) {
    throw new SnapshotError(`fingerprint: 16 hexadecimal digits are needed, not ${shown(fingerprint)}`);
  }
  return { vnodesPerWeight, nodes, fingerprint: fingerprint.toLowerCase() };
}
