import type { Clock, Timer } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import type { Metrics } from "../base/metrics.ts";
import type { Service } from "../base/service.ts";
import type { Queue, QueueStats } from "../queue/index.ts";
import { heartbeatEveryMs } from "./heartbeat.ts";
import { readMachine, type MachineReading } from "./process-metrics.ts";
import { createStallDetector, type PartReading, type StallEvent } from "./stall.ts";

export interface NodeObserverOptions {
  readonly queue: Pick<Queue, "stats">;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly stallMs: number;
  /** Whose volume is measured. */
  readonly folder: string;
  readonly onAlert: (event: StallEvent) => void;
  readonly writeHeartbeat: (now: Observed) => Promise<void>;
}

export interface Observed {
  readonly machine: MachineReading;
  readonly alerts: readonly StallEvent[];
}

export interface NodeObserver extends Service {
  stats(): QueueStats | undefined;
  machine(): MachineReading | undefined;
  /** Since the queue was last read, on the monotonic clock. */
  sinceReadMs(): number;
  alerts(): readonly StallEvent[];
}

const everyMs = 5_000;
/** Tasks come first: looking at the queue may take one part in so many of the time. */
const restFactor = 20;
/** A task that could run and is this old is stuck. */
export const stuckMs = 600_000;

/** Looks at the queue and the machine from time to time, and says when something is wrong. */
export function createNodeObserver(options: NodeObserverOptions): NodeObserver {
  const { queue, clock, logger } = options;
  const detector = createStallDetector({ stallMs: options.stallMs, stuckMs });
  const alerts = options.metrics.counter({
    name: "forager_alerts_total",
    help: "Alerts by what they say.",
    labels: ["event"],
  });
  const active = options.metrics.gauge({
    name: "forager_alerts_active",
    help: "What is the matter now: kinds that are stalled, or have stuck tasks.",
  });
  options.metrics.onSnapshot(() => active.of().set(detector.now().length));
  let stats: QueueStats | undefined;
  let machine: MachineReading | undefined;
  let readAtMs = -Infinity;
  let beatAtMs = -Infinity;
  let timer: Timer | undefined;
  let work: Promise<void> = Promise.resolve();
  let isStopped = false;

  async function look(): Promise<void> {
    stats = await queue.stats();
    readAtMs = clock.monotonicMs();
    machine = await readMachine(options.folder);
    for (const event of detector.read(partsOf(stats), readAtMs)) {
      alerts.of(event.event).add(1);
      if (event.event.endsWith("_began")) logger.error(messages[event.event], { ...event });
      else logger.info(messages[event.event], { ...event });
      options.onAlert(event);
    }
    if (readAtMs - beatAtMs < heartbeatEveryMs) return;
    beatAtMs = readAtMs;
    await options.writeHeartbeat({ machine, alerts: detector.now() });
  }

  function repeat(inMs: number): void {
    timer = clock.setTimer(inMs, run, { background: true });
  }
  function run(): void {
    const startMs = clock.monotonicMs();
    work = look()
      .catch((error: unknown) => logger.warn("the queue could not be looked at", { error }))
      .then(() => {
        const tookMs = clock.monotonicMs() - startMs;
        if (!isStopped) repeat(Math.max(everyMs, tookMs * restFactor));
      });
  }

  return {
    async start() {
      run();
    },
    async stop() {
      isStopped = true;
      timer?.cancel();
      await work;
    },
    stats: () => stats,
    machine: () => machine,
    sinceReadMs: () => clock.monotonicMs() - readAtMs,
    alerts: () => detector.now(),
  };
}

const messages: Readonly<Record<StallEvent["event"], string>> = {
  stall_began: "work is stalled: it could run, and nothing was completed",
  stall_ended: "work goes on after a stall",
  stuck_began: "a task is stuck: it could run for long and nobody took it",
  stuck_ended: "no task is stuck any more",
};

/** Each kind by itself. */
const partsOf = ({ kinds }: QueueStats): readonly PartReading[] =>
  kinds.map(({ kind, claimable, claimableAgeMs, done, skipped, failed }) => ({
    part: kind,
    claimable,
    completed: done + skipped + failed,
    oldestMs: claimableAgeMs,
  }));
