import pg from "pg";
import { AppError } from "../../../../base/app-error.ts";
import { systemClock } from "../../../../base/clock.ts";
import type { Connections } from "../../../queue-store.ts";
import type { PostgresPlace } from "./connection-options.ts";
import { settleTls } from "./tls.ts";

/**
 * The sessions of one process. It never opens more than the server can spare. The last session is
 * for maintenance, so that expired leases are taken back however busy the process is.
 */
export interface SessionPool {
  checkOut(options: { readonly isMaintenance: boolean }): Promise<pg.PoolClient>;
  /** A session whose state is unknown is closed. */
  giveBack(client: pg.PoolClient, state: "good" | "unknown"): void;
  /** Rises whenever a session is opened. */
  opened(): number;
  connections(): Connections;
  close(): Promise<void>;
}

export interface SessionPoolOptions {
  readonly place: PostgresPlace;
  readonly connectionsMax: number;
  readonly idleMax: number;
  /** How long to wait for a session; 0: forever. */
  readonly connectMs: number;
  readonly queryMs: number;
}

/** Connections that the server must have left for other clients. */
const sparedConnections = 20;
/** One for all work, one for maintenance. */
const sessionsMin = 2;

export function createSessionPool(options: SessionPoolOptions): SessionPool {
  const { place, idleMax, connectMs } = options;
  const pool = new pg.Pool({
    ...place.connection,
    max: sessionsMin,
    idleTimeoutMillis: 120_000,
    connectionTimeoutMillis: connectMs,
    query_timeout: options.queryMs,
    allowExitOnIdle: true,
    pipeline: true,
  });
  let opened = 0;
  let sizing: Promise<void> | undefined;
  let isSized = false;
  let common = 0;
  const inCommonUse = new Set<pg.PoolClient>();
  let taken = 0;
  const waiting = new Set<() => void>();
  pool.on("connect", (client) => {
    opened += 1;
    // If a session breaks while it is used, the current or next statement gets the error.
    client.on("error", () => {});
  });
  // The pool replaces an idle connection that breaks. The next caller gets an error if that fails.
  pool.on("error", () => {});

  /** Finds out with the first session how it is encrypted, and how many sessions there may be. */
  async function size(): Promise<void> {
    const { host = "", port = 0 } = place.connection;
    pool.options.ssl = await settleTls(place.tls, { host, port });
    const client = await pool.connect().catch((error: unknown) => {
      const isRefused = error instanceof pg.DatabaseError && error.code === "28P01";
      throw (isRefused && place.explainRefusal(error)) || error;
    });
    try {
      const { rows } = await client.query<{ most: number }>(
        "select current_setting('max_connections')::int as most",
      );
      const spare = (rows[0]?.most ?? 100) - sparedConnections;
      // One more is needed for LISTEN.
      const most = Math.min(options.connectionsMax, spare) - 1;
      pool.options.max = Math.max(sessionsMin, most);
      common = pool.options.max - 1;
      isSized = true;
    } finally {
      client.release();
    }
  }

  function enter(): Promise<void> | undefined {
    if (taken < common) {
      taken += 1;
      return undefined;
    }
    return new Promise((resolve, reject) => {
      const next = () => {
        timer?.cancel();
        waiting.delete(next);
        resolve();
      };
      const giveUp = () => {
        waiting.delete(next);
        reject(exhausted(place.name, common));
      };
      const timer = connectMs > 0 ? systemClock.setTimer(connectMs, giveUp) : undefined;
      waiting.add(next);
    });
  }

  function leave(): void {
    const [next] = waiting;
    if (next) next();
    else taken -= 1;
  }

  return {
    opened: () => opened,
    connections() {
      const {
        totalCount,
        idleCount,
        waitingCount,
        options: { max },
      } = pool;
      const active = totalCount - idleCount;
      return { max, active, idle: idleCount, waiting: waiting.size + waitingCount };
    },
    async checkOut({ isMaintenance }) {
      if (!isSized) await (sizing ??= size().finally(() => (sizing = undefined)));
      if (isMaintenance) return pool.connect();
      const turn = enter();
      if (turn) await turn;
      try {
        const client = await pool.connect();
        inCommonUse.add(client);
        return client;
      } catch (error) {
        leave();
        throw error;
      }
    },
    giveBack(client, state) {
      client.release(state === "unknown" || pool.idleCount >= idleMax);
      if (inCommonUse.delete(client)) leave();
    },
    close: () => pool.end(),
  };
}

const exhausted = (place: string, count: number) =>
  new AppError(
    "unavailable",
    "queue_pool_exhausted",
    `all ${count} sessions of this process with the queue ${place} are in use: try again, ask less ` +
      `at once, or raise queue.postgres.poolMax`,
  );
