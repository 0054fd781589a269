import { describe, expect, test } from "vitest";
import { createSeededRandom, type Random } from "../../../../base/random.ts";
import { openFixture, type QueueFixture, type OpenStore } from "../../../testing/suite-fixture.ts";
import { createSuiteTime } from "../../../testing/suite-time.ts";
import { createMemoryQueueStore } from "../../memory/memory-queue-store.ts";
import { openSqliteQueueStore } from "../sqlite-queue-store.ts";
import { createTempFolder } from "../testing/temp-folder.ts";

const kinds = ["a", "b", "c"];

/** Adds, claims and finishes at random; what each claim got, in its order. */
async function history(at: QueueFixture, random: Random): Promise<readonly (readonly string[])[]> {
  const { queue } = at;
  const pick = <T>(items: readonly T[]): T => items[random.below(items.length)]!;
  const gates = ["", "", "one", "two", "few", "many"];
  await queue.setGate("two", { limit: 2 });
  await queue.setGate("few", { limit: 5 });
  await queue.setGate("many", { limit: 30 });
  for (let job = 0; job < 40; job += 7) await queue.openJob(`j${job}`, { concurrency: 3 });
  const claims: (readonly string[])[] = [];
  for (let turn = 0; turn < 40; turn++) {
    // Sometimes few jobs that have much, sometimes many.
    const jobs = pick([2, 5, 40]);
    const adds = Array.from({ length: random.below(60) }, (_, index) => ({
      kind: pick(kinds),
      key: `${turn}-${index}`,
      job: `j${random.below(jobs)}`,
      gate: pick(gates),
      priority: pick([500, 500, 500, 600, 400]),
    }));
    if (adds.length > 0) await queue.add(adds);
    const leases = await at.claim({
      worker: `w${turn}`,
      kinds: kinds.slice(0, 1 + random.below(kinds.length)),
      limit: pick([1, 2, 3, 4, 5, 7, 10, 20, 50]),
      burst: 1 + random.below(3),
    });
    claims.push(leases.map(({ job, kind, gate, key }) => `${job}/${kind}/${gate}/${key}`));
    if (turn % 3 > 0) for (const lease of leases) await at.finish(lease);
    if (turn % 9 === 0) await queue.pause(`j${turn}`);
    await at.time.advance(1_000);
  }
  return claims;
}

async function historyIn(open: OpenStore, seed: number) {
  await using at = await openFixture(open, createSuiteTime());
  const claims = await history(at, createSeededRandom(seed));
  expect((await at.queue.reconcile()).drift).toEqual([]);
  return claims;
}

describe("lane walk", () => {
  test.each([1, 2, 3, 4, 5, 6])(
    "claims over many jobs get what the model gives, in its order (seed %i)",
    async (seed) => {
      using folder = createTempFolder();
      const openSqlite: OpenStore = async ({ now }) => {
        const open = async () =>
          openSqliteQueueStore({ file: folder.file, now, durability: "normal" });
        return { store: await open(), openAnother: open };
      };
      const openMemory: OpenStore = async ({ now }) => {
        const store = createMemoryQueueStore({ now });
        return { store, openAnother: async () => store };
      };
      const claims = await historyIn(openSqlite, seed);
      expect(claims).toEqual(await historyIn(openMemory, seed));
      expect(claims.flat().length).toBeGreaterThan(100);
    },
  );
});
