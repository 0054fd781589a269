import type { Shard } from "../model/shard.ts";
import { broken } from "./model-comparison-claim.ts";

/** What must be true of a queue after any history, checked from its tasks alone. */
export function checkInvariants(shard: Shard): void {
  const tasks = [...shard.tasks.values()];
  const running = tasks.filter((task) => task.state === "running");
  const same = (what: string, counted: number, actual: number) => {
    if (counted !== actual) broken(`${what} is counted right`, { counted, actual });
  };

  for (const gate of shard.gates.values()) {
    const inGate = running.filter((task) => task.gate === gate.name);
    same(`running of gate ${gate.name}`, gate.running, inGate.length);
    if (gate.running === 0) same(`slots of the run of ${gate.name}`, gate.runSlots, 0);
    const holders = new Set(
      inGate.map(({ kind, job, token }) => JSON.stringify([kind, job, token])),
    );
    if (gate.runSlots > 0 && holders.size > 1) {
      broken("a run is of one lane and of one worker", { gate, inGate });
    }
  }

  for (const job of shard.jobs.values()) {
    const own = tasks.filter((task) => task.job === job.name);
    const atWork = running.filter((task) => task.job === job.name);
    const inRuns = [...shard.gates.values()].filter(
      (gate) => gate.runSlots > 0 && atWork.some((task) => task.gate === gate.name),
    );
    const alone = atWork.filter((task) => inRuns.every((gate) => gate.name !== task.gate));
    const slots = inRuns.reduce((sum, gate) => sum + Math.min(gate.runSlots, gate.running), 0);
    same(`slots of job ${job.name}`, job.slots, slots + alone.length);
    for (const state of ["pending", "running"] as const) {
      same(`${state} of job ${job.name}`, job[state], own.filter((t) => t.state === state).length);
    }
    const stored = job.pending + job.running + job.done + job.skipped + job.failed;
    if (stored < own.length) broken("a job counts all its tasks", job);
    if (job.ended === "completed" && job.pending + job.running > 0) {
      broken("a completed job has nothing left", job);
    }
    if (job.isSealed && job.ended === null && job.pending + job.running === 0) {
      broken("a sealed job with nothing left is completed", job);
    }
  }

  for (const task of tasks) {
    const { id, token, used, attemptsMax, state } = task;
    if (used < 0 || used > attemptsMax) broken("attempts stay within their limit", task);
    if (token > shard.lastToken) broken("no token is from the future", task);
    if (state === "running" && !shard.claims.get(token)?.ids.includes(id)) {
      broken("what runs was claimed by somebody", task);
    }
    if ((state === "running") !== task.expiresAtMs > 0) broken("only a lease expires", task);
  }
  for (const [token, claim] of shard.claims) {
    same(`open of claim ${token}`, claim.open, running.filter((t) => t.token === token).length);
  }
}
