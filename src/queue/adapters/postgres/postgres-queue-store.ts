import { systemClock, type Clock } from "../../../base/clock.ts";
import type { LibpqVariables } from "../../../config/index.ts";
import { storeNow } from "../../model/now.ts";
import type { Operation } from "../../operation.ts";
import type { QueueStore, StoreNow } from "../../queue-store.ts";
import { createChangeWatch } from "./connection/change-watch.ts";
import { createCommitter } from "./write/commit.ts";
import { readPlace } from "./connection/connection-options.ts";
import type { FastPath } from "./write/fast-path.ts";
import { openDatabase, type Database, type PostgresSession } from "./connection/database.ts";
import type { LazyKind } from "./write/lazy-kind.ts";
import { browseInSteps, endedInSteps } from "../../in-steps.ts";
import { logStep, readLogEntry, readLogStats } from "./read/log.ts";
import { finishUpgrade, migrate, readFormat } from "./connection/migrate.ts";
import { readMoment } from "./connection/moment.ts";
import type { NamesMode } from "./connection/names-mode.ts";
import {
  browseStep,
  endedStep,
  readGate,
  readGates,
  readJob,
  readJobs,
  viewTask,
  wakeInMs,
} from "./read/read.ts";
import { readCounts } from "./read/read-counts.ts";
import { recount, repair } from "./read/reconcile.ts";
import { stripesOfProcess } from "./claim/stripes.ts";
import { readServerFigures } from "./read/server-figures.ts";

export interface PostgresQueueStoreOptions {
  /** `postgres://…`; missing parts come from `variables`. */
  readonly url: string;
  /** The PG* variables, as `readLibpqVariables` returns them. */
  readonly variables?: LibpqVariables;
  /** Used if the address does not contain one. */
  readonly password?: string;
  /** Any name; default: `schema` of the address, else "forager". */
  readonly schema?: string;
  /** A direct connection for LISTEN if `url` leads to a transaction pooler. */
  readonly listenUrl?: string;
  /** The password for `listenUrl`, if it is different and not in the address. */
  readonly listenPassword?: string;
  readonly clock?: Clock;
  /** Replaces the server's clock, for tests that shift it. */
  readonly now?: () => StoreNow;
  /** How long a statement may take, and how long it may wait for a lock. */
  readonly statementMs?: number;
  readonly lockMs?: number;
  /** How long to wait for a connection. */
  readonly connectMs?: number;
  /**
   * The limit of sessions, and of idle ones. Never more than the server's max_connections minus 20.
   */
  readonly connectionsMax?: number;
  readonly idleMax?: number;
  /** Whether sessions keep statements prepared; `auto`: until a transaction pooler is detected. */
  readonly names?: NamesMode;
  /**
   * Kinds of writes that are answered before they are on the server's disk. A crash of the server
   * can lose the last of them: added tasks are lost, and claimed or finished tasks run again.
   * Default: none; then the server's synchronous_commit decides.
   */
  readonly lazy?: readonly LazyKind[];
  /** Internal: fast paths to switch off, so that a bench can measure each one. */
  readonly without?: readonly FastPath[];
}

/** Rows that one step of a list reads. */
const stepRows = 5_000;

/** This many processes have counter stripes of their own; more processes share stripes. */
const stripedProcesses = 15;

/** A queue in PostgreSQL, for the nodes of a fleet. Locks are taken in one order: see ./schema.ts */
export async function openPostgresQueueStore(
  options: PostgresQueueStoreOptions,
): Promise<QueueStore> {
  const { clock = systemClock, now: moment } = options;
  const { schema, password, variables } = options;
  const place = readPlace(options.url, { schema, password, variables });
  const db = openDatabase({
    place,
    statementMs: options.statementMs ?? 60_000,
    lockMs: options.lockMs ?? 20_000,
    connectMs: options.connectMs ?? place.connectMs ?? 10_000,
    connectionsMax: options.connectionsMax ?? 70,
    idleMax: options.idleMax ?? 20,
    names: options.names ?? "auto",
  });
  try {
    await migrate(db);
  } catch (error) {
    await db.close();
    throw error;
  }
  const open = (own: Database) =>
    createCommitter({
      db: own,
      moment,
      // Stripe 0 is for counters that are updated under a lock.
      stripe: 1 + (process.pid % stripedProcesses) * stripesOfProcess,
      lazy: new Set(place.lazy ?? options.lazy ?? []),
      without: new Set(options.without ?? []),
    });
  const committer = open(db);
  const maintainer = open(db.maintenance);
  const listenPlace = options.listenUrl
    ? readPlace(options.listenUrl, {
        schema: place.schema,
        password: options.listenPassword ?? password,
        variables,
      })
    : place;
  const changes = createChangeWatch({ db, place: listenPlace, clock });

  /** Reads in a transaction, because the timeouts of the server are set per transaction. */
  const look = <T>(read: (session: PostgresSession) => Promise<T>): Promise<T> =>
    db.transaction(read, { isSnapshot: true });
  return {
    async commit(operations) {
      const isMaintenance = operations.some(({ op }) => maintenanceOps.has(op));
      const { answers, mayWake } = await (isMaintenance ? maintainer : committer).commit(
        operations,
      );
      changes.notify({ mayWake, isNews: operations.some(({ op }) => op === "add") });
      return answers;
    },
    overlaps: (operation) => committer.overlaps(operation),
    now: async () => storeNow(await readMoment(db, moment)),
    counts: async () => {
      // All queries are sent at once, so this takes one round trip.
      const read = () =>
        db.transaction((session) => readCounts(session, moment), {
          isSnapshot: true,
          isOneWay: "repeatable",
        });
      const found = await read();
      if (!found.wentBack) return found.counts;
      await committer.settle();
      return (await read()).counts;
    },
    task: async (id) => viewTask(db, id, storeNow(await readMoment(db, moment))),
    // It may read every task: use a transaction, so that its time is limited.
    browse: (query) =>
      browseInSteps(query, stepRows, (part, rows) =>
        look((session) => browseStep(session, part, rows)),
      ),
    ended: (query) =>
      endedInSteps(query, stepRows, (part, rows) =>
        look((session) => endedStep(session, part, rows)),
      ),
    log: (query) =>
      endedInSteps(query, stepRows, (part, rows) =>
        look((session) => logStep(session, part, rows)),
      ),
    logEntry: (id) => look((session) => readLogEntry(session, id)),
    logStats: () => look(readLogStats),
    job: async (name) => readJob(db, name),
    gate: async (name) => readGate(db, name),
    jobs: (page) => readJobs(db, page),
    gates: (page) => readGates(db, page),
    wakeInMs: async (kinds, worker) => {
      const next = await wakeInMs(db, { kinds, worker }, moment);
      if (!next.wentBack) return next.inMs;
      await committer.settle();
      return (await wakeInMs(db, { kinds, worker }, moment)).inMs;
    },
    watch: (listener) => changes.watch(listener),
    connections: () => db.connections(),
    server: () => readServerFigures(db.maintenance),
    format: () => readFormat(db),
    finishUpgrade: () => finishUpgrade(db),
    reconcile: async ({ repair: isAsked }) => {
      const { ms } = await readMoment(db, moment);
      const own = db.maintenance;
      const found = await own.transaction((session) => recount(session, ms), { isSnapshot: true });
      const isWrong = found.orphans > 0 || found.drift.length > 0;
      if (!isAsked || !isWrong) return { ...found, repaired: false };
      await own.transaction((session) => repair(session, ms), { isAlone: true });
      await maintainer.complete();
      return { ...found, repaired: true };
    },
    async [Symbol.asyncDispose]() {
      await changes.close();
      await db.close();
    },
  };
}

/** These may take long. They have their own pool, so that they do not delay workers. */
const maintenanceOps: ReadonlySet<Operation["op"]> = new Set([
  "sweep",
  "purge",
  "forgetKeys",
  "pruneLog",
]);
