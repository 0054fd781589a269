import type {
  Add,
  Added,
  Answer,
  Extend,
  FinishAll,
  Finished,
  Operation,
  Raise,
  Raised,
  ReleaseAll,
} from "../../../operation.ts";
import type { Identity, LeaseRef, NewTask } from "../../../task.ts";
import type { Control } from "../storage/control.ts";
import type { ManyContext, Sender } from "./many-context.ts";
import { boundGate, byShard } from "./routing.ts";

type Routed = Add | Raise | Extend | ReleaseAll | FinishAll;

/**
 * Resolves when everything is known that the operation needs. Calling the result sends all parts at
 * once.
 */
export type Prepared<T> = Promise<() => Promise<T>>;

/** Operations with parts for different shards. Each part is applied completely or not at all. */
export function createRoutedOperations(at: ManyContext) {
  const { routing, control } = at;

  /** Reads the control, which says to which gate the job of a task without a gate is bound. */
  async function controlFor(tasks: readonly Identity[]): Promise<Control> {
    const known = at.known();
    const isKnown = ({ job, gate }: Identity) =>
      gate !== "" ||
      job === "default" ||
      known.jobs.some(({ name }) => name === job) ||
      at.keepers.some((keeper) => keeper.seen()?.shard.jobs.has(job));
    if (!tasks.every(isKnown)) await control.read();
    return at.known();
  }

  /**
   * If a task names another gate than its job is bound to, this shard refuses the whole operation.
   */
  const refusingShard = (tasks: readonly NewTask[], known: Control): number | undefined => {
    const wrong = tasks.find(({ job, gate }) => {
      const bound = boundGate(known, job);
      return bound !== "" && gate !== "" && gate !== bound;
    });
    return wrong && routing.ofGate(boundGate(known, wrong.job));
  };

  /** Sends all parts at once, so that later operations of a commit stay behind them. */
  async function scatter<T, A>(
    items: readonly T[],
    shardOf: (item: T) => number,
    send: (shard: number, part: readonly T[]) => Promise<readonly A[]>,
  ): Promise<readonly A[]> {
    const answers: A[] = [];
    await settleAll(
      [...byShard(items, shardOf)].map(async ([shard, part]) => {
        const own = await send(
          shard,
          part.map(({ item }) => item),
        );
        part.forEach(({ at: place }, index) => void (answers[place] = own[index]!));
      }),
    );
    return answers;
  }

  async function prepareAdd({ tasks, by }: Add, { send }: Sender): Prepared<readonly Added[]> {
    const known = await controlFor(tasks);
    const refusing = refusingShard(tasks, known);
    if (refusing !== undefined) return () => send(refusing, { op: "add", tasks });
    const shardOf = (task: NewTask) => routing.ofTask(task, known);
    const home = by && routing.ofId(by.id);
    const isAway = by !== undefined && tasks.some((task) => shardOf(task) !== home);
    const job = isAway ? await at.heldJob(by) : undefined;
    // Another shard cannot check the lease. A running task can add there only tasks of its own job.
    const isInItsName = (task: NewTask) => shardOf(task) === home || task.job === job;
    const partOf = (task: NewTask) => shardOf(task) * 2 + (by && isInItsName(task) ? 1 : 0);
    return () =>
      scatter(tasks, partOf, (part, own) =>
        send(part >> 1, { op: "add", tasks: own, ...(by && part % 2 === 1 && { by }) }),
      );
  }

  async function prepareRaise({ raises }: Raise, { send }: Sender): Prepared<readonly Raised[]> {
    const known = await controlFor(raises);
    const shardOf = (one: Identity) => routing.ofTask(one, known);
    return () =>
      scatter(raises, shardOf, (shard, part) => send(shard, { op: "raise", raises: part }));
  }

  const ofLease = ({ id }: LeaseRef) => routing.ofId(id);

  /**
   * Tasks that a finish adds in other shards are written before the finish, and only if the lease
   * is held.
   */
  async function prepareFinish(
    { finishes }: FinishAll,
    sender: Sender,
  ): Prepared<readonly Finished[]> {
    const { send } = sender;
    const brought = finishes.flatMap(({ add: tasks = [], raise: raises = [] }) => [
      ...tasks,
      ...raises,
    ]);
    const known = await controlFor(brought);
    const refusing = refusingShard(
      finishes.flatMap((one) => one.add ?? []),
      known,
    );
    if (refusing !== undefined) return () => send(refusing, { op: "finish", finishes });
    const isHere = (one: Identity, lease: LeaseRef) =>
      routing.ofTask(one, known) === ofLease(lease);
    const own = await Promise.all(
      finishes.map(async ({ add: tasks = [], raise: raises = [], ...one }) => {
        const away = {
          tasks: tasks.filter((task) => !isHere(task, one)),
          raises: raises.filter((task) => !isHere(task, one)),
        };
        if (away.tasks.length + away.raises.length > 0 && (await at.heldJob(one)) !== undefined) {
          const by = { id: one.id, token: one.token };
          await (
            await prepareAdd({ op: "add", tasks: away.tasks, by }, sender)
          )();
          await (
            await prepareRaise({ op: "raise", raises: away.raises }, sender)
          )();
        }
        return {
          ...one,
          add: tasks.filter((task) => isHere(task, one)),
          raise: raises.filter((task) => isHere(task, one)),
        };
      }),
    );
    return () =>
      scatter(own, ofLease, (shard, part) => send(shard, { op: "finish", finishes: part }));
  }

  return async function prepare(operation: Routed, sender: Sender): Prepared<Answer<Operation>> {
    const { send } = sender;
    switch (operation.op) {
      case "add":
        return prepareAdd(operation, sender);
      case "raise":
        return prepareRaise(operation, sender);
      case "finish":
        return prepareFinish(operation, sender);
      case "extend":
        return () =>
          scatter(operation.leases, ofLease, (shard, leases) =>
            send(shard, { ...operation, leases }),
          );
      case "release":
        return () =>
          scatter(operation.releases, ofLease, (shard, releases) =>
            send(shard, { op: "release", releases }),
          );
    }
  };
}

/** Waits for all, so that nothing continues after a failure; then throws the first failure. */
export async function settleAll<T>(works: readonly Promise<T>[]): Promise<readonly T[]> {
  const settled = await Promise.allSettled(works);
  for (const one of settled) if (one.status === "rejected") throw one.reason;
  return settled.map((one) => (one as PromiseFulfilledResult<T>).value);
}
