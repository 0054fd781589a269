import { sleep, type Clock } from "../../base/clock.ts";
import type { Applied } from "../../fleet/index.ts";
import type { ProcessDesired } from "../../node/index.ts";
import type { Supervisor } from "../../worker/index.ts";
import { noWorkKind } from "./load-handlers.ts";
import { planSlots, type ProcessChoice, type ProcessPlan } from "./plan-processes.ts";

/** The worker processes of a node, according to its settings and the desired state of its fleet. */
export interface ProcessPool {
  /** No process is started before this call. */
  begin(): void;
  setPlan(plan: ProcessPlan): void;
  /**
   * From now on no process runs, whatever the settings and the fleet say: the machine is taken
   * away.
   */
  interrupt(): void;
  apply(desired: ProcessDesired): Promise<Applied>;
  /** The desired state of this node. */
  state(): ProcessDesired["state"];
  /** Set if the node should exit when no tasks are left, but the fleet has paused or drained it. */
  held(): HeldNode | undefined;
  /** Kinds whose tasks must not run on this node, by a command to the fleet. */
  unwanted(): ReadonlySet<string>;
  /** By kind: the maximum number of concurrent tasks, and the number of running ones. */
  kinds(): Readonly<Record<string, [number, number]>>;
  /** Resolves when the fleet has drained the node while it ran, and no tasks are running any more. */
  readonly left: Promise<void>;
}

export interface HeldNode {
  readonly state: "paused" | "drained";
  /** The revision of the command; `forager fleet show` says who gave it. */
  readonly revision: number;
}

export interface ProcessPoolOptions extends ProcessPlan {
  readonly choice: ProcessChoice;
  readonly supervisor: Pick<Supervisor, "setSlots" | "look">;
  /** The process exits when no tasks are left, so a node that may not run tasks must not wait. */
  readonly isDraining?: boolean;
  readonly clock: Clock;
}

const lookMs = 100;
/**
 * The node stays this long after it has left, so that the acknowledgement of the command is seen.
 */
const lingerMs = 1_000;

export function createProcessPool(options: ProcessPoolOptions): ProcessPool {
  const { choice, supervisor, isDraining = false, clock } = options;
  let plan: ProcessPlan = options;
  let desired: Pick<ProcessDesired, "state" | "workers"> | undefined;
  let hasBegun = false;
  let isInterrupted = false;
  let held: HeldNode | undefined;
  /** All kinds that processes have ever reported. */
  const can = new Set<string>();
  const { promise: left, resolve: onLeft } = Promise.withResolvers<void>();

  const learn = () => {
    for (const { view } of supervisor.look()) for (const kind of view?.kinds ?? []) can.add(kind);
    can.delete(noWorkKind);
  };
  const follow = () => {
    if (!hasBegun) return;
    supervisor.setSlots(isInterrupted ? [] : planSlots(plan, choice, desired));
  };
  const isWantedAgain = () => desired?.state === "working";
  async function leave(): Promise<void> {
    while (supervisor.look().length > 0) {
      await sleep(clock, lookMs);
      if (isWantedAgain()) return;
    }
    await sleep(clock, lingerMs);
    if (!isWantedAgain()) onLeft();
  }

  return {
    begin() {
      hasBegun = true;
      follow();
      if (held) void leave();
    },
    interrupt() {
      isInterrupted = true;
      follow();
    },
    setPlan(next) {
      plan = next;
      follow();
    },
    async apply(next) {
      learn();
      // A pause may last for days.
      held =
        isDraining && next.state !== "working"
          ? { state: next.state, revision: next.stateRevision }
          : undefined;
      const isKnown = (kind: string) => can.size === 0 || can.has(kind);
      const unknown = Object.keys(next.workers).filter((kind) => !isKnown(kind));
      const known = Object.entries(next.workers).filter(([kind]) => isKnown(kind));
      desired = { state: next.state, workers: Object.fromEntries(known) };
      follow();
      // A node that is restarted while drained waits: otherwise it could never start.
      if (hasBegun && (next.state === "drained" || held)) void leave();
      const counts = known.map(([kind, count]) => `${kind} ${count}`);
      return {
        what: [next.state, ...counts].join(", "),
        faults: unknown.map((kind) => `no handler for the kind ${kind} here, only ${listOf(can)}`),
      };
    },
    state: () => desired?.state ?? "working",
    held: () => held,
    unwanted() {
      const counts = Object.entries(desired?.workers ?? {});
      return new Set(counts.filter(([, count]) => count === "0").map(([kind]) => kind));
    },
    kinds() {
      learn();
      const counts: Record<string, [number, number]> = {};
      for (const kind of can) counts[kind] = [0, 0];
      for (const { view } of supervisor.look()) {
        for (const kind of view?.kinds ?? []) {
          const own = counts[kind];
          if (!own || !view) continue;
          own[0] += view.concurrency;
          own[1] += view.atWorkByKind[kind] ?? 0;
        }
      }
      return counts;
    },
    left,
  };
}

const listOf = (kinds: ReadonlySet<string>) => [...kinds].sort().join(", ");
