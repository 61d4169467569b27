/**
 * `node dist/bench.js`: hash_ring.ts, whose hash works on two 32-bit halves, against the same with a BigInt for every
 * byte, on the same keys, in turns. The keys fit the processor's cache, so that the hash is measured and not memory.
 * Exit code 1 where two of them disagree, or where the plain BigInt loop is less than ten times slower.
 */

import { HashRing, hash64 } from "./hash_ring.js";

const MASK = (1n << 64n) - 1n;

/** The definition, written down as it stands. */
function plainHash(bytes: Uint8Array): bigint {
  let h = 0xcbf29ce484222325n;
  for (const byte of bytes) h = ((h ^ BigInt(byte)) * 0x100000001b3n) & MASK;
  h = ((h ^ (h >> 33n)) * 0xff51afd7ed558ccdn) & MASK;
  h = ((h ^ (h >> 33n)) * 0xc4ceb9fe1a85ec53n) & MASK;
  return h ^ (h >> 33n);
}

/** The same with `BigInt.asUintN` for the mask: V8 can then keep parts of it in a register. */
function asUintNHash(bytes: Uint8Array): bigint {
  let h = 0xcbf29ce484222325n;
  for (const byte of bytes) h = BigInt.asUintN(64, (h ^ BigInt(byte)) * 0x100000001b3n);
  h = BigInt.asUintN(64, (h ^ (h >> 33n)) * 0xff51afd7ed558ccdn);
  h = BigInt.asUintN(64, (h ^ (h >> 33n)) * 0xc4ceb9fe1a85ec53n);
  return h ^ (h >> 33n);
}

const ROUNDS = 15;
const PASSES = 50;
const texts = Array.from({ length: 1000 }, (_, i) => `user:${(i * 2654435761) % 2 ** 32}:profile`);
const keys = texts.map((text) => Uint8Array.from(Buffer.from(text)));
const alone = new HashRing(1);
alone.addNode("one token, so that a lookup is the hash and a comparison");
const ring = new HashRing(100);
ring.apply(Array.from({ length: 100 }, (_, i) => ({ op: "add" as const, id: `node-${i}` })));
const hashes = BigUint64Array.from(ring.tokens(), ({ hash }) => hash);
const ids = Array.from(ring.tokens(), ({ nodeId }) => nodeId);

/** A lookup over BigInts throughout. */
function plainOwner(bytes: Uint8Array): string | undefined {
  const hash = plainHash(bytes);
  let from = 0;
  let to = hashes.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (hashes[middle]! < hash) from = middle + 1;
    else to = middle;
  }
  return ids[from < ids.length ? from : 0];
}

keys.forEach((key, at) => {
  const wanted = plainHash(key);
  const found = [asUintNHash(key), hash64(key), hash64(texts[at]!)];
  if (found.some((hash) => hash !== wanted) || plainOwner(key) !== ring.getNode(key)) {
    throw new Error(`the two disagree on ${texts[at]}`);
  }
});

let nobody = 0; // every answer is looked at, so that no call can be left out
// A loop each: one loop for all of them could not be compiled for any of them.
const contenders: { name: string; against: number; run: () => void }[] = [
  { name: "hash: plain BigInt loop", against: 0, run: () => keys.forEach((k) => plainHash(k) < 0n && nobody++) },
  { name: "hash: BigInt.asUintN loop", against: 0, run: () => keys.forEach((k) => asUintNHash(k) < 0n && nobody++) },
  { name: "hash: this port, bytes", against: 0, run: () => keys.forEach((k) => alone.getNode(k) ?? nobody++) },
  { name: "hash: this port, text", against: 0, run: () => texts.forEach((k) => alone.getNode(k) ?? nobody++) },
  { name: "lookup: plain BigInt", against: 4, run: () => keys.forEach((k) => plainOwner(k) ?? nobody++) },
  { name: "lookup: this port, bytes", against: 4, run: () => keys.forEach((k) => ring.getNode(k) ?? nobody++) },
  { name: "lookup: this port, text", against: 4, run: () => texts.forEach((k) => ring.getNode(k) ?? nobody++) },
];

const times = contenders.map((): number[] => []);
for (let round = -2; round < ROUNDS; round++) {
  contenders.forEach(({ run }, which) => {
    const begin = process.hrtime.bigint();
    for (let pass = 0; pass < PASSES; pass++) run();
    // Rounds below 0 warm up.
    if (round >= 0) times[which]!.push(Number(process.hrtime.bigint() - begin) / (PASSES * keys.length));
  });
}

const medians = times.map((list) => list.sort((a, b) => a - b)[ROUNDS >> 1]!);
const bytes = keys.reduce((sum, key) => sum + key.length, 0) / keys.length;
console.log(`keys of ${bytes.toFixed(1)} bytes, ${ring.tokenCount} tokens, median of ${ROUNDS} rounds, node ${process.version}`);
contenders.forEach(({ name, against }, which) => {
  const ratio = medians[against]! / medians[which]!;
  console.log(`${name.padEnd(28)} ${medians[which]!.toFixed(1).padStart(8)} ns ${ratio.toFixed(1).padStart(6)} x`);
});
if (nobody > 0) throw new Error(`${nobody} answers were wrong`);
if (medians[0]! < 10 * medians[2]!) {
  console.error("the plain BigInt loop is less than ten times slower");
  process.exitCode = 1;
}
