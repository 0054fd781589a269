import { AppError } from "../../../../base/app-error.ts";
import type { Random } from "../../../../base/random.ts";
import { isMatching } from "../../../model/bulk.ts";
import type { Answer, Changed, ForgetKeys, Operation } from "../../../operation.ts";
import type { PruneLog, Purge, Retry, Swept } from "../../../operation.ts";
import { findControlJob } from "../storage/control.ts";
import type { ShardHead } from "../head/head.ts";
import { readWhole } from "../shard/read-shard.ts";
import type { SetCommitted, ShardSet } from "../shard/shard-set.ts";
import { createClaims } from "./claims.ts";
import { createManyJobs } from "./jobs.ts";
import { createSender, type ManyContext, type Sender } from "./many-context.ts";
import { createRoutedOperations, settleAll, type Prepared } from "./operations.ts";
import { createReads } from "./reads.ts";

export interface ManyShardsOptions extends ManyContext {
  readonly random: Random;
  /** Tells idle nodes that a shard has work again. */
  readonly wakeUp: WakeUp;
}

export interface WakeUp {
  /** Starts the write and does not wait for it. */
  signal(): void;
  /** Resolves when the last write has ended. */
  end(): Promise<void>;
  /** True if any node has signalled since the last call. */
  wasSignalled(): Promise<boolean>;
}

/**
 * A queue of several shards: each operation goes to the shards of its tasks. The restrictions are a
 * closed list, see docs/formats/queue-bucket.md: order and atomicity are per shard, a job with a
 * cap or a budget is bound to one gate, and statistics are sums.
 */
export function createManyShards({ random, wakeUp, ...at }: ManyShardsOptions): ShardSet {
  const { keepers, routing } = at;
  const jobs = createManyJobs(at);
  const prepareClaim = createClaims(at, random);
  const prepareRouted = createRoutedOperations(at);

  async function sweep(sender: Sender): Promise<Swept> {
    const parts = await settleAll(keepers.map((_, shard) => sender.send(shard, { op: "sweep" })));
    const sum = (of: (swept: Swept) => number) => parts.reduce((total, one) => total + of(one), 0);
    return {
      requeued: sum(({ requeued }) => requeued),
      failed: sum(({ failed }) => failed),
      cancelled: sum(({ cancelled }) => cancelled),
      hasMore: parts.some(({ hasMore }) => hasMore),
    };
  }

  async function bulk(operation: Bulk, sender: Sender): Promise<Changed> {
    const { rowsMax, op } = operation;
    if (op === "retry") await reopenMatching(operation, sender);
    let changed = 0;
    let hasMore = false;
    for (const shard of keepers.keys()) {
      if (changed >= rowsMax) return { changed, hasMore: true };
      const part = await sender.send(shard, { ...operation, rowsMax: rowsMax - changed });
      changed += part.changed;
      hasMore ||= part.hasMore;
    }
    if (op === "purge" && !hasMore) await jobs.dropEmpty(await at.readAll(), sender);
    return { changed, hasMore };
  }
  async function reopenMatching({ filter }: Retry, sender: Sender): Promise<void> {
    const names = new Set<string>();
    for (const keeper of keepers) {
      for (const task of (await readWhole(keeper)).shard.tasks.values()) {
        if (isMatching(task, filter)) names.add(task.job);
      }
    }
    await at.control.read();
    const ended = [...names].filter((name) => findControlJob(at.known(), name)?.ended);
    if (ended.length > 0) await jobs.reopen(new Set(ended), sender);
  }

  async function prepare(
    operation: Operation,
    sender: Sender,
    earlier: () => Promise<unknown>,
  ): Prepared<Answer<Operation>> {
    switch (operation.op) {
      case "add":
      case "raise":
      case "extend":
      case "finish":
      case "release":
        return prepareRouted(operation, sender);
      case "claim":
        return prepareClaim(operation, sender, earlier);
      case "block":
      case "setGate":
        return () => sender.send(routing.ofGate(operation.gate), operation);
      case "sweep":
      case "openJob":
      case "seal":
      case "pause":
      case "resume":
      case "cancel":
      case "retry":
      case "purge":
      case "forgetKeys":
      case "pruneLog":
        // These operations concern all shards, so they start when all earlier ones have ended.
        await earlier();
        return () => everywhere(operation, sender);
    }
  }
  function everywhere(operation: Everywhere, sender: Sender): Promise<Answer<Operation>> {
    switch (operation.op) {
      case "sweep":
        return sweep(sender);
      case "openJob":
        return jobs.openJob(operation, sender);
      case "retry":
      case "purge":
      case "forgetKeys":
      case "pruneLog":
        return bulk(operation, sender);
      case "seal":
      case "pause":
      case "resume":
      case "cancel":
        return jobs.change(operation, sender);
    }
  }

  async function commit(operations: readonly Operation[]): Promise<SetCommitted> {
    const sender = createSender(at);
    const wasIdle = keepers.map((keeper) => !hasPending(keeper.seen()));
    const answers: Promise<Answer<Operation> | AppError>[] = [];
    let unresolved: AppError | undefined;
    for (const operation of operations) {
      // It may depend on the operation with the unknown outcome, as tasks depend on their job.
      if (unresolved) {
        answers.push(Promise.resolve(unresolved));
        continue;
      }
      // Sent in order without waiting for answers, so that each shard gets one write.
      const earlier = Promise.all(answers);
      const send = await orRefused(prepare(operation, sender, () => earlier));
      answers.push(send instanceof AppError ? Promise.resolve(send) : orRefused(send()));
      if (!isEverywhere(operation)) continue;
      const answer = await answers.at(-1);
      if (answer instanceof AppError && answer.kind === "unavailable") unresolved = answer;
    }
    const settled = await Promise.all(answers);
    if (operations.some(mayComplete)) await jobs.completeIfDone(sender);
    const isWoken = [...sender.heads].some(([shard, head]) => wasIdle[shard] && hasPending(head));
    if (isWoken) wakeUp.signal();
    return { answers: settled, heads: [...sender.heads.values()], purged: sender.purged };
  }

  return { commit, ...createReads(at, wakeUp) };
}

type Bulk = Retry | Purge | ForgetKeys | PruneLog;
const everywhereOps = [
  "sweep",
  "openJob",
  "seal",
  "pause",
  "resume",
  "cancel",
  "retry",
  "purge",
  "forgetKeys",
  "pruneLog",
] as const;
type Everywhere = Extract<Operation, { op: (typeof everywhereOps)[number] }>;
const isEverywhere = ({ op }: Operation) => (everywhereOps as readonly string[]).includes(op);

const mayComplete = ({ op }: Operation) =>
  op === "finish" || op === "seal" || op === "sweep" || op === "claim" || op === "cancel";

const hasPending = (head: ShardHead | undefined): boolean =>
  head !== undefined && [...head.shard.jobs.values()].some(({ pending }) => pending > 0);

/** A failing shard refuses its own operations only. */
async function orRefused<T>(work: Promise<T>): Promise<T | AppError> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof AppError && error.kind !== "internal") return error;
    throw error;
  }
}
