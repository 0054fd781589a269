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
  /** The page that the task asks for: its gate is held, and no other. */
  readonly url: string;
  readonly delayMs: number;
  /** Where others ask the host at the same time, nobody could keep the pace between their parts. */
  readonly isAlone: boolean;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly markStart: () => void;
}

/** Scripts and data together; what needs more is taken as far as it came. */
const partsMax = 20;
/** The task has its limit too, and the page that came is not to be lost with it. */
const waitMsMax = 20_000;

/**
 * What a page in a browser asks for besides itself. A part is a request like any other: only of the
 * host whose gate the task holds, only what its robots.txt allows, one after the other at its pace.
 * Parts that lie with other hosts have gates of their own and are not loaded.
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
    // Looked at again: another answer may have come meanwhile.
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
