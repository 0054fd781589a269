import { apart, withinLimit, worksOf, type Wrong } from "../../../src/queue/testing/race-checks.ts";
import type { FleetChaos, Stop } from "./fleet-chaos.ts";

type Works = ReturnType<typeof worksOf>;

/** What was at work when: that of a process which stands still ends there, as seen by its host. */
export function worksOfFleet({ events, stops }: Pick<FleetChaos, "events" | "stops">): Works {
  return worksOf(events).map((work) => {
    const stop = stops
      .filter(({ worker, fromMs }) => worker === work.worker && fromMs >= work.startMs)
      .find(({ fromMs }) => fromMs < work.endMs);
    return stop ? { ...work, endMs: stop.fromMs } : work;
  });
}

export interface Paced {
  readonly gate: string;
  readonly delayMs: number;
  readonly limit: number;
}

/** Every start that came too early or beside too many. */
export function gateBreaks(works: Works, { gate, delayMs, limit }: Paced): Wrong {
  const own = works.filter((work) => work.gate === gate);
  return [...withinLimit(`gate ${gate}`, own, limit), ...apart(`gate ${gate}`, own, delayMs)];
}

/**
 * How many starts may be late: a process that is stopped between its check and its start is one
 * request late, and no queue can fence a packet.
 */
export const lateStartsMax = (stops: readonly Stop[]): number => stops.length;
