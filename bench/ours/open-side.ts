import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { locateQueue, openQueue } from "../../src/app/index.ts";
import { systemClock } from "../../src/base/clock.ts";
import { systemRandom } from "../../src/base/random.ts";
import type { FastPath } from "../../src/queue/adapters/postgres/write/fast-path.ts";
import { openPostgresQueueStore } from "../../src/queue/adapters/postgres/postgres-queue-store.ts";
import { createQueue, type Queue, type TaskInput } from "../../src/queue/index.ts";
import type { SideContext } from "../frame/side.ts";
import { schemaOf } from "../peers/peer-schema.ts";

/** A queue as a side of a bench is handed its address; one of a file lies in the scratch folder. */
export interface QueueInput {
  readonly address: string;
  /** Of a file; default `normal`, as the peers on SQLite have it. */
  readonly durability?: "normal" | "full";
  /** Tells several queues of one run on one server apart. */
  readonly name?: string;
  /** Fast paths of PostgreSQL that are switched off. */
  readonly without?: readonly FastPath[];
}

export type BenchQueue = Queue<{ page: { readonly url: string } }>;
export type PageTask = TaskInput<{ page: { readonly url: string } }>;
export const kinds = ["page"] as const;

/**
 * What benches compare: the peers on SQLite run with `synchronous = NORMAL`, and a disk's syncs would
 * hide what the code costs. `queue-throughput` prints what `full`, the default, costs beside it.
 */
export const benchDurability = "normal";

export const addressOf = ({ address }: QueueInput, { folder }: SideContext): string =>
  locateQueue(address, { queueFile: (name = "queue.db") => join(folder, name) }).address;

export const openSide = async (input: QueueInput, context: SideContext): Promise<BenchQueue> => {
  const { name = "", durability = benchDurability } = input;
  if (!input.address.startsWith("postgres://")) {
    return openQueue(addressOf(input, context), { durability });
  }
  const store = await openPostgresQueueStore({
    url: input.address,
    schema: `${schemaOf(context)}${name}`,
    ...(input.without && { without: input.without }),
  });
  return createQueue({ store, clock: systemClock, random: systemRandom });
};

/** Fills the queue and closes it again: what is written behind the fill is not measured. */
export async function fillSide(
  input: QueueInput,
  context: SideContext,
  fill: (queue: BenchQueue) => Promise<void>,
): Promise<void> {
  const queue = await openSide(input, context);
  await fill(queue);
  await queue[Symbol.asyncDispose]();
}

/** Of several processes on one queue the first fills it, and nobody opens it before. */
export async function fillOnce(
  context: SideContext,
  isFirst: boolean,
  fill: () => Promise<void>,
): Promise<void> {
  const mark = join(context.folder, "filled");
  if (isFirst) {
    await fill();
    return writeFileSync(mark, "");
  }
  while (!existsSync(mark)) await wait(20);
}
