import type { Random } from "../../../../base/random.ts";
import { wakeInMs } from "../../../model/read.ts";
import type { Claim, Claimed } from "../../../operation.ts";
import type { Lease } from "../../../task.ts";
import type { ShardHead } from "../head/head.ts";
import { unlessQuarantined, type ManyContext, type Sender } from "./many-context.ts";
import type { Prepared } from "./operations.ts";

/** A worker that has this many leases starts now instead of waiting for the rest of its limit. */
const enough = 64;
/**
 * How many shards a moving worker reads at once. It starts low, because the first shards usually
 * have work, and grows, because each round takes the time of a request.
 */
const lookedAtFirst = 2;
const lookedAtGrowth = 3;
/** How many requests are remembered with their shards, in case they are repeated. */
const requestsMax = 1_000;

/**
 * A claim over several shards. A worker stays with a shard while that has work, so that its next
 * write needs no read; then it moves on. If the claim returns fewer leases than requested and fewer
 * than 64, all shards were read. The claim of a shard says whether the worker holds tasks in
 * other shards, because a suspect runs alone.
 */
export function createClaims(at: ManyContext, random: Random) {
  const { keepers, moment } = at;
  const stickyByWorker = new Map<string, number>();
  const shardsByRequest = new Map<string, Set<number>>();

  const seen = (shard: number) => keepers[shard]!.seen();
  const holdsIn = (shard: number, worker: string) =>
    [...(seen(shard)?.shard.claims.values() ?? [])].filter(
      (record) => record.worker === worker && record.open > 0,
    );
  const holdsElsewhere = (shard: number, worker: string) =>
    keepers.some((_, other) => other !== shard && holdsIn(other, worker).length > 0);
  const holdsSuspect = (worker: string) =>
    keepers.some((_, shard) => holdsIn(shard, worker).some((record) => record.hasSuspect));

  /** Suspects go first, but only to a worker with no task in flight. */
  const hasSuspectIn = (shard: number, { kinds }: Claim) => {
    const head = seen(shard);
    return head !== undefined && kinds.some((kind) => suspectKinds(head).has(kind));
  };

  /** Roughly how much a shard has to offer; suspects count as infinite. */
  const readyIn = (shard: number, request: Claim) => {
    if (hasSuspectIn(shard, request)) return Infinity;
    let pending = 0;
    for (const job of seen(shard)?.shard.jobs.values() ?? []) pending += job.pending;
    return pending;
  };
  const isKnownIn = (shard: number, { requestId, worker }: Claim) =>
    [...(seen(shard)?.shard.claims.values() ?? [])].some(
      (record) => record.requestId === requestId && record.worker === worker,
    );
  const remembered = (requestId: string): Set<number> => {
    const shards = shardsByRequest.get(requestId) ?? new Set<number>();
    shardsByRequest.delete(requestId);
    shardsByRequest.set(requestId, shards);
    for (const oldest of shardsByRequest.keys()) {
      if (shardsByRequest.size <= requestsMax) break;
      shardsByRequest.delete(oldest);
    }
    return shards;
  };

  /** Avoid shards that other workers use: concurrent writes to one shard conflict. */
  const isOthers = (shard: number, { worker }: Claim) =>
    [...(seen(shard)?.shard.claims.values() ?? [])].some(
      (record) => record.worker !== worker && record.open > 0,
    );
  /** Sorts shards by how much they offered when they were last read. */
  const byPromise = (shards: readonly number[], request: Claim): number[] => {
    const rank = (shard: number) => {
      const ready = readyIn(shard, request);
      if (ready === Infinity) return -1;
      return (ready > 0 ? 0 : 2) + (isOthers(shard, request) ? 1 : 0);
    };
    const ranks = new Map(shards.map((shard) => [shard, rank(shard)]));
    return shards.toSorted((a, b) => ranks.get(a)! - ranks.get(b)!);
  };

  async function hasWork(head: ShardHead | undefined, { kinds, worker }: Claim): Promise<boolean> {
    if (!head) return true;
    const now = await moment(head.atMs);
    return wakeInMs(head.shard, { kinds, worker }, now) === 0;
  }

  /**
   * As every claim starts with a sweep: sweeps the shards where leases of this worker have expired.
   */
  async function sweepOwn(worker: string, send: Sender["send"]): Promise<void> {
    for (const shard of keepers.keys()) {
      const head = seen(shard);
      if (!head || holdsIn(shard, worker).length === 0) continue;
      const { ms } = await moment(head.atMs);
      const ids = holdsIn(shard, worker).flatMap((record) => record.ids);
      const isExpired = (id: number) => {
        const task = head.shard.tasks.get(id);
        return task?.state === "running" && task.expiresAtMs <= ms;
      };
      if (ids.some(isExpired)) await unlessQuarantined(send(shard, { op: "sweep" }));
    }
  }

  return async function prepareClaim(
    request: Claim,
    { send }: Sender,
    /** Waits for the earlier operations of the same commit. */
    earlier: () => Promise<unknown>,
  ): Prepared<Claimed> {
    // Only at the first claim, because the order below needs the heads.
    if (keepers.some((keeper) => keeper.seen() === undefined)) await at.readAll();
    await sweepOwn(request.worker, send);
    const first = stickyByWorker.get(request.worker) ?? random.below(keepers.length);
    const order = [first, ...shuffled(keepers.keys(), random).filter((shard) => shard !== first)];
    // Suspects first; then the worker's current shard if it had work when it was last read.
    const suspicious = order.filter((shard) => hasSuspectIn(shard, request));
    const isStill = await hasWork(seen(first), request);
    const known = [...new Set([...suspicious, ...(isStill ? [first] : [])])];

    const leases: Lease[] = [];
    let hasSuspect = false;
    const left = () => request.limit - slotsOf(leases);
    const isOver = () =>
      left() <= Math.max(0, request.limit - enough) || leases.some(({ isSuspect }) => isSuspect);
    const asked = (shard: number, limit: number): Claim => ({
      ...request,
      limit,
      holdsElsewhere: leases.length > 0 || holdsElsewhere(shard, request.worker),
    });
    const tryShard = async (shard: number, limit: number) => {
      const got = await unlessQuarantined(send(shard, asked(shard, limit)));
      if (!got) return;
      hasSuspect ||= got.hasSuspect;
      leases.push(...got.leases);
      if (got.leases.length > 0) stickyByWorker.set(request.worker, shard);
    };

    return async () => {
      const shards = remembered(request.requestId);
      for (const shard of keepers.keys()) if (isKnownIn(shard, request)) shards.add(shard);
      const repeated = [...shards];
      const tryOnce = (shard: number) => {
        shards.add(shard);
        return tryShard(shard, left());
      };
      for (const shard of repeated) await tryShard(shard, request.limit);
      if (leases.length > 0) return { leases, hasSuspect };
      if (holdsSuspect(request.worker)) return { leases, hasSuspect };
      for (const shard of known) if (!isOver()) await tryOnce(shard);
      if (isOver()) return { leases, hasSuspect };
      // Read the other shards before writing to them, because their cached heads are old.
      const others = byPromise(
        order.filter((shard) => !known.includes(shard)),
        request,
      );
      const lookAt = (shards: readonly number[]) =>
        Promise.all(shards.map((shard) => unlessQuarantined(keepers[shard]!.read())));
      for (let count = lookedAtFirst; others.length > 0 && !isOver(); count *= lookedAtGrowth) {
        const some = others.splice(0, count);
        // Wait for earlier operations of this commit too, because they may change these shards.
        await Promise.all([earlier(), lookAt(some)]);
        some.sort((a, b) => readyIn(b, request) - readyIn(a, request));
        for (const shard of byPromise(some, request)) {
          if (!isOver() && (await hasWork(seen(shard), request))) await tryOnce(shard);
        }
      }
      return { leases, hasSuspect };
    };
  };
}

const suspectKindsByHead = new WeakMap<ShardHead, ReadonlySet<string>>();

/** The kinds of the pending suspects. Cached, because heads never change and claims ask often. */
function suspectKinds(head: ShardHead): ReadonlySet<string> {
  const known = suspectKindsByHead.get(head);
  if (known) return known;
  const kinds = new Set<string>();
  for (const { isSuspect, state, kind } of head.shard.tasks.values()) {
    if (isSuspect && state === "pending") kinds.add(kind);
  }
  suspectKindsByHead.set(head, kinds);
  return kinds;
}

/** In random order, so that moving workers do not all go to the same shard. */
function shuffled(shards: Iterable<number>, random: Random): number[] {
  const order = [...shards];
  for (let last = order.length - 1; last > 0; last--) {
    const other = random.below(last + 1);
    [order[last], order[other]] = [order[other]!, order[last]!];
  }
  return order;
}

/** A run uses as many slots as it may run tasks at once. */
function slotsOf(leases: readonly Lease[]): number {
  const runs = new Map<string, { limit: number; tasks: number }>();
  let slots = 0;
  for (const { pace, gate } of leases) {
    if (!pace?.isRun) {
      slots += 1;
      continue;
    }
    runs.set(gate, { limit: pace.limit, tasks: (runs.get(gate)?.tasks ?? 0) + 1 });
  }
  for (const { limit, tasks } of runs.values()) slots += Math.min(limit, tasks);
  return slots;
}
