import { systemClock, type Clock } from "../../../base/clock.ts";
import type { QueueStore, StoreNow } from "../../queue-store.ts";
import { createChangeWatch } from "./change-watch.ts";
import { createCommitter } from "./commit.ts";
import { readPlace } from "./connection-options.ts";
import { openDatabase } from "./database.ts";
import type { LazyKind } from "./lazy-kind.ts";
import { migrate } from "./migrate.ts";
import { readMoment } from "./moment.ts";
import { browse, overview, readGate, readJob, viewTask, wakeInMs } from "./read.ts";
import { recount, repair } from "./reconcile.ts";

export interface PostgresQueueStoreOptions {
  /** `postgres://…`; what it leaves out is taken from the PG* variables. */
  readonly url: string;
  /** Where the address does not hold it. */
  readonly password?: string;
  /** Any name; default: `schema` of the address, else "forager". */
  readonly schema?: string;
  /** A direct connection for LISTEN where `url` leads to a transaction pooler. */
  readonly listenUrl?: string;
  readonly clock?: Clock;
  /** Replaces the server's clock, for tests that shift it. */
  readonly now?: () => StoreNow;
  /** How long a statement may take, and how long it may wait for a lock. */
  readonly statementMs?: number;
  readonly lockMs?: number;
  /** How long to wait for a connection. */
  readonly connectMs?: number;
  /** Never more than the server's max_connections less 20. */
  readonly connectionsMax?: number;
  readonly idleMax?: number;
  /**
   * Kinds of writes that are answered before they are on the server's disk. A crash of the server
   * then loses the last of them: tasks that were added, or a second run of what was claimed or
   * finished. Default: none; else as the server's synchronous_commit says.
   */
  readonly lazy?: readonly LazyKind[];
}

const stripes = 15;

/** A queue in PostgreSQL, for the nodes of a fleet. Locks are taken in one order: see ./schema.ts */
export async function openPostgresQueueStore(
  options: PostgresQueueStoreOptions,
): Promise<QueueStore> {
  const { clock = systemClock, now: moment } = options;
  const { schema, password } = options;
  const place = readPlace(options.url, { schema, password });
  const db = openDatabase({
    place,
    statementMs: options.statementMs ?? 60_000,
    lockMs: options.lockMs ?? 20_000,
    connectMs: options.connectMs ?? 10_000,
    connectionsMax: options.connectionsMax ?? 70,
    idleMax: options.idleMax ?? 20,
  });
  try {
    await migrate(db);
  } catch (error) {
    await db.close();
    throw error;
  }
  // 0 is for what is counted under a lock.
  const committer = createCommitter({
    db,
    moment,
    stripe: 1 + (process.pid % stripes),
    lazy: new Set(options.lazy ?? place.lazy),
  });
  const listenPlace = options.listenUrl
    ? readPlace(options.listenUrl, { schema: place.schema, password })
    : place;
  const changes = createChangeWatch({ db, place: listenPlace, clock });

  return {
    async commit(operations) {
      const { answers, mayWake } = await committer.commit(operations);
      changes.notify(mayWake);
      return answers;
    },
    now: () => readMoment(db, moment),
    overview: async () => {
      const at = await committer.settle();
      return db.transaction((session) => overview(session, at), { isSnapshot: true });
    },
    task: async (id) => viewTask(db, id, await readMoment(db, moment)),
    browse: async (query) => browse(db, query),
    job: async (name) => readJob(db, name),
    gate: async (name) => readGate(db, name),
    wakeInMs: async (kinds, worker) => {
      await committer.settle();
      return wakeInMs(db, { kinds, worker }, moment);
    },
    watch: (listener) => changes.watch(listener),
    reconcile: async ({ repair: isAsked }) => {
      const { ms } = await readMoment(db, moment);
      const found = await db.transaction((session) => recount(session, ms), { isSnapshot: true });
      const isWrong = found.orphans > 0 || found.drift.length > 0;
      if (!isAsked || !isWrong) return { ...found, repaired: false };
      await db.transaction((session) => repair(session, ms), { isAlone: true });
      await committer.complete();
      return { ...found, repaired: true };
    },
    async [Symbol.asyncDispose]() {
      await changes.close();
      await db.close();
    },
  };
}
