// inputs: docs/formats/** src/queue/** src/bucket/**
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { gunzipSync, gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { createSeededRandom } from "../../src/base/random.ts";
import { createTestClock } from "../../src/base/testing/test-clock.ts";
import {
  createMemoryBucket,
  type MemoryObject,
} from "../../src/bucket/adapters/memory/memory-bucket.ts";
import { openBucketQueueStore } from "../../src/queue/adapters/bucket/bucket-queue-store.ts";
import { createQueue, type Queue } from "../../src/queue/index.ts";
import { repositoryRoot } from "../support/repository.ts";
import { statusesOf } from "../../src/queue/testing/suite-fixture.ts";

const page = readFileSync(join(repositoryRoot, "docs/formats/queue-bucket.md"), "utf8");
const golden = join(repositoryRoot, "docs/formats/queue-bucket.txt");

type Objects = Map<string, MemoryObject>;
const nowMs = 1_800_000_000_000;

async function open(objects: Objects, more: { readonly session: string; shards?: number }) {
  const clock = createTestClock();
  const random = createSeededRandom(1);
  const fitAtMs = clock.nowMs();
  const body = Buffer.from(JSON.stringify({ format: 1, fitAtMs }));
  objects.set("probe/fit.json", { body, etag: "fit", modifiedAtMs: fitAtMs });
  const store = await openBucketQueueStore({
    bucket: createMemoryBucket({ clock, objects }),
    prefix: (more.shards ?? 1) > 1 ? "many" : "one",
    probe: "daily",
    clock,
    random,
    finishedKept: 1,
    now: () => ({ ms: nowMs, wallMs: nowMs }),
    ...more,
  });
  return createQueue({ store, clock, random });
}

/** Something of everything that a queue stores. */
async function fill(queue: Queue, { isMany }: { readonly isMany: boolean }): Promise<void> {
  const asked = { worker: "w1", leaseMs: 60_000, limit: 2 };
  if (!isMany) await queue.openJob("capped", { concurrency: 3, budget: 10 });
  await queue.openJob("site", { gate: "example.org" });
  await queue.setGate("example.org", { delayMs: 1_000, limit: 1 });
  await queue.add([
    { kind: "page", key: "/a", job: "site", payload: { text: 'ü "quoted"' }, priority: 900 },
    { kind: "page", key: "/b", job: "site" },
    { kind: "done", key: "done", payload: 1 },
    { kind: "done", key: "two words" },
    { kind: "failed", key: "failed" },
    { kind: "long", key: "long", payload: "x".repeat(1_100), dueAtMs: nowMs + 60_000 },
  ]);
  const { leases } = await queue.claim({ ...asked, kinds: ["done"], requestId: "r1" });
  const outcome = { kind: "done", result: { pages: 3 } } as const;
  await queue.finish(leases.map((lease) => ({ ...lease, outcome })));
  await nextTurn(); // for the log, which is written beside all this
  await queue.claim({ ...asked, kinds: ["page"], requestId: "r2" });
  const [failed] = (await queue.claim({ ...asked, kinds: ["failed"], requestId: "r3" })).leases;
  await queue.finish([{ ...failed!, outcome: { kind: "retry", reason: "503", delayMs: 5_000 } }]);
  // One that was purged, of another kind, so that what is done stays.
  await queue.add([{ kind: "old", key: "old" }]);
  const [old] = (await queue.claim({ ...asked, kinds: ["old"], requestId: "r4" })).leases;
  await queue.finish([{ ...old!, outcome: { kind: "fail", reason: "404" } }]);
  await queue.archive({ states: ["failed"], kind: "old" });
}

async function fillBoth(): Promise<Objects> {
  const objects: Objects = new Map();
  for (const shards of [1, 2]) {
    await using queue = await open(objects, { session: "session-1", shards });
    await fill(queue, { isMany: shards > 1 });
  }
  return objects;
}

const mark = "=== ";
/** Every object under its key, as text. */
const textOf = (objects: Objects): string =>
  [...objects]
    .filter(([key]) => !key.startsWith("probe/"))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, { body }]) => {
      const text = key.endsWith(".gz") ? gunzipSync(body) : Buffer.from(body);
      return `${mark}${key}\n${text.toString()}`;
    })
    .join("\n");

function objectsOf(text: string): Objects {
  const objects: Objects = new Map();
  for (const part of `\n${text}`.split(`\n${mark}`).slice(1)) {
    const end = part.indexOf("\n");
    const [key, body] = [part.slice(0, end), Buffer.from(part.slice(end + 1))];
    const stored = key.endsWith(".gz") ? gzipSync(body) : body;
    objects.set(key, { body: stored, etag: `golden ${key}`, modifiedAtMs: nowMs });
  }
  return objects;
}

describe("docs/formats/queue-bucket", () => {
  test("the objects are those that a queue writes (after a new format: vitest -u)", async () => {
    await expect(textOf(await fillBoth())).toMatchFileSnapshot(golden);
  });

  test("a shard of the version before, which counted no requests, can be worked on", async () => {
    const text = readFileSync(golden, "utf8");
    const before = text.replaceAll(/,"requests":0|,"commitRequests":[\d.]+/g, "");
    expect(before).not.toBe(text);
    const objects = objectsOf(before);
    for (const shards of [1, 2]) {
      await using queue = await open(objects, { session: "session-2", shards });
      expect(await queue.job("site")).toMatchObject({ added: 2, requests: 0 });
      const [running] = await queue.browse({ states: ["running"] });
      const outcome = { kind: "done" } as const;
      await queue.finish([{ ...running!, outcome, requests: 3 }]);
      expect(await queue.job("site")).toMatchObject({ done: 1, requests: 3 });
      expect((await queue.job("site"))!.commitRequests).toBeGreaterThan(0);
    }
  });

  test("what was stored in this format can be read and worked on", async () => {
    const objects = objectsOf(readFileSync(golden, "utf8"));
    for (const shards of [1, 2]) {
      await using queue = await open(objects, { session: "session-2", shards });
      expect((await queue.stats()).states).toMatchObject({ pending: 2, running: 2, done: 2 });
      expect(await queue.reconcile()).toMatchObject({ drift: [], orphans: 0 });
      const done = await queue.browse({ states: ["done"] });
      expect(done.map(({ key }) => key).sort()).toEqual(["done", "two words"]);
      expect(done[0]!.result).toBe('{"pages":3}');
      expect(statusesOf(await queue.add([{ kind: "done", key: "done" }]))).toEqual(["duplicate"]);
      expect(await queue.log({ states: ["failed"] })).toMatchObject([
        { key: "old", attempts: [{ reason: "404" }] },
      ]);
      expect(statusesOf(await queue.add([{ kind: "old", key: "old" }]))).toEqual(["duplicate"]);
      const running = await queue.browse({ states: ["running"] });
      const outcome = { kind: "done" } as const;
      const ended = await queue.finish(running.map(({ id, token }) => ({ id, token, outcome })));
      expect(ended.map(({ status }) => status)).toEqual(["done", "done"]);
      const [long] = await queue.browse({ kind: "long" });
      expect(JSON.parse(long!.payload)).toBe("x".repeat(1_100));
    }
  });

  test("the page names every field of a shard's first line, and no others", async () => {
    const objects = await fillBoth();
    const text = gunzipSync(objects.get("one/shards/0.json.gz")!.body).toString();
    const fields = Object.keys(JSON.parse(text) as object);
    const section = page.split("## A shard")[1]!.split("\n## ")[0]!;
    const rows = section.split("\n").filter((line) => line.startsWith("| `"));
    const named = rows.flatMap((line) =>
      [...line.split("|")[1]!.matchAll(/`(\w+)`/g)].map(([, name]) => name!),
    );
    expect(named.sort()).toEqual(fields.sort());
    expect(page).toContain("| `format` | 1, or 2 when");
    expect([...objects.keys()].some((key) => key.startsWith("one/done/0/"))).toBe(true);
  });
});
