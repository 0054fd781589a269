/** Events about its node that a process shows to people. */
export interface NodeEvents {
  /** Called at the start and after each take-over. */
  readonly onRole: (role: NodeRole) => void;
  /** Owner only: gossip listens on this address. */
  readonly onGossip: (address: string) => void;
  /** Owner only, after each request: whether the bucket answers. */
  readonly onBucket: (isReached: boolean) => void;
}

export type NodeRole =
  | { readonly kind: "owner" }
  /** `owner`: the id of the process that owns the data folder. */
  | { readonly kind: "client"; readonly owner: number };
