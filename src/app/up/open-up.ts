import type { Timer } from "../../base/clock.ts";
import type { Service } from "../../base/service.ts";
import { createPaths } from "../../config/index.ts";
import type { NodeEvents, NodeRole } from "../../node/index.ts";
import { createManagedService, systemdNotify, type ServiceManager } from "../../ship/index.ts";
import { isFleetBucketCharged } from "../bucket/fleet-bucket.ts";
import { locateQueue } from "../queue/queue-address.ts";
import { openWork, type WorkOptions } from "../work/open-work.ts";
import {
  bucketPart,
  dataPart,
  gossipPart,
  metricsPart,
  noMetricsPart,
  noWorkersPart,
  queuePart,
  schedulesPart,
  statusLine,
  stoppedPart,
  stoppedWorkersPart,
  workersPart,
  type PartName,
  type UpPart,
} from "./parts.ts";
import { createUpHistory } from "./up-history.ts";
import { createUpServer } from "./up-server.ts";

export interface UpOptions extends Omit<
  WorkOptions,
  "nodeEvents" | "onStopped" | "onListening" | "hasWorkers" | "onSchedules"
> {
  readonly hasWorkers: boolean;
  /** Undefined if no service manager waits for messages of this process. */
  readonly manager: ServiceManager | undefined;
  /** Called when a part has started, changed, or ended. */
  readonly onPart: (part: UpPart) => void;
}

/** All parts of a node in one process tree, for `forager up`. */
export interface Up extends Service, AsyncDisposable {
  /** Like that of `Work`. */
  readonly ended: Promise<void>;
  /** After a stop: true if every worker process has exited by itself with code 0. */
  isOrderly(): boolean;
}

/** Polling interval while worker processes start; a poll costs nothing. */
const lookMs = 250;

export async function openUp(options: UpOptions): Promise<Up> {
  const { loaded, hasWorkers, clock } = options;
  const { settings } = loaded;
  const paths = createPaths(settings.data);
  const board = createBoard(options.onPart);
  const listen = options.listen ?? settings.work.listen;
  const work = await openWork({
    ...options,
    nodeEvents: followNode(options, board.show),
    onSchedules: (view) => board.show(schedulesPart(view)),
    onListening: (server) => board.show(metricsPart(server)),
    onStopped(part) {
      if (part === "workers" && hasWorkers) board.show(stoppedWorkersPart(work.summary()));
      if (part === "metrics") board.stop("metrics");
      if (part === "node")
        for (const one of ["gossip", "bucket", "schedules"] as const) board.stop(one);
      if (part === "node") board.show(stoppedPart("data", "closed"));
    },
  });
  board.show(queuePart(locateQueue(settings.queue.url, paths).address));
  const history = createUpHistory({ paths, work, clock, log: options.log });
  const server = createUpServer({
    loaded,
    paths,
    node: work.node,
    health: work.health,
    history: async (by) => (by === "minute" ? history.minutes() : history.hours()),
    clock,
    log: options.log,
    show: board.show,
  });
  const { manager } = options;
  const managed =
    manager &&
    createManagedService({
      manager,
      notify: systemdNotify(manager),
      status: () => statusLine(work.workers()),
      fault: () => work.fault(),
      clock,
      log: options.log,
    });
  let timer: Timer | undefined;
  const look = () => {
    board.show(workersPart(work.workers()));
    timer = clock.setTimer(lookMs, look, { background: true });
  };
  return {
    ended: work.ended,
    isOrderly: () => work.isOrderly(),
    async start() {
      if (listen === undefined) board.show(noMetricsPart);
      await work.start();
      if (hasWorkers) look();
      else board.show(noWorkersPart);
      await history.start();
      await server.start();
      await managed?.start();
    },
    async stop() {
      timer?.cancel();
      await managed?.stop();
      await server.stop();
      board.stop("dashboard");
      await history.stop();
      await work.stop();
    },
    async [Symbol.asyncDispose]() {
      timer?.cancel();
      await server.stop();
      await work[Symbol.asyncDispose]();
      board.show(stoppedPart("queue", "closed"));
    },
  };
}

/** Remembers the last state shown of each part, so that nothing is shown twice. */
function createBoard(onPart: UpOptions["onPart"]) {
  const shown = new Map<PartName, UpPart>();
  const show = (part: UpPart | undefined) => {
    if (!part || shown.get(part.part)?.text === part.text) return;
    shown.set(part.part, part);
    onPart(part);
  };
  return {
    show,
    /** A part that never ran in this process does not have to be stopped. */
    stop(name: PartName) {
      const state = shown.get(name)?.state;
      if (state === "running" || state === "failing") show(stoppedPart(name));
    },
  };
}

/** Shows what the node does, as owner or as client. */
function followNode(
  { loaded }: Pick<UpOptions, "loaded">,
  show: (part: UpPart | undefined) => void,
): NodeEvents {
  const { settings } = loaded;
  const paths = createPaths(settings.data);
  const address = settings.bucket.url;
  const isCharged = isFleetBucketCharged({ settings, paths });
  let role: NodeRole = { kind: "owner" };
  let hasRole = false;
  let isReached: boolean | undefined;
  let gossipAt: string | undefined;
  const showBucket = () => show(bucketPart({ address, isCharged, role, isReached }));
  const showGossip = () =>
    show(
      gossipPart({
        gossip: settings.gossip,
        hasBucket: address !== undefined,
        role,
        address: gossipAt,
      }),
    );
  return {
    onRole(next) {
      show(dataPart(paths.root(), next, hasRole ? role : undefined));
      role = next;
      hasRole = true;
      [isReached, gossipAt] = [undefined, undefined];
      showBucket();
      showGossip();
    },
    onBucket(reached) {
      isReached = reached;
      showBucket();
    },
    onGossip(at) {
      gossipAt = at;
      showGossip();
    },
  };
}
