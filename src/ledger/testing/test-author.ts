import { expect } from "vitest";
import type { MemoryObject } from "../../bucket/adapters/memory/memory-bucket.ts";
import type { Ledger } from "../ledger.ts";
import { parseSegmentKey, segmentsPrefix } from "../tiers/keys.ts";
import { cutSegment, readSegment } from "../tiers/segment.ts";
import { createTestFleet } from "./test-fleet.ts";
import { openTestLedger } from "./test-ledger.ts";

const fields = ["a", "b", "c"];

/**
 * An author with this many segments of three fields each, and a reader that has none of them yet.
 */
export async function createAuthor(segments = 5) {
  const fleet = createTestFleet();
  const { clock, keys, objects, sync } = fleet;
  const files = new Map<string, Uint8Array>();
  const author = await openTestLedger({ clock, files, label: "author" });
  const publish = async (ledger: Ledger, from: number, to: number) => {
    for (let number = from; number <= to; number++) {
      const target = `company/${number}`;
      const changes = fields.map((field) => ({ target, field, value: `${number} ${field}` }));
      await ledger.write({ source: "site:https://a.b", changes });
      await sync(ledger);
    }
  };
  await publish(author, 1, segments);
  const reader = await openTestLedger({ clock, label: "reader" });
  const stored = () => keys(segmentsPrefix).sort();
  const lose = (...names: readonly string[]) => {
    const lost = names.map((name) => [name, objects.get(name)!] as const);
    for (const [name] of lost) objects.delete(name);
    return lost;
  };
  const known = (ledger: Ledger) => [...ledger.vector().values()].reduce((a, b) => a + b, 0);
  return { ...fleet, files, author, reader, publish, stored, lose, known };
}

type Lost = readonly (readonly [string, MemoryObject])[];
/** Expects that each lost object is there again, with its original bytes. */
export const expectBack = (objects: ReadonlyMap<string, MemoryObject>, lost: Lost) => {
  for (const [name, { body }] of lost) {
    expect(Buffer.from(objects.get(name)?.body ?? []).toString()).toBe(
      Buffer.from(body).toString(),
    );
  }
};

/** A valid segment with other values, as a second disk with the same id would write it. */
export function asOfAnotherDisk(name: string, object: MemoryObject): MemoryObject {
  const { session: key, first } = parseSegmentKey(name)!;
  const { datagrams } = readSegment(object.body, { key, first, name });
  const others = datagrams.map((one) => ({ ...one, value: '"of another disk"' }));
  return { ...object, etag: "other", body: cutSegment(others).body };
}
