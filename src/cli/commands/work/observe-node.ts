import { hostname } from "node:os";
import { openFolderSecret } from "../../../app/index.ts";
import { createId } from "../../../base/ids.ts";
import { mergeSnapshots, type Metrics, type MetricsSnapshot } from "../../../base/metrics.ts";
import { systemRandom } from "../../../base/random.ts";
import { createServiceGroup, type Service } from "../../../base/service.ts";
import {
  createHealthServer,
  createHeartbeatFile,
  createNodeObserver,
  createWebhook,
  queueMetrics,
  readHeartbeats,
  readMachine,
  registerConnectionMetrics,
  registerMachineMetrics,
  registerProcessMetrics,
  type Heartbeat,
  type NodeObserver,
  type Observed,
  type WorkerReading,
  type YieldReading,
} from "../../../observe/index.ts";
import { settingsFingerprint, type LoadedSettings } from "../../../config/index.ts";
import type { Queue } from "../../../queue/index.ts";
import type { PostView, Supervisor } from "../../../worker/index.ts";
import type { SettingsContext } from "../../command.ts";
import { textFlag } from "../../flags.ts";

export interface ObserveNodeOptions {
  readonly context: SettingsContext;
  readonly queue: Pick<Queue, "stats" | "connections">;
  readonly supervisor: Supervisor;
  readonly metrics: Metrics;
  readonly version: string;
}

/** A queue that was not read for so long cannot be said to be reachable. */
const unreachableMs = 60_000;

export interface NodeWatch extends Service {
  /** What alerts need is taken from these settings from now on. */
  follow(loaded: LoadedSettings): void;
  /** What is the matter now, in words. */
  alerts(): readonly string[];
}

/** All that watches over the workers of a node: alerts, heartbeat, and what is served. */
export function observeNode(options: ObserveNodeOptions): NodeWatch {
  const { context, queue, supervisor, metrics } = options;
  const { flags, clock, log, out } = context;
  let { loaded } = context;
  let webhook = openWebhook(context, loaded);
  const node = hostname();
  const file = createHeartbeatFile({ paths: context.paths, clock, host: node, pid: process.pid });
  const observer = createNodeObserver({
    queue,
    isCharged: () => loaded.settings.queue.url.startsWith("s3:"),
    clock,
    logger: log,
    metrics,
    stallMs: () => loaded.settings.alert.stallMs,
    readMachine: () => readMachine(context.paths.root()),
    workers: () => workersOf(supervisor.look()),
    yields: () => yieldsOf(supervisor.metrics()),
    heartbeats: () => readHeartbeats(context),
    onAlert: (event) => void webhook?.post({ ...event, node, atMs: clock.nowMs() }),
    writeHeartbeat: (observed) => file.write(heartbeatOf(options, loaded, observed)),
  });
  registerProcessMetrics(metrics);
  registerConnectionMetrics(metrics, () => queue.connections());
  registerMachineMetrics(metrics, () => observer.machine());
  const listen = textFlag(flags, "listen") ?? loaded.settings.work.listen;
  const follow = (changed: LoadedSettings) => {
    loaded = changed;
    webhook = openWebhook(context, loaded);
  };
  const alerts = () =>
    observer.alerts().map(({ event, of, part, what }) => {
      const name = event.replace("_began", "").replaceAll("_", " ");
      return `${name}: ${of} ${part}${what === undefined ? "" : ` ${what}`}`;
    });
  if (listen === undefined) return { ...createServiceGroup([file, observer]), follow, alerts };
  const tokenFile = context.paths.resolve("node", "metrics.token");
  const server = createHealthServer({
    listen,
    names: () => loaded.settings.work.listenNames.split(","),
    readToken: () => openFolderSecret({ file: tokenFile, make: () => createId(systemRandom, 52) }),
    metrics: () => {
      const stats = observer.stats();
      const own = metrics.snapshot();
      return mergeSnapshots([own, supervisor.metrics(), stats ? queueMetrics(stats) : []]);
    },
    troubles: () => troublesOf(supervisor.look(), observer),
    unready: () => unreadyOf(supervisor.look(), observer),
  });
  const announced: Service = {
    async start() {
      await server.start();
      const at = `http://${server.address()}`;
      out.note(`metrics and health on ${at}; /metrics takes the token in ${tokenFile}`);
    },
    stop: () => server.stop(),
  };
  return { ...createServiceGroup([file, observer, announced]), follow, alerts };
}

function openWebhook({ clock, log }: SettingsContext, { settings }: LoadedSettings) {
  const { webhook, secret } = settings.alert;
  if (webhook === undefined) return undefined;
  const url = () => webhook.reveal();
  const reveal = secret && (() => secret.reveal());
  return createWebhook({ url, secret: reveal, clock, random: systemRandom, logger: log });
}

/** Consuming means: every process is at work or has nothing to do, and work that can run does. */
function troublesOf(posts: readonly PostView[], observer: NodeObserver): readonly string[] {
  const away = posts.filter(({ state }) => state === "waiting" || state === "starting");
  const alerts = observer.alerts();
  return [
    ...away.map(({ name, state }) => `worker ${name} is ${state}`),
    ...alerts
      .filter(({ event }) => event === "stall_began")
      .map(({ of, part }) => `work of ${of} ${part} is stalled`),
    ...alerts
      .filter(({ event }) => event === "zombie_began")
      .map(({ part }) => `worker ${part} completes nothing, though it could`),
    ...unreachable(observer),
  ];
}

/** Those that say they are well. */
const workersOf = (posts: readonly PostView[]): readonly WorkerReading[] =>
  posts.flatMap(({ name, pid, state, view }) =>
    view && state === "running" ? [{ ...view, worker: name, pid }] : [],
  );

/** Of the kinds that say what their tasks bring. */
function yieldsOf(snapshot: MetricsSnapshot): readonly YieldReading[] {
  const seriesOf = (family: string) => snapshot.find(({ name }) => name === family)?.series ?? [];
  const ended = seriesOf("forager_tasks_ended_total");
  return seriesOf("forager_task_yield_total").map(({ values: [kind = ""], value }) => ({
    kind,
    done: ended.find(({ values }) => values[0] === kind && values[1] === "done")?.value ?? 0,
    yielded: value,
  }));
}

function unreadyOf(posts: readonly PostView[], observer: NodeObserver): readonly string[] {
  const isAny = posts.some(({ state }) => state === "running");
  return [...(isAny ? [] : ["no worker process runs yet"]), ...unreachable(observer)];
}

const unreachable = (observer: NodeObserver) =>
  observer.sinceReadMs() > unreachableMs ? ["the queue cannot be reached"] : [];

function heartbeatOf(
  { context, supervisor, version }: ObserveNodeOptions,
  loaded: LoadedSettings,
  observed: Observed,
): Heartbeat {
  return {
    format: 1,
    node: hostname(),
    pid: process.pid,
    atMs: context.clock.nowMs(),
    version,
    config: settingsFingerprint(loaded),
    queue: loaded.settings.queue.url,
    ...observed,
    workers: supervisor.look().map(({ name, pid, state, restarts, view }) => ({
      name,
      pid,
      state,
      restarts,
      kinds: view?.kinds,
      concurrency: view?.concurrency ?? 0,
      atWork: view?.atWork ?? 0,
      inHand: view?.inHand ?? 0,
      completed: view?.completed ?? 0,
      decision: view?.scaled ? `${view.scaled.decision} (${view.scaled.reason})` : "-",
    })),
  };
}
