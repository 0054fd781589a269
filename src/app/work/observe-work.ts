import type { Clock } from "../../base/clock.ts";
import { createId } from "../../base/ids.ts";
import type { Logger } from "../../base/log/logger.ts";
import { mergeSnapshots, type Metrics } from "../../base/metrics.ts";
import { systemRandom } from "../../base/random.ts";
import { createServiceGroup, type Service } from "../../base/service.ts";
import { readVersion } from "../../base/version.ts";
import { settingsFingerprint, type LoadedSettings, type Paths } from "../../config/index.ts";
import {
  alertWords,
  createHealthServer,
  createHeartbeatFile,
  createNodeObserver,
  queueMetrics,
  readHeartbeats,
  readMachine,
  registerConnectionMetrics,
  registerMachineMetrics,
  registerProcessMetrics,
  troublesOf,
  unreadyOf,
  yieldsOf,
  type HealthSource,
  type Heartbeat,
  type WorkerHeartbeat,
  type WorkerReading,
} from "../../observe/index.ts";
import type { Queue, QueueStats } from "../../queue/index.ts";
import type { SlotView, Supervisor } from "../../worker/index.ts";
import { openFolderSecret } from "../node/folder-secret.ts";
import { nodeName } from "../node/node-name.ts";

export interface ObserveWorkOptions {
  readonly loaded: LoadedSettings;
  readonly paths: Paths;
  /** The address for metrics and health; overrides the setting `work.listen`. */
  readonly listen?: string | undefined;
  readonly onListening: (server: ListeningServer) => void;
  readonly queue: Pick<Queue, "stats" | "connections">;
  readonly supervisor: Pick<Supervisor, "look" | "metrics">;
  /** False: the node is ready without any worker process. */
  readonly hasWorkers: boolean;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface ListeningServer {
  readonly url: string;
  /** The file with the token that /metrics requires. */
  readonly tokenFile: string;
}

export interface WorkObserver extends Service {
  /** Alerts use these settings from now on. */
  follow(loaded: LoadedSettings): void;
  /** The statistics of the last poll; undefined before the first one. */
  stats(): QueueStats | undefined;
  /** The current alerts as text. */
  alerts(): readonly string[];
  /** For servers of metrics and health. */
  readonly health: HealthSource;
}

/**
 * Observes the workers of a node: alerts, heartbeat file, and the server for metrics and health.
 */
export function observeWork(options: ObserveWorkOptions): WorkObserver {
  const { paths, queue, supervisor, metrics, clock, log } = options;
  let { loaded } = options;
  const host = nodeName(loaded.settings);
  const version = readVersion();
  const file = createHeartbeatFile({ paths, clock, host, pid: process.pid });
  const observer = createNodeObserver({
    queue,
    isCharged: () => loaded.settings.queue.url.startsWith("s3:"),
    clock,
    logger: log,
    metrics,
    stallMs: () => loaded.settings.alert.stallMs,
    readMachine: () => readMachine(paths.root()),
    workers: () => workersOf(supervisor.look()),
    yields: () => yieldsOf(supervisor.metrics()),
    heartbeats: () => readHeartbeats({ paths, clock }),
    async writeHeartbeat(observed) {
      const heartbeat: Heartbeat = {
        format: 1,
        node: host,
        pid: process.pid,
        atMs: clock.nowMs(),
        version,
        config: settingsFingerprint(loaded),
        queue: loaded.settings.queue.url,
        ...observed,
        workers: supervisor.look().map(workerHeartbeat),
      };
      await file.write(heartbeat);
    },
  });
  registerProcessMetrics(metrics);
  registerConnectionMetrics(metrics, () => queue.connections());
  registerMachineMetrics(metrics, () => observer.machine());
  const listen = options.listen ?? loaded.settings.work.listen;
  const tokenFile = paths.resolve("node", "metrics.token");
  const health: HealthSource = {
    metrics() {
      const stats = observer.stats();
      return mergeSnapshots([
        metrics.snapshot(),
        supervisor.metrics(),
        stats ? queueMetrics(stats) : [],
      ]);
    },
    troubles: () => troublesOf(supervisor.look(), observer),
    unready: () => unreadyOf(options.hasWorkers ? supervisor.look() : undefined, observer),
  };
  const server =
    listen === undefined
      ? undefined
      : createHealthServer({
          listen,
          names: () => loaded.settings.work.listenNames.split(","),
          readToken: () =>
            openFolderSecret({ file: tokenFile, make: () => createId(systemRandom, 52) }),
          source: health,
        });
  const announced: Service | undefined = server && {
    async start() {
      await server.start();
      options.onListening({ url: `http://${server.address()}`, tokenFile });
    },
    stop: () => server.stop(),
  };
  return {
    ...createServiceGroup([file, observer, ...(announced ? [announced] : [])]),
    follow(changed) {
      loaded = changed;
    },
    stats: () => observer.stats(),
    alerts: () => observer.alerts().map(alertWords),
    health,
  };
}

/** The workers that report that they are healthy. */
const workersOf = (slots: readonly SlotView[]): readonly WorkerReading[] =>
  slots.flatMap(({ name, pid, state, view }) =>
    view && state === "running" ? [{ ...view, worker: name, pid }] : [],
  );

const workerHeartbeat = ({ name, pid, state, restarts, view }: SlotView): WorkerHeartbeat => ({
  name,
  pid,
  state,
  restarts,
  kinds: view?.kinds,
  concurrency: view?.concurrency ?? 0,
  atWork: view?.atWork ?? 0,
  inFlight: view?.inFlight ?? 0,
  completed: view?.completed ?? 0,
  decision: view?.scaled ? `${view.scaled.decision} (${view.scaled.reason})` : "-",
});
