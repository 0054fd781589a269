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
  /** `postgres://…`; what it leaves out is taken from `variables`. */
  readonly url: string;
  /** The PG* variables, as `readLibpqVariables` gives them. */
  readonly variables?: LibpqVariables;
  /** Where the address does not hold it. */
  readonly password?: string;
  /** Any name; default: `schema` of the address, else "forager". */
  readonly schema?: string;
  /** A direct connection for LISTEN where `url` leads to a transaction pooler. */
  readonly listenUrl?: string;
  /** For `listenUrl`, where it is another one and not in it. */
  readonly listenPassword?: string;
  readonly clock?: Clock;
  /** Replaces the server's clock, for tests that shift it. */
  readonly now?: () => StoreNow;
  /** How long a statement may take, and how long it may wait for a lock. */
  readonly statementMs?: number;
  readonly lockMs?: number;
  /** How long to wait for a connection. */
  readonly connectMs?: number;
  /** Sessions at most, and of them idle. Never more than the server's max_connections less 20. */
  readonly connectionsMax?: number;
  readonly idleMax?: number;
  /** Whether sessions keep statements prepared; `auto` until a transaction pooler is noticed. */
  readonly names?: NamesMode;
  /**
   * Kinds of writes that are answered before they are on the server's disk. A crash of the server
   * then loses the last of them: tasks that were added, or a second run of what was claimed or
   * finished. Default: none; else as the server's synchronous_commit says.
   */
  readonly lazy?: readonly LazyKind[];
  /** Internal: fast paths that are switched off, so that a bench can measure each alone. */
  readonly without?: readonly FastPath[];
}

/** Rows that one step of a list looks at. */
const stepRows = 5_000;

/** Processes that have stripes of the counters of their own; more than that share some. */
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
      // 0 is for what is counted under a lock.
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
      // All is sent at once, so it takes one way to the server and back.
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
    // It may have to look at every task: in a transaction, so that its time is limited.
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

/** They may take long, and have a pool of their own, so that they hold up no worker. */
const maintenanceOps: ReadonlySet<Operation["op"]> = new Set([
  "sweep",
  "purge",
  "forgetKeys",
  "pruneLog",
]);
