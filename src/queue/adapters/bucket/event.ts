/** What a queue on a bucket tells those who watch it: tests, metrics, the log. */
export type BucketQueueEvent =
  | {
      readonly event: "committed";
      readonly key: string;
      readonly version: number;
      readonly operations: number;
    }
  /** A write was refused or got no clear answer: the head is read and the work done again. */
  | { readonly event: "conflict"; readonly key: string }
  | {
      readonly event: "archived";
      readonly key: string;
      readonly log: string;
      readonly tasks: number;
    }
  /** An object is damaged, newer or gone: its shard stands still until somebody has looked. */
  | { readonly event: "quarantined"; readonly key: string; readonly code: string };
