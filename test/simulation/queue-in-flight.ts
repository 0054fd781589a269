import { sleep, type Clock } from "../../src/base/clock.ts";
import type { Random } from "../../src/base/random.ts";
import type { Finish, Held, Lease, LeaseRef, Operation, Outcome } from "../../src/queue/index.ts";
import type { SimNode } from "./sim-node.ts";
import type { WorkChecker } from "./queue-works.ts";

export interface InFlightOptions {
  readonly node: SimNode;
  readonly random: Random;
  readonly leaseMs: number;
  readonly works: WorkChecker;
}

/** The tasks in flight at one worker: paces its runs, keeps its leases, gathers what to tell. */
export interface SimulatedInFlight {
  /** `sentMs`: when the claim was sent, which is when the leases began at the latest. */
  take(leases: readonly Lease[], sentMs: number): void;
  count(): number;
  /** What is to be told to the store now; undefined when nothing is. */
  gather(): Gathered | undefined;
}

interface Gathered {
  readonly operations: readonly Operation[];
  /** Nobody knows whether the store heard: all of it is told again. */
  repeat(): void;
  /** `answers` in the order of the operations. */
  reported(answers: readonly unknown[], sentMs: number): void;
}

interface InHand extends Lease {
  deadlineMs: number;
  extendedMs: number;
  run: Run;
}

interface Run {
  lastStartMs: number | undefined;
}

type Word = { readonly lease: InHand; readonly outcome: Outcome | "release" };

/** Nothing starts that could still be at work when its lease ends. */
const startMarginMs = 500;
const workMsMax = 1_500;

export function createInFlight({
  node,
  random,
  leaseMs,
  works,
}: InFlightOptions): SimulatedInFlight {
  const { clock } = node;
  const inHand = new Map<string, InHand>();
  let outbox: Word[] = [];

  async function runAll(group: readonly InHand[]): Promise<void> {
    const { pace } = group[0]!;
    const limit = pace?.isRun ? pace.limit : group.length;
    const endsMs: number[] = [];
    for (const lease of group) {
      const paced = pace?.isRun ? (lease.run.lastStartMs ?? -Infinity) + pace.delayMs : -Infinity;
      await until(clock, Math.max(paced, endsMs.at(-limit) ?? -Infinity));
      const workMs = random.next() * workMsMax;
      // From here to the start there is no await: what is checked still holds when it starts.
      const nowMs = clock.monotonicMs();
      const isSafe = inHand.has(nameOf(lease)) && nowMs + workMs + startMarginMs < lease.deadlineMs;
      if (!isSafe || random.next() < 0.05) {
        if (inHand.has(nameOf(lease))) outbox.push({ lease, outcome: "release" });
        continue;
      }
      lease.run.lastStartMs = nowMs;
      works.start({ node, lease, workMs });
      endsMs.push(nowMs + workMs);
      void finishAfter(lease, workMs);
    }
  }
  async function finishAfter(lease: InHand, workMs: number): Promise<void> {
    await sleep(clock, workMs);
    const chance = random.next();
    // It hangs: the lease is left to the sweep, and the outcome comes late.
    if (chance < 0.05) await sleep(clock, leaseMs * 2);
    outbox.push({ lease, outcome: rollOutcome(random) });
  }

  const sinceStart = ({ lastStartMs }: Run) =>
    lastStartMs === undefined ? {} : { sinceStartMs: clock.monotonicMs() - lastStartMs };
  const drop = (lease: LeaseRef) => {
    inHand.delete(nameOf(lease));
    works.drop(node, lease);
  };

  return {
    count: () => inHand.size,
    take(leases, sentMs) {
      const runs = new Map<string, InHand[]>();
      for (const lease of leases) {
        const name = lease.pace?.isRun ? lease.gate : nameOf(lease);
        const group = runs.get(name) ?? [];
        const run = group[0]?.run ?? { lastStartMs: undefined };
        const taken = { ...lease, deadlineMs: sentMs + leaseMs, extendedMs: sentMs, run };
        runs.set(name, [...group, taken]);
        inHand.set(nameOf(lease), taken);
      }
      for (const group of runs.values()) void runAll(group);
    },
    gather() {
      const words = outbox;
      outbox = [];
      const nowMs = clock.monotonicMs();
      const said = new Set(words.map(({ lease }) => nameOf(lease)));
      const kept = [...inHand.values()].filter((lease) => !said.has(nameOf(lease)));
      const isDue = kept.some((lease) => nowMs - lease.extendedMs > leaseMs / 3);
      const extended = isDue ? kept : [];
      const released = words.filter(({ outcome }) => outcome === "release");
      const finished = words.filter(({ outcome }) => outcome !== "release");
      const operations: Operation[] = [];
      if (extended.length > 0)
        operations.push({ op: "extend", leases: extended.map(refOf), leaseMs });
      if (released.length > 0) {
        const releases = released.map(({ lease }) => ({
          ...refOf(lease),
          ...sinceStart(lease.run),
        }));
        operations.push({ op: "release", releases });
      }
      if (finished.length > 0) {
        const finishes = finished.map(({ lease, outcome }): Finish => ({
          ...refOf(lease),
          ...sinceStart(lease.run),
          outcome: outcome as Outcome,
        }));
        operations.push({ op: "finish", finishes });
      }
      if (operations.length === 0) return undefined;
      // From the sending on others may have what is given up here.
      for (const { lease } of words) works.drop(node, lease);
      return {
        operations,
        repeat: () => void outbox.unshift(...words),
        reported(answers, sentMs) {
          const held = extended.length > 0 ? (answers[0] as readonly Held[]) : [];
          extended.forEach((lease, index) => {
            if (held[index]?.status !== "held") return drop(lease);
            lease.deadlineMs = sentMs + leaseMs;
            lease.extendedMs = sentMs;
            works.extend(node, lease, lease.deadlineMs);
          });
          for (const { lease } of words) drop(lease);
        },
      };
    },
  };
}

function rollOutcome(random: Random): Outcome {
  const chance = random.next();
  if (chance < 0.75) return { kind: "done", result: `"${random.below(1_000)}"` };
  if (chance < 0.9) return { kind: "retry", delayMs: random.below(3_000), reason: "by chance" };
  return chance < 0.95
    ? { kind: "skip", reason: "by chance" }
    : { kind: "fail", reason: "by chance" };
}

async function until(clock: Clock, atMs: number): Promise<void> {
  for (let left = atMs - clock.monotonicMs(); left > 0; left = atMs - clock.monotonicMs()) {
    await sleep(clock, left);
  }
}

const refOf = ({ id, token }: LeaseRef): LeaseRef => ({ id, token });
const nameOf = ({ id, token }: LeaseRef) => `${id}/${token}`;
