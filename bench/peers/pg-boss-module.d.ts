/** The part of pg-boss that we call; see plainjob-module.d.ts for why it is declared. */
declare module "pg-boss" {
  export class PgBoss {
    constructor(options: {
      readonly connectionString: string;
      readonly schema: string;
      readonly supervise: boolean;
      readonly schedule: boolean;
    });
    on(event: "error", listener: (error: Error) => void): void;
    start(): Promise<unknown>;
    stop(options: { readonly graceful: boolean }): Promise<void>;
    createQueue(name: string, options?: { readonly partition?: boolean }): Promise<void>;
    insert(name: string, jobs: readonly { readonly data: object }[]): Promise<unknown>;
    fetch(
      name: string,
      options: { readonly batchSize: number },
    ): Promise<readonly { readonly id: string; readonly data: unknown }[]>;
    complete(name: string, ids: readonly string[]): Promise<{ readonly affected: number }>;
  }
}
