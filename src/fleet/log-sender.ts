import type { Clock, Timer } from "../base/clock.ts";
import type { Logger } from "../base/log/logger.ts";
import type { Service } from "../base/service.ts";
import type { Bucket } from "../bucket/index.ts";

/** The caller has checked the node id. */
export const logKey = (node: string): string => `fleet/logs/${node}.jsonl`;
/** What the workers of the node measured of their last attempts. */
export const attemptsKey = (node: string): string => `fleet/logs/${node}.attempts.jsonl`;

export interface LogSenderOptions {
  readonly bucket: Pick<Bucket, "put">;
  /** Where the lines are put. */
  readonly key: () => string;
  /** The least time between two uploads while nobody reads; default a minute. */
  readonly restMs?: number;
  /** Changes when a line is written. */
  readonly mark: () => string;
  /** The newest lines, oldest first. */
  readonly read: (options: { readonly linesMax: number }) => readonly string[];
  readonly clock: Clock;
  readonly log: Logger;
}

export interface LogSender extends Service {
  /** Sends more often until then, by this node's clock, because somebody is reading the log. */
  sendUntil(untilMs: number): void;
}

const restMsDefault = 60_000;
const hurryMs = 2_000;
/** The longest time that one command can ask for this. */
const hurryMsMax = 600_000;
const linesMax = 1_000;
const bytesMax = 128 * 1024;

/**
 * Uploads the last lines of a node: at most once in `restMs`, every two seconds while somebody
 * reads them, and only if there are new ones, so an idle node costs nothing. So the last lines of a
 * node can be read when it is gone.
 */
export function createLogSender(options: LogSenderOptions): LogSender {
  const { bucket, restMs = restMsDefault, clock, log } = options;
  let sent: string | undefined;
  let untilMs = 0;
  let timer: Timer | undefined;
  let isStopped = false;
  let isFailing = false;
  let turn: Promise<void> = Promise.resolve();

  async function send(): Promise<void> {
    const mark = options.mark();
    if (mark === sent || mark === "") return;
    try {
      const body = Buffer.from(fitting(options.read({ linesMax })));
      await bucket.put(options.key(), body);
      sent = mark;
      isFailing = false;
    } catch (error) {
      // Logged once, because each message would be a new line to send.
      if (!isFailing) log.warn("log lines could not be put into the bucket", { error });
      isFailing = true;
    }
  }
  function arm(): void {
    timer?.cancel();
    if (isStopped) return;
    const delayMs = clock.nowMs() < untilMs ? hurryMs : restMs;
    timer = clock.setTimer(delayMs, run, { background: true });
  }
  function run(): void {
    turn = turn.then(send).then(arm);
  }

  return {
    async start() {
      arm();
    },
    async stop() {
      if (isStopped) return turn;
      isStopped = true;
      timer?.cancel();
      turn = turn.then(send);
      await turn;
    },
    sendUntil(requestedMs) {
      const untilMsMax = clock.nowMs() + hurryMsMax;
      const isNew = requestedMs > clock.nowMs() && requestedMs > untilMs;
      untilMs = Math.min(requestedMs, untilMsMax);
      if (isNew && !isStopped) run();
    },
  };
}

/** The newest whole lines that fit. */
function fitting(lines: readonly string[]): string {
  const kept: string[] = [];
  let bytes = 0;
  for (const line of lines.toReversed()) {
    bytes += Buffer.byteLength(line) + 1;
    if (bytes > bytesMax) break;
    kept.push(line);
  }
  return kept
    .toReversed()
    .map((line) => `${line}\n`)
    .join("");
}
