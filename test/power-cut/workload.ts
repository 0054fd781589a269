import { openQueue } from "../../src/app/index.ts";
import { systemClock } from "../../src/base/clock.ts";
import { silentLogger } from "../../src/base/log/logger.ts";
import { systemRandom } from "../../src/base/random.ts";
import { createPaths } from "../../src/config/index.ts";
import { openFileDisk } from "../../src/ledger/adapters/file/file-disk.ts";
import { openLedger, type Ledger } from "../../src/ledger/index.ts";
import type { Queue } from "../../src/queue/index.ts";

/** What is written to: a place that keeps what it acknowledged. */
export const places = ["sqlite", "sqlite-normal", "dir", "ledger"] as const;
export type PlaceName = (typeof places)[number];

/** Stands before what was acknowledged of a place. */
export const begin = "begin";

/** Says that something was acknowledged. */
export type Acknowledge = (what: string) => void;

/** Writes to a new place in `folder`, several calls at a time, `count` of each sort. */
export async function write(
  place: PlaceName,
  { folder, count, acknowledge }: WriteOptions,
): Promise<void> {
  if (place === "ledger") {
    await using ledger = await openLedgerIn(folder);
    await inParallel(count, async (index) => {
      const target = `company/${index}`;
      await ledger.write({ source, changes: [{ target, field: "name", value: index }] });
      acknowledge(`set ${target}`);
    });
    return;
  }
  await using queue = await openQueueIn(place, folder);
  await inParallel(count, async (index) => {
    await queue.add([{ kind: "work", key: `k${index}` }]);
    acknowledge(`add k${index}`);
    const { leases } = await queue.claim({ worker: `w${index}`, kinds: ["work"] });
    for (const { id, token, key } of leases) {
      const [held] = await queue.finish([{ id, token, outcome: { kind: "done", result: key } }]);
      if (held?.status === "done") acknowledge(`done ${key}`);
    }
  });
}

export interface WriteOptions {
  readonly folder: string;
  readonly count: number;
  readonly acknowledge: Acknowledge;
}

/** Which of the acknowledged are not there. */
export async function findLost(
  place: PlaceName,
  folder: string,
  acknowledged: readonly string[],
): Promise<readonly string[]> {
  if (acknowledged.length === 0) return [];
  const found = new Set<string>();
  if (place === "ledger") {
    await using ledger = await openLedgerIn(folder);
    for (const one of acknowledged) {
      const target = one.slice("set ".length);
      const { fields } = await ledger.read(target);
      const name = fields.find(({ field }) => field === "name")?.value;
      if (name === Number(target.split("/")[1])) found.add(one);
    }
  } else {
    await using queue = await openQueueIn(place, folder);
    const drift = (await queue.reconcile()).drift;
    if (drift.length > 0) throw new Error(`counters differ: ${JSON.stringify(drift)}`);
    for (let afterId = 0; ;) {
      const tasks = await queue.browse({ afterId, limit: 1_000 });
      if (tasks.length === 0) break;
      for (const { key, state, result } of tasks) {
        found.add(`add ${key}`);
        if (state === "done" && result === JSON.stringify(key)) found.add(`done ${key}`);
      }
      afterId = tasks.at(-1)!.id;
    }
  }
  return acknowledged.filter((one) => !found.has(one));
}

const source = "site:https://example.org";

/** The places are below folders that do not exist yet: their names have to survive, too. */
function openQueueIn(place: Exclude<PlaceName, "ledger">, folder: string): Promise<Queue> {
  if (place === "dir") return openQueue(`dir:${folder}/deep/bucket`);
  const file = `sqlite:${folder}/deep/queue.db`;
  // By default it must hold.
  return place === "sqlite" ? openQueue(file) : openQueue(file, { durability: "normal" });
}

const openLedgerIn = async (folder: string): Promise<Ledger> =>
  openLedger({
    disk: await openFileDisk({ paths: createPaths(`${folder}/deep`) }),
    clock: systemClock,
    random: systemRandom,
    log: silentLogger,
    label: "power-cut",
  });

const inParallel = (count: number, work: (index: number) => Promise<void>): Promise<unknown> => {
  let next = 0;
  const loop = async () => {
    while (next < count) await work(next++);
  };
  return Promise.all([loop(), loop(), loop()]);
};
