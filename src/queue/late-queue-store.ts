import { AppError } from "../base/app-error.ts";
import type { ChangeListener, QueueStore } from "./queue-store.ts";

/**
 * Opens a store. If its server does not answer now, the first call that reaches the server opens
 * the store; until then every call throws `unavailable`, as calls do while a server is down. So a
 * node can start while its shared queue is unreachable. Any other error is thrown here.
 */
export async function openLateQueueStore(open: () => Promise<QueueStore>): Promise<QueueStore> {
  try {
    return await open();
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== "unavailable") throw error;
    return createLateStore(open);
  }
}

function createLateStore(open: () => Promise<QueueStore>): QueueStore {
  let opened: QueueStore | undefined;
  let opening: Promise<QueueStore> | undefined;
  let isClosed = false;
  const { promise: gone, reject: onGone } = Promise.withResolvers<never>();
  gone.catch(() => {}); // handled by callers that await it
  /** The functions that end a watch; undefined: not attached yet. */
  const watches = new Map<ChangeListener, (() => void) | undefined>();

  async function openNow(): Promise<QueueStore> {
    const store = await open();
    if (isClosed) {
      await store[Symbol.asyncDispose]();
      throw new AppError("invalid", "queue_closed", "the queue was closed");
    }
    opened = store;
    store.gone?.catch(onGone);
    for (const listener of watches.keys()) watches.set(listener, store.watch(listener));
    return store;
  }
  async function use<Answer>(ask: (store: QueueStore) => Promise<Answer>): Promise<Answer> {
    if (opened) return ask(opened);
    opening ??= openNow().finally(() => (opening = undefined));
    return ask(await opening);
  }

  return {
    gone,
    commit: (operations) => use((store) => store.commit(operations)),
    overlaps: (operation) => opened?.overlaps?.(operation) ?? false,
    now: () => use((store) => store.now()),
    counts: () => use((store) => store.counts()),
    task: (id) => use((store) => store.task(id)),
    browse: (query) => use((store) => store.browse(query)),
    ended: (query) => use((store) => store.ended(query)),
    log: (query) => use((store) => store.log(query)),
    logEntry: (id) => use((store) => store.logEntry(id)),
    logStats: () => use((store) => store.logStats()),
    job: (name) => use((store) => store.job(name)),
    gate: (name) => use((store) => store.gate(name)),
    jobs: (page) => use((store) => store.jobs(page)),
    gates: (page) => use((store) => store.gates(page)),
    wakeInMs: (kinds, worker) => use((store) => store.wakeInMs(kinds, worker)),
    watch(listener) {
      watches.set(listener, opened?.watch(listener));
      return () => {
        watches.get(listener)?.();
        watches.delete(listener);
      };
    },
    server: () => use(async (store) => store.server?.()),
    connections: () => opened?.connections?.() ?? { max: 0, active: 0, idle: 0, waiting: 0 },
    format: () => use((store) => store.format()),
    finishUpgrade: () => use((store) => store.finishUpgrade()),
    reconcile: (options) => use((store) => store.reconcile(options)),
    async [Symbol.asyncDispose]() {
      isClosed = true;
      await opening?.catch(() => {});
      await opened?.[Symbol.asyncDispose]();
    },
  };
}
