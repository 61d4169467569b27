/**
 * A consistent-hash ring that routes exactly as its siblings in Rust, C++, Java and Python do.
 * One file, ES2020, no dependency: copy it (or the compiled `hash_ring.js` and `hash_ring.d.ts`). Snapshots, which
 * need a stricter JSON reader than the language has, stand in `hash_ring_json.ts`.
 *
 *     const ring = new HashRing(100);
 *     ring.addNode("cache-a");
 *     ring.addNode("cache-b", 2);          // twice the weight, twice the keys
 *     ring.getNode("user:42");             // "cache-a", "cache-b", or undefined on an empty ring
 *     ring.getReplicas("user:42", 3);      // { nodes: [...], shortfall: 1 }
 *
 * A node of weight w owns w * V tokens. Token i of a node stands at hash64(id + "#" + i); tokens are sorted by
 * (hash, token id as UTF-8 bytes). A key belongs to the first token at or after its own hash, and past the last
 * token to the first. The costs below use N nodes, M tokens, K tokens changed, R replicas.
 */

export const HASH_NAME = "fnv1a64-fmix64";
export const DEFAULT_VNODES_PER_WEIGHT = 100;
export const DEFAULT_TOKEN_LIMIT = 16_777_216;

/** A key: a string stands for its UTF-8 bytes. */
export type Key = string | Uint8Array;
/** A member of the ring. */
export interface Node {
  readonly id: string;
  readonly weight: number;
}
/** A point of the ring. Its token id is `${nodeId}#${index}`. */
export interface Token {
  readonly hash: bigint;
  readonly nodeId: string;
  readonly index: number;
}
/** The distinct nodes met clockwise, owner first, and how many of the asked number are missing. */
export interface ReplicaSet {
  readonly nodes: string[];
  readonly shortfall: number;
}
/** One step of `apply`. The weight of an added node is 1 where it is left out. */
export type Change =
  | { readonly op: "add"; readonly id: string; readonly weight?: number }
  | { readonly op: "setWeight"; readonly id: string; readonly weight: number }
  | { readonly op: "remove"; readonly id: string };
export interface RingOptions {
  /** The most tokens the ring may hold; 16,777,216 where it is left out. */
  readonly tokenLimit?: number;
}

// ----------------------------------------------------------------------------------------------- errors

/** What every refusal of this module is. `index` is the failing change's place in `apply`, else undefined. */
export class RingError extends Error {
  index: number | undefined = undefined;
  override name = "RingError";
}
/** A weight, V, limit, hash or replica count outside its range, or a text with an unpaired surrogate. */
export class InvalidValueError extends RingError {
  override name = "InvalidValueError";
}
/** The id is already registered, with whatever weight. */
export class DuplicateNodeError extends RingError {
  override name = "DuplicateNodeError";
}
/** The id is not registered. */
export class UnknownNodeError extends RingError {
  override name = "UnknownNodeError";
}
/** The ring would hold more tokens than its limit. */
export class TokenLimitError extends RingError {
  override name = "TokenLimitError";
  constructor(
    readonly asked: bigint,
    readonly limit: number,
  ) {
    super(`the ring would hold ${asked} tokens, and its limit is ${limit}`);
  }
}

// ------------------------------------------------------------------------------------------------- text

const U32_MAX = 0xffff_ffff;
const U64_MAX = (1n << 64n) - 1n;
const scratch = new Uint8Array(3072); // the UTF-8 of texts up to 1,024 UTF-16 units; longer ones get their own

/** `text` with its quotes, and an unpaired surrogate as an escape. */
const quoted = (text: string): string => JSON.stringify(text);

/** Writes the UTF-8 of `text` into `into`, which holds three bytes for each UTF-16 unit. Returns its length. */
function encode(text: string, into: Uint8Array, what: string): number {
  let length = 0;
  for (let at = 0; at < text.length; at++) {
    let unit = text.charCodeAt(at);
    if (unit < 0x80) {
      into[length++] = unit;
      continue;
    }
    if (unit < 0x800) {
      into[length++] = 0xc0 | (unit >> 6);
    } else {
      if (unit >= 0xd800 && unit <= 0xdfff) {
        const next = text.charCodeAt(at + 1); // NaN past the end
        if (unit > 0xdbff || !(next >= 0xdc00 && next <= 0xdfff)) {
          throw new InvalidValueError(
            `${what} ${quoted(text)}: the unit at index ${at} is an unpaired surrogate, which UTF-8 cannot hold`,
          );
        }
        at++;
        unit = 0x10000 + ((unit - 0xd800) << 10) + (next - 0xdc00);
        into[length++] = 0xf0 | (unit >> 18);
        into[length++] = 0x80 | ((unit >> 12) & 0x3f);
      } else {
        into[length++] = 0xe0 | (unit >> 12);
      }
      into[length++] = 0x80 | ((unit >> 6) & 0x3f);
    }
    into[length++] = 0x80 | (unit & 0x3f);
  }
  return length;
}

const roomFor = (text: string): Uint8Array =>
  text.length * 3 <= scratch.length ? scratch : new Uint8Array(text.length * 3);

/** The UTF-8 bytes of `text`; `what` names it in the error for an unpaired surrogate. */
export function utf8(text: string, what: string): Uint8Array {
  if (typeof text !== "string") throw new TypeError(`a ${what} is a string, not ${typeof text}`);
  const room = roomFor(text);
  return room.slice(0, encode(text, room, what));
}

/**
 * The order of the UTF-8 bytes of two well-formed strings, which is the order of their code points. UTF-16 units
 * have that order too, but for surrogates: they stand for characters past U+FFFF, and so go after U+E000..U+FFFF.
 */
function compareUtf8(a: string, b: string): number {
  const shared = Math.min(a.length, b.length);
  for (let at = 0; at < shared; at++) {
    const x = a.charCodeAt(at);
    const y = b.charCodeAt(at);
    if (x !== y) {
      return (x >= 0xd800 && x <= 0xdfff ? x + 0x10000 : x) - (y >= 0xd800 && y <= 0xdfff ? y + 0x10000 : y);
    }
  }
  return a.length - b.length;
}

// ------------------------------------------------------------------------------------------------- hash
//
// JavaScript has no 64-bit integer but BigInt, which allocates at every step. So a 64-bit number is two 32-bit
// halves here, and products mod 2^64 are put together from what `Math.imul` (the low 32 bits of a product) and
// 16-bit limbs give. For h = (hi, lo) and m = (mHi, mLo):
//
//     h * m mod 2^64 = lo * mLo + ((hi * mLo + lo * mHi mod 2^32) << 32)
//
// The two terms in the bracket are `Math.imul` as they are. `lo * mLo` is a full 64-bit product: its low half is
// `Math.imul` again, its high half comes from four products of 16-bit limbs, none of which passes 2^32.
// FNV's prime is 2^40 + 0x1b3, which costs a byte even less: its high half, 2^8, is a shift, and `lo * 0x1b3` has
// 41 bits, so that a plain number holds it exactly; scaled by 2^-32 and cut off, it is the carry into the high half.

const OFFSET_HI = 0xcbf29ce4;
const OFFSET_LO = 0x84222325;
const FNV_LOW = 0x1b3;
const FNV_CARRY = FNV_LOW / 2 ** 32;

/** The running hash: high half, low half. A typed array, since a plain variable would box halves past 2^31. */
const state = new Uint32Array(2);

function start(): void {
  state[0] = OFFSET_HI;
  state[1] = OFFSET_LO;
}

/** FNV-1a: goes on from `state` over the first `length` bytes. */
function absorb(bytes: Uint8Array, length: number): void {
  let hi = state[0]! | 0;
  let lo = state[1]! | 0;
  for (let at = 0; at < length; at++) {
    lo ^= bytes[at]!;
    hi = (Math.imul(hi, FNV_LOW) + (lo << 8) + (((lo >>> 0) * FNV_CARRY) | 0)) | 0;
    lo = Math.imul(lo, FNV_LOW);
  }
  state[0] = hi;
  state[1] = lo;
}

/** `absorb` over the UTF-8 of `text`. ASCII, the usual case, takes the same step here without a copy first. */
function absorbText(text: string, what: string): void {
  let hi = state[0]! | 0;
  let lo = state[1]! | 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit >= 0x80) {
      const room = roomFor(text); // `state` is still as it was before the text
      absorb(room, encode(text, room, what));
      return;
    }
    lo ^= unit;
    hi = (Math.imul(hi, FNV_LOW) + (lo << 8) + (((lo >>> 0) * FNV_CARRY) | 0)) | 0;
    lo = Math.imul(lo, FNV_LOW);
  }
  state[0] = hi;
  state[1] = lo;
}

/** `state` = `state` * (mHi, mLo) mod 2^64, as the comment above derives it. `| 0` keeps sums in 32-bit registers. */
function multiply(mHi: number, mLo: number): void {
  const hi = state[0]! | 0;
  const lo = state[1]! | 0;
  const a0 = lo & 0xffff;
  const a1 = lo >>> 16;
  const b0 = mLo & 0xffff;
  const b1 = mLo >>> 16;
  const middle = (Math.imul(a1, b0) + (Math.imul(a0, b0) >>> 16)) | 0;
  const carry = (Math.imul(a0, b1) + (middle & 0xffff)) | 0;
  const top = Math.imul(a1, b1) + (middle >>> 16) + (carry >>> 16);
  state[0] = Math.imul(hi, mLo) + Math.imul(lo, mHi) + top;
  state[1] = Math.imul(lo, mLo);
}

/** MurmurHash3's fmix64. h ^ (h >> 33) leaves the high half and takes the high half's upper 31 bits into the low. */
function finish(): void {
  state[1]! ^= state[0]! >>> 1;
  multiply(0xff51afd7, 0xed558ccd);
  state[1]! ^= state[0]! >>> 1;
  multiply(0xc4ceb9fe, 0x1a85ec53);
  state[1]! ^= state[0]! >>> 1;
}

function hashKey(key: Key): void {
  start();
  if (typeof key === "string") {
    absorbText(key, "key");
  } else if (key instanceof Uint8Array) {
    absorb(key, key.length);
  } else {
    throw new TypeError(`a key is a string or a Uint8Array, not ${typeof key}`);
  }
  finish();
}

const joined = (hi: number, lo: number): bigint => (BigInt(hi) << 32n) | BigInt(lo);

/** FNV-1a (64-bit) over the key's bytes, then MurmurHash3's fmix64: 0n to 2n ** 64n - 1n. */
export function hash64(key: Key): bigint {
  hashKey(key);
  return joined(state[0]!, state[1]!);
}

// ------------------------------------------------------------------------------------------------- ring

/** Everything that a change replaces; never mutated once it is in place. Token t is entry t of four columns. */
interface Tables {
  readonly nodes: readonly Node[]; // in id order
  readonly places: ReadonlyMap<string, number>; // id to its index in `nodes`
  readonly high: Uint32Array;
  readonly low: Uint32Array;
  readonly owner: Uint32Array; // an index into `nodes`
  readonly index: Uint32Array;
}

function emptyTables(nodes: readonly Node[], tokens: number): Tables {
  const places = new Map(nodes.map((node, place) => [node.id, place]));
  const column = (): Uint32Array => new Uint32Array(tokens);
  return { nodes, places, high: column(), low: column(), owner: column(), index: column() };
}

/** Ring order: the hash as an unsigned 64-bit number, then the token id as bytes. */
function compareTokens(a: Tables, i: number, b: Tables, j: number): number {
  if (a.high[i] !== b.high[j]) return a.high[i]! < b.high[j]! ? -1 : 1;
  if (a.low[i] !== b.low[j]) return a.low[i]! < b.low[j]! ? -1 : 1;
  const tokenId = (t: Tables, at: number): string => `${t.nodes[t.owner[at]!]!.id}#${t.index[at]}`;
  return compareUtf8(tokenId(a, i), tokenId(b, j));
}

/** The place of the first token at or after the hash; the token count where there is none. O(log M). */
function firstAt(t: Tables, hi: number, lo: number): number {
  let from = 0;
  let to = t.high.length;
  while (from < to) {
    const middle = from + ((to - from) >>> 1);
    const h = t.high[middle]!;
    if (h < hi || (h === hi && t.low[middle]! < lo)) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** The tables for `nodes` (in id order): only tokens of nodes whose weight differs come or go. */
function edited(old: Tables, nodes: readonly Node[], vnodes: number): Tables {
  const hadTokens = (id: string): number => (old.nodes[old.places.get(id) ?? -1]?.weight ?? 0) * vnodes;
  let total = 0;
  let added = 0;
  for (const { id, weight } of nodes) {
    total += weight * vnodes;
    added += Math.max(0, weight * vnodes - hadTokens(id));
  }
  const next = emptyTables(nodes, total);
  const fresh = emptyTables(nodes, added);
  let filled = 0;
  nodes.forEach(({ id, weight }, place) => {
    start();
    absorbText(`${id}#`, "node id");
    const [prefixHi, prefixLo] = [state[0]!, state[1]!]; // the same for all tokens of the node
    for (let index = hadTokens(id); index < weight * vnodes; index++) {
      state[0] = prefixHi;
      state[1] = prefixLo;
      absorbText(String(index), "token index");
      finish();
      fresh.high[filled] = state[0];
      fresh.low[filled] = state[1];
      fresh.owner[filled] = place;
      fresh.index[filled++] = index;
    }
  });
  const order = new Uint32Array(added).map((_, at) => at).sort((i, j) => compareTokens(fresh, i, fresh, j));
  // An old token stays where its index is below its node's new count; of a node that went, none is.
  const movedTo = Uint32Array.from(old.nodes, ({ id }) => next.places.get(id) ?? U32_MAX);
  const keeps = Float64Array.from(movedTo, (place) => (nodes[place]?.weight ?? 0) * vnodes);
  let end = 0;
  const take = (from: Tables, at: number, owner: number): void => {
    next.high[end] = from.high[at]!;
    next.low[end] = from.low[at]!;
    next.owner[end] = owner;
    next.index[end++] = from.index[at]!;
  };
  let merged = 0;
  for (let at = 0; at < old.high.length; at++) {
    const owner = old.owner[at]!;
    if (old.index[at]! >= keeps[owner]!) continue;
    while (merged < added && compareTokens(fresh, order[merged]!, old, at) < 0) {
      take(fresh, order[merged]!, fresh.owner[order[merged]!]!);
      merged++;
    }
    take(old, at, movedTo[owner]!);
  }
  for (; merged < added; merged++) take(fresh, order[merged]!, fresh.owner[order[merged]!]!);
  return next;
}

function checkInteger(value: number, what: string, low: number, high: number): number {
  if (!Number.isInteger(value) || value < low || value > high) {
    throw new InvalidValueError(`${what} ${value}: an integer from ${low} to ${high} is needed`);
  }
  return value;
}

/** Checks one change against `weights` and carries it out there. */
function step(weights: Map<string, number>, change: Change): void {
  const { op, id } = change;
  utf8(id, "node id");
  const known = weights.get(id);
  if (op === "remove") {
    if (!weights.delete(id)) throw new UnknownNodeError(`node ${quoted(id)} cannot be removed: it is not registered`);
    return;
  }
  if (op !== "add" && op !== "setWeight") throw new TypeError(`unknown kind of change ${String(op)}`);
  const weight = op === "add" ? (change.weight ?? 1) : change.weight;
  if (!Number.isInteger(weight) || weight < 1 || weight > U32_MAX) {
    throw new InvalidValueError(`weight ${weight} of node ${quoted(id)}: an integer from 1 to ${U32_MAX} is needed`);
  }
  if (op === "add" && known !== undefined) {
    throw new DuplicateNodeError(`node ${quoted(id)} is already registered, with weight ${known}`);
  }
  if (op === "setWeight" && known === undefined) {
    throw new UnknownNodeError(`the weight of node ${quoted(id)} cannot be set: it is not registered`);
  }
  weights.set(id, weight);
}

/** A ring with a fixed V (`vnodesPerWeight`). Every change either happens or throws and leaves it as it was. */
export class HashRing {
  readonly vnodesPerWeight: number;
  private limit: number;
  private tables: Tables = emptyTables([], 0);

  constructor(vnodesPerWeight: number = DEFAULT_VNODES_PER_WEIGHT, options: RingOptions = {}) {
    this.vnodesPerWeight = checkInteger(vnodesPerWeight, "vnodesPerWeight", 1, U32_MAX);
    this.limit = checkInteger(options.tokenLimit ?? DEFAULT_TOKEN_LIMIT, "token limit", 0, U32_MAX);
  }

  /** The most tokens the ring may hold; no part of its identity. Setting it below the count is an error. */
  get tokenLimit(): number {
    return this.limit;
  }
  set tokenLimit(limit: number) {
    checkInteger(limit, "token limit", 0, U32_MAX);
    if (limit < this.tokenCount) throw new TokenLimitError(BigInt(this.tokenCount), limit);
    this.limit = limit;
  }
  get nodeCount(): number {
    return this.tables.nodes.length;
  }
  get tokenCount(): number {
    return this.tables.high.length;
  }

  /** The node's weight, undefined where it is not registered. */
  weight(id: string): number | undefined {
    utf8(id, "node id");
    return this.tables.nodes[this.tables.places.get(id) ?? -1]?.weight;
  }
  /** The nodes in id order (UTF-8 bytes). O(N). */
  nodes(): Node[] {
    return this.tables.nodes.map((node) => ({ ...node }));
  }

  /** Registers a node. Errors: a weight out of range, a registered id, the token limit. O(M + K log K). */
  addNode(id: string, weight = 1): void {
    this.change([{ op: "add", id, weight }], false);
  }
  /** Removes exactly the node's tokens; false and no change where it is not registered. O(M). */
  removeNode(id: string): boolean {
    if (this.weight(id) === undefined) return false;
    this.change([{ op: "remove", id }], false);
    return true;
  }
  /** Changes a registered node's weight; only the tokens between the two counts come or go. O(M + K log K). */
  setWeight(id: string, weight: number): void {
    this.change([{ op: "setWeight", id, weight }], false);
  }
  /**
   * All changes as one, or none; the ring is rebuilt once. Each is checked against the membership as the earlier
   * ones leave it; removing an unknown id is an error here. The error's `index` is the failing change's place. The
   * token limit is checked once, on the final membership, and that error has no index. O(M + K log K).
   */
  apply(changes: Iterable<Change>): void {
    this.change(changes, true);
  }

  private change(changes: Iterable<Change>, numbered: boolean): void {
    const weights = new Map(this.tables.nodes.map(({ id, weight }) => [id, weight]));
    let index = 0;
    for (const change of changes) {
      try {
        step(weights, change);
      } catch (error) {
        if (numbered && error instanceof RingError) {
          error.index = index;
          error.message = `change ${index}: ${error.message}`;
        }
        throw error;
      }
      index++;
    }
    // In BigInt: weight * V alone may pass 2^53.
    let asked = 0n;
    for (const weight of weights.values()) asked += BigInt(weight);
    asked *= BigInt(this.vnodesPerWeight);
    if (asked > BigInt(this.limit)) throw new TokenLimitError(asked, this.limit);
    const nodes = [...weights].map(([id, weight]) => ({ id, weight })).sort((a, b) => compareUtf8(a.id, b.id));
    this.tables = edited(this.tables, nodes, this.vnodesPerWeight);
  }

  /** The key's owner, undefined on an empty ring. Allocates nothing for texts up to 1,024 units. O(key + log M). */
  getNode(key: Key): string | undefined {
    hashKey(key);
    return this.owner(state[0]!, state[1]!);
  }
  /** The owner of a hash that the caller already has. O(log M). */
  ownerAt(hash: bigint): string | undefined {
    return this.owner(...this.halves(hash));
  }
  private owner(hi: number, lo: number): string | undefined {
    const t = this.tables;
    const at = firstAt(t, hi, lo);
    return t.nodes[t.owner[at < t.owner.length ? at : 0]!]?.id;
  }
  private halves(hash: bigint): [number, number] {
    if (typeof hash !== "bigint" || hash < 0n || hash > U64_MAX) {
      throw new InvalidValueError(`hash ${hash}: a bigint from 0 to ${U64_MAX} is needed`);
    }
    return [Number(hash >> 32n), Number(hash & 0xffff_ffffn)];
  }

  /**
   * The first `r` distinct nodes clockwise, owner first. `r` over the node count gives all of them and says how
   * many are missing. O(log M) and a short walk.
   */
  getReplicas(key: Key, r: number): ReplicaSet {
    hashKey(key);
    return this.replicas(state[0]!, state[1]!, r);
  }
  /** `getReplicas` for a hash that the caller already has. */
  replicasAt(hash: bigint, r: number): ReplicaSet {
    return this.replicas(...this.halves(hash), r);
  }
  private replicas(hi: number, lo: number, r: number): ReplicaSet {
    checkInteger(r, "replica count", 0, Number.MAX_SAFE_INTEGER);
    const t = this.tables;
    const wanted = Math.min(r, t.nodes.length);
    const found = new Set<number>();
    for (let at = firstAt(t, hi, lo); found.size < wanted; at++) {
      if (at === t.owner.length) at = 0;
      found.add(t.owner[at]!);
    }
    return { nodes: Array.from(found, (place) => t.nodes[place]!.id), shortfall: r - wanted };
  }

  /** Every token once, clockwise from the first at or after `hash`. A later change does not disturb it. */
  walk(hash: bigint): IterableIterator<Token> {
    const t = this.tables;
    return walkFrom(t, firstAt(t, ...this.halves(hash)));
  }
  /** All tokens in ring order. */
  tokens(): IterableIterator<Token> {
    return walkFrom(this.tables, 0);
  }

  /**
   * A 64-bit digest of all tokens in ring order; equal fingerprints route alike. A guard against accidents, not
   * against forgery. O(M).
   */
  fingerprint(): bigint {
    const t = this.tables;
    const bytes = new Uint8Array(8);
    const view = new DataView(bytes.buffer);
    start();
    for (let at = 0; at < t.high.length; at++) {
      view.setUint32(0, t.high[at]!); // big endian
      view.setUint32(4, t.low[at]!);
      absorb(bytes, 8);
      absorbText(`${t.nodes[t.owner[at]!]!.id}#${t.index[at]}\n`, "token id");
    }
    finish();
    return joined(state[0]!, state[1]!);
  }
  /** Whether V and the set of (id, weight) are the same: then so are all tokens. */
  equals(other: HashRing): boolean {
    const theirs = other.tables.nodes;
    return (
      this.vnodesPerWeight === other.vnodesPerWeight &&
      this.nodeCount === theirs.length &&
      this.tables.nodes.every((node, at) => node.id === theirs[at]!.id && node.weight === theirs[at]!.weight)
    );
  }
}

function* walkFrom(t: Tables, first: number): IterableIterator<Token> {
  for (let step = 0; step < t.high.length; step++) {
    const at = (first + step) % t.high.length;
    yield { hash: joined(t.high[at]!, t.low[at]!), nodeId: t.nodes[t.owner[at]!]!.id, index: t.index[at]! };
  }
}
