import { createSerial } from "../../base/serial.ts";
import { sleep, type Clock } from "../../base/clock.ts";
import {
  isAllowedByRobots,
  originOf,
  type Hop,
  type RequestHooks,
  type Visit,
} from "../../crawl/index.ts";

export interface PartHooksOptions {
  readonly visit: Visit;
  /** The page of the task. Only the gate of its host is held. */
  readonly url: string;
  readonly delayMs: number;
  /** If other tasks also send requests to the host, the delay between parts cannot be kept. */
  readonly isAlone: boolean;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly markStart: () => void;
}

/** Scripts and data together. A page that needs more is used as far as it was loaded. */
const partsMax = 20;
/** The task has a time limit too, and if it were reached, the page would be lost. */
const waitMsMax = 20_000;

/**
 * Controls the parts that a page in a browser loads. A part is a request like any other: it is sent
 * only to the host whose gate the task holds, only if its robots.txt allows it, one at a time and
 * with the host's delay. Parts on other hosts have other gates and are not loaded.
 */
export function partHooks(options: PartHooksOptions): RequestHooks {
  const { visit, url, delayMs, clock, signal } = options;
  const origin = originOf(url);
  let isPageAsked = false;
  let parts = 0;
  let waitedMs = 0;
  let lastMs = -Infinity;
  const serial = createSerial();

  function mark(): void {
    lastMs = clock.monotonicMs();
    options.markStart();
  }

  function mayAsk(hop: Hop): boolean {
    const note = visit.robotsByOrigin[origin];
    if (!options.isAlone || hop.number > 0 || originOf(hop.url) !== origin || ++parts > partsMax)
      return false;
    return note !== undefined && note !== "asked" && isAllowedByRobots(note.robots, hop.url);
  }

  async function waited(): Promise<"go" | "stop"> {
    // Computed again, because another response may have arrived meanwhile.
    for (let leftMs = wait(); leftMs > 0; leftMs = wait()) {
      waitedMs += leftMs;
      if (waitedMs > waitMsMax) return "stop";
      await sleep(clock, leftMs, signal);
    }
    mark();
    return "go";
  }
  const wait = () => lastMs + delayMs - clock.monotonicMs();

  return {
    signal,
    beforeRequest(hop) {
      if (!isPageAsked) {
        isPageAsked = true;
        return "go";
      }
      if (!mayAsk(hop)) return "stop";
      return serial.run(waited);
    },
    onSent: mark,
    onAnswered: mark,
  };
}
