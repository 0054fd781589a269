/** A node's report about a lease. */
export interface LeaseEvent {
  readonly kind: "claimed" | "ended";
  readonly id: number;
  readonly token: number;
  /** For people. */
  readonly task: string;
}

export interface TakeOver {
  /** The id of the task. */
  readonly id: number;
  readonly task: string;
  readonly from: string;
  /** Undefined: no node has it yet. */
  readonly by: string | undefined;
  /** The time from the death of the first node to the claim of the second. */
  readonly afterMs: number | undefined;
}

/**
 * Which node held which lease, according to the nodes' reports: the queue knows leases, not which
 * node holds them. A killed node reports nothing more, so its leases are free for the others.
 */
export interface LeaseLog {
  note(node: string, event: LeaseEvent, atMs: number): void;
  /** How many leases the node holds now. */
  holds(node: string): number;
  /** Marks its leases as left behind. */
  nodeDied(node: string, atMs: number): void;
  takeOvers(): readonly TakeOver[];
  /** True if other nodes hold all leases of dead nodes. */
  isAllTaken(): boolean;
}

interface Orphan {
  readonly task: string;
  readonly from: string;
  readonly diedAtMs: number;
  by?: string;
  afterMs?: number;
}

export function createLeaseLog(): LeaseLog {
  const held = new Map<number, { readonly node: string; readonly event: LeaseEvent }>();
  const orphans = new Map<number, Orphan>();

  const of = (node: string) => [...held.values()].filter((one) => one.node === node);

  return {
    note(node, event, atMs) {
      const { id, token } = event;
      const known = held.get(id);
      if (event.kind === "ended") {
        if (known?.event.token === token) held.delete(id);
        return;
      }
      if (known && known.event.token > token) return; // reported late
      held.set(id, { node, event });
      const orphan = orphans.get(id);
      if (!orphan || orphan.by !== undefined) return;
      orphan.by = node;
      orphan.afterMs = atMs - orphan.diedAtMs;
    },
    holds: (node) => of(node).length,
    nodeDied(node, atMs) {
      for (const { event } of of(node)) {
        held.delete(event.id);
        orphans.set(event.id, { task: event.task, from: node, diedAtMs: atMs });
      }
    },
    takeOvers: () =>
      [...orphans].map(([id, { task, from, by, afterMs }]) => ({ id, task, from, by, afterMs })),
    isAllTaken: () => [...orphans.values()].every(({ by }) => by !== undefined),
  };
}
