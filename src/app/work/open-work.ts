import { AppError } from "../../base/app-error.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log/logger.ts";
import { createMetrics, type MetricsSnapshot } from "../../base/metrics.ts";
import type { Service } from "../../base/service.ts";
import { asUsage, usageError } from "../../base/usage-error.ts";
import {
  createPaths,
  createSettingsMarker,
  followSettings,
  type LoadedSettings,
  type Paths,
  type SettingsMarker,
  type SettingsMarks,
} from "../../config/index.ts";
import type { NodeApi, NodeEvents, ProcessDesired } from "../../node/index.ts";
import { enrichKind, openCampaignFolder } from "../../campaign/index.ts";
import { registerBucketMetrics, type HealthSource } from "../../observe/index.ts";
import { createJobWatcher } from "../../notify/index.ts";
import type { Queue, QueueStats, ServerFigures } from "../../queue/index.ts";
import { createTicker, type TickerView } from "../../schedule/index.ts";
import type { InterruptionNotice } from "../../ship/index.ts";
import { createSupervisor, type SlotView } from "../../worker/index.ts";
import { refuseForgottenTasks } from "../queue/tasks-left-behind.ts";
import { findingText } from "../preflight/finding-text.ts";
import { preflight, waitingCampaigns, waitingHosts } from "../preflight/preflight.ts";
import { openWebhooks } from "../webhooks/open-webhooks.ts";
import { readVersion } from "../../base/version.ts";
import { createMissingBucket } from "../bucket/create-bucket.ts";
import { nodeName } from "../node/node-name.ts";
import { processMeter } from "../bucket/open-bucket.ts";
import { openNodeReader } from "../node/open-node-reader.ts";
import { openServiceNode } from "../node/open-service-node.ts";
import { forkWorker } from "./fork-worker.ts";
import { createInterruptions } from "./interruptions.ts";
import { observeWork, type ObserveWorkOptions } from "./observe-work.ts";
import type { ProcessChoice } from "./plan-processes.ts";
import { takesKind } from "./pools.ts";
import { createProcessPool } from "./process-pool.ts";
import { openWatchedQueue, type WatchedQueue } from "./watched-queue.ts";
import { currentReleases } from "./release-records.ts";
import { readWorkOutcome, type WorkOutcome } from "./work-outcome.ts";
import { summaryOf, type WorkSummary } from "./work-summary.ts";
import type { WorkerStart } from "./worker-start.ts";

export interface WorkOptions extends Pick<ObserveWorkOptions, "listen" | "onListening"> {
  readonly loaded: LoadedSettings;
  /** Reads the settings again; changes are applied while it runs. */
  readonly reload: () => Promise<LoadedSettings>;
  readonly choice: ProcessChoice;
  /** False: no worker process is started, whatever the settings and the fleet say. */
  readonly hasWorkers?: boolean;
  /** The caller has already checked the requirements of the visits, and has reported them. */
  readonly isChecked?: boolean;
  /** Called after each check of the schedules. Absent: this process adds no occurrences. */
  readonly onSchedules?: ((view: TickerView) => void) | undefined;
  readonly nodeEvents?: NodeEvents | undefined;
  /** Called when each part has ended, during a stop. */
  readonly onStopped?: (part: "workers" | "metrics" | "node") => void;
  /** How every worker process starts. */
  readonly start: WorkerStart;
  /** stdout is reserved for the result: workers write to stderr instead. */
  readonly isStdoutTaken: boolean;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The worker processes of a node, their observer, and the node itself. */
export interface Work extends Service, AsyncDisposable {
  /**
   * Resolves when no tasks are left (if it is draining), when the fleet told this node to leave, or
   * when this machine is taken away and its work is released. Rejects when the queue or the data
   * folder no longer exists, or a worker process cannot start.
   */
  readonly ended: Promise<void>;
  summary(): WorkSummary;
  /** Over all worker processes. */
  metrics(): MetricsSnapshot;
  /** The summary with the reasons of failures, which are read from the queue. */
  outcome(): Promise<WorkOutcome>;
  /** The statistics of the last poll, a few seconds ago; undefined before the first one. */
  queueStats(): QueueStats | undefined;
  workers(): WorkersView;
  /** Like that of the supervisor. */
  fault(): string | undefined;
  /** After a stop: true if every process has exited by itself with code 0. */
  isOrderly(): boolean;
  /** The state of the queue's server; undefined if it has none. */
  queueServer(): Promise<ServerFigures | undefined>;
  /** For other parts of this process. */
  readonly node: NodeApi;
  readonly health: HealthSource;
}

export interface WorkersView {
  readonly slots: readonly SlotView[];
  /** The desired state of this node. */
  readonly state: ProcessDesired["state"];
  /** Set when the provider has announced that it takes this machine away. */
  readonly notice?: InterruptionNotice | undefined;
}

/** Time in addition to work.graceMs, for storing task results. */
const stopMarginMs = 15_000;

export async function openWork(options: WorkOptions): Promise<Work> {
  const { loaded, clock } = options;
  const { settings } = loaded;
  const marker = createSettingsMarker(clock);
  const marks = await marker.read(loaded, { isAsked: true });
  const paths = createPaths(settings.data);
  await asUsage(() => refuseForgottenTasks(loaded, paths), ["queue_left_behind"]);
  const isLate = !options.start.isDraining;
  const made = await createMissingBucket({ settings, paths });
  if (made !== undefined) options.log.warn(made, { check: "bucket" });
  const queue = await openWatchedQueue({ settings, paths, isLate });
  try {
    await checkBefore(options, paths, queue);
    return await openWorkOn({ ...options, queue, marker, marks });
  } catch (error) {
    await queue[Symbol.asyncDispose]();
    throw error;
  }
}

/**
 * Checks what the waiting visits lack. A drain could do nothing without it and throws; a
 * long-running node reports it and continues, because settings can change while it runs.
 */
async function checkBefore(options: WorkOptions, paths: Paths, queue: WatchedQueue): Promise<void> {
  const { loaded, choice, hasWorkers = true, start, log } = options;
  const isVisiting =
    choice.kinds?.includes(enrichKind) ?? takesKind(loaded.settings.work.pools, enrichKind);
  if (!hasWorkers || !isVisiting || options.isChecked === true) return;
  const campaigns = await unlessAway(() => waitingCampaigns(queue.current(), paths), []);
  const hosts = await unlessAway(() => waitingHosts(queue.current()), []);
  for (const finding of await preflight({ loaded, paths, campaigns, hosts })) {
    if (start.isDraining && finding.state === "fail") throw usageError(findingText(finding));
    if (finding.state === "note") log.info(findingText(finding), { check: finding.check });
    else log.warn(findingText(finding), { check: finding.check });
  }
}

async function unlessAway<T>(ask: () => Promise<T>, otherwise: T): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== "unavailable") throw error;
    return otherwise;
  }
}

interface WorkParts extends WorkOptions {
  readonly queue: WatchedQueue;
  readonly marker: SettingsMarker;
  readonly marks: SettingsMarks;
}

async function openWorkOn(options: WorkParts): Promise<Work> {
  const { loaded, reload, choice, queue, marker, marks, clock, log } = options;
  const { hasWorkers = true, nodeEvents: events, onStopped = () => {} } = options;
  const { settings } = loaded;
  const paths = createPaths(settings.data);
  const metrics = createMetrics();
  const sinceMs = await queueNowMs(queue, clock.nowMs());
  registerBucketMetrics(metrics, processMeter);
  /** Kinds that processes have reported. A process that has ended cannot be asked any more. */
  const handled = new Set<string>();
  const supervisor = createSupervisor({
    slots: [],
    spawn: spawnOn(options, handled),
    watchdogMs: settings.work.watchdogMs,
    stopMs: settings.work.graceMs + stopMarginMs,
    clock,
    logger: log,
    metrics,
  });
  let isDrained = false;
  supervisor.drained.then(
    () => (isDrained = true),
    () => {},
  );
  const observer = observeWork({ ...options, hasWorkers, paths, supervisor, metrics });
  const pool = createProcessPool({
    choice,
    supervisor,
    settings,
    marks,
    isDraining: options.start.isDraining,
    clock,
  });
  const allAlerts = () => [...observer.alerts(), ...currentReleases(paths, clock.nowMs())];
  const work = hasWorkers ? { ...pool, alerts: allAlerts } : undefined;
  const alerts = hasWorkers ? undefined : () => observer.alerts();
  const node = await openServiceNode({ loaded, paths, work, alerts, events, clock, log });
  let notice: InterruptionNotice | undefined;
  const interruptions = await createInterruptions({
    settings,
    pool,
    supervisor,
    wake: () => node.api.wake.added(),
    isDraining: options.start.isDraining,
    onNotice: (given) => (notice = given),
    clock,
    log,
  });
  const ended = Promise.race([
    supervisor.drained,
    pool.left,
    interruptions.over,
    node.gone,
    queue.gone,
  ]);
  ended.catch(() => {}); // the caller that awaits it handles it
  const { onSchedules } = options;
  const ticker =
    onSchedules &&
    createTicker({
      ledger: node.api.ledger,
      queue: async () => waking(queue.current(), node.api.wake),
      onLook: onSchedules,
      clock,
      log,
    });
  const webhooks = openWebhooks({ settings, paths, queue: async () => queue.current(), clock });
  const jobs = createJobWatcher({
    queue: () => queue.current(),
    stats: () => observer.stats(),
    endpoints: webhooks.endpoints,
    publisher: webhooks.publisher,
    campaigns: () => openCampaignFolder(paths).list(),
    isCharged: settings.queue.url.startsWith("s3:"),
    isDraining: options.start.isDraining,
    clock,
    log,
  });
  let following: { readonly stop: () => void } | undefined;

  const follow = () =>
    followSettings({
      marks,
      marker,
      reload,
      clock,
      logger: log,
      async apply(changed) {
        const { settings: changedTo } = changed.loaded;
        pool.setPlan({ settings: changedTo, marks: changed.marks });
        observer.follow(changed.loaded);
        const isNodes = (key: string) => key === "gossip.keys" || key.startsWith("alert.");
        if (changed.keys.some(isNodes)) await node.follow(changedTo);
        if (!changed.keys.some((key) => key.startsWith("queue.") || key === "data")) return;
        const isLate = !options.start.isDraining;
        await queue.follow({ settings: changedTo, paths: createPaths(changedTo.data), isLate });
      },
    });

  return {
    ended,
    summary: () => summaryOf(supervisor.metrics()),
    metrics: () => supervisor.metrics(),
    async outcome() {
      // The node itself is closed when the work has stopped.
      await using reader = await openNodeReader({
        paths,
        log,
        version: readVersion(),
        note: () => {},
      });
      return await readWorkOutcome({
        queue: queue.current(),
        queueUrl: settings.queue.url,
        clock,
        reader,
        // If no process has started, the handlers are not known.
        kinds: choice.kinds || handled.size === 0 ? undefined : handled,
        unwanted: pool.unwanted(),
        isDraining: options.start.isDraining,
        isDrained,
        held: pool.held(),
        node: nodeName(settings),
        paths,
        settings,
        sinceMs,
        summary: summaryOf(supervisor.metrics()),
      });
    },
    queueStats: () => observer.stats(),
    workers: () => ({ slots: supervisor.look(), state: pool.state(), notice }),
    fault: () => supervisor.fault(),
    isOrderly: () => supervisor.isOrderly(),
    queueServer: () => queue.current().server(),
    node: node.api,
    health: observer.health,
    async start() {
      following = follow();
      await observer.start();
      await node.start();
      if (hasWorkers) pool.begin();
      await supervisor.start();
      if (hasWorkers) await interruptions.start();
      await ticker?.start();
      await jobs.start();
    },
    async stop() {
      following?.stop();
      await interruptions.stop();
      await ticker?.stop();
      await supervisor.stop();
      await jobs.stop();
      onStopped("workers");
      await observer.stop();
      onStopped("metrics");
      await node.stop();
      onStopped("node");
    },
    async [Symbol.asyncDispose]() {
      await webhooks[Symbol.asyncDispose]();
      await node[Symbol.asyncDispose]();
      await queue[Symbol.asyncDispose]();
    },
  };
}

/** Adding an occurrence wakes the workers of the fleet. */
const waking = (queue: ReturnType<WatchedQueue["current"]>, wake: NodeApi["wake"]) => ({
  now: () => queue.now(),
  openJob: (...given: Parameters<Queue["openJob"]>) => queue.openJob(...given),
  async add(...given: Parameters<Queue["add"]>) {
    const answers = await queue.add(...given);
    await wake.added();
    return answers;
  },
});

/** The clock of the queue's store; this machine's clock while the store does not answer. */
const queueNowMs = (queue: WatchedQueue, otherwiseMs: number): Promise<number> =>
  unlessAway(async () => (await queue.current().now()).ms, otherwiseMs);

type Spawn = Parameters<typeof createSupervisor>[0]["spawn"];

function spawnOn({ start, isStdoutTaken, queue, clock }: WorkParts, handled: Set<string>): Spawn {
  return (_, { onMessage: onAnyMessage, onExit }) => {
    const onMessage: typeof onAnyMessage = (message) => {
      if (message.kind === "heartbeat") for (const kind of message.view.kinds) handled.add(kind);
      onAnyMessage(message);
    };
    const onChildExit: typeof onExit = (how, dead) => {
      // Check before the supervisor replaces the process: the next one would create a new, empty
      // queue.
      queue.check();
      onExit(how, dead);
    };
    const events = { onMessage, onExit: onChildExit };
    return forkWorker({ start, isStdoutTaken, clock, queue: queue.current() }, events);
  };
}
