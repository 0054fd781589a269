import { viewGate, newGate, type GateView } from "../gate.ts";
import type { Operation, SetGate } from "../operation.ts";
import { patchGate, stampMs, type Draft } from "./shard.ts";

/** Closes a gate for a while; `forMs` 0 lifts the block. A shorter block never shortens a longer. */
export function block(
  draft: Draft,
  { gate, forMs }: Extract<Operation, { op: "block" }>,
): GateView {
  const { blockedUntilMs } = draft.gates.get(gate) ?? newGate(gate);
  const untilMs = forMs === 0 ? 0 : Math.max(blockedUntilMs, stampMs(draft.now) + forMs);
  patchGate(draft, gate, { blockedUntilMs: untilMs });
  return view(draft, gate);
}

/** A new delay counts from the last start, so it binds the next claim, also when it is shorter. */
export function setGate(draft: Draft, { gate, delayMs, limit }: SetGate): GateView {
  const before = draft.gates.get(gate) ?? newGate(gate);
  // The end of a gate without a delay was not stamped late, so it is now.
  const isNew = before.delayMs === 0 && delayMs !== 0;
  const lateMs = isNew ? stampMs(draft.now) - draft.now.ms : 0;
  const startedMs = before.opensAtMs - before.delayMs + lateMs;
  patchGate(draft, gate, {
    ...(delayMs === undefined ? {} : { delayMs }),
    ...(delayMs === undefined || before.opensAtMs === 0 ? {} : { opensAtMs: startedMs + delayMs }),
    ...(limit === undefined ? {} : { limit }),
  });
  return view(draft, gate);
}

const view = (draft: Draft, name: string): GateView =>
  viewGate(draft.gates.get(name) ?? newGate(name), draft.now.ms);
