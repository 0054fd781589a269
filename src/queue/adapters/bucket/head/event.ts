import type { ModelNow } from "../../../model/now.ts";
import type { Operation } from "../../../operation.ts";

/** What a queue on a bucket tells those who watch it: tests, metrics, the log. */
export type BucketQueueEvent =
  | {
      readonly event: "committed";
      readonly key: string;
      readonly version: number;
      readonly operations: number;
    }
  /** A head is about to be sent; it may land, or be refused and made anew. */
  | {
      readonly event: "sending";
      readonly key: string;
      readonly session: string;
      /** Of the session's commits; the head will show it in `commits`. */
      readonly number: number;
      readonly version: number;
      readonly operations: readonly Operation[];
      readonly now: ModelNow;
      /** What its jobs are charged with. */
      readonly requests: number;
    }
  /** A write was refused or got no clear answer: the head is read and the work done again. */
  | { readonly event: "conflict"; readonly key: string }
  | {
      readonly event: "archived";
      readonly key: string;
      readonly log: string;
      readonly tasks: number;
      /** Smaller logs that went into it. */
      readonly joined: number;
    }
  /** An object is damaged, newer or gone: its shard stops until somebody has looked. */
  | { readonly event: "quarantined"; readonly key: string; readonly code: string };
