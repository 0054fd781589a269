/** The reasons for which tasks wait, in words. */
export interface ReasonText {
  readonly title: string;
  readonly meaning: string;
  /** A colour of the stylesheet. */
  readonly colour: string;
}

const texts: Readonly<Record<string, ReasonText>> = {
  domain_delay: {
    title: "Host delay",
    meaning: "pauses between visits to one host",
    colour: "--tile-fresh",
  },
  concurrency_limit: {
    title: "Job limit",
    meaning: "its job runs its maximum number of tasks",
    colour: "--tile-aging",
  },
  worker_capacity: {
    title: "Worker capacity",
    meaning: "more workers would help",
    colour: "--accent",
  },
  retry_backoff: {
    title: "Retry later",
    meaning: "it failed and will be retried",
    colour: "--tile-expired",
  },
  scheduled: { title: "Scheduled", meaning: "it is due later", colour: "--tile-empty" },
  paused: { title: "Paused", meaning: "its job is paused", colour: "--tile-failed" },
};

export const reasonText = (reason: string): ReasonText =>
  texts[reason] ?? { title: reason.slice(0, 40), meaning: "", colour: "--dim" };

export const waitingReasons = Object.keys(texts);
