import { countOf } from "../../base/text/count-words.ts";
import { redactText } from "../../base/log/redact.ts";
import type { Settings } from "../../config/index.ts";
import { syncMsMax, syncMsMin, type NodeRole } from "../../node/index.ts";
import type { TickerView } from "../../schedule/index.ts";
import { gossipKeySource } from "../node/gossip-key-source.ts";
import type { WorkersView } from "../work/open-work.ts";
import type { ListeningServer } from "../work/observe-work.ts";
import type { WorkSummary } from "../work/work-summary.ts";

/** The parts of `forager up`, in the order of `docs/node.md`. */
export type PartName =
  | "data"
  | "queue"
  | "bucket"
  | "gossip"
  | "schedules"
  | "workers"
  | "metrics"
  | "dashboard";

/**
 * - `running`; `off`: not configured, or turned off; `failing`: it does not work and is retried;
 * - `owner`, `client`: of the data folder; `elsewhere`: the owner of the data folder runs it;
 * - `waiting`: the fleet has paused or drained this node; `stopped`: it has ended.
 */
export type UpPartState =
  | "running"
  | "off"
  | "failing"
  | "owner"
  | "client"
  | "elsewhere"
  | "waiting"
  | "stopped";

/** The state of one part of `forager up`. */
export interface UpPart {
  readonly part: PartName;
  readonly state: UpPartState;
  /** One line that says what it is and where. */
  readonly text: string;
}

export function dataPart(folder: string, role: NodeRole, before: NodeRole | undefined): UpPart {
  if (role.kind === "client") {
    const text = `${folder} (client: process ${role.owner} owns it; takes over when that one exits)`;
    return { part: "data", state: "client", text };
  }
  const how =
    before?.kind === "client" ? `owner, because process ${before.owner} has exited` : "owner";
  return { part: "data", state: "owner", text: `${folder} (${how})` };
}

export const queuePart = (address: string): UpPart => ({
  part: "queue",
  state: "running",
  text: redactText(address),
});

export interface BucketPartOptions {
  /** Undefined if none is configured. */
  readonly address: string | undefined;
  readonly isCharged: boolean;
  readonly role: NodeRole;
  /** Undefined if not known yet. */
  readonly isReached: boolean | undefined;
}

/** Undefined if its state is not known yet. */
export function bucketPart(options: BucketPartOptions): UpPart | undefined {
  const { address, isCharged, role, isReached } = options;
  const part = "bucket";
  if (address === undefined) return { part, state: "off", text: "off: bucket.url is not set" };
  const at = redactText(address);
  if (role.kind === "client") {
    return { part, state: "elsewhere", text: `${at}, synced by process ${role.owner}` };
  }
  if (isReached === undefined) return undefined;
  const every = `every ${syncMsMin / 1_000} s`;
  if (!isReached) {
    const text = `${at}, does not answer: writes stay here, retried ${every}`;
    return { part, state: "failing", text };
  }
  const idle = isCharged ? `, when idle every ${syncMsMax / 60_000} minutes` : "";
  return { part, state: "running", text: `${at}, synced ${every}${idle}` };
}

export interface GossipPartOptions {
  readonly gossip: Settings["gossip"];
  readonly hasBucket: boolean;
  readonly role: NodeRole;
  /** The address it listens on; undefined: it has not started yet. */
  readonly address: string | undefined;
}

/** Undefined: it has not started yet. */
export function gossipPart(options: GossipPartOptions): UpPart | undefined {
  const { gossip, hasBucket, role, address } = options;
  const part = "gossip";
  const source = gossipKeySource({ gossip, hasBucket });
  if (source === "off") {
    const why =
      gossip.on === "no"
        ? "gossip.on is false"
        : "none of gossip.keys, gossip.peers and bucket.url is set";
    return { part, state: "off", text: `off: ${why}` };
  }
  if (role.kind === "client") {
    return { part, state: "elsewhere", text: `run by process ${role.owner}` };
  }
  if (address === undefined) return undefined;
  const key = source === "settings" ? "key from gossip.keys" : "own key: no other machine can join";
  return { part, state: "running", text: `udp ${address}, ${key}` };
}

/** Undefined if there are no schedules. */
export function schedulesPart({ schedules, nextMs }: TickerView): UpPart | undefined {
  const part = "schedules";
  if (schedules === 0) return undefined;
  const next = nextMs === undefined ? "none scheduled" : `next ${new Date(nextMs).toISOString()}`;
  return { part, state: "running", text: `${schedules}, ${next}` };
}

/** Undefined while processes are starting. */
export function workersPart({ slots, state, notice }: WorkersView): UpPart | undefined {
  const part = "workers";
  if (notice) {
    const text = `none: this machine is taken away (${notice.what}); its work was released`;
    return slots.length > 0 ? undefined : { part, state: "waiting", text };
  }
  if (state !== "working" && slots.length === 0) {
    const text = `none: this node is ${state}; \`forager fleet set NODE resume\` starts them`;
    return { part, state: "waiting", text };
  }
  const running = slots.flatMap((slot) =>
    slot.state === "running" && slot.view ? [slot.view] : [],
  );
  if (running.length === 0 || running.length < slots.length) return undefined;
  const kinds = new Set(running.flatMap((view) => view.kinds));
  const text =
    `${countOf(slots.length, "process")}, ${tasksAtOnce(slots)} at once: ` + [...kinds].join(" ");
  return { part, state: "running", text };
}

function tasksAtOnce(slots: WorkersView["slots"]): string {
  let [min, max] = [0, 0];
  for (const { concurrency } of slots) {
    min += typeof concurrency === "number" ? concurrency : concurrency.min;
    max += typeof concurrency === "number" ? concurrency : concurrency.max;
  }
  return min === max ? countOf(min, "task") : `${min} to ${countOf(max, "task")}`;
}

/** The state of the node, for `systemctl status`. */
export function statusLine({ slots, state, notice }: WorkersView): string {
  if (notice) return `this machine is taken away (${notice.what}), no new work is started`;
  if (slots.length === 0) return state === "working" ? "no worker processes" : `node is ${state}`;
  const running = slots.filter((slot) => slot.state === "running");
  const atWork = running.reduce((sum, { view }) => sum + (view?.atWork ?? 0), 0);
  const processes = countOf(slots.length, "worker process");
  return `${running.length} of ${processes} running, ${countOf(atWork, "task")} in progress`;
}

export const noWorkersPart: UpPart = {
  part: "workers",
  state: "off",
  text: "off: --no-workers was given",
};

export const metricsPart = ({ url, tokenFile }: ListeningServer): UpPart => ({
  part: "metrics",
  state: "running",
  text: `${url}/metrics, token in ${tokenFile}`,
});

export const noMetricsPart: UpPart = {
  part: "metrics",
  state: "off",
  text: "off: give --listen, or set work.listen",
};

export const dashboardPart = (origin: string, link: string): UpPart => ({
  part: "dashboard",
  state: "running",
  text: `${origin} with API and metrics, open once: ${link}`,
});

export const noDashboardPart: UpPart = {
  part: "dashboard",
  state: "off",
  text: "off: serve.listen is off",
};

export const busyDashboardPart = (why: string): UpPart => ({
  part: "dashboard",
  state: "failing",
  text: `${why}; the node works without it, retried every 10 s`,
});

export const otherDashboardPart = (origin: string, pid: number): UpPart => ({
  part: "dashboard",
  state: "elsewhere",
  text: `${origin}, served by process ${pid}`,
});

export const stoppedPart = (part: PartName, how = "stopped"): UpPart => ({
  part,
  state: "stopped",
  text: how,
});

export const stoppedWorkersPart = (ended: WorkSummary): UpPart =>
  stoppedPart(
    "workers",
    `stopped: ${ended.done} done, ${ended.skipped} skipped, ${ended.retried} retried, ` +
      `${ended.failed} failed`,
  );
