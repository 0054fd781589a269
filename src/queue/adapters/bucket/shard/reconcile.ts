import { recount } from "../../../model/recount.ts";
import { repairShard } from "../../../model/repair.ts";
import type { ModelNow } from "../../../model/now.ts";
import type { CounterDrift, Reconciled } from "../../../queue-store.ts";
import type { Log } from "../log/archive.ts";
import { recountArchived, type ArchivedLane, type ShardHead } from "../head/head.ts";
import { archivedTasks, readWithLogs } from "./read-shard.ts";
import type { ShardKeeper } from "./shard-keeper.ts";

/**
 * Recounts a shard, including the counts of its logs. With `repair`, corrects what differs in one
 * write, based on a recount of exactly the head that it replaces.
 */
export async function reconcileShard(keeper: ShardKeeper, repair: boolean): Promise<Reconciled> {
  const { head, logs } = await readWithLogs(keeper);
  const { orphans, drift } = recount(head.shard);
  const found = { drift: [...drift, ...archivedDrift(head, logs)], orphans };
  const isWrong = found.drift.length + orphans > 0;
  if (!repair || !isWrong) return { ...found, repaired: false };
  await keeper.rewrite(async (wrong, now) =>
    repairHead(wrong, await keeper.archive.load(wrong), now),
  );
  return { ...found, repaired: true };
}

const repairHead = (head: ShardHead, logs: readonly Log[], now: ModelNow): ShardHead => ({
  ...head,
  shard: repairShard(head.shard, now),
  archived: countLogs(logs),
});

const countLogs = (logs: readonly Log[]) => recountArchived([], archivedTasks(logs), 1);

function archivedDrift({ archived }: ShardHead, logs: readonly Log[]): readonly CounterDrift[] {
  const drift: CounterDrift[] = [];
  const name = ({ kind, job, gate }: ArchivedLane) => `${kind}/${job}/${gate}`;
  const counted = new Map(archived.map((lane) => [name(lane), lane]));
  const actual = new Map(countLogs(logs).map((lane) => [name(lane), lane]));
  for (const lane of new Set([...counted.keys(), ...actual.keys()])) {
    for (const state of ["done", "skipped", "failed"] as const) {
      const [says, is] = [counted.get(lane)?.[state] ?? 0, actual.get(lane)?.[state] ?? 0];
      if (says !== is) {
        drift.push({ counter: `archived ${lane} ${state}`, counted: says, actual: is });
      }
    }
  }
  return drift;
}
