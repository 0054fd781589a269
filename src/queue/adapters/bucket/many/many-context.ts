import { AppError } from "../../../../base/app-error.ts";
import type { Clock } from "../../../../base/clock.ts";
import { afterTick } from "../../../../base/tick.ts";
import type { SharedObject } from "../../../../bucket/index.ts";
import type { ModelNow } from "../../../model/now.ts";
import type { Answer, Operation } from "../../../operation.ts";
import type { LeaseRef, Task } from "../../../task.ts";
import { emptyControl, type Control } from "../storage/control.ts";
import type { ShardHead } from "../head/head.ts";
import type { ShardKeeper } from "../shard/shard-keeper.ts";
import { createRouting, type Routing } from "./routing.ts";

/** The common dependencies of a queue with several shards. */
export interface ManyContext {
  readonly keepers: readonly ShardKeeper[];
  readonly routing: Routing;
  readonly control: SharedObject<Control>;
  readonly moment: (notBeforeMs: number) => Promise<ModelNow>;
  readonly clock: Clock;
  /** The control when it was last read. */
  known(): Control;
  /**
   * The job of a task whose lease is held, according to its shard; undefined if the lease is lost.
   */
  heldJob(lease: LeaseRef): Promise<string | undefined>;
  /**
   * The heads of all readable shards, not older than `sinceMs` (monotonic clock), or just read.
   * Shards that are damaged, newer or missing were reported before.
   */
  readAll(sinceMs?: number): Promise<readonly ShardHead[]>;
}

/** One commit of a caller: sends operations to shards and collects their answers. */
export interface Sender {
  readonly send: <O extends Operation>(shard: number, operation: O) => Promise<Answer<O>>;
  readonly heads: Map<number, ShardHead>;
  readonly purged: Task[];
}

export function createManyContext(
  keepers: readonly ShardKeeper[],
  { control, moment, clock }: Pick<ManyContext, "control" | "moment" | "clock">,
): ManyContext {
  const routing = createRouting(keepers.length);
  return {
    keepers,
    routing,
    control,
    moment,
    clock,
    known: () => control.seen() ?? emptyControl,
    async heldJob({ id, token }) {
      const head = await keepers[routing.ofId(id)]!.read();
      const task = head.shard.tasks.get(id);
      if (task?.state !== "running" || task.token !== token) return undefined;
      return head.shard.jobs.get(task.job)?.ended === "cancelled" ? undefined : task.job;
    },
    async readAll(sinceMs = Infinity) {
      const read = (keeper: ShardKeeper) => keeper.readSince(sinceMs);
      const heads = await Promise.all(keepers.map((keeper) => unlessQuarantined(read(keeper))));
      return heads.filter((head) => head !== undefined);
    },
  };
}

interface Sent {
  readonly operation: Operation;
  readonly resolve: (answer: never) => void;
  readonly reject: (error: unknown) => void;
}

/** Operations of one turn of the event loop for the same shard share one write, in order. */
export function createSender({ keepers }: ManyContext): Sender {
  const heads = new Map<number, ShardHead>();
  const purged: Task[] = [];
  const waiting = keepers.map((): Sent[] => []);
  const isWriting = keepers.map(() => false);

  async function write(shard: number, sent: readonly Sent[]): Promise<void> {
    try {
      const { head, answers, ...rest } = await keepers[shard]!.commit(
        sent.map(({ operation }) => operation),
      );
      const known = heads.get(shard);
      if (!known || known.version <= head.version) heads.set(shard, head);
      purged.push(...rest.purged);
      for (const [index, { resolve, reject }] of sent.entries()) {
        const answer = answers[index];
        if (answer instanceof AppError) reject(answer);
        else resolve(answer as never);
      }
    } catch (error) {
      for (const { reject } of sent) reject(error);
    }
  }

  async function writeAll(shard: number): Promise<void> {
    isWriting[shard] = true;
    await new Promise<void>(afterTick);
    const own = waiting[shard]!;
    while (own.length > 0) await write(shard, own.splice(0));
    isWriting[shard] = false;
  }

  return {
    heads,
    purged,
    send: (shard, operation) =>
      new Promise((resolve, reject) => {
        waiting[shard]!.push({ operation, resolve, reject });
        if (!isWriting[shard]) void writeAll(shard);
      }),
  };
}

/** If one shard needs a person to look at it, the other shards continue. */
export async function unlessQuarantined<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof AppError && error.code.startsWith("queue_shard_")) return undefined;
    throw error;
  }
}
