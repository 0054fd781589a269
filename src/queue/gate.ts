import { truncationMs, type ModelNow } from "./model/now.ts";

/**
 * What paces a partition, usually a web host.
 *
 * With a delay or a limit of one a gate is *owned*: one worker holds it with a run of tasks, and
 * nobody else gets the gate until that run ended or was swept. The worker paces the run on its own
 * monotonic clock, so no two machines' clocks are ever compared. Without a delay and with a higher
 * limit it is a counting semaphore.
 */
export interface Gate {
  readonly name: string;
  readonly delayMs: number;
  readonly limit: number;
  /** Set by `block`: nothing starts before it. */
  readonly blockedUntilMs: number;
  /** When the delay after the last start is over. */
  readonly opensAtMs: number;
  /** Tasks of this gate in flight. */
  readonly running: number;
  /** How many of the present run may be at work at once; 0 when there is no run. */
  readonly runSlots: number;
}

export interface GateSettings {
  readonly delayMs: number;
  readonly limit: number;
}

/** The safe reading of a host nobody configured: one request at a time. */
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

/** A run that is under way keeps the gate closed, whatever `setGate` said meanwhile. */
export const hasRoom = (gate: Gate): boolean =>
  gate.runSlots > 0 || isOwned(gate) ? gate.running === 0 : gate.running < gate.limit;

/** The moment from which the gate is open, if `hasRoom`. */
export const openFromMs = (gate: Gate): number => Math.max(gate.blockedUntilMs, gate.opensAtMs);

export const isOpen = (gate: Gate, nowMs: number): boolean =>
  hasRoom(gate) && openFromMs(gate) <= nowMs;

/** With no task of its own it is as one that nobody ever named. */
export const isForgettable = (gate: Gate, nowMs: number): boolean =>
  gate.delayMs === gateDefaults.delayMs && gate.limit === gateDefaults.limit && isOpen(gate, nowMs);

/**
 * The longest run worth handing out: its last task must start well inside the lease, also when the
 * worker could extend only once.
 */
export const burstLimit = (gate: GateSettings, leaseMs: number, burst: number): number =>
  gate.delayMs > 0 ? Math.min(burst, Math.max(1, Math.floor(leaseMs / (2 * gate.delayMs)))) : burst;

/** When a block that is set now ends. 0 lifts it; a shorter block never shortens a longer one. */
export const blockEndMs = (gate: Gate, now: ModelNow, forMs: number): number =>
  forMs === 0 ? 0 : Math.max(gate.blockedUntilMs, now.lateMs + forMs);

/** When the gate opens after a start that was not later than `startedMs`. */
export const opensAfterStart = (gate: Gate, startedMs: number): number =>
  Math.max(gate.opensAtMs, startedMs + gate.delayMs);

/**
 * The same after a start that was `sinceStartMs` ago. A gate without a delay has no gap to keep, so
 * it opens at once and does not wait for the late end of the moment.
 */
export const opensSinceStart = (gate: Gate, now: ModelNow, sinceStartMs: number): number =>
  opensAfterStart(gate, (gate.delayMs > 0 ? now.lateMs : now.ms) - sinceStartMs);

/**
 * When the gate opens after its delay was changed. The new delay counts from the last start, so it
 * binds the next claim, also when it is shorter. While there was no delay the last start was
 * rounded down, so it may have been later by the width of a moment.
 */
export function opensAfterChange(gate: Gate, now: ModelNow, delayMs: number): number {
  if (gate.opensAtMs === 0) return 0;
  const isFirstDelay = gate.delayMs === 0 && delayMs > 0;
  const roundedMs = isFirstDelay ? Math.max(truncationMs, now.lateMs - now.ms) : 0;
  return gate.opensAtMs - gate.delayMs + roundedMs + delayMs;
}

/** What the holder of a lease learns with each answer, so that it can follow a changed gate. */
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
