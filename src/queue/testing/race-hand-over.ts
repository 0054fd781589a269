import { machineMonotonicMs } from "../../base/machine-clock.ts";
import type { LeasedTask, Queue } from "../queue.ts";

/**
 * Measures the gaps between starts of one gate. The openers take turns, and the next one claims
 * continuously. If a store rounds its clock in the wrong direction, gaps are too short here;
 * processes that sleep rarely show it. The openers report the time since the start in every way
 * that the queue offers.
 */
export async function handOver(
  openers: readonly Queue[],
  { delayMs, starts }: { readonly delayMs: number; readonly starts: number },
): Promise<readonly number[]> {
  const gate = "handed-over";
  await openers[0]!.setGate(gate, { delayMs, limit: 1 });
  const keys = Array.from({ length: starts }, (_, index) => `${index}`);
  await openers[0]!.add(keys.map((key) => ({ kind: "hand", job: "hand", gate, key, payload: 0 })));

  const startsMs: number[] = [];
  while (startsMs.length < starts) {
    const turn = startsMs.length % openers.length;
    const queue = openers[turn]!;
    const { leases } = await queue.claim({ worker: `opener ${turn}`, kinds: ["hand"], burst: 1 });
    const [lease] = leases;
    if (!lease) continue;
    const startMs = machineMonotonicMs();
    startsMs.push(startMs);
    const outcome = { kind: "done" } as const;
    const passedMs = machineMonotonicMs() - startMs;
    const reports = [{ sinceStartMs: passedMs }, { sinceStartMs: Math.floor(passedMs) }, {}];
    await queue.finish([{ ...lease, outcome, ...reports[startsMs.length % reports.length] }]);
  }
  return startsMs.slice(1).map((startMs, index) => startMs - startsMs[index]!);
}

/**
 * Measures how long blocks of one gate last: from the call of `block` to the next claim that gets a
 * task, by a worker that claims continuously.
 */
export async function blocksLasted(
  queue: Queue,
  { forMs, blocks }: { readonly forMs: number; readonly blocks: number },
): Promise<readonly number[]> {
  const gate = "blocked-and-awaited";
  const keys = Array.from({ length: blocks }, (_, index) => `${index}`);
  await queue.add(keys.map((key) => ({ kind: "await", job: "await", gate, key, payload: 0 })));

  const lastedMs: number[] = [];
  while (lastedMs.length < blocks) {
    const sentMs = machineMonotonicMs();
    await queue.block(gate, forMs);
    let lease: LeasedTask | undefined;
    while (!lease) {
      [lease] = (await queue.claim({ worker: "waiter", kinds: ["await"], burst: 1 })).leases;
    }
    lastedMs.push(machineMonotonicMs() - sentMs);
    await queue.finish([{ ...lease, outcome: { kind: "done" } }]);
  }
  return lastedMs;
}
