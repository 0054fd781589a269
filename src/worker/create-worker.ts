import { withDeadline } from "../base/with-deadline.ts";
import { AppError } from "../base/app-error.ts";
import { systemClock, type Clock } from "../base/clock.ts";
import { silentLogger, type Logger } from "../base/log/logger.ts";
import { createMetrics, type Metrics } from "../base/metrics.ts";
import { systemRandom, type Random } from "../base/random.ts";
import type { Service } from "../base/service.ts";
import { afterTick } from "../base/tick.ts";
import { createMaintenance, type Kinds } from "../queue/index.ts";
import { boundsOf, type Concurrency } from "./concurrency.ts";
import type { AttemptRecord } from "./attempt-record.ts";
import type { CrashRecord, WorkerInfo } from "./processes/crash-record.ts";
import { createDispatcher } from "./tasks/dispatcher.ts";
import { createResultReporter, type ResultReporter } from "./tasks/result-reporter.ts";
import { createInFlightTasks, type InFlightTasks } from "./tasks/in-flight-tasks.ts";
import type { Handler } from "./handler.ts";
import { createKindState, type KindState } from "./tasks/kind-state.ts";
import { createLeaseKeeper } from "./tasks/lease-keeper.ts";
import { createPoliteness } from "./politeness.ts";
import { createProcessLoad, type ProcessLoad } from "./processes/process-load.ts";
import { createRestingKinds } from "./tasks/resting-kinds.ts";
import { createScaler, type ScalerReading } from "./processes/scaler.ts";
import { createScalerReader } from "./processes/scaler-reader.ts";
import { createTimedQueue, type WorkerQueue } from "./tasks/timed-queue.ts";
import { registerGauges } from "./worker-gauges.ts";
import { createWorkerMetrics } from "./worker-metrics.ts";
import { countByKind, tasksAtWork, type WorkerView } from "./worker-view.ts";

export interface WorkerOptions<Services = unknown, K extends Kinds = Kinds> {
  readonly queue: WorkerQueue<K>;
  /** Unique among all workers of the queue that live at the same time, so one per process. */
  readonly name: string;
  /** The kinds it works on are those of its handlers. */
  readonly handlers: readonly Handler<Services>[];
  readonly services?: Services;
  /**
   * Instead of `services`: creates the services of one task. The worker counts the calls of
   * `onRequest`, one for each bucket request of the handler, and the queue adds them to `requests`
   * of the task's job.
   */
  readonly servicesFor?: (onRequest: () => void) => Services;
  /** How many handlers run at once, default 10; with two bounds, it depends on the load. */
  readonly concurrency?: Concurrency;
  /** For a worker that scales: the load of this process. */
  readonly load?: () => ProcessLoad;
  /** Default 60,000. */
  readonly leaseMs?: number;
  /** The longest run of one gate that it claims, default 50. */
  readonly burst?: number;
  /** How long `stop` waits for running handlers before it aborts them, default 25,000. */
  readonly graceMs?: number;
  /** Resolve `ended` when no task is left that can ever be claimed. */
  readonly drain?: boolean;
  /**
   * Kinds for which a drain does not wait: tasks that have failed and wait for their next attempt.
   */
  readonly notAwaited?: readonly string[];
  /**
   * How long finished tasks are kept before they move into the log, default 7 and 30 days, and how
   * long their keys are reserved, default 90 days.
   */
  readonly keep?: {
    readonly doneMs: number;
    readonly failedMs: number;
    readonly keysMs: number;
  };
  /** Gets every attempt that was started, when it has ended. */
  readonly onAttempt?: (attempt: AttemptRecord) => void;
  /** Gets the reasons why this worker releases tasks that its node cannot do. */
  readonly releases?: ReleaseListener;
  /**
   * Creates the record from which a supervisor learns, if this process dies, which tasks it had.
   */
  readonly crashRecord?: (info: WorkerInfo) => CrashRecord;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly logger?: Logger;
  readonly metrics?: Metrics;
}

export interface ReleaseListener {
  released(task: { readonly kind: string; readonly job: string }, reason: string): void;
  /**
   * Called when an attempt of this kind and job was recorded, that is, the task was not released.
   */
  ended(task: { readonly kind: string; readonly job: string }): void;
}

/**
 * Works on the tasks of a queue. `stop` takes no new tasks, releases tasks that have not started,
 * waits for running handlers for the grace period, then aborts them and releases their tasks too.
 */
export interface Worker extends Service {
  /**
   * Resolves after a stop or when the worker is drained; rejects when the worker cannot continue.
   * After that, the worker must still be stopped.
   */
  readonly ended: Promise<void>;
  /**
   * Aborts handlers at once and releases their tasks, for the second signal. Works during a stop
   * too.
   */
  abort(): Promise<void>;
  setConcurrency(concurrency: Concurrency): void;
  look(): WorkerView;
}

const dayMs = 86_400_000;
/** How much longer than the grace period `stop` waits for the queue to store outcomes. */
const storeMs = 5_000;

export function createWorker<Services = unknown, K extends Kinds = Kinds>(
  options: WorkerOptions<Services, K>,
): Worker {
  const { name, leaseMs = 60_000, burst = 50, graceMs = 25_000 } = options;
  const { clock = systemClock, random = systemRandom, logger = silentLogger } = options;
  const metrics = options.metrics ?? createMetrics();
  const counters = createWorkerMetrics(metrics);
  // The queue itself validates what handlers add and return, so their types do not matter here.
  const resting = createRestingKinds(options.queue as unknown as WorkerQueue, {
    clock,
    isDraining: options.drain === true,
  });
  const queue = createTimedQueue(resting.queue, counters, clock);
  const bounds = boundsOf(options.concurrency ?? 10);
  const outcome = createEnd();
  let isPumping = false;
  let stopping: Promise<void> | undefined;
  let isAborted = false;
  let isFatal = false;
  let onEmpty = () => {};
  /** Nothing can be stored any more, so `stop` must not wait. */
  const onFatal = (error: unknown) => {
    isFatal = true;
    outcome.fail(error);
    onEmpty();
  };

  const changed = () => {
    if (isPumping) return;
    isPumping = true;
    afterTick(pump);
  };
  /** In this order, because ended tasks make room for a claim, and both can share one commit. */
  function pump(): void {
    isPumping = false;
    inFlightTasks.startReady();
    reporter.flush();
    if (!reporter.isTroubled()) dispatcher.claim();
    if (inFlightTasks.inFlight().size === 0) onEmpty();
  }

  const handled = options.handlers.map(({ kind }) => kind);
  const record = options.crashRecord?.({ worker: name, kinds: handled, burst, leaseMs });
  const kinds = new Map<string, KindState>();
  const inFlightTasks: InFlightTasks = createInFlightTasks({
    kinds,
    reporter: (): ResultReporter => reporter,
    politeness: createPoliteness({ queue, logger, metrics }),
    clock,
    random,
    logger,
    services: options.services,
    servicesFor: options.servicesFor,
    leaseMs,
    concurrency: bounds.min,
    record,
    onReleased({ kind, job }, reason) {
      resting.rest(kind);
      if (reason !== undefined) options.releases?.released({ kind, job }, reason);
    },
    onAttempt: options.onAttempt,
    onRecorded: options.releases && (({ kind, job }) => options.releases?.ended({ kind, job })),
    onChange: changed,
    onFatal,
  });
  for (const handler of options.handlers) {
    if (kinds.has(handler.kind)) throw twice(handler.kind);
    const { inFlight, timedOut: onTimeout } = inFlightTasks;
    const shared = { clock, metrics: counters, inFlight, onTimeout };
    kinds.set(handler.kind, createKindState(handler, shared));
  }
  if (kinds.size === 0) throw new AppError("invalid", "no_handlers", "a worker needs a handler");
  const reporter = createResultReporter({
    queue,
    clock,
    random,
    logger,
    onEnded: inFlightTasks.ended,
    onAnswered: () => record?.save(),
    onReady: changed,
    onFatal,
  });
  const keeper = createLeaseKeeper({
    queue,
    clock,
    logger,
    leaseMs,
    inFlight: inFlightTasks.inFlight,
    onView: inFlightTasks.follow,
    onLost: inFlightTasks.lost,
    onFatal,
  });
  const dispatcher = createDispatcher({
    queue,
    worker: name,
    kinds: [...kinds.keys()],
    leaseMs,
    burst,
    clock,
    random,
    logger,
    room: inFlightTasks.room,
    holdsAny: () => inFlightTasks.inFlight().size > 0,
    onClaiming: (claim) => record?.claiming(claim),
    onLeases: inFlightTasks.take,
    onClaim: (_, leases) => counters.claimed.add(leases),
    ...(options.drain && { onDrained: outcome.resolve, notAwaited: options.notAwaited }),
    onReady: changed,
    onFatal,
  });
  const maintenance = createMaintenance({
    queue,
    clock,
    logger,
    keepDoneMs: options.keep?.doneMs ?? 7 * dayMs,
    keepFailedMs: options.keep?.failedMs ?? 30 * dayMs,
    keepKeysMs: options.keep?.keysMs ?? 90 * dayMs,
  });
  registerGauges(metrics, inFlightTasks, kinds);
  let load: ProcessLoad | undefined;
  let read: (() => Promise<ScalerReading>) | undefined;
  const scaler = createScaler({
    settings: bounds,
    // Created on demand, because watching the event loop costs time and a fixed worker never needs
    // it.
    read() {
      load ??= (options.load ?? createProcessLoad)();
      const { atWork, concurrency } = inFlightTasks;
      read ??= createScalerReader({ queue, kinds, atWork, concurrency, load });
      return read();
    },
    concurrency: inFlightTasks.concurrency,
    apply: inFlightTasks.setConcurrency,
    clock,
    logger,
    metrics,
  });

  /** Waits until no task is in flight, but at most `ms`. */
  async function empty(ms: number): Promise<void> {
    const emptied = new Promise<void>((resolve) => (onEmpty = resolve));
    changed();
    await withDeadline(emptied, { clock, ms });
  }

  async function stop(): Promise<void> {
    inFlightTasks.stopStarting();
    const claimed = dispatcher.stop();
    if (!isAborted && !isFatal) await empty(graceMs);
    inFlightTasks.abortWorking();
    if (inFlightTasks.inFlight().size > 0 && !isFatal) await empty(storeMs);
    const left = inFlightTasks.inFlight().size;
    if (left > 0) logger.warn("tasks could not be released: their leases will expire", { left });
    record?.save();
    keeper.stop();
    load?.stop();
    reporter.stop();
    for (const { timeouts } of kinds.values()) timeouts.stop();
    // A queue that does not answer must not prevent the process from ending.
    const all = Promise.allSettled([maintenance.stop(), scaler.stop(), claimed]);
    await withDeadline(all, { clock, ms: storeMs });
    outcome.resolve();
  }

  return {
    ended: outcome.ended,
    async start() {
      keeper.start();
      scaler.start();
      await maintenance.start();
      changed();
    },
    stop: () => (stopping ??= stop()),
    async abort() {
      isAborted = true;
      inFlightTasks.stopStarting();
      inFlightTasks.abortWorking();
      await (stopping ??= stop());
    },
    setConcurrency(concurrency) {
      const changed = boundsOf(concurrency);
      scaler.configure(changed);
      const { min, max } = changed;
      inFlightTasks.setConcurrency(Math.min(max, Math.max(min, inFlightTasks.concurrency())));
    },
    look: () => ({
      name,
      kinds: [...kinds.keys()],
      completed: [...kinds.values()].reduce((sum, kind) => sum + kind.recorded(), 0),
      concurrency: inFlightTasks.concurrency(),
      atWork: inFlightTasks.atWork(),
      atWorkByKind: countByKind(inFlightTasks.inFlight()),
      inFlight: inFlightTasks.inFlight().size,
      waitingForCap: inFlightTasks.waitingForCap(),
      abandoned: inFlightTasks.abandoned(),
      isResting: dispatcher.isResting(),
      scaled: scaler.last(),
      sinceClaimMs: clock.monotonicMs() - dispatcher.answeredAtMs(),
      oldestCallMs: queue.oldestCallMs(),
      tasks: tasksAtWork(inFlightTasks.inFlight(), clock.monotonicMs()),
    }),
  };
}

function createEnd() {
  let resolve = () => {};
  let fail: (error: unknown) => void = () => {};
  const ended = new Promise<void>((onResolve, onReject) => {
    resolve = onResolve;
    fail = onReject;
  });
  ended.catch(() => {}); // handled by callers that await it
  return { ended, resolve, fail: (error: unknown) => fail(error) };
}

const twice = (kind: string) =>
  new AppError("invalid", "handler_twice", `two handlers are given for the kind "${kind}"`);
