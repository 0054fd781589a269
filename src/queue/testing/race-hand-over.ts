import { machineMonotonicMs } from "../../base/machine-clock.ts";
import type { Queue } from "../queue.ts";

/**
 * Starts of one gate, each by another opener that stands before it and asks all the time. Where
 * clocks are rounded, this is where a gap comes out short; processes that sleep hardly see it.
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
    await queue.finish([{ ...lease, outcome, sinceStartMs: machineMonotonicMs() - startMs }]);
  }
  return startsMs.slice(1).map((startMs, index) => startMs - startsMs[index]!);
}
