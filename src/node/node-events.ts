/** What a process hears about its node, to show it to people. */
export interface NodeEvents {
  /** Called at the start and after each take-over. */
  readonly onRole: (role: NodeRole) => void;
  /** As the owner: gossip listens on this address. */
  readonly onGossip: (address: string) => void;
  /** As the owner, after each request that was tried: whether the bucket answers. */
  readonly onBucket: (isReached: boolean) => void;
}

export type NodeRole =
  | { readonly kind: "owner" }
  /** `owner`: the id of the process that owns the data folder. */
  | { readonly kind: "client"; readonly owner: number };
