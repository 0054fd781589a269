import { every } from "../base/every.ts";
import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/log/logger.ts";
import type { Metrics } from "../base/metrics.ts";
import type { Service } from "../base/service.ts";
import type { Queue, QueueStats } from "../queue/index.ts";
import { createAlertBook, troubleNames, type AlertEvent, type TroubleName } from "./alert-book.ts";
import { differencesOf } from "./differences.ts";
import { heartbeatEveryMs, type Heartbeat } from "./heartbeat.ts";
import type { MachineReading } from "./process-metrics.ts";
import { createStallDetector, type PartReading } from "./stall.ts";
import { createYieldStallDetector, type YieldReading } from "./yield-stall.ts";
import { createZombieDetector, type WorkerReading } from "./zombie.ts";

export interface NodeObserverOptions {
  readonly queue: Pick<Queue, "stats">;
  /** Reading the queue costs money: then it is read once a minute. */
  readonly isCharged?: () => boolean;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** May change while the observer runs. */
  readonly stallMs: () => number;
  readonly readMachine: () => Promise<MachineReading>;
  readonly workers: () => readonly WorkerReading[];
  readonly yields: () => readonly YieldReading[];
  /** Heartbeats of the fleet, this node's own included. */
  readonly heartbeats: () => Promise<readonly Heartbeat[]>;
  readonly writeHeartbeat: (now: Observed) => Promise<void>;
}

export interface Observed {
  readonly machine: MachineReading;
  readonly alerts: readonly AlertEvent[];
}

export interface NodeObserver extends Service {
  stats(): QueueStats | undefined;
  machine(): MachineReading | undefined;
  /** Time since the queue was last read, on the monotonic clock. */
  sinceReadMs(): number;
  alerts(): readonly AlertEvent[];
}

/** The interval; a quarter of the stall time if that is less. */
const everyMsMax = 5_000;
/** The interval for a queue on a bucket with paid requests. */
const chargedEveryMs = 60_000;
/**
 * Reading the queue may take at most this fraction (1 / n) of the time, so that tasks come first.
 */
const restFactor = 20;
/** A runnable task that is older is stuck. */
export const stuckMs = 600_000;

/** Reads the queue and the machine periodically, and reports problems. */
export function createNodeObserver(options: NodeObserverOptions): NodeObserver {
  const { queue, clock, logger } = options;
  const { stallMs, isCharged = () => false } = options;
  const book = createAlertBook();
  const stalls = createStallDetector({ stallMs, stuckMs });
  const zombies = createZombieDetector({ stallMs });
  const yieldStalls = createYieldStallDetector({ stallMs });
  const alerts = options.metrics.counter({
    name: "forager_alerts_total",
    help: "Alerts by name.",
    labels: ["event"],
  });
  const active = options.metrics.gauge({
    name: "forager_alerts_active",
    help: "Current problems.",
    labels: ["trouble"],
  });
  options.metrics.onSnapshot(() => {
    const now = book.now();
    for (const name of troubleNames) {
      active.of(name).set(now.filter(({ event }) => event === `${name}_began`).length);
    }
  });
  let stats: QueueStats | undefined;
  let machine: MachineReading | undefined;
  let readAtMs = -Infinity;
  let heartbeatAtMs = -Infinity;

  async function look(): Promise<void> {
    const nowMs = clock.monotonicMs();
    if (!stats || !isCharged() || nowMs - readAtMs >= chargedEveryMs) {
      stats = await queue.stats();
      readAtMs = clock.monotonicMs();
    }
    machine = await options.readMachine();
    for (const event of book.update(await findTroubles(stats, clock.monotonicMs()))) {
      alerts.of(event.event).add(1);
      const name = nameOf(event);
      if (event.event.endsWith("_began")) logger.error(messages[name].began, { ...event });
      else logger.info(messages[name].ended, { ...event });
    }
    if (nowMs - heartbeatAtMs < heartbeatEveryMs) return;
    heartbeatAtMs = nowMs;
    await options.writeHeartbeat({ machine, alerts: book.now() });
  }

  async function findTroubles(read: QueueStats, nowMs: number) {
    const claimable = new Map(read.kinds.map((kind) => [kind.kind, kind.claimable]));
    return [
      ...stalls.read(partsOf(read), nowMs),
      ...zombies.read(options.workers(), claimable, nowMs),
      ...yieldStalls.read(options.yields(), nowMs),
      ...differencesOf(await options.heartbeats()),
    ];
  }

  const looks = every(look, {
    clock,
    pauseMs: (tookMs) => Math.max(Math.min(everyMsMax, stallMs() / 4), tookMs * restFactor),
    onError: (error) => logger.warn("the queue could not be read", { error }),
  });

  return {
    start: () => looks.start(),
    stop: () => looks.stop(),
    stats: () => stats,
    machine: () => machine,
    sinceReadMs: () => clock.monotonicMs() - readAtMs,
    alerts: () => book.now(),
  };
}

const nameOf = ({ event }: AlertEvent) => event.replace(/_(?:began|ended)$/, "") as TroubleName;

const messages: Readonly<Record<TroubleName, { readonly began: string; readonly ended: string }>> =
  {
    stall: {
      began: "work is stalled: it could run, and nothing was completed",
      ended: "work continues after a stall",
    },
    stuck: {
      began: "a task is stuck: it has been able to run for a long time and no worker claimed it",
      ended: "no task is stuck any more",
    },
    yield_stall: {
      began: "work continues and finds nothing: has a site or a source changed?",
      ended: "work finds something again",
    },
    zombie: {
      began: "a worker sends heartbeats and completes nothing, although it could",
      ended: "a worker that completed nothing works again, or has stopped",
    },
    differs: {
      began: "a node differs from the fleet",
      ended: "a node no longer differs from the fleet, or has stopped",
    },
  };

/** One part for each kind, and one for each shard if there are several. */
function partsOf({ kinds, shards }: QueueStats): readonly PartReading[] {
  const ofKinds = kinds.map(
    ({ kind, claimable, claimableAgeMs, done, skipped, failed }): PartReading => ({
      of: "kind",
      part: kind,
      claimable,
      completed: done + skipped + failed,
      oldestMs: claimableAgeMs,
    }),
  );
  if (shards.length < 2) return ofKinds;
  const ofShards = shards.map(({ shard, claimable, claimableAgeMs, completed }): PartReading => ({
    of: "shard",
    part: String(shard),
    claimable,
    completed,
    oldestMs: claimableAgeMs,
  }));
  return [...ofKinds, ...ofShards];
}
