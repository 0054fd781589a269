import { expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { systemRandom } from "../../base/random.ts";
import { enrichKind } from "../../campaign/index.ts";
import { createMemoryQueueStore } from "../../queue/adapters/memory/memory-queue-store.ts";
import { createQueue, type FinishInput } from "../../queue/index.ts";
import { readUnvisited } from "./unvisited.ts";

test("a company whose visit failed, or was skipped for good, does not wait", async () => {
  const store = createMemoryQueueStore({ clock: systemClock });
  const queue = createQueue({ store, clock: systemClock, random: systemRandom });
  const end = async (target: string, outcome: FinishInput["outcome"]) => {
    await queue.add([{ kind: enrichKind, job: "leads", payload: { target }, priority: 900 }]);
    const { leases } = await queue.claim({ worker: "w", kinds: [enrichKind] });
    const [{ id, token }] = leases as [(typeof leases)[number]];
    await queue.finish([{ id, token, outcome }]);
  };
  expect(await readUnvisited(queue, "leads")).toEqual(new Map());
  await queue.add([{ kind: enrichKind, job: "leads", payload: { target: "company/late" } }]);
  await end("company/bad", { kind: "fail", reason: "boom\nand more" });
  await end("company/out", { kind: "skip", reason: "it is excluded: rival" });
  await end("company/good", { kind: "done" });
  const failed = ["company/bad", "failed"] as const;
  // A skipped task may be followed by one at another host while the job continues.
  expect([...(await readUnvisited(queue, "leads"))]).toEqual([failed]);
  await end("company/late", { kind: "done" });
  const { leases } = await queue.claim({ worker: "w", kinds: [enrichKind] });
  const [{ id, token }] = leases as [(typeof leases)[number]];
  await queue.finish([{ id, token, outcome: { kind: "done" } }]);
  expect(new Map(await readUnvisited(queue, "leads"))).toEqual(
    new Map([failed, ["company/out", "it is excluded: rival"]]),
  );
});
