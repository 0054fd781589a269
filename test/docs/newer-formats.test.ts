// inputs: src/base/** src/bucket/** src/ledger/** src/queue/** src/records/** src/sources/** src/publish/** docs/formats/**
import { gunzipSync, gzipSync } from "node:zlib";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { formats, markOf, type FormatName } from "../../src/base/text/formats.ts";
import { createMemoryBucket } from "../../src/bucket/adapters/memory/memory-bucket.ts";
import { createSharedObject } from "../../src/bucket/index.ts";
import { decodeLease, encodeLease } from "../../src/bucket/lease/lease-record.ts";
import { createTestClock } from "../../src/base/testing/test-clock.ts";
import { createSeededRandom } from "../../src/base/random.ts";
import { decodeHead } from "../../src/ledger/tiers/head.ts";
import { boundaryKey, headKey } from "../../src/ledger/tiers/keys.ts";
import { encodeBoundary, readBoundary } from "../../src/ledger/tiers/boundary.ts";
import { decodeManifest, encodeManifest } from "../../src/ledger/tiers/manifest.ts";
import { readNodeFile } from "../../src/ledger/node-file.ts";
import { partCount } from "../../src/ledger/fold/part-state.ts";
import { createStorage } from "../../src/queue/adapters/bucket/testing/storage.ts";
import { readExportState } from "../../src/records/exchange/export-state.ts";
import { createSnapshotStore } from "../../src/sources/snapshots/snapshot-store.ts";
import { decodeSnapshot } from "../../src/sources/snapshots/tile-snapshot.ts";
import { readManifest } from "../../src/publish/write/site-manifest.ts";
import { repositoryRoot } from "../support/repository.ts";

/** An object as this version writes it, and how this version reads such an object. */
interface Sample {
  readonly written: () => Promise<string>;
  readonly read: (text: string) => Promise<unknown>;
}

const node = "0123456789abc";
const session = "0123456789abcdefghjkmnpqrs";
const stamp = "2026-11-15T19:02:03.004Z-0007";
const ofQueue = (key: string, gzip: boolean): Sample => {
  const open = async () => {
    const storage = createStorage();
    await (await storage.open())[Symbol.asyncDispose]();
    return storage;
  };
  return {
    async written() {
      const body = Buffer.from((await open()).objects.get(key)!.body);
      return (gzip ? gunzipSync(body) : body).toString();
    },
    async read(text) {
      const storage = await open();
      await storage.bucket.put(key, gzip ? gzipSync(text) : Buffer.from(text));
      await using store = await storage.open();
      return await store.counts();
    },
  };
};
const fixed = (body: Uint8Array, read: (body: Buffer) => unknown): Sample => ({
  written: async () => Buffer.from(body).toString(),
  read: async (text) => read(Buffer.from(text)),
});

/**
 * Formats of objects that have room for both numbers. The others have one number, in a line of
 * text or in `user_version` of a database, and tests of their own.
 */
const samples: Readonly<Partial<Record<FormatName, Sample>>> = {
  lease: fixed(
    encodeLease({ ...markOf(1), epoch: 3, state: "held", owner: "pi-1", session: "s", nonce: "n", ttlMs: 60_000, sinceMs: 1 }), // prettier-ignore
    (body) => decodeLease(body, "lease/hub.json"),
  ),
  sharedObject: fixed(
    Buffer.from('{"format":1,"readableBy":1,"commits":{},"value":{"a":1}}\n'),
    async (body) => {
      const clock = createTestClock();
      const bucket = createMemoryBucket({ clock });
      await bucket.put("n", body);
      const random = createSeededRandom(1);
      return await createSharedObject({ bucket, key: "n", clock, random, session: "s" }).read();
    },
  ),
  head: fixed(
    Buffer.from(JSON.stringify({ ...markOf(1), node, label: "pi-1", session, nonce: "n", stamp, sessions: [] })), // prettier-ignore
    (body) => decodeHead(body, headKey(node)),
  ),
  checkpoint: fixed(
    encodeManifest({ number: 1, epoch: 1, hub: node, nonce: "n", madeAtMs: 1, vector: new Map(), parts: Array.from({ length: partCount }, () => undefined), heldBack: [], dropped: [], latest: stamp as never }), // prettier-ignore
    (body) => decodeManifest(body, "ledger/checkpoint/1.json"),
  ),
  boundary: fixed(
    encodeBoundary({ epoch: 1, nonce: "n", checkpoint: 0, vector: new Map() }),
    async (body) => {
      const bucket = createMemoryBucket({ clock: createTestClock() });
      await bucket.put(boundaryKey, body);
      return await readBoundary(bucket);
    },
  ),
  node: fixed(
    Buffer.from(`{"format":1,"readableBy":1,"node":"${node}","label":"pi-1","sessions":[]}\n`),
    (body) => readNodeFile({ read: async () => body } as never),
  ),
  queueManifest: ofQueue("q/queue.json", false),
  queueShard: ofQueue("q/shards/0.json.gz", true),
};

const withNumbers = (text: string, numbers: object): string => {
  const rest = text.replace(/^\{\s*"format":\s*\d+,\s*"readableBy":\s*\d+,?/, "");
  expect(rest).not.toBe(text);
  return `${JSON.stringify(numbers).slice(0, -1)},${rest}`;
};

test.each(Object.entries(samples))(
  "E11: %s: a version that knows less reads what says that it can, and refuses the rest",
  async (name, { written, read }) => {
    const { newest, code } = formats[name as FormatName];
    const text = await written();
    await read(text);
    await read(withNumbers(text, { format: newest + 3, readableBy: newest }));
    // Without it, `format` itself is the number that a reader must know.
    for (const numbers of [{ format: newest + 1 }, { format: newest + 3, readableBy: newest + 1 }])
      await expect(read(withNumbers(text, numbers))).rejects.toMatchObject({ code });
  },
);

test("E11: a file whose format is a name with a number is refused as newer, not called damaged", () => {
  const refusedAs = (code: string) =>
    expect.objectContaining({ code, message: expect.stringContaining("upgrade this program") });
  const position =
    '{"format":"forager-export-state/2","at":"2026-11-15T19:02:03.004Z","count":0}\n';
  expect(() => readExportState(position, "weekly")).toThrow(refusedAs("export_state_newer"));
  expect(readExportState(position.replace("/2", "/1"), "weekly").digests.size).toBe(0);
  const tile = gzipSync('{"format":"forager-places/2","all":"new"}\n');
  expect(() => decodeSnapshot("places/x", tile)).toThrow(refusedAs("places_newer"));
  const site = Buffer.from('{"format":9,"readableBy":9,"sealed":"AAAA"}');
  expect(() => readManifest(site, [])).toThrow(expect.objectContaining({ code: "site_newer" }));
});

test("E11: a newer release of places is refused as newer", async () => {
  const bucket = createMemoryBucket({ clock: createTestClock() });
  const body = Buffer.from('{"format":"forager-places-release/2"}');
  await bucket.put("places/osm/releases/r1.json", body);
  await expect(createSnapshotStore(bucket).release("osm", "r1")).rejects.toMatchObject({
    code: "places_newer",
  });
});

test("what has only one number is the rest of the table", () => {
  const rest = Object.keys(formats).filter((name) => !(name in samples));
  expect(rest.sort()).toEqual(["directoryBucket", "ledgerFile", "postgresBucket", "queueLog", "usage"]); // prettier-ignore
});

test("every page of a format says what the number means, or where that is said", () => {
  const folder = join(repositoryRoot, "docs/formats");
  const shared = readdirSync(folder).filter((name) => name.endsWith(".md") && !["usv.md", "fields.md"].includes(name)); // prettier-ignore
  expect(shared.length).toBeGreaterThan(8);
  const silent = shared.filter((name) => !readFileSync(join(folder, name), "utf8").includes("fleet.md#format-and-readableby") && name !== "fleet.md"); // prettier-ignore
  expect(silent).toEqual([]);
});
