import { blockEndMs, opensAfterChange, viewGate, type GateView } from "../../gate.ts";
import type { JobAnswer, OpenJob, Operation, SetGate } from "../../operation.ts";
import type { GateRow, JobRow } from "./rows.ts";
import { skipCancelled } from "./sweep.ts";
import type { Unit } from "./unit.ts";

/** Gates and jobs: each of these changes one row. */
export function block(
  { rows, now }: Unit,
  { gate: name, forMs }: Extract<Operation, { op: "block" }>,
): GateView {
  const gate = rows.gateForWrite(name);
  gate.blockedUntilMs = blockEndMs(gate, now, forMs);
  return viewGate(gate, now.ms);
}

export function setGate({ rows, now }: Unit, { gate: name, delayMs, limit }: SetGate): GateView {
  const gate: GateRow = rows.gateForWrite(name);
  if (delayMs !== undefined) {
    gate.opensAtMs = opensAfterChange(gate, now, delayMs);
    gate.delayMs = delayMs;
  }
  gate.limit = limit ?? gate.limit;
  return viewGate(gate, now.ms);
}

export function openJob(
  { rows }: Unit,
  { job: name, concurrency, budget, gate }: OpenJob,
): JobAnswer {
  if ((rows.job(name)?.ended ?? null) !== null) return "closed";
  Object.assign(rows.jobForWrite(name), { concurrency, budget, gate });
  return "ok";
}

export const seal = (unit: Unit, name: string): JobAnswer =>
  whileOpen(unit, name, (job) => (job.isSealed = true));

export const pause = (unit: Unit, name: string): JobAnswer =>
  whileOpen(unit, name, (job) => (job.isPaused = true));

export const resume = (unit: Unit, name: string): JobAnswer =>
  whileOpen(unit, name, (job) => (job.isPaused = false));

export function cancel(unit: Unit, name: string): JobAnswer {
  const answer = whileOpen(unit, name, (job) => {
    job.ended = "cancelled";
    job.endedAtMs = unit.now.ms;
  });
  if (answer === "ok") skipCancelled(unit);
  return answer;
}

function whileOpen({ rows }: Unit, name: string, change: (job: JobRow) => void): JobAnswer {
  const job = rows.job(name);
  if (!job) return "absent";
  if (job.ended !== null) return "closed";
  change(rows.jobForWrite(name));
  return "ok";
}
