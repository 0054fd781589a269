import { AppError } from "../../base/app-error.ts";
import type { Clock, Timer } from "../../base/clock.ts";
import type { Logger } from "../../base/log/logger.ts";
import type { LiveTopic, LiveValue } from "../contract/event-routes.ts";
import type { LiveSource } from "./live-source.ts";

export interface TopicWatcherOptions {
  readonly topic: LiveTopic;
  readonly source: LiveSource;
  readonly clock: Clock;
  readonly log: Logger;
  /**
   * Called after each read. `fields`: the fields that changed; undefined if none did. After a
   * fault, they are never undefined, because viewers must learn that the fault is over.
   */
  readonly onValue: (value: LiveValue, fields: Partial<LiveValue> | undefined) => void;
  readonly onFault: (detail: string) => void;
}

/** Reads one source for all viewers, and not at all if there are none. */
export interface TopicWatcher {
  start(): void;
  stop(): void;
  /** Reads now instead of at the next interval, because something has probably changed. */
  poke(): void;
  /** Undefined while nobody watches, and before the first read. */
  current(): LiveValue | undefined;
  fault(): string | undefined;
}

/**
 * A field of this name holds the time of the read. It always differs, so it does not count as a
 * change.
 */
const timeField = "atMs";

export function createTopicWatcher(options: TopicWatcherOptions): TopicWatcher {
  const { topic, source, clock, log, onValue, onFault } = options;
  const texts = new Map<string, string>();
  let value: LiveValue | undefined;
  let fault: string | undefined;
  let timer: Timer | undefined;
  let isWatching = false;
  let isFresh = false;
  let reading: Promise<void> | undefined;
  let isPoked = false;

  const changedIn = (next: LiveValue): Partial<LiveValue> | undefined => {
    const fields: Record<string, unknown> = {};
    for (const [key, one] of Object.entries(next)) {
      const text = JSON.stringify(one) ?? "";
      if (texts.get(key) === text) continue;
      texts.set(key, text);
      fields[key] = one;
    }
    const isChanged = Object.keys(fields).some((key) => key !== timeField);
    return isChanged ? (fields as Partial<LiveValue>) : undefined;
  };

  const read = async () => {
    try {
      const next = (await source.read()) as LiveValue;
      const fields = changedIn(next) ?? (fault === undefined ? undefined : {});
      value = next;
      fault = undefined;
      if (!isWatching) return;
      isFresh = true;
      onValue(next, fields);
    } catch (error) {
      if (!isWatching) return;
      const isKnown = error instanceof AppError && error.kind !== "internal";
      if (!isKnown) log.error("a topic cannot be read", { topic, error });
      const detail = isKnown ? error.message : "something went wrong here; the log says what";
      if (detail === fault) return;
      fault = detail;
      onFault(detail);
    }
  };

  const look = () => {
    timer?.cancel();
    if (reading) {
      isPoked = true;
      return;
    }
    reading = read().finally(() => {
      reading = undefined;
      if (!isWatching) return;
      if (isPoked) {
        isPoked = false;
        return look();
      }
      timer = clock.setTimer(source.everyMs(), look, { background: true });
    });
  };

  return {
    start() {
      if (isWatching) return;
      isWatching = true;
      look();
    },
    stop() {
      isWatching = false;
      isFresh = false;
      isPoked = false;
      timer?.cancel();
    },
    poke() {
      if (isWatching) look();
    },
    current: () => (isFresh ? value : undefined),
    fault: () => fault,
  };
}
