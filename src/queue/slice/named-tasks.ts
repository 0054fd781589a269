import type { Operation, RaiseOne } from "../operation.ts";
import type { LeaseRef, NewTask } from "../task.ts";

/** Operations that name their tasks. */
export type Grouped = Extract<
  Operation,
  { readonly op: "add" | "extend" | "finish" | "release" | "raise" }
>;

/** The tasks that operations name: a slice for the operations must contain them. */
export interface NamedTasks {
  readonly leases: readonly LeaseRef[];
  /** Ids of leased tasks whose lease may end. */
  readonly leaving: ReadonlySet<number>;
  readonly adds: readonly NewTask[];
  readonly raises: readonly RaiseOne[];
}

export function collectNamedTasks(operations: readonly Grouped[]): NamedTasks {
  const leases: LeaseRef[] = [];
  const leaving = new Set<number>();
  const adds: NewTask[] = [];
  const raises: RaiseOne[] = [];
  for (const operation of operations) {
    switch (operation.op) {
      case "add":
        adds.push(...operation.tasks);
        if (operation.by) leases.push(operation.by);
        break;
      case "extend":
        leases.push(...operation.leases);
        break;
      case "release":
        leases.push(...operation.releases);
        for (const { id } of operation.releases) leaving.add(id);
        break;
      case "finish":
        leases.push(...operation.finishes);
        for (const one of operation.finishes) {
          leaving.add(one.id);
          adds.push(...(one.add ?? []));
          raises.push(...(one.raise ?? []));
        }
        break;
      case "raise":
        raises.push(...operation.raises);
        break;
    }
  }
  return { leases, leaving, adds, raises };
}
