/** The part of graphile-worker that we call; see plainjob-module.d.ts for why it is declared. */
declare module "graphile-worker" {
  interface JobSpec {
    readonly identifier: string;
    readonly payload: unknown;
  }
  interface WorkerUtils {
    migrate(): Promise<void>;
    addJobs(specs: readonly JobSpec[]): Promise<readonly unknown[]>;
    release(): Promise<void>;
  }
  interface Common {
    readonly connectionString: string;
    readonly logger: Logger;
    readonly preset: {
      readonly worker: {
        readonly schema: string;
        readonly concurrentJobs?: number;
        readonly pollInterval?: number;
        readonly maxPoolSize?: number;
        readonly localQueue?: { readonly size: number };
        readonly completeJobBatchDelay?: number;
        readonly failJobBatchDelay?: number;
      };
    };
  }
  export class Logger {
    constructor(
      factory: () => (
        level: string,
        message: string,
        meta?: Readonly<Record<string, unknown>>,
      ) => void,
    );
  }
  export function makeWorkerUtils(options: Common): Promise<WorkerUtils>;
  export function run(
    options: Common & {
      readonly noHandleSignals: boolean;
      readonly taskList: Readonly<Record<string, () => Promise<void>>>;
    },
  ): Promise<{ stop(): Promise<void> }>;
}
