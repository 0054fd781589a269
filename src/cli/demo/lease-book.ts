/** What a node says of a lease, as it happens. */
export interface LeaseEvent {
  readonly kind: "claimed" | "ended";
  readonly id: number;
  readonly token: number;
  /** For people. */
  readonly task: string;
}

export interface TakeOver {
  /** Of the task. */
  readonly id: number;
  readonly task: string;
  readonly from: string;
  /** Undefined: nobody has it yet. */
  readonly by: string | undefined;
  /** From the death of the one to the claim of the other. */
  readonly afterMs: number | undefined;
}

/**
 * Who held which lease, by what the nodes say themselves: the queue knows leases and not their
 * holders. A node that was killed says nothing more, so what it held is up for others.
 */
export interface LeaseBook {
  note(node: string, event: LeaseEvent, atMs: number): void;
  /** How many it holds now. */
  holds(node: string): number;
  /** It is dead: what it holds is left behind. */
  bury(node: string, atMs: number): void;
  takeOvers(): readonly TakeOver[];
  /** Whether all that dead nodes left is in others' hands. */
  isAllTaken(): boolean;
}

interface Orphan {
  readonly task: string;
  readonly from: string;
  readonly diedAtMs: number;
  by?: string;
  afterMs?: number;
}

export function createLeaseBook(): LeaseBook {
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
      if (known && known.event.token > token) return; // told later than it was
      held.set(id, { node, event });
      const orphan = orphans.get(id);
      if (!orphan || orphan.by !== undefined) return;
      orphan.by = node;
      orphan.afterMs = atMs - orphan.diedAtMs;
    },
    holds: (node) => of(node).length,
    bury(node, atMs) {
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
