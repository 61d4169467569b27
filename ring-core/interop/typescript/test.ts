/**
 * Holds hash_ring.ts to the golden vectors: `node dist/test.js TESTDATA_DIRECTORY [CASES.json]...`.
 * Scripts in further files of the format of cases.json are run as well. Exit code 1 where a check fails.
 */

import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";

import * as api from "./hash_ring.js";
import { HashRing, hash64, type Change, type Key, type Token } from "./hash_ring.js";
import { SnapshotError, fromSnapshot, toSnapshot } from "./hash_ring_json.js";

// The vectors' own forms, as testdata/README.md has them.
interface KeyForm {
  key?: string;
  key_hex?: string;
}
interface RingForm {
  hash: string;
  vnodes_per_weight: number;
  nodes: { id: string; weight: number }[];
}
interface Vector {
  name: string;
  ring: RingForm;
}
interface ChangeForm {
  op: string;
  id: string;
  weight?: number;
}
interface Op extends KeyForm {
  op: string;
  expect: unknown;
  id: string;
  weight: number;
  error_index?: number | null;
  changes: ChangeForm[];
  limit: number;
  r: number;
}

const SURROGATE = "\ud800";
let passed = 0;
let failed = 0;
let skipped = 0;

const shown = (value: unknown): string =>
  JSON.stringify(value, (_, v: unknown) => (typeof v === "bigint" ? `${v}n` : v === undefined ? "undefined" : v));

function same(what: string, found: unknown, wanted: unknown): void {
  if (isDeepStrictEqual(found, wanted)) {
    passed++;
  } else if (++failed <= 20) {
    console.log(`FAILED: ${what}: found ${shown(found)}, wanted ${shown(wanted)}`);
  }
}

/** An exception that `test` does not expect is one failed check, and the others still run. */
function run<T>(test: (item: T) => void, item: T, what: string): void {
  try {
    test(item);
  } catch (error) {
    same(what, String(error), "no exception");
  }
}

/** Wants an error of just that class, and returns it so that its fields can be looked at. */
function refused(what: string, name: string, call: () => unknown): Error | undefined {
  try {
    same(what, call(), name);
  } catch (error) {
    same(`${what}: ${(error as Error).message}`, (error as Error).name, name);
    return error as Error;
  }
  return undefined;
}

/** A member that this runner does not know would be a rule left unchecked. */
function known(item: object, ...names: string[]): void {
  const extra = Object.keys(item).filter((name) => !names.includes(name));
  if (extra.length > 0) throw new Error(`a vector has the unknown members ${extra.join(", ")}`);
}

const bytesOf = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, "hex"));
const keyOf = (item: KeyForm): Key => (item.key_hex === undefined ? item.key! : bytesOf(item.key_hex));
const hex = (value: bigint): string => value.toString(16).padStart(16, "0");
const number = (digits: string): bigint => BigInt(`0x${digits}`);

function ringOf(form: RingForm): HashRing {
  const ring = new HashRing(form.vnodes_per_weight);
  for (const { id, weight } of form.nodes) ring.addNode(id, weight);
  return ring;
}

// -------------------------------------------------------------------------------------- golden vectors

function hashes(document: { plain: Record<string, string>[] }): void {
  for (const item of document.plain) {
    const bytes = bytesOf(item["input_hex"]!);
    const what = `hash of ${item["input_hex"]!.slice(0, 80)}`;
    same(what, hex(hash64(bytes)), item[api.HASH_NAME]);
    const text = Buffer.from(bytes).toString("utf8");
    if (Buffer.from(text).equals(bytes)) same(`${what} as text`, hex(hash64(text)), item[api.HASH_NAME]);
  }
}

function tokens(item: Vector & { tokens: [string, string, number][] }): void {
  known(item, "name", "ring", "tokens");
  const name = `tokens.json, ${item.name}`;
  const wanted = item.tokens.map(([hash, nodeId, index]): Token => ({ hash: number(hash), nodeId, index }));
  const ring = ringOf(item.ring);
  same(name, [...ring.tokens()], wanted);
  same(
    `${name}, added the other way round`,
    [...ringOf({ ...item.ring, nodes: [...item.ring.nodes].reverse() }).tokens()],
    wanted,
  );
  const batch = new HashRing(ring.vnodesPerWeight);
  batch.apply(ring.nodes().map(({ id, weight }): Change => ({ op: "add", id, weight })));
  same(`${name}, as one batch`, [...batch.tokens()], wanted);
  wanted.forEach((token, at) => {
    const first = wanted.findIndex(({ hash }) => hash === token.hash);
    same(`${name}, walk from token ${at}`, [...ring.walk(token.hash)], wanted.slice(first).concat(wanted.slice(0, first)));
  });
  // Away and back, by removal and by weight: no token is lost, and none is left over.
  for (const { id, weight } of ring.nodes()) {
    ring.removeNode(id);
    same(`${name}, without ${shown(id)}`, [...ring.tokens()], wanted.filter(({ nodeId }) => nodeId !== id));
    ring.addNode(id, weight + 3);
    ring.setWeight(id, weight);
    same(`${name}, ${shown(id)} back`, [...ring.tokens()], wanted);
  }
}

function owners(item: Vector & { lookups: (KeyForm & { hash: string; owner: string | null })[]; at: [string, string | null][] }): void {
  known(item, "name", "ring", "lookups", "at");
  const ring = ringOf(item.ring);
  for (const lookup of item.lookups) {
    known(lookup, "key", "key_hex", "hash", "owner");
    const what = `owners.json, ${item.name}, key ${shown(lookup.key ?? lookup.key_hex)}`;
    same(`${what}: hash`, hex(hash64(keyOf(lookup))), lookup.hash);
    same(what, ring.getNode(keyOf(lookup)), lookup.owner ?? undefined);
  }
  for (const [hash, owner] of item.at) {
    same(`owners.json, ${item.name}, at ${hash}`, ring.ownerAt(number(hash)), owner ?? undefined);
  }
}

function replicas(item: Vector & { lookups: (KeyForm & { hash: string; r: number; nodes: string[]; shortfall: number })[] }): void {
  known(item, "name", "ring", "lookups");
  const ring = ringOf(item.ring);
  for (const lookup of item.lookups) {
    known(lookup, "key", "key_hex", "hash", "r", "nodes", "shortfall");
    const { r, nodes, shortfall } = lookup;
    const what = `replicas.json, ${item.name}, key ${shown(lookup.key ?? lookup.key_hex)}, r = ${r}`;
    same(what, ring.getReplicas(keyOf(lookup), r), { nodes, shortfall });
    same(`${what}: at`, ring.replicasAt(number(lookup.hash), r), { nodes, shortfall });
  }
}

function fingerprints(item: Vector & { tokens: number; fingerprint: string }): void {
  known(item, "name", "ring", "tokens", "fingerprint");
  const ring = ringOf(item.ring);
  same(`fingerprints.json, ${item.name}: tokens`, ring.tokenCount, item.tokens);
  same(`fingerprints.json, ${item.name}`, hex(ring.fingerprint()), item.fingerprint);
}

interface Document {
  name: string;
  text?: string;
  text_hex?: string;
  hash?: string;
  reason?: string;
  snapshot?: object;
  tokens?: number;
}
function snapshots({ valid, invalid }: { valid: Document[]; invalid: Document[] }): void {
  for (const item of [...valid, ...invalid]) {
    known(item, "name", "text", "text_hex", "hash", "secret_hex", "snapshot", "tokens", "stage", "reason", "hidden");
    if ((item.hash ?? api.HASH_NAME) !== api.HASH_NAME) {
      skipped++;
      continue;
    }
    const forms = item.text === undefined ? [bytesOf(item.text_hex!)] : [item.text, Uint8Array.from(Buffer.from(item.text))];
    for (const form of forms) {
      const what = `snapshots.json, ${item.name}, as ${typeof form}`;
      if (item.reason !== undefined) {
        const error = item.reason === "token limit" ? "TokenLimitError" : "SnapshotError";
        refused(`${what} (${item.reason})`, error, () => fromSnapshot(form));
      } else {
        const ring = fromSnapshot(form);
        same(what, JSON.parse(toSnapshot(ring)), item.snapshot);
        same(`${what}: tokens`, ring.tokenCount, item.tokens);
      }
    }
  }
}

function changeOf({ op, id, weight }: ChangeForm): Change {
  if (op === "remove") return { op, id };
  return { op: op === "set_weight" ? "setWeight" : (op as "add"), id, weight: weight! };
}

/** What an op of a script gives. */
function carryOut(ring: HashRing, op: Op): unknown {
  known(op, "op", "id", "weight", "expect", "error_index", "changes", "limit", "key", "key_hex", "r");
  const outcome = (call: () => void): string => {
    try {
      call();
      return "ok";
    } catch (error) {
      if (!(error instanceof api.RingError)) throw error;
      const wrongPlace = op.error_index !== undefined && error.index !== (op.error_index ?? undefined);
      return wrongPlace ? `error at index ${error.index}: ${error.message}` : "error";
    }
  };
  switch (op.op) {
    case "add":
      return outcome(() => ring.addNode(op.id, op.weight));
    case "set_weight":
      return outcome(() => ring.setWeight(op.id, op.weight));
    case "apply":
      return outcome(() => ring.apply(op.changes.map(changeOf)));
    case "limit":
      return outcome(() => {
        ring.tokenLimit = op.limit;
      });
    case "remove":
      return ring.removeNode(op.id);
    case "tokens":
      return ring.tokenCount;
    case "weight":
      return ring.weight(op.id) ?? null;
    case "get":
      return ring.getNode(keyOf(op)) ?? null;
    case "replicas": {
      const { nodes, shortfall } = ring.getReplicas(keyOf(op), op.r);
      return shortfall === op.r - nodes.length ? nodes : { nodes, shortfall };
    }
    case "fingerprint":
      return hex(ring.fingerprint());
    default:
      throw new Error(`unknown op ${op.op}`);
  }
}

function cases(script: { name: string; vnodes_per_weight: number; ops: Op[] }): void {
  known(script, "name", "vnodes_per_weight", "ops");
  let ring = new HashRing(script.vnodes_per_weight);
  script.ops.forEach((op, at) => {
    if (op.op === "new") {
      ring = new HashRing(script.vnodes_per_weight);
      return;
    }
    const before = [ring.nodes(), ring.tokenLimit];
    same(`${script.name}: op ${at}, ${op.op}`, carryOut(ring, op), op.expect);
    if (op.expect === "error") {
      same(`${script.name}: op ${at} failed, so nothing changed`, [ring.nodes(), ring.tokenLimit], before);
    }
  });
}

// ------------------------------------------------------------------------- what only this port can show

function own(): void {
  const ring = new HashRing(10);
  ring.apply([{ op: "add", id: "a" }, { op: "add", id: "b", weight: 2 }]);
  const state = (): unknown => [ring.nodes(), [...ring.tokens()], ring.fingerprint()];
  const before = state();
  const wrong: [string, string, () => unknown][] = [
    ["an id with a surrogate", "InvalidValueError", () => ring.addNode(SURROGATE)],
    ["its removal", "InvalidValueError", () => ring.removeNode(`x${SURROGATE}`)],
    ["its weight", "InvalidValueError", () => ring.weight("\udc00")],
    ["a new weight for it", "InvalidValueError", () => ring.setWeight("\udc00\ud800", 1)],
    ["a key with a surrogate", "InvalidValueError", () => ring.getNode(`k${SURROGATE}`)],
    ["a key with one before a letter", "InvalidValueError", () => ring.getNode(`${SURROGATE}k`)],
    ["replicas of it", "InvalidValueError", () => ring.getReplicas(SURROGATE, 1)],
    ["a key of another type", "TypeError", () => ring.getNode(7 as unknown as string)],
    ["an id of another type", "TypeError", () => ring.addNode(7 as unknown as string)],
    ["weight 0", "InvalidValueError", () => ring.addNode("c", 0)],
    ["weight 1.5", "InvalidValueError", () => ring.addNode("c", 1.5)],
    ["weight NaN", "InvalidValueError", () => ring.addNode("c", NaN)],
    ["weight 2^32", "InvalidValueError", () => ring.addNode("c", 2 ** 32)],
    ["a weight of another type", "InvalidValueError", () => ring.addNode("c", "1" as unknown as number)],
    ["weight 0 before a known id", "InvalidValueError", () => ring.addNode("a", 0)],
    ["a known id", "DuplicateNodeError", () => ring.addNode("b", 7)],
    ["an unknown id", "UnknownNodeError", () => ring.setWeight("c", 7)],
    ["V = 0", "InvalidValueError", () => new HashRing(0)],
    ["V = 2^32", "InvalidValueError", () => new HashRing(2 ** 32)],
    ["a limit of 2^32", "InvalidValueError", () => new HashRing(1, { tokenLimit: 2 ** 32 })],
    ["r = -1", "InvalidValueError", () => ring.getReplicas("k", -1)],
    ["r = 1.5", "InvalidValueError", () => ring.getReplicas("k", 1.5)],
    ["hash -1", "InvalidValueError", () => ring.ownerAt(-1n)],
    ["hash 2^64", "InvalidValueError", () => ring.ownerAt(1n << 64n)],
    ["a walk from 2^64, before its first step", "InvalidValueError", () => ring.walk(1n << 64n)],
    ["an unknown change", "TypeError", () => ring.apply([{ op: "rename", id: "a" } as unknown as Change])],
  ];
  for (const [what, name, call] of wrong) {
    refused(what, name, call);
    same(`${what}: the ring is as before`, state(), before);
  }

  const limit = refused("limit", "TokenLimitError", () => ring.addNode("c", 2 ** 32 - 1)) as api.TokenLimitError;
  same("limit: both numbers", [limit.asked, limit.limit], [(2n ** 32n + 2n) * 10n, 16_777_216]);
  same("limit: the message has them", limit.message.includes("42949672980 tokens, and its limit is 16777216"), true);
  const below = refused("limit below", "TokenLimitError", () => {
    ring.tokenLimit = 29;
  }) as api.TokenLimitError;
  same("limit below: both numbers", [below.asked, below.limit, ring.tokenLimit], [30n, 29, 16_777_216]);
  const batch = refused("batch", "UnknownNodeError", () =>
    ring.apply([{ op: "add", id: "c" }, { op: "remove", id: "d" }, { op: "add", id: "a", weight: 0 }]),
  ) as api.RingError;
  same("batch: index", batch.index, 1);
  same("batch: the message has it", batch.message.startsWith('change 1: node "d"'), true);
  same("batch: nothing happened", state(), before);

  const many = Number.MAX_SAFE_INTEGER;
  same("no replica of an empty ring", new HashRing().getReplicas("k", many), { nodes: [], shortfall: many });
  same("nobody owns a key of an empty ring", new HashRing().getNode("k"), undefined);
  same("an unknown id has no weight", ring.weight("c"), undefined);
  const least = '{"format":"hash-ring","version":1,"nodes":[{"id":"a"}]}';
  same("default weight and V", fromSnapshot(least).tokenCount, 100);
  // A text longer than the shared buffer, and one that just fits, hash as their bytes do.
  for (const text of ["é".repeat(1023), "€".repeat(1024), "€".repeat(1025), "😀".repeat(5000)]) {
    same(`hash of ${text.length} units`, hash64(text), hash64(Uint8Array.from(Buffer.from(text))));
  }

  // A walk goes on over the ring as it was when it began.
  const all = [...ring.tokens()];
  const walk = ring.walk(0n);
  const first = walk.next().value as Token;
  ring.removeNode("a");
  same("a walk while the ring changes", [first, ...walk], all);
  ring.addNode("a");
  same("equal again", ring.equals(fromSnapshot(toSnapshot(ring))), true);
  const other = fromSnapshot(toSnapshot(ring));
  ring.setWeight("a", 2);
  same("no longer equal", ring.equals(other), false);

  const places: [string, string][] = [
    ['{"format":"hash-ring","version":1,"nodes":[{"id":"a"},{"id":"b","weight":1.0}]}', "nodes[1].weight: a plain"],
    ['{"format":"hash-ring","version":1,"nodes":[{"id":"a"},{"id":"a"}]}', "nodes[1].id: "],
    ['{"format":"hash-ring","version":1,"nodes":[{"id":"a","id":"b"}]}', 'nodes[0]: field "id" stands twice'],
    ['{"format":"hash-ring",\n"version":1,}', "line 2, column 13"],
    ['{"format":"hash-ring","version":1,"nodes":[],"hash":"xxh3-64"}', '"xxh3-64", this ring has "fnv1a64-fmix64"'],
    ["[".repeat(200_000), "nested too deeply"],
    ["\ufeff{}", "byte-order mark"],
    [`{"format":"hash-ring","version":1,"nodes":[{"id":"a${SURROGATE}"}]}`, "unpaired surrogate"],
  ];
  for (const [text, place] of places) {
    const error = refused(text.slice(0, 80), "SnapshotError", () => fromSnapshot(text));
    same(`${error?.message}: the place`, error instanceof SnapshotError && error.message.includes(place), true);
  }
}

function main([directory, ...more]: string[]): number {
  if (directory === undefined) {
    console.error("usage: test.js TESTDATA_DIRECTORY [CASES.json]...");
    return 2;
  }
  const load = <T>(path: string): T => JSON.parse(readFileSync(path, "utf8")) as T;
  const each = <T extends Vector>(name: string, test: (item: T) => void): void => {
    for (const item of load<T[]>(`${directory}/${name}`)) {
      if (item.ring.hash === api.HASH_NAME) run(test, item, `${name}, ${item.name}`);
      else skipped++;
    }
  };
  run(hashes, load(`${directory}/hashes.json`), "hashes.json");
  each("tokens.json", tokens);
  each("owners.json", owners);
  each("replicas.json", replicas);
  each("fingerprints.json", fingerprints);
  run(snapshots, load(`${directory}/snapshots.json`), "snapshots.json");
  for (const path of [`${directory}/cases.json`, ...more]) {
    for (const script of load<Parameters<typeof cases>[0][]>(path)) run(cases, script, `${path}, ${script.name}`);
  }
  run(own, undefined, "this port's own checks");
  if (skipped > 0) console.log(`typescript: ${skipped} vectors skipped: they are for hashes that this port does not have`);
  console.log(`typescript: ${passed} passed, ${failed} failed`);
  return failed > 0 ? 1 : 0;
}

process.exitCode = main(process.argv.slice(2));
