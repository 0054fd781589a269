import type { Lease, LeaseRef } from "../../src/queue/index.ts";
import { caps, gates, isGate } from "./queue-plan.ts";
import type { SimNode } from "./sim-node.ts";
import type { Fail } from "./verdict.ts";
import type { World } from "./world.ts";

/** What workers hold and do, seen in true time by one who sees them all. */
export interface WorkChecker {
  /** `deadlineMs`: until when the node believes in its lease, on its own monotonic clock. */
  hold(node: SimNode, lease: Lease, deadlineMs: number): void;
  extend(node: SimNode, lease: LeaseRef, deadlineMs: number): void;
  /** The node gives it up, and says so to the store from now on. */
  drop(node: SimNode, lease: LeaseRef): void;
  /** A task begins: no await lies between what the worker checked and this. */
  start(work: { readonly node: SimNode; readonly lease: Lease; readonly workMs: number }): void;
  /** A block was answered: what is claimed from here on does not start for a while. */
  blocked(gate: string, untilMs: number): void;
}

interface Holding {
  readonly node: SimNode;
  readonly token: number;
  deadlineMs: number;
}

interface Work {
  readonly lease: Lease;
  readonly startMs: number;
  readonly endMs: number;
}

/** Two bad crystals, one that paces and one that watches. */
const rateSlack = 0.0005;

export interface WorkCheckerOptions {
  readonly world: World;
  readonly fail: Fail;
  /** When the claim of that lease landed, in true time: the answer may come much later. */
  readonly leasedAtMs: (lease: LeaseRef) => number;
}

export function createWorkChecker({ world, fail, leasedAtMs }: WorkCheckerOptions): WorkChecker {
  const { scheduler, tell, note } = world;
  const holders = new Map<string, SimNode>();
  const holdings = new Map<number, Holding>();
  const works: Work[] = [];
  const blocks = new Map<string, { readonly sinceMs: number; readonly untilMs: number }[]>();

  const atWork = (isSame: (lease: Lease) => boolean) => {
    const nowMs = scheduler.nowMs();
    return works.filter(({ lease, endMs }) => endMs > nowMs && isSame(lease)).length;
  };

  const checkGate = (gate: string) => {
    if (!isGate(gate)) return;
    const { delayMs, limit } = gates[gate];
    const beside = atWork((lease) => lease.gate === gate);
    if (beside > limit) fail(`Q4: ${beside} at work behind ${gate}, not ${limit}`);
    const [last, before] = works
      .filter(({ lease }) => lease.gate === gate)
      .slice(-2)
      .reverse();
    if (!last || !before) return;
    const gapMs = last.startMs - before.startMs;
    if (gapMs < delayMs * (1 - rateSlack)) {
      const pair = [before, last].map(({ lease }) => `${lease.id}/${lease.token}`).join(" and ");
      fail(`Q4: ${gapMs.toFixed(1)} ms between ${pair} of ${gate}, not ${delayMs}`);
    }
  };

  return {
    hold(node, lease, deadlineMs) {
      const name = `${lease.id}/${lease.token}`;
      tell(`${node.name} holds ${name} ${lease.job} ${lease.gate}`);
      const other = holders.get(name);
      if (other && other !== node) {
        fail(`Q3: lease ${name} is held by ${other.name} and ${node.name}`);
      }
      holders.set(name, node);
      const held = holdings.get(lease.id);
      if (lease.isSuspect) note("takenBack");
      // An answer that came so late that others had the task since: its lease is over.
      const isOver = node.clock.monotonicMs() >= deadlineMs;
      if (held && held.token > lease.token) {
        if (!isOver) fail(`Q3: ${node.name} holds ${name} after token ${held.token} went out`);
        return;
      }
      if (held && held.token < lease.token && isValid(held)) {
        fail(`Q3: ${node.name} has ${name} while ${held.node.name} holds ${held.token}`);
      }
      holdings.set(lease.id, { node, token: lease.token, deadlineMs });
    },
    extend(_node, { id, token }, deadlineMs) {
      const held = holdings.get(id);
      if (held?.token === token && isValid(held)) held.deadlineMs = deadlineMs;
    },
    drop(_node, { id, token }) {
      const held = holdings.get(id);
      if (held?.token === token) held.deadlineMs = -Infinity;
    },
    start({ node, lease, workMs }) {
      const startMs = scheduler.nowMs();
      tell(`${node.name} starts ${lease.id}/${lease.token} ${lease.job} ${lease.gate}`);
      const held = holdings.get(lease.id);
      if (held?.token !== lease.token) {
        return fail(`Q3: ${node.name} starts ${lease.id}/${lease.token}, not ${held?.token}`);
      }
      works.push({ lease, startMs, endMs: startMs + workMs * (1 - rateSlack) });
      checkGate(lease.gate);
      const cap = caps[lease.job] ?? Infinity;
      const beside = atWork(({ job }) => job === lease.job);
      if (beside > cap) fail(`Q5: ${beside} at work in ${lease.job}, not ${cap}`);
      for (const { sinceMs, untilMs } of blocks.get(lease.gate) ?? []) {
        if (leasedAtMs(lease) <= sinceMs || startMs >= untilMs) continue;
        fail(`Q4: a start behind ${lease.gate}, ${untilMs - startMs} ms too early`);
      }
    },
    blocked(gate, untilMs) {
      blocks.set(gate, [...(blocks.get(gate) ?? []), { sinceMs: scheduler.nowMs(), untilMs }]);
    },
  };
}

const isValid = ({ node, deadlineMs }: Holding) => node.clock.monotonicMs() < deadlineMs;
