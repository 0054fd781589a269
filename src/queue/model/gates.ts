import { blockEndMs, newGate, opensAfterChange, viewGate, type GateView } from "../gate.ts";
import type { Operation, SetGate } from "../operation.ts";
import { patchGate, type ShardDraft } from "./shard.ts";

export function block(
  draft: ShardDraft,
  { gate, forMs }: Extract<Operation, { op: "block" }>,
): GateView {
  const before = draft.gates.get(gate) ?? newGate(gate);
  patchGate(draft, gate, { blockedUntilMs: blockEndMs(before, draft.now, forMs) });
  return view(draft, gate);
}

export function setGate(draft: ShardDraft, { gate, delayMs, limit }: SetGate): GateView {
  const before = draft.gates.get(gate) ?? newGate(gate);
  patchGate(draft, gate, {
    ...(delayMs === undefined
      ? {}
      : { delayMs, opensAtMs: opensAfterChange(before, draft.now, delayMs) }),
    ...(limit === undefined ? {} : { limit }),
  });
  return view(draft, gate);
}

const view = (draft: ShardDraft, name: string): GateView =>
  viewGate(draft.gates.get(name) ?? newGate(name), draft.now.ms);
