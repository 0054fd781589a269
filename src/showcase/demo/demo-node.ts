/**
 * One node of the demo: like `forager work` in one process, except that the invented host names of
 * the region resolve to this machine. It works until its parent says "stop" or is gone, or until it
 * is killed. Its settings are JSON in the first argument; the fleet's key is the first message,
 * because every user can read arguments.
 */
import { once } from "node:events";
import {
  loadNode,
  openBuiltInWork,
  openFleetBucketFor,
  openQueue,
  openUsageRecord,
} from "../../app/index.ts";
import { systemClock } from "../../base/clock.ts";
import { createMetrics } from "../../base/metrics.ts";
import { createPinoLogger } from "../../base/log/pino-logger.ts";
import { createPaths, type Settings } from "../../config/index.ts";
import { parseKeyring } from "../../gossip/index.ts";
import type { Queue } from "../../queue/index.ts";
import { createWorker } from "../../worker/index.ts";
import type { LeaseEvent } from "./lease-log.ts";

export interface DemoNodeSettings {
  readonly worker: string;
  readonly folder: string;
  /** The address of the shared bucket. */
  readonly bucket: string;
  readonly queue: string;
  readonly gossip: Settings["gossip"];
  readonly crawl: Settings["crawl"];
  readonly version: string;
}

/** A message to the parent. */
export type NodeEvent = LeaseEvent | ({ readonly kind: "state" } & DemoNodeState);

export interface DemoNodeState {
  readonly node: string;
  readonly digest: string;
  readonly datagrams: number;
  /** How many peers report that they have the same data. */
  readonly equals: number;
  /** It was asked to rest and has no task in flight: it writes nothing more. */
  readonly isAtRest: boolean;
}

const concurrency = 20;
/** Short, so that the tasks of a killed node come back while people watch. */
const leaseMs = 8_000;

const settings = JSON.parse(process.argv[2] ?? "") as DemoNodeSettings;
process.on("disconnect", () => process.exit(1)); // without its parent nobody would stop it
// Ctrl-C reaches all processes of a terminal, but the parent decides when to stop.
process.on("SIGINT", () => {});
const [{ key }] = (await once(process, "message")) as [{ readonly key: string }];
const report = (event: NodeEvent) => void process.send?.(event);

const { worker: name, folder, gossip, crawl, version } = settings;
const clock = systemClock;
const log = createPinoLogger({ level: "error" });
const paths = createPaths(folder);
const metrics = createMetrics();
const usage = openUsageRecord({ paths, clock, log });
const { signal } = new AbortController();
const place = { settings: { bucket: {} }, paths, bucketAddress: settings.bucket, signal };
const opened = await openFleetBucketFor(place);
const { openNodeIn } = await loadNode();
const node = await openNodeIn({
  kind: "service",
  paths,
  log,
  user: "demo",
  version,
  services: {
    gossip,
    ledger: { hub: "never", archive: "keep" },
    keyring: () => parseKeyring([key]),
    bucket: { address: settings.bucket, opened, isFree: true },
    config: () => "demo",
    label: name,
  },
});
const { api } = node;
const queue = reporting(await openQueue(settings.queue, { wake: api.wake }));
const work = await openBuiltInWork({
  paths,
  clock,
  log,
  node: api,
  queue,
  crawl,
  metrics,
  version,
  resolve: async () => ["127.0.0.1"],
});
const worker = createWorker({
  queue,
  name,
  handlers: work.handlers,
  services: work.services,
  concurrency,
  leaseMs,
  graceMs: 2_000,
  metrics,
  logger: log,
});
let isAtRest = false;
const stopped = new Promise<void>((resolve) => {
  process.on("message", (order) => {
    if (order === "stop") resolve();
    if (order === "stop" || order === "rest") void worker.stop();
    else void reportState();
  });
});
await worker.start();
await worker.ended;
isAtRest = true;
await stopped;
await work[Symbol.asyncDispose]();
await queue.close();
await node.close();
await opened("ledger").close();
await usage[Symbol.asyncDispose]();
process.exit(0);

async function reportState(): Promise<void> {
  const { ledger, fleet } = api;
  const own = Object.entries(await ledger.vector());
  const datagrams = own.reduce((sum, [, number]) => sum + number, 0);
  const hasAll = ({ vector }: { readonly vector: Readonly<Record<string, number>> }) =>
    own.every(([origin, number]) => (vector[origin] ?? 0) >= number);
  const peers = (await fleet.view())?.peers ?? [];
  const equals = peers.filter(hasAll).length;
  const digest = await ledger.digest();
  const { node: id } = await ledger.status();
  report({ kind: "state", node: id, digest, datagrams, equals, isAtRest });
}

/** The same queue, which also reports claims and ends of leases. */
function reporting(inner: Queue): Queue {
  const tasks = new Map<number, string>();
  return {
    ...inner,
    async claim(request) {
      const found = await inner.claim(request);
      for (const { id, token, kind, gate, key: ownKey } of found.leases) {
        tasks.set(id, `${kind} ${gate || ownKey}`);
        report({ kind: "claimed", id, token, task: tasks.get(id)! });
      }
      return found;
    },
    async finish(finishes) {
      const answers = await inner.finish(finishes);
      for (const { id, token } of finishes) {
        report({ kind: "ended", id, token, task: tasks.get(id) ?? "" });
        tasks.delete(id);
      }
      return answers;
    },
    async release(releases) {
      const answers = await inner.release(releases);
      for (const { id, token } of releases) report({ kind: "ended", id, token, task: "" });
      return answers;
    },
  };
}
