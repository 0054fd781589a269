import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log/logger.ts";
import { createMetrics, type Metrics } from "../../base/metrics.ts";
import { systemRandom } from "../../base/random.ts";
import { readVersion } from "../../base/version.ts";
import { userName, type Paths, type Settings } from "../../config/index.ts";
import {
  registerBucketMetrics,
  registerConnectionMetrics,
  registerProcessMetrics,
} from "../../observe/index.ts";
import {
  createCrashRecord,
  createProcessLoad,
  createWorker,
  type FromChild,
  type Worker,
} from "../../worker/index.ts";
import { createScheduleHandler, type ScheduleServices } from "../../schedule/index.ts";
import { createDeliveryHandler, deliveryKind, type DeliveryServices } from "../../notify/index.ts";
import { createBuiltInWork, type BuiltInServices } from "./built-in-work.ts";
import { openOrMakeQueue } from "../queue/configured-queue.ts";
import { createHandlerServices } from "./handler-services.ts";
import { nodeName } from "../node/node-name.ts";
import { processMeter } from "../bucket/open-bucket.ts";
import { openNodeIn } from "../node/open-node.ts";
import { createScheduledWork } from "../schedule/scheduled-work.ts";
import { openWebhooks } from "../webhooks/open-webhooks.ts";
import { crashRecordFd, hasCrashFile } from "./crash-file.ts";
import type { WorkerInbox } from "./inbox.ts";
import { chooseHandlers, joinHandlers, loadHandlers } from "./load-handlers.ts";
import { createAttemptRecords } from "./attempt-records.ts";
import { createReleaseRecords } from "./release-records.ts";
import type { WorkerStart } from "./worker-start.ts";

export interface RunWorkerOptions {
  readonly start: WorkerStart;
  readonly inbox: WorkerInbox;
  readonly send: (message: FromChild) => void;
  readonly settings: Settings;
  readonly paths: Paths;
  readonly clock: Clock;
  readonly log: Logger;
}

const heartbeatMs = 1_000;
const dayMs = 86_400_000;

/** Runs the worker of a worker process until it is stopped, or no tasks are left. */
export async function runWorker(options: RunWorkerOptions): Promise<void> {
  const { start, inbox, send, settings, paths, clock } = options;
  const file = start.handlersFile ?? settings.work.handlers;
  const loaded = file === undefined ? [] : await loadHandlers(file);
  const slot = await inbox.slot;
  const version = readVersion();
  await using node = await openNodeIn({
    kind: "worker",
    paths,
    log: options.log,
    user: userName(),
    version,
  });
  await using queue = await openOrMakeQueue({
    settings,
    paths,
    wake: node.api.wake,
    isLate: !start.isDraining,
  });
  const name = `${nodeName(settings)}.${slot.name}.${process.pid}`;
  const log = options.log.child({ worker: name });
  const metrics = createMetrics();
  await using webhooks = openWebhooks({ settings, paths, queue: async () => queue, clock });
  const { publisher } = webhooks;
  await using builtIn = createBuiltInWork({
    paths,
    clock,
    log,
    queue,
    queueUrl: settings.queue.url,
    crawl: settings.crawl,
    metrics,
    node: node.api,
    version,
    bucket: settings.bucket,
    publisher,
  });
  await using own = createHandlerServices({ settings, paths, queue, clock, random: systemRandom });
  const scheduled = createScheduledWork({
    settings,
    paths,
    node: node.api,
    queue,
    publisher,
    clock,
    log,
  });
  const handlers = chooseHandlers(
    joinHandlers<BuiltInServices & ScheduleServices & DeliveryServices>(
      [...builtIn.handlers, createScheduleHandler(), createDeliveryHandler()],
      loaded,
    ),
    slot,
    file,
  );
  registerBucketMetrics(metrics, processMeter);
  registerProcessMetrics(metrics);
  registerConnectionMetrics(metrics, () => queue.connections());
  using attempts = createAttemptRecords({ paths, worker: name, pid: process.pid, clock });
  const worker = createWorker({
    queue,
    name,
    handlers,
    servicesFor(onRequest) {
      const ofTask = own.servicesFor(onRequest);
      return {
        ...builtIn.services,
        ...scheduled,
        ...webhooks.services,
        countRequest: onRequest,
        queue,
        get bucket() {
          return ofTask.bucket;
        },
      };
    },
    concurrency: slot.concurrency,
    leaseMs: settings.queue.leaseMs,
    graceMs: settings.work.graceMs,
    drain: start.isDraining,
    // A drain does not wait for deliveries: they are retried for days.
    notAwaited: [deliveryKind],
    keep: {
      doneMs: settings.queue.keepDoneDays * dayMs,
      failedMs: settings.queue.keepFailedDays * dayMs,
      keysMs: settings.queue.keepKeysDays * dayMs,
    },
    ...(hasCrashFile() && {
      crashRecord: (info) => createCrashRecord(crashRecordFd, info),
    }),
    load: createProcessLoad,
    onAttempt: (attempt) => attempts.add(attempt),
    releases: createReleaseRecords({ paths, clock, log }),
    clock,
    logger: log,
    metrics,
  });
  inbox.follow(worker);
  const heartbeat = startHeartbeat({ send, worker, metrics, clock });
  try {
    await worker.start();
    await worker.ended;
    if (!inbox.isStopping()) send({ kind: "drained" });
  } finally {
    heartbeat.stop();
    await worker.stop();
    // Includes the counts since the last heartbeat.
    send({ kind: "heartbeat", view: worker.look(), metrics: metrics.snapshot() });
  }
}

interface HeartbeatOptions {
  readonly send: (message: FromChild) => void;
  readonly worker: Worker;
  readonly metrics: Metrics;
  readonly clock: Clock;
}

/** Sends heartbeats; a process whose event loop is blocked sends none. */
function startHeartbeat({ send, worker, metrics, clock }: HeartbeatOptions) {
  let timer = clock.setTimer(0, sendHeartbeat);
  function sendHeartbeat(): void {
    send({ kind: "heartbeat", view: worker.look(), metrics: metrics.snapshot() });
    timer = clock.setTimer(heartbeatMs, sendHeartbeat, { background: true });
  }
  return { stop: () => timer.cancel() };
}
