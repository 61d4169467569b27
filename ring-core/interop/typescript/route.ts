/**
 * node dist/route.js SNAPSHOT KEYS [--replicas R] [--bench]
 *
 * Writes every line of the file KEYS, TAB, and its nodes, TAB-separated, the owner first. Keys are bytes up to the LF;
 * a CR stays part of the key; the last line needs no LF. With --bench it writes how many lookups a second it does
 * over the keys in memory, and nothing else. Exit codes: 0 done, 1 writing failed, 2 usage or bad input.
 */

import { readFileSync, writeSync } from "node:fs";

import { type HashRing, RingError } from "./hash_ring.js";
import { fromSnapshot } from "./hash_ring_json.js";

const USAGE = "usage: route SNAPSHOT KEYS [--replicas R] [--bench]";
const FLUSH_AT = 1 << 20;

class BadInput extends Error {}

function options(given: string[]): { files: [string, string]; r: number; bench: boolean } {
  const files: string[] = [];
  let r = 1;
  let bench = false;
  for (let at = 0; at < given.length; at++) {
    const word = given[at]!;
    if (word === "--bench") {
      bench = true;
    } else if (word === "--replicas") {
      const text = given[++at] ?? "";
      if (!/^[0-9]{1,10}$/.test(text) || Number(text) > 0xffff_ffff) {
        throw new BadInput(`--replicas is "${text}", but must be a number from 0 to 4294967295`);
      }
      r = Number(text);
    } else if (word.startsWith("--")) {
      throw new BadInput(`unknown option ${word}; ${USAGE}`);
    } else {
      files.push(word);
    }
  }
  const [snapshot, keys] = files;
  if (snapshot === undefined || keys === undefined || files.length > 2) throw new BadInput(USAGE);
  return { files: [snapshot, keys], r, bench };
}

function lines(bytes: Uint8Array): Uint8Array[] {
  const found: Uint8Array[] = [];
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(10, from);
    found.push(bytes.subarray(from, end < 0 ? bytes.length : end));
    from = end < 0 ? bytes.length : end + 1;
  }
  return found;
}

function checkIds(ring: HashRing): void {
  for (const { id } of ring.nodes()) {
    if (/[\t\n\r]/.test(id)) {
      throw new BadInput(`node ${JSON.stringify(id)} holds TAB, LF or CR, which separate the output's fields`);
    }
  }
}

function writeAll(bytes: Uint8Array): void {
  for (let from = 0; from < bytes.length; ) {
    try {
      from += writeSync(1, bytes, from);
    } catch (error) {
      // A pipe whose reader is slower: wait a little, then go on.
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

function route(ring: HashRing, keys: Uint8Array[], r: number): void {
  const fields = new Map(ring.nodes().map(({ id }) => [id, Buffer.from(`\t${id}`)]));
  let out = Buffer.alloc(2 * FLUSH_AT);
  let used = 0;
  let shortKeys = 0;
  const put = (bytes: Uint8Array): void => {
    if (used + bytes.length > out.length) {
      const wider = Buffer.alloc(2 * (used + bytes.length));
      out.copy(wider, 0, 0, used);
      out = wider;
    }
    out.set(bytes, used);
    used += bytes.length;
  };
  const tab = Buffer.from("\t");
  const newline = Buffer.from("\n");
  for (const key of keys) {
    put(key);
    const owner = r === 1 ? ring.getNode(key) : undefined;
    const nodes = r !== 1 ? ring.getReplicas(key, r).nodes : owner === undefined ? [] : [owner];
    if (nodes.length < r) shortKeys++;
    if (nodes.length === 0) put(tab);
    for (const id of nodes) put(fields.get(id)!);
    put(newline);
    if (used >= FLUSH_AT) {
      writeAll(out.subarray(0, used));
      used = 0;
    }
  }
  writeAll(out.subarray(0, used));
  if (shortKeys > 0) process.stderr.write(`route: ${shortKeys} keys have fewer than ${r} nodes\n`);
}

function bench(ring: HashRing, keys: Uint8Array[], r: number): void {
  if (keys.length === 0) throw new BadInput("--bench needs at least one key");
  let lookups = 0;
  let check = 0; // told, so that no lookup can be left out
  let seconds = 0;
  for (let pass = 0; pass === 0 || seconds < 1; pass++) {
    const begin = process.hrtime.bigint();
    for (const key of keys) {
      check += r === 1 ? (ring.getNode(key)?.length ?? 0) : ring.getReplicas(key, r).nodes.length;
    }
    if (pass === 0) continue; // the first pass warms up
    seconds += Number(process.hrtime.bigint() - begin) / 1e9;
    lookups += keys.length;
  }
  const rate = Math.round(lookups / seconds);
  const what = `${keys.length} keys, ${ring.tokenCount} tokens, R = ${r}, check ${check}`;
  process.stdout.write(`typescript: ${rate} lookups per second (${what})\n`);
}

function read(path: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new BadInput((error as Error).message);
  }
}

function main(): number {
  try {
    const { files, r, bench: measure } = options(process.argv.slice(2));
    const ring = fromSnapshot(read(files[0]));
    const keys = lines(read(files[1]));
    if (measure) {
      bench(ring, keys, r);
    } else {
      checkIds(ring);
      route(ring, keys, r);
    }
    return 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EPIPE") return 0; // the reader has enough
    const bad = error instanceof BadInput || error instanceof RingError;
    process.stderr.write(`route: ${bad ? "" : "cannot write the output: "}${(error as Error).message}\n`);
    return bad ? 2 : 1;
  }
}

process.exitCode = main();
