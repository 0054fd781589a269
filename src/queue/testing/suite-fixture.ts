import { expect } from "vitest";
import { assert } from "../../base/app-error.ts";
import { createSeededRandom } from "../../base/random.ts";
import { createQueue } from "../create-queue.ts";
import type { Added, AddStatus, Finished, Held } from "../operation.ts";
import type { ClaimInput, FinishInput, LeasedTask, Queue, TaskInput } from "../queue.ts";
import type { QueueStore } from "../queue-store.ts";
import type { LeaseRef, Task } from "../task.ts";
import type { SuiteTime } from "./suite-time.ts";

export type OpenStore = (time: SuiteTime) => Promise<OpenedStore>;

export interface OpenedStore {
  readonly store: QueueStore;
  /** Opens the same storage again, as another process would. The suite closes it. */
  readonly openAnother: () => Promise<QueueStore>;
  /** Copies the current storage; `restore` opens the copy. The suite closes it. */
  readonly backUp?: () => Promise<{ readonly restore: () => Promise<QueueStore> }>;
  /** Makes the storage unreachable until `reconnect`, like a lost disk, lock or network. */
  readonly cutOff?: () => Promise<{ readonly reconnect: () => Promise<void> }>;
}

export type QueueClause = (title: string, check: (at: QueueFixture) => Promise<void>) => void;

/** What a clause works with: a queue in front of the tested store, and short helper functions. */
export interface QueueFixture extends AsyncDisposable {
  readonly queue: Queue;
  readonly store: QueueStore;
  readonly time: SuiteTime;
  readonly opened: OpenedStore;
  /** A queue in front of any store; closed with the fixture. */
  readonly front: (store: QueueStore) => Queue;
  /** A queue of another opener. */
  readonly another: () => Promise<Queue>;
  /** Adds tasks that must all be new. */
  readonly add: (...tasks: readonly TaskInput[]) => Promise<void>;
  /**
   * Worker "w1" claims up to 100 tasks of kind "work" for a minute, unless the request says
   * otherwise.
   */
  readonly claim: (request?: Partial<ClaimInput>) => Promise<readonly LeasedTask[]>;
  /** Like `claim`, if exactly one task is expected. */
  readonly claimOne: (request?: Partial<ClaimInput>) => Promise<LeasedTask>;
  readonly finish: (
    lease: LeaseRef,
    outcome?: FinishInput["outcome"],
    more?: Omit<FinishInput, "id" | "token" | "outcome">,
  ) => Promise<Finished["status"]>;
  readonly release: (lease: LeaseRef, sinceStartMs?: number) => Promise<Held["status"]>;
  readonly extend: (lease: LeaseRef, leaseMs?: number) => Promise<Held["status"]>;
  /** The stored task with this key, which must exist. */
  readonly find: (key: string) => Promise<Task>;
}

export const leaseMs = 60_000;

export const statusesOf = (answers: readonly Added[]): readonly AddStatus[] =>
  answers.map(({ status }) => status);

/** A task of kind "work" with the given key. */
export const work = (key: string, more: Partial<Omit<TaskInput, "key">> = {}): TaskInput => ({
  kind: "work",
  key,
  ...more,
});

/** Due in exactly `ms`. With `delayMs`, a task may wait up to a millisecond longer. */
export const dueIn = ({ time }: Pick<QueueFixture, "time">, ms: number) => ({
  dueAtMs: time.now().wallMs + ms,
});

/** Keys "a0", "a1", … */
export const works = (
  prefix: string,
  count: number,
  more: Partial<Omit<TaskInput, "key">> = {},
): TaskInput[] => Array.from({ length: count }, (_, index) => work(`${prefix}${index}`, more));

export const keysOf = (tasks: readonly { readonly key: string }[]): string[] =>
  tasks.map((task) => task.key);

export async function openFixture(open: OpenStore, time: SuiteTime): Promise<QueueFixture> {
  const opened = await open(time);
  const random = createSeededRandom(1);
  const queues: Queue[] = [];
  const front = (store: QueueStore): Queue => {
    const queue = createQueue({ store, clock: time.clock, random });
    queues.push(queue);
    return queue;
  };
  const queue = front(opened.store);

  const claim = async (request: Partial<ClaimInput> = {}) =>
    (await queue.claim({ worker: "w1", kinds: ["work"], limit: 100, leaseMs, ...request })).leases;
  const find = async (key: string) => {
    const found = (await queue.browse({ keyPrefix: key, limit: 10_000 })).find(
      (task) => task.key === key,
    );
    assert(found, `the clause expects a task "${key}"`);
    return found;
  };

  return {
    queue,
    store: opened.store,
    time,
    opened,
    front,
    another: async () => front(await opened.openAnother()),
    async add(...tasks) {
      expect(statusesOf(await queue.add(tasks))).toEqual(tasks.map(() => "added"));
    },
    claim,
    async claimOne(request) {
      const [lease, ...more] = await claim(request);
      expect(keysOf(more)).toEqual([]);
      assert(lease, "the clause expects a claim to lease one task, it leased none");
      return lease;
    },
    finish: async ({ id, token }, outcome = { kind: "done" }, more = {}) =>
      statusOf(await queue.finish([{ id, token, outcome, ...more }])),
    release: async ({ id, token }, sinceStartMs) =>
      statusOf(
        await queue.release([
          { id, token, ...(sinceStartMs === undefined ? {} : { sinceStartMs }) },
        ]),
      ),
    extend: async (lease, ms = leaseMs) => statusOf(await queue.extend([lease], ms)),
    find,
    async [Symbol.asyncDispose]() {
      for (const one of queues.reverse()) await one[Symbol.asyncDispose]();
    },
  };
}

function statusOf<Answer extends Held | Finished>([
  answer,
  ...more
]: readonly Answer[]): Answer["status"] {
  assert(answer && more.length === 0, "one lease gets one answer");
  return answer.status;
}
