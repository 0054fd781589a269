/** A part of the work that is looked at by itself: a kind, a shard. */
export interface PartReading {
  readonly part: string;
  /** Tasks that nothing but the lack of workers keeps from running. */
  readonly claimable: number;
  /** Ever, so that a difference says whether anything was completed. */
  readonly completed: number;
  /** Age of the oldest task that could run, 0 when there is none. */
  readonly oldestMs: number;
}

export interface StallEvent {
  readonly event: "stall_began" | "stall_ended" | "stuck_began" | "stuck_ended";
  readonly part: string;
  /** How long without a completion, or how old the oldest task is. */
  readonly forMs: number;
  readonly claimable: number;
}

export interface StallDetector {
  /** What began or ended with this reading. A part that is left out is forgotten. */
  read(parts: readonly PartReading[], nowMs: number): readonly StallEvent[];
  /** What is the matter now. */
  now(): readonly StallEvent[];
}

export interface StallOptions {
  readonly stallMs: number;
  /** A task that could run and is this old is stuck, though others are completed. */
  readonly stuckMs: number;
}

interface Known {
  completed: number;
  /** At the last reading. */
  hasWork: boolean;
  /** Since then there was always something that could run, and nothing was completed. */
  sinceMs: number;
  stall: StallEvent | undefined;
  stuck: StallEvent | undefined;
}

/**
 * A part is stalled when it could go on and has completed nothing for `stallMs`. Work that waits
 * for its gates, its moment, its job's cap or a paused job is not claimable, so that a polite
 * crawl of one slow host never is one. Each stall is told once when it begins and once when it
 * ends.
 */
export function createStallDetector({ stallMs, stuckMs }: StallOptions): StallDetector {
  const parts = new Map<string, Known>();

  function readOne(reading: PartReading, nowMs: number): StallEvent[] {
    const { part, claimable, completed, oldestMs } = reading;
    const before = parts.get(part);
    const known: Known = before ?? {
      completed,
      hasWork: false,
      sinceMs: nowMs,
      stall: undefined,
      stuck: undefined,
    };
    parts.set(part, known);
    // Counters go down when finished tasks are purged: that is no completion, and no stall either.
    if (!known.hasWork || completed !== known.completed) known.sinceMs = nowMs;
    known.completed = completed;
    known.hasWork = claimable > 0;
    const events: StallEvent[] = [];
    const forMs = nowMs - known.sinceMs;
    const tell = (name: "stall" | "stuck", isSo: boolean, lengthMs: number) => {
      const was = known[name];
      if (isSo === (was !== undefined)) return;
      const event = isSo ? (`${name}_began` as const) : (`${name}_ended` as const);
      const told = { event, part, forMs: isSo ? lengthMs : (was?.forMs ?? 0), claimable };
      known[name] = isSo ? told : undefined;
      events.push(told);
    };
    tell("stall", claimable > 0 && forMs >= stallMs, forMs);
    tell("stuck", claimable > 0 && oldestMs >= stuckMs, oldestMs);
    return events;
  }

  return {
    read(readings, nowMs) {
      const seen = new Set(readings.map(({ part }) => part));
      for (const part of parts.keys()) if (!seen.has(part)) parts.delete(part);
      return readings.flatMap((reading) => readOne(reading, nowMs));
    },
    now: () =>
      [...parts.values()].flatMap(({ stall, stuck }) => [stall, stuck].filter((one) => !!one)),
  };
}
