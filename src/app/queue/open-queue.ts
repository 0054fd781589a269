import { AppError } from "../../base/app-error.ts";
import { systemClock } from "../../base/clock.ts";
import { systemRandom } from "../../base/random.ts";
import { readLibpqVariables } from "../../config/index.ts";
import type { PostgresQueueStoreOptions } from "../../queue/adapters/postgres/postgres-queue-store.ts";
import type { NodeWake } from "../../node/index.ts";
import {
  createQueue,
  openLateQueueStore,
  type Kinds,
  type Queue,
  type QueueStore,
} from "../../queue/index.ts";

export interface OpenQueueOptions {
  /**
   * SQLite only. The default `full` survives a power cut; `normal` survives a crash of any process.
   */
  readonly durability?: "normal" | "full";
  /** PostgreSQL only, if the address does not contain it. */
  readonly password?: string;
  readonly postgres?: PostgresOptions;
  /** Bucket only: a queue that does not exist is an error. For a file, the caller checks this. */
  readonly mustExist?: boolean;
  /**
   * Read-only: an SQLite file and the files next to it are not changed. No effect on other queues.
   */
  readonly isReader?: boolean;
  /** If a server does not answer now, each call tries again. */
  readonly isLate?: boolean;
  /**
   * Bucket only: notifies idle processes of the fleet of added tasks, and receives their
   * notifications.
   */
  readonly wake?: NodeWake;
}

/** See `PostgresQueueStoreOptions`; every option has a safe default. */
export type PostgresOptions = Pick<
  PostgresQueueStoreOptions,
  | "schema"
  | "listenUrl"
  | "listenPassword"
  | "statementMs"
  | "lockMs"
  | "connectMs"
  | "connectionsMax"
  | "idleMax"
  | "names"
  | "lazy"
>;

/**
 * Opens a queue by its address: `sqlite:PATH` for the processes of one machine, `postgres://…` for
 * the nodes of a fleet (the PG* variables supply missing parts), `s3://BUCKET/PREFIX` for a fleet
 * without a server, `dir:PATH` for the same on one machine's disk, `memory:` for this process
 * alone. Drivers are loaded on demand.
 */
export async function openQueue<K extends Kinds = Kinds>(
  address: string,
  options: OpenQueueOptions = {},
): Promise<Queue<K>> {
  const open = () => openStore(address, options);
  const store = await (options.isLate ? openLateQueueStore(open) : open());
  return createQueue<K>({ store, clock: systemClock, random: systemRandom });
}

async function openStore(address: string, options: OpenQueueOptions): Promise<QueueStore> {
  const scheme = /^([a-z][a-z0-9+.-]*):/.exec(address)?.[1];
  const rest = address.slice((scheme?.length ?? 0) + 1);
  switch (scheme) {
    case "sqlite": {
      if (rest === "") throw badAddress(address, "a path is missing after sqlite:");
      const { durability, isReader = false } = options;
      if (isReader) return (await loadSqlite(importReader)).openSqliteQueueReader({ file: rest });
      const { openSqliteQueueStore } = await loadSqlite(importStore);
      return openSqliteQueueStore({ file: rest, ...(durability && { durability }) });
    }
    case "postgres":
    case "postgresql": {
      const { openPostgresQueueStore } =
        await import("../../queue/adapters/postgres/postgres-queue-store.ts");
      const { password, postgres } = options;
      return openPostgresQueueStore({
        url: address,
        variables: readLibpqVariables(),
        ...(password === undefined ? {} : { password }),
        ...postgres,
      });
    }
    case "s3":
    case "dir": {
      const { openQueueOnBucket } = await import("./open-bucket-queue.ts");
      return openQueueOnBucket(address, options);
    }
    case "memory": {
      const { createMemoryQueueStore } =
        await import("../../queue/adapters/memory/memory-queue-store.ts");
      return createMemoryQueueStore();
    }
    case undefined:
    default:
      throw badAddress(address, "it must start with sqlite:, postgres:, s3://, dir: or memory:");
  }
}

const importStore = () => import("../../queue/adapters/sqlite/sqlite-queue-store.ts");
const importReader = () => import("../../queue/adapters/sqlite/read/sqlite-queue-reader.ts");

async function loadSqlite<Module>(load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (cause) {
    throw new AppError(
      "unavailable",
      "sqlite_not_built",
      "the SQLite driver better-sqlite3 does not load: its binary is missing or made for another " +
        "platform. Run `npm install` again on this machine (64-bit Linux, macOS or Windows)",
      { cause },
    );
  }
}

const badAddress = (address: string, why: string) =>
  new AppError(
    "invalid",
    "queue_address",
    `"${address.replace(/:\/\/[^@/]*@/, "://***@")}" is not the address of a queue: ${why}, ` +
      `for example sqlite:queue.db`,
  );
