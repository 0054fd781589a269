import { AppError } from "../base/app-error.ts";
import { sleep, systemClock, type Clock } from "../base/clock.ts";
import { silentLogger, type Logger } from "../base/logger.ts";
import { createMetrics, type Metrics } from "../base/metrics.ts";
import { systemRandom, type Random } from "../base/random.ts";
import type { Service } from "../base/service.ts";
import { afterTick } from "../base/tick.ts";
import { createMaintenance, type Kinds } from "../queue/index.ts";
import { boundsOf, type Concurrency } from "./concurrency.ts";
import type { CrashRecord, WorkerInfo } from "./crash-record.ts";
import { createDispatcher } from "./dispatcher.ts";
import { createResultReporter, type ResultReporter } from "./result-reporter.ts";
import { createInFlightTasks, type InFlightTasks } from "./in-flight-tasks.ts";
import type { Handler } from "./handler.ts";
import { createKindState, type KindState } from "./kind-state.ts";
import { createLeaseKeeper } from "./lease-keeper.ts";
import { createPoliteness } from "./politeness.ts";
import { createProcessLoad, type ProcessLoad } from "./process-load.ts";
import { createRestingKinds } from "./resting-kinds.ts";
import { createScaler, type ScalerReading } from "./scaler.ts";
import { createScalerReader } from "./scaler-reader.ts";
import { createTimedQueue, type WorkerQueue } from "./timed-queue.ts";
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
   * Instead of `services`: those of one task. The worker counts the calls of `onRequest`, one for
   * each bucket request of the handler, and the queue adds them to `requests` of the task's job.
   */
  readonly servicesFor?: (onRequest: () => void) => Services;
  /** Handlers at work at once, default 10; with two bounds it follows the load between them. */
  readonly concurrency?: Concurrency;
  /** For a worker that scales: how hard it is for this process. */
  readonly load?: () => ProcessLoad;
  /** Default 60,000. */
  readonly leaseMs?: number;
  /** The longest run of one gate it takes, default 50. */
  readonly burst?: number;
  /** How long `stop` waits for handlers before it ends them, default 25,000. */
  readonly graceMs?: number;
  /** Resolve `ended` when nothing is left that could ever be claimed. */
  readonly drain?: boolean;
  /** Kinds whose tasks a drain does not wait for once they have failed and wait for their next attempt. */
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
  /** Hears why this worker gives tasks back that its node cannot do. */
  readonly releases?: ReleaseListener;
  /** Where a supervisor reads what this process had, should it die. */
  readonly crashRecord?: (info: WorkerInfo) => CrashRecord;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly logger?: Logger;
  readonly metrics?: Metrics;
}

export interface ReleaseListener {
  released(task: { readonly kind: string; readonly job: string }, reason: string): void;
  /** A task of this kind and job was not given back: an attempt of it was recorded. */
  ended(task: { readonly kind: string; readonly job: string }): void;
}

/**
 * Does the tasks of a queue. `stop` takes no more work, gives back what has not begun, waits for
 * the handlers at work for the time of grace, then ends them and gives their tasks back too.
 */
export interface Worker extends Service {
  /**
   * Resolves after a stop, or when it is drained; rejects when the worker cannot go on. A drained
   * or broken worker still has to be stopped.
   */
  readonly ended: Promise<void>;
  /** Ends handlers at once and gives their tasks back: the second signal. Also during a stop. */
  abort(): Promise<void>;
  setConcurrency(concurrency: Concurrency): void;
  look(): WorkerView;
}

const dayMs = 86_400_000;
/** What `stop` adds to the time of grace for storing how tasks ended. */
const storeMs = 5_000;

export function createWorker<Services = unknown, K extends Kinds = Kinds>(
  options: WorkerOptions<Services, K>,
): Worker {
  const { name, leaseMs = 60_000, burst = 50, graceMs = 25_000 } = options;
  const { clock = systemClock, random = systemRandom, logger = silentLogger } = options;
  const metrics = options.metrics ?? createMetrics();
  const counters = createWorkerMetrics(metrics);
  // What handlers add and return is checked by the queue itself, whatever its kinds.
  const resting = createRestingKinds(options.queue as unknown as WorkerQueue, {
    clock,
    isDraining: options.drain === true,
  });
  const queue = createTimedQueue(resting.queue, counters, clock);
  const bounds = boundsOf(options.concurrency ?? 10);
  const ending = createEnd();
  let isPumping = false;
  let stopping: Promise<void> | undefined;
  let isAborted = false;
  let isFatal = false;
  let onEmpty = () => {};
  /** Nothing can be stored any more, so there is nothing to wait for. */
  const onFatal = (error: unknown) => {
    isFatal = true;
    ending.fail(error);
    onEmpty();
  };

  const changed = () => {
    if (isPumping) return;
    isPumping = true;
    afterTick(pump);
  };
  /** In this order: what ends makes room, and both go into one commit. */
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
    ...(options.drain && { onDrained: ending.resolve, notAwaited: options.notAwaited }),
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
    // Made when it is needed: watching the event loop costs, and a fixed worker never asks.
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

  /** Waits until no task is in flight, `ms` at most. */
  async function empty(ms: number): Promise<void> {
    const patience = new AbortController();
    const emptied = new Promise<void>((resolve) => (onEmpty = resolve));
    changed();
    await Promise.race([emptied, sleep(clock, ms, patience.signal).catch(() => {})]);
    patience.abort();
  }

  async function stop(): Promise<void> {
    inFlightTasks.stopStarting();
    const claimed = dispatcher.stop();
    if (!isAborted && !isFatal) await empty(graceMs);
    inFlightTasks.abortWorking();
    if (inFlightTasks.inFlight().size > 0 && !isFatal) await empty(storeMs);
    const left = inFlightTasks.inFlight().size;
    if (left > 0) logger.warn("tasks could not be given back: their leases run out", { left });
    record?.save();
    keeper.stop();
    load?.stop();
    reporter.stop();
    for (const { timeouts } of kinds.values()) timeouts.stop();
    // A queue that does not answer must not keep the process from ending.
    const patience = new AbortController();
    const all = Promise.allSettled([maintenance.stop(), scaler.stop(), claimed]);
    await Promise.race([all, sleep(clock, storeMs, patience.signal).catch(() => {})]);
    patience.abort();
    ending.resolve();
  }

  return {
    ended: ending.ended,
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
  ended.catch(() => {}); // heard by whoever awaits it
  return { ended, resolve, fail: (error: unknown) => fail(error) };
}

const twice = (kind: string) =>
  new AppError("invalid", "handler_twice", `two handlers are given for the kind "${kind}"`);
