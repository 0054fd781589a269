import { AppError } from "../base/app-error.ts";
import { closable } from "../base/closable.ts";
import type { Clock } from "../base/clock.ts";
import { createId } from "../base/ids.ts";
import type { Random } from "../base/random.ts";
import { afterTick } from "../base/tick.ts";
import { list } from "./check-value.ts";
import { createGroupCommit, type Submit } from "./group-commit.ts";
import { logEntryOf, type LogEntry } from "./read/log-entry.ts";
import { endedOrder } from "./model/read.ts";
import type { NamePage } from "./names.ts";
import { bulkRowsMax, type Changed } from "./operation.ts";
import type { ForgetKeys, PruneLog, Purge, Retry } from "./operation.ts";
import type { ClaimedTasks, FinishInput, Kinds, Queue, Shown, TaskInput } from "./queue.ts";
import type { EndedQuery, QueueStore, TaskView } from "./queue-store.ts";
import { summarise } from "./read/stats.ts";
import { createValidator } from "./validate.ts";
import { waitingReason } from "./waiting.ts";

export interface QueueOptions {
  readonly store: QueueStore;
  /** Only for `delayMs` of new tasks: all other times come from the store. */
  readonly clock: Clock;
  /** For keys and request ids that the caller omits. */
  readonly random: Random;
}

/** The queue in front of a store: validates input, batches calls, splits bulk work into chunks. */
export function createQueue<K extends Kinds = Kinds>(options: QueueOptions): Queue<K> {
  const { clock, random } = options;
  const group = createGroupCommit(options.store);
  const check = createValidator({ clock, newId: () => createId(random) });
  let isClosed = false;
  const reads = new Set<Promise<unknown>>();

  /** Throws if the queue is closed, because a closed store behaves as its driver does. */
  const store = (): QueueStore => {
    if (!isClosed) return options.store;
    throw new AppError("invalid", "queue_closed", "the queue was closed: open it again to use it");
  };
  const submit: Submit = (operation) => {
    store();
    return group.submit(operation);
  };
  /** `close` waits for a read that has begun, however many calls of the store it makes. */
  async function read<T>(ask: (store: QueueStore) => Promise<T>): Promise<T> {
    const answer = ask(store());
    reads.add(answer);
    try {
      return await answer;
    } finally {
      reads.delete(answer);
    }
  }
  async function close(): Promise<void> {
    isClosed = true;
    await group.idle();
    await Promise.allSettled(reads);
    await options.store[Symbol.asyncDispose]();
  }

  async function inChunks(
    next: () => Promise<Changed>,
    onProgress: ((changed: number) => void) | undefined,
  ): Promise<number> {
    let total = 0;
    for (;;) {
      const { changed, hasMore } = await next();
      total += changed;
      onProgress?.(total);
      // A chunk that changed nothing would be repeated forever.
      if (!hasMore || changed === 0) return total;
    }
  }
  const rowsMax = bulkRowsMax;
  const bulk = (
    operation: Retry | Purge | ForgetKeys | PruneLog,
    onProgress?: (changed: number) => void,
  ) => inChunks(() => submit(operation), check.onProgress(onProgress));

  /**
   * Reads rows before log entries: a task that is archived in between is seen twice, but never
   * missed.
   */
  async function readLog(from: QueueStore, query: EndedQuery): Promise<readonly LogEntry[]> {
    const rows = (await from.ended(query)).map(logEntryOf);
    const entries = await from.log(query);
    const byId = new Map([...rows, ...entries].map((entry) => [entry.id, entry]));
    return [...byId.values()].sort(endedOrder(query)).slice(0, query.limit);
  }

  return {
    add: async (tasks, by) => submit(check.add(tasks as readonly TaskInput[], by)),
    claim: async (request) => {
      const { leases, hasSuspect } = await submit(check.claim(request));
      // The leases are new objects, so their payload can be replaced in place.
      for (const lease of leases as readonly { payload: unknown }[]) {
        lease.payload = JSON.parse(lease.payload as string);
      }
      return { leases, hasSuspect } as unknown as ClaimedTasks<K, never>;
    },
    extend: async (leases, leaseMs) => submit(check.extend(leases, leaseMs)),
    finish: async (finishes) =>
      submit({
        op: "finish",
        finishes: list("finishes", finishes as readonly FinishInput[], check.finish),
      }),
    release: async (releases) =>
      submit({ op: "release", releases: list("releases", releases, check.release) }),
    sweep: async () => submit({ op: "sweep" }),

    block: async (gate, forMs) =>
      submit({ op: "block", gate: check.gate(gate), forMs: check.delay("forMs", forMs) }),
    setGate: async (gate, settings) => submit(check.setGate(gate, settings)),

    openJob: async (job, settings = {}) => submit(check.openJob(job, settings)),
    seal: async (job) => submit({ op: "seal", job: check.endingJob(job) }),
    pause: async (job) => submit({ op: "pause", job: check.job(job) }),
    resume: async (job) => submit({ op: "resume", job: check.job(job) }),
    cancel: async (job) => submit({ op: "cancel", job: check.endingJob(job) }),

    raise: async (raises) => submit({ op: "raise", raises: check.raises(raises) }),
    retry: async (filter = {}, onProgress) =>
      bulk({ op: "retry", filter: check.retried(filter), rowsMax }, onProgress),
    archive: async (filter, onProgress) =>
      bulk({ op: "purge", filter: check.finished(filter), rowsMax, keepKeys: true }, onProgress),
    async purge(input, onProgress) {
      const filter = check.finished(input);
      const purged = await bulk({ op: "purge", filter, rowsMax, keepKeys: false }, onProgress);
      await bulk({ op: "forgetKeys", filter, rowsMax });
      return purged;
    },
    forgetKeys: async (filter, onProgress) =>
      bulk({ op: "forgetKeys", filter: check.finished(filter), rowsMax }, onProgress),
    pruneLog: async (finishedBeforeMs, onProgress) =>
      bulk(
        { op: "pruneLog", finishedBeforeMs: check.before(finishedBeforeMs), rowsMax },
        onProgress,
      ),

    now: () => read((from) => from.now()),
    stats: async () => summarise(await read((from) => from.counts())),
    show: async (id) => {
      const view = await read((from) => from.task(check.id(id)));
      return view && shown(view);
    },
    browse: (query = {}) => read((from) => from.browse(check.browse(query))),
    ended: (query = {}) => read((from) => from.ended(check.ended(query))),
    log: (query = {}) => read((from) => readLog(from, check.ended(query))),
    logEntry: (id) => read((from) => from.logEntry(check.id(id))),
    logStats: () => read((from) => from.logStats()),
    jobs: (page = {}) => read((from) => inPages(check.page(page), (one) => from.jobs(one))),
    job: (name) => read((from) => from.job(check.job(name))),
    gate: (name) => read((from) => from.gate(check.gate(name))),
    gates: (page = {}) => read((from) => inPages(check.page(page), (one) => from.gates(one))),
    wakeInMs: (kinds, worker) =>
      read((from) => from.wakeInMs(check.kinds(kinds), check.worker(worker))),
    watch: (listener) => store().watch(check.listener(listener)),
    ...(options.store.netMs !== undefined && { netMs: options.store.netMs }),
    ...(options.store.hasTaskLimit === true && { hasTaskLimit: true }),
    ...(options.store.gone && { gone: options.store.gone }),
    connections: () => store().connections?.(),
    server: async () => store().server?.(),
    format: () => read((from) => from.format()),
    finishUpgrade: () => read((from) => from.finishUpgrade()),
    reconcile: (how = {}) => read((from) => from.reconcile(check.reconcile(how))),

    ...closable(close),
  };
}

/** Reading a page takes a few milliseconds. */
const pageRows = 5_000;

async function inPages<Row extends { readonly name: string }>(
  { after, limit }: NamePage,
  read: (page: NamePage) => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  let last = after;
  while (rows.length < limit) {
    const pageLimit = Math.min(pageRows, limit - rows.length);
    const page = await read({ after: last, limit: pageLimit });
    for (const row of page) rows.push(row);
    if (page.length < pageLimit) break;
    last = page.at(-1)!.name;
    await new Promise<void>(afterTick);
  }
  return rows;
}

function shown({ task, gate, job, worker, now }: TaskView): Shown {
  return {
    task,
    worker,
    waiting: task.state === "pending" ? waitingReason(task, gate, job, now) : undefined,
    ageMs: Math.max(0, now.ms - task.createdAtMs),
  };
}
