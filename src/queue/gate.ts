import { truncationMs, type ModelNow } from "./model/now.ts";

/**
 * Limits the rate of a group of tasks, usually those of one web host.
 *
 * A gate with a delay or a limit of one is *owned*: one worker holds it with a run of tasks, and no
 * other worker gets the gate until that run has ended or was swept. The worker paces the run on its
 * own monotonic clock, so clocks of different machines are never compared. A gate without a delay
 * and with a higher limit is a counting semaphore.
 */
export interface Gate {
  readonly name: string;
  readonly delayMs: number;
  readonly limit: number;
  /** Set by `block`: no task starts before this time. */
  readonly blockedUntilMs: number;
  /** When the delay after the last start ends. */
  readonly opensAtMs: number;
  /** The number of running tasks of this gate. */
  readonly running: number;
  /** How many tasks of the current run may run at once; 0 if there is no run. */
  readonly runSlots: number;
}

export interface GateSettings {
  readonly delayMs: number;
  readonly limit: number;
}

/** The safe default for a host that nobody configured: one request at a time. */
export const gateDefaults: GateSettings = { delayMs: 0, limit: 1 };

export const newGate = (name: string): Gate => ({
  name,
  ...gateDefaults,
  blockedUntilMs: 0,
  opensAtMs: 0,
  running: 0,
  runSlots: 0,
});

export const isOwned = (gate: GateSettings): boolean => gate.delayMs > 0 || gate.limit === 1;

/** A current run keeps the gate closed, even if `setGate` changed its settings meanwhile. */
export const hasRoom = (gate: Gate): boolean =>
  gate.runSlots > 0 || isOwned(gate) ? gate.running === 0 : gate.running < gate.limit;

/** The time from which the gate is open, if `hasRoom` is true. */
export const openFromMs = (gate: Gate): number => Math.max(gate.blockedUntilMs, gate.opensAtMs);

export const isOpen = (gate: Gate, nowMs: number): boolean =>
  hasRoom(gate) && openFromMs(gate) <= nowMs;

/** True if the gate equals a new gate, so that it can be deleted once it has no tasks. */
export const isForgettable = (gate: Gate, nowMs: number): boolean =>
  gate.delayMs === gateDefaults.delayMs && gate.limit === gateDefaults.limit && isOpen(gate, nowMs);

/**
 * The longest useful run: its last task must start well within the lease, even if the worker can
 * extend the lease only once.
 */
export const burstLimit = (gate: GateSettings, leaseMs: number, burst: number): number =>
  gate.delayMs > 0 ? Math.min(burst, Math.max(1, Math.floor(leaseMs / (2 * gate.delayMs)))) : burst;

/** When a block that is set now ends. 0 removes it; a shorter block never shortens a longer one. */
export const blockEndMs = (gate: Gate, now: ModelNow, forMs: number): number =>
  forMs === 0 ? 0 : Math.max(gate.blockedUntilMs, now.lateMs + forMs);

/** When the gate opens after a start at `startedMs` or earlier. */
export const opensAfterStart = (gate: Gate, startedMs: number): number =>
  Math.max(gate.opensAtMs, startedMs + gate.delayMs);

/**
 * When the gate opens after a start `sinceStartMs` ago. A gate without a delay opens at once: it
 * need not wait for the rounding of the clock.
 */
export const opensSinceStart = (gate: Gate, now: ModelNow, sinceStartMs: number): number =>
  opensAfterStart(gate, (gate.delayMs > 0 ? now.lateMs : now.ms) - sinceStartMs);

/**
 * When the gate opens after its delay was changed. The new delay counts from the last start, so it
 * applies to the next claim, even if it is shorter. Without a delay, the time of the last start was
 * rounded down, so the start may have been later by the width of a moment.
 */
export function opensAfterChange(gate: Gate, now: ModelNow, delayMs: number): number {
  if (gate.opensAtMs === 0) return 0;
  const isFirstDelay = gate.delayMs === 0 && delayMs > 0;
  const roundedMs = isFirstDelay ? Math.max(truncationMs, now.lateMs - now.ms) : 0;
  return gate.opensAtMs - gate.delayMs + roundedMs + delayMs;
}

/**
 * The state of a gate in each answer to the worker that holds a lease, so that it can follow
 * changes.
 */
export interface GateView {
  readonly delayMs: number;
  readonly limit: number;
  readonly blockedForMs: number;
}

export const viewGate = (gate: Gate, nowMs: number): GateView => ({
  delayMs: gate.delayMs,
  limit: gate.limit,
  blockedForMs: Math.max(0, gate.blockedUntilMs - nowMs),
});
