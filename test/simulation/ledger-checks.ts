import type { MemoryObject } from "../../src/bucket/adapters/memory/memory-bucket.ts";
import {
  dotOf,
  type Datagram,
  type Ledger,
  type CheckpointManifest,
} from "../../src/ledger/index.ts";
import { digestOf, encodePart } from "../../src/ledger/fold/part-file.ts";
import {
  foldInto,
  isScrubbed,
  partCount,
  partOf,
  type PartState,
} from "../../src/ledger/fold/part-state.ts";
import { parseSegmentKey, partKey } from "../../src/ledger/tiers/keys.ts";
import { decodeManifest } from "../../src/ledger/tiers/manifest.ts";
import { readSegment } from "../../src/ledger/tiers/segment.ts";
import { Violation } from "./lease-run.ts";
import type { World } from "./world.ts";

/**
 * Sees every object that comes and goes:
 * - O4: checkpoints never go backwards, in number, epoch or vector, and none is ever changed;
 * - O7: a segment goes only when a checkpoint covers it, and a part only when none that counts
 *   names it;
 * - O11: a segment ends where it ended when it was first created, however often it is created,
 *   until a checkpoint covers its beginning: from then on nobody reads it.
 */
export interface LedgerChecks {
  /** All datagrams that were ever in the bucket. */
  readonly datagrams: ReadonlyMap<string, Datagram>;
  newest(): CheckpointManifest | undefined;
  throwIfBroken(): void;
}

export function watchBucket({ objects, note }: World): LedgerChecks {
  const datagrams = new Map<string, Datagram>();
  const ends = new Map<string, number>();
  const manifests = new Map<number, CheckpointManifest>();
  let newest: CheckpointManifest | undefined;
  let violation: Violation | undefined;
  const broken = (text: string) => void (violation ??= new Violation(text));

  const onSegment = (key: string, body: Uint8Array) => {
    const { session, first } = parseSegmentKey(key)!;
    const segment = readSegment(body, { key: session, first, name: key });
    const { lastNumber } = segment;
    const isRead = first > (newest?.vector.get(session) ?? 0);
    if (isRead && (ends.get(key) ?? lastNumber) !== lastNumber) broken(`O11: ${key} has two ends`);
    ends.set(key, lastNumber);
    for (const datagram of segment.datagrams) {
      const dot = dotOf(datagram);
      const other = datagrams.get(dot);
      // What was sent, pruned and forgotten may be sent again, scrubbed: it is behind the boundary.
      const isSame = isScrubbed(datagram) || other?.value === datagram.value;
      if (other && (!isSame || other.stamp !== datagram.stamp)) {
        broken(`O7: ${dot} was published with two contents`);
      }
      datagrams.set(dot, datagram);
    }
  };
  const onManifest = (key: string, body: Uint8Array, isThere: boolean) => {
    const manifest = decodeManifest(body, key);
    if (isThere) broken(`O4: checkpoint ${manifest.number} was changed`);
    const missing = manifest.parts.find(
      (name) => name !== undefined && !objects.has(partKey(name)),
    );
    // What is behind the boundary may come back as garbage, of a hub that was paused for long.
    if (newest && manifest.number < newest.number) return note("lateCheckpoint");
    if (missing !== undefined) broken(`O7: checkpoint ${manifest.number} lacks ${missing}`);
    if (newest) {
      if (manifest.epoch < newest.epoch)
        broken(`O4: epoch ${manifest.epoch} in ${manifest.number}`);
      for (const [session, number] of newest.vector) {
        if ((manifest.vector.get(session) ?? 0) < number) {
          broken(`O4: ${session} went back in checkpoint ${manifest.number}`);
        }
      }
    }
    manifests.set(manifest.number, manifest);
    newest = manifest;
  };

  const store = objects as Map<string, MemoryObject>;
  store.set = (key, object) => {
    const isThere = store.has(key);
    Map.prototype.set.call(store, key, object);
    if (key.startsWith("ledger/wal/")) onSegment(key, object.body);
    if (key.startsWith("ledger/checkpoint/")) onManifest(key, object.body, isThere);
    return store;
  };
  store.delete = (key) => {
    const segment = parseSegmentKey(key);
    if (segment && segment.first > (newest?.vector.get(segment.session) ?? 0)) {
      broken(`O7: ${key} was deleted, and no checkpoint covers it`);
    }
    if (segment) note("prunedSegment");
    if (newest?.parts.some((name) => name !== undefined && partKey(name) === key)) {
      broken(`O7: ${key} was deleted, and checkpoint ${newest.number} needs it`);
    }
    if (key.startsWith("ledger/part/")) note("prunedPart");
    return Map.prototype.delete.call(store, key) as boolean;
  };
  return {
    datagrams,
    newest: () => newest,
    throwIfBroken() {
      if (violation) throw violation;
    },
  };
}

/** O6: what everyone must have in the end: the fold of all that was ever published. */
export function foldOfAll(datagrams: Iterable<Datagram>): string {
  const parts: PartState[] = Array.from({ length: partCount }, () => new Map());
  for (const datagram of datagrams) foldInto(parts[partOf(datagram.target)]!, datagram);
  return digestOf(parts.map((part) => encodePart(part, () => true)).join(""));
}

export async function missingElements(ledger: Ledger, acknowledged: ReadonlySet<string>) {
  const shown = new Set<string>();
  const targets = new Set([...acknowledged].map((one) => one.split(" ")[0]!));
  for (const target of targets) {
    for (const { field } of (await ledger.read(target)).fields) shown.add(`${target} ${field}`);
  }
  return [...acknowledged].filter((one) => !shown.has(one));
}
