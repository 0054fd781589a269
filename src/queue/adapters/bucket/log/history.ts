import { createHash } from "node:crypto";
import { createId } from "../../../../base/ids.ts";
import type { Random } from "../../../../base/random.ts";
import type { Bucket } from "../../../../bucket/index.ts";
import type { KeptKey, LogEntry } from "../../../read/log-entry.ts";
import { identityOf } from "../../../model/shard.ts";
import { missingLog } from "./archive.ts";
import { readKeptKeys, readLogEntries, writeKeptKeys, writeLogEntries } from "./entry-log.ts";
import type { EntryRef, ShardHead } from "../head/head.ts";

/**
 * The files of one shard's archived tasks: log entries and reserved keys. Each file is written once
 * under a unique name, and is valid while a head lists it. Every add must look up reserved keys, so
 * digests of them are kept in memory. Log entries are read when they are needed, which is rare.
 */
export interface History {
  writeLog(head: ShardHead, entries: readonly LogEntry[]): Promise<EntryRef>;
  readLog(ref: EntryRef): Promise<readonly LogEntry[]>;
  writeKeys(head: ShardHead, keys: readonly KeptKey[]): Promise<EntryRef>;
  readKeys(ref: EntryRef): Promise<readonly KeptKey[]>;
  /** Which of these identities are reserved. */
  keptAmong(head: ShardHead, identities: Iterable<string>): Promise<ReadonlyMap<string, FoundKey>>;
}

export interface FoundKey {
  /** The id of the task that had the key. */
  readonly id: number;
  /** The file that the key is in. */
  readonly ref: EntryRef;
}

export interface HistoryOptions {
  readonly bucket: Bucket;
  readonly random: Random;
  /** The shard's folder, with a slash at its end. */
  readonly folder: string;
}

/** Log files kept in memory, for readers that ask for page after page. */
const heldLogsMax = 8;

export function createHistory({ bucket, random, folder }: HistoryOptions): History {
  const logs = new Map<string, readonly LogEntry[]>();
  let digests = new Map<string, DigestSet>();

  const read = async <T>(
    { name }: EntryRef,
    decode: (body: Uint8Array, key: string) => readonly T[],
  ): Promise<readonly T[]> => {
    const key = `${folder}${name}`;
    const got = await bucket.get(key);
    if (got.status !== "found") throw missingLog(key);
    return decode(got.body, key);
  };
  const write = async <T extends KeptKey>(
    prefix: string,
    { version }: ShardHead,
    all: readonly T[],
    encode: (all: readonly T[]) => Uint8Array,
  ): Promise<EntryRef> => {
    const ordered = [...all].sort((a, b) => a.finishedAtMs - b.finishedAtMs || a.id - b.id);
    const number = String(version).padStart(12, "0");
    const name = `${prefix}-${number}-${createId(random, 10)}.usv.gz`;
    await bucket.put(`${folder}${name}`, encode(ordered));
    const [fromMs, toMs] = [ordered[0]!.finishedAtMs, ordered.at(-1)!.finishedAtMs];
    return { name, tasks: all.length, fromMs, toMs };
  };

  return {
    writeLog: (head, entries) => write("log", head, entries, writeLogEntries),
    async readLog(ref) {
      const entries = logs.get(ref.name) ?? (await read(ref, readLogEntries));
      logs.delete(ref.name);
      logs.set(ref.name, entries);
      for (const name of logs.keys()) {
        if (logs.size <= heldLogsMax) break;
        logs.delete(name);
      }
      return entries;
    },
    writeKeys: (head, keys) => write("keys", head, keys, writeKeptKeys),
    readKeys: (ref) => read(ref, readKeptKeys),
    async keptAmong({ keptKeys }, identities) {
      const held = new Map<string, DigestSet>();
      for (const ref of keptKeys) {
        const known = digests.get(ref.name) ?? digestsOf(await read(ref, readKeptKeys));
        held.set(ref.name, known);
      }
      digests = held;
      const found = new Map<string, FoundKey>();
      for (const identity of identities) {
        const digest = digestOf(identity);
        for (const ref of keptKeys) {
          const id = held.get(ref.name)!.idOf(digest);
          if (id !== undefined) found.set(identity, { id, ref });
        }
      }
      return found;
    },
  };
}

interface DigestSet {
  idOf(digest: Buffer): number | undefined;
}

/** 128 bits: two keys with the same digest are practically impossible. */
const digestBytes = 16;
const digestOf = (identity: string): Buffer =>
  createHash("sha256").update(identity).digest().subarray(0, digestBytes);

/** Takes 24 bytes per key; a map with text keys would take more than 100. */
function digestsOf(keys: readonly KeptKey[]): DigestSet {
  const sorted = keys
    .map((kept) => ({ id: kept.id, digest: digestOf(identityOf(kept)) }))
    .sort((a, b) => a.digest.compare(b.digest));
  const packed = Buffer.concat(sorted.map(({ digest }) => digest));
  const ids = Float64Array.from(sorted, ({ id }) => id);
  return {
    idOf(digest) {
      let [from, to] = [0, keys.length];
      while (from < to) {
        const middle = (from + to) >> 1;
        const at = middle * digestBytes;
        const order = packed.compare(digest, 0, digestBytes, at, at + digestBytes);
        if (order === 0) return ids[middle];
        if (order < 0) from = middle + 1;
        else to = middle;
      }
      return undefined;
    },
  };
}
