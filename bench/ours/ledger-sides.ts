import { strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { systemClock } from "../../src/base/clock.ts";
import { silentLogger } from "../../src/base/log/logger.ts";
import { createSeededRandom, systemRandom } from "../../src/base/random.ts";
import { openDirectoryBucket } from "../../src/bucket/adapters/directory/directory-bucket.ts";
import type { Bucket } from "../../src/bucket/index.ts";
import { createPaths } from "../../src/config/index.ts";
import { createFileSpill } from "../../src/ledger/adapters/file/file-spill.ts";
import { openSqliteState } from "../../src/ledger/adapters/sqlite/sqlite-state.ts";
import { createThreadFoldWorker } from "../../src/ledger/adapters/threads/thread-fold-worker.ts";
import { openFileDisk } from "../../src/ledger/adapters/file/file-disk.ts";
import { compactOnce, openLedger, stampOf, type Datagram } from "../../src/ledger/index.ts";
import { createId } from "../../src/base/ids.ts";
import { headKey, segmentKey } from "../../src/ledger/tiers/keys.ts";
import { cutSegment } from "../../src/ledger/tiers/segment.ts";
import type { Side, SideContext } from "../frame/side.ts";

export interface AppendInput {
  readonly datagrams: number;
  readonly fieldsPerCommit: number;
  readonly writers: number;
}

export interface FoldInput {
  readonly datagrams: number;
  readonly targets: number;
  readonly fields: number;
}

export interface CompactingInput {
  readonly targets: number;
  readonly fields: number;
  /** Appends without other work, for comparison. */
  readonly appends: number;
}

export interface BootstrapInput {
  readonly targets: number;
  readonly fields: number;
}

const openFoldWorker = () => createThreadFoldWorker();
const [clock, random, log] = [systemClock, systemRandom, silentLogger];

const openIn = async ({ folder }: SideContext, name: string) =>
  openLedger({
    disk: await openFileDisk({ paths: createPaths(join(folder, name)) }),
    openState: () => openSqliteState({ file: join(folder, name, "index", "ledger.db"), log }),
    clock,
    random,
    log,
    label: name,
  });
const openBucketIn = ({ folder }: SideContext) =>
  openDirectoryBucket({ root: join(folder, "bucket"), clock, random });

export const append: Side<AppendInput> = async (input, context) => {
  const { datagrams, fieldsPerCommit, writers } = input;
  const ledger = await openIn(context, "node");
  let next = 0;
  const write = async () => {
    while (next < datagrams) {
      const from = next;
      next += fieldsPerCommit;
      const target = `company/${from}`;
      const changes = Array.from({ length: fieldsPerCommit }, (_, index) => ({
        target,
        field: `field-${index}`,
        value: `value ${from + index}`,
      }));
      await ledger.write({ source: "site:https://example.org/", changes });
    }
  };
  return {
    run: async () => void (await Promise.all(Array.from({ length: writers }, write))),
    async check() {
      await ledger[Symbol.asyncDispose]();
      const again = await openIn(context, "node");
      strictEqual(again.status().datagramsSinceCheckpoint, datagrams);
    },
  };
};

export const fold: Side<FoldInput> = async (input, context) => {
  const bucket = openBucketIn(context);
  await publish(bucket, input);
  const spillFolder = join(context.folder, "spill");
  return {
    async run() {
      const parts = {
        openSpill: () => createFileSpill({ folder: spillFolder, random }),
        openFoldWorker,
      };
      const done = await compactOnce({ bucket, clock, random, log, owner: "bench", ...parts });
      strictEqual(done.datagrams, input.datagrams);
    },
  };
};

export const bootstrap: Side<BootstrapInput> = async ({ targets, fields }, context) => {
  const bucket = openBucketIn(context);
  await publish(bucket, { targets, fields, datagrams: targets * fields });
  const openSpill = () => createFileSpill({ folder: join(context.folder, "spill"), random });
  await compactOnce({ bucket, clock, random, log, owner: "bench", openSpill });
  return {
    async run() {
      const ledger = await openIn(context, "joined");
      const { adopted } = await ledger.withBucket(bucket).sync();
      strictEqual(adopted, 1);
      const last = await ledger.read(`company/${targets - 1}`);
      strictEqual(last.fields.length, fields);
    },
  };
};

/** How long an append takes while this process folds all it has published and goes over to that. */
export const appendWhileCompacting: Side<CompactingInput> = async (input, context) => {
  const { targets, fields, appends } = input;
  const bucket = openBucketIn(context);
  const ledger = await openIn(context, "node");
  const source = "site:https://example.org/";
  const changesOf = (target: number) =>
    Array.from({ length: fields }, (_, index) => ({
      target: `company/${target}`,
      field: `field-${index}`,
      value: `value ${target} ${index}`,
    }));
  for (let at = 0; at < targets; at += 50) {
    const some = Array.from({ length: Math.min(50, targets - at) }, (_, index) => at + index);
    await Promise.all(some.map((one) => ledger.write({ source, changes: changesOf(one) })));
  }
  const sync = ledger.withBucket(bucket);
  await sync.sync();
  let written = 0;
  const append = async () => {
    const startedMs = performance.now();
    const changes = [{ target: `note/${written}`, field: "text", value: written }];
    written += 1;
    await ledger.write({ source, changes });
    return performance.now() - startedMs;
  };
  return {
    async run() {
      const idle: number[] = [];
      for (let at = 0; at < appends; at++) idle.push(await append());
      let isDone = false;
      const openSpill = () => createFileSpill({ folder: join(context.folder, "spill"), random });
      const parts = { openSpill, openFoldWorker };
      const compacting = (async () => {
        await compactOnce({ bucket, clock, random, log, owner: "bench", ...parts });
        const { adopted } = await sync.sync();
        strictEqual(adopted, 1);
      })().finally(() => (isDone = true));
      const during: number[] = [];
      while (!isDone) during.push(await append());
      await compacting;
      return { idleP99Ms: p99(idle), duringP99Ms: p99(during), appendsDuring: during.length };
    },
  };
};

const p99 = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length * 0.99)]!;

/** Segments of five nodes that write the same fields again and again, as the bucket would hold them. */
async function publish(bucket: Bucket, { datagrams, targets, fields }: FoldInput): Promise<void> {
  const nodes = 5;
  const seeded = createSeededRandom(5);
  const startMs = clock.nowMs() - 3_600_000;
  for (let index = 0; index < nodes; index++) {
    const [node, session] = [createId(seeded, 13), createId(seeded)];
    const own = Math.floor(datagrams / nodes);
    /** How many of a node's writes ago it wrote the same field. */
    const lap = (targets * fields) / nodes;
    const stampAt = (number: number) => {
      const fact = (number - 1) * nodes + index;
      return stampOf({ ms: startMs + Math.floor(fact / 4_000), counter: fact % 4_000 });
    };
    let batch: Datagram[] = [];
    for (let number = 1; number <= own; number++) {
      const fact = (number - 1) * nodes + index;
      batch.push({
        stamp: stampAt(number),
        node,
        session,
        number,
        commit: number,
        target: `company/${Math.floor(fact / fields) % targets}`,
        field: `field-${fact % fields}`,
        value: JSON.stringify(`value ${fact}`),
        source: "site:https://example.org/",
        causality:
          number > lap ? `${stampAt(number - lap)}/${node}/${session}/${number - lap}` : "",
      });
      if (batch.length < 2_000 && number < own) continue;
      // As a node that has much to say cuts them.
      do {
        const first = batch[0]!.number;
        const { body, lastNumber } = cutSegment(batch);
        await bucket.put(segmentKey(`${node}/${session}`, first), body);
        batch = batch.filter((datagram) => datagram.number > lastNumber);
      } while (batch.length > 1_000 || (number === own && batch.length > 0));
    }
    const sessions = [{ session, number: own, isComplete: true }];
    const head = { format: 1, node, label: "bench", session, nonce: "n", stamp: "", sessions };
    await bucket.put(headKey(node), Buffer.from(JSON.stringify(head)));
  }
}
