import type { ModelNow } from "../../../model/now.ts";
import type { Operation } from "../../../operation.ts";

/** Events of a queue on a bucket, for tests, metrics and the log. */
export type BucketQueueEvent =
  | {
      readonly event: "committed";
      readonly key: string;
      readonly version: number;
      readonly operations: number;
    }
  /**
   * A head is about to be sent. The write may succeed, or be refused and repeated with a new head.
   */
  | {
      readonly event: "sending";
      readonly key: string;
      readonly session: string;
      /** The number of this commit in its session. The head lists it in `commits`. */
      readonly number: number;
      readonly version: number;
      readonly operations: readonly Operation[];
      readonly now: ModelNow;
      /** The requests that are charged to its jobs. */
      readonly requests: number;
    }
  /**
   * A write was refused or its outcome is unknown: the head is read and the operations are applied
   * again.
   */
  | { readonly event: "conflict"; readonly key: string }
  | {
      readonly event: "archived";
      readonly key: string;
      readonly log: string;
      readonly tasks: number;
      /** How many smaller logs were merged into it. */
      readonly joined: number;
    }
  /**
   * An object is damaged, newer or missing: its shard is not used until a person has looked at it.
   */
  | { readonly event: "quarantined"; readonly key: string; readonly code: string };
