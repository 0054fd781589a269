import { formatDuration } from "../../../../base/text/format-time.ts";
import type { Gate } from "../../../../queue/index.ts";
import type { TableColumn } from "../../../terminal/table.ts";

/** A gate with its times relative to now. */
export interface GateValue extends Gate {
  readonly blockedForMs: number;
  readonly opensInMs: number;
}

export const gateValue = (gate: Gate, nowMs: number): GateValue => ({
  ...gate,
  blockedForMs: Math.max(0, gate.blockedUntilMs - nowMs),
  opensInMs: Math.max(0, gate.opensAtMs - nowMs),
});

export const gateColumns: readonly TableColumn<GateValue>[] = [
  { title: "gate", value: (gate) => gate.name, isKey: true },
  { title: "delay", value: (gate) => formatDuration(gate.delayMs) },
  { title: "limit", value: (gate) => gate.limit },
  { title: "running", value: (gate) => gate.running },
  { title: "now", value: describeGate, tint: (gate) => (gate.blockedForMs ? "bad" : undefined) },
];

function describeGate({ blockedForMs, opensInMs, running }: GateValue): string {
  if (blockedForMs > 0) return `blocked for ${formatDuration(blockedForMs)}`;
  if (running > 0) return "at work";
  return opensInMs > 0 ? `opens in ${formatDuration(opensInMs)}` : "open";
}
