/**
 * The part of plainjob that we call. Declared here, because the types must also be known where
 * the peers are not installed, which is everywhere but on a machine that runs benches.
 */
declare module "plainjob" {
  import type { Database } from "better-sqlite3";

  interface Connection {
    readonly driver: string;
  }
  interface Queue {
    addMany(type: string, data: readonly unknown[]): { readonly ids: readonly number[] };
    /** Status: 0 pending, 1 processing, 2 done, 3 failed. */
    countJobs(filter: { readonly status: number }): number;
    close(): void;
  }
  interface Logger {
    error(message: string): void;
    warn(message: string): void;
    info(message: string): void;
    debug(message: string): void;
  }

  export function better(database: Database): Connection;
  export function defineQueue(options: {
    readonly connection: Connection;
    readonly logger: Logger;
  }): Queue;
  export function defineWorker(
    type: string,
    handler: () => Promise<void>,
    options: {
      readonly queue: Queue;
      readonly logger: Logger;
      /** Called after the job was marked as done in the database. */
      readonly onCompleted: () => void;
    },
  ): { start(): Promise<void>; stop(): Promise<void> };
}
