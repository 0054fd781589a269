import { createSocket } from "node:dgram";
import { once } from "node:events";
import { join } from "node:path";
import { machineMonotonicMs } from "../../base/machine-clock.ts";
import { sleep, type Clock } from "../../base/clock.ts";
import { systemRandom } from "../../base/random.ts";
import type { Settings } from "../../config/index.ts";
import { makeKey } from "../../gossip/index.ts";
import { createChildProcesses } from "../child-processes.ts";
import type { DemoNodeSettings, NodeEvent, DemoNodeState } from "./demo-node.ts";
import { createLeaseLog, type LeaseLog } from "./lease-log.ts";
import { programFile } from "../../base/files/package-files.ts";

export interface DemoFleetOptions {
  readonly folder: string;
  readonly bucket: string;
  readonly queue: string;
  readonly crawl: Settings["crawl"];
  readonly version: string;
  readonly clock: Clock;
}

/** Three nodes, each a process with its own data folder. They share a bucket and use gossip. */
export interface DemoFleet {
  readonly leases: LeaseLog;
  /** Rejects when a node ends by itself. */
  readonly failed: Promise<never>;
  /** `kill -9`. Returns its process id. */
  kill(name: string): number;
  start(name: string): void;
  /**
   * Calls the listener whenever a node has just got a lease. A new listener replaces the one
   * before.
   */
  onClaim(listener: (name: string) => void): void;
  /** Nodes start no more tasks; gossip and sync continue. */
  rest(): void;
  /**
   * What each node knows. Waits until all have answered; after a limit, returns the answers so far.
   */
  states(signal: AbortSignal): Promise<readonly (DemoNodeState & { readonly name: string })[]>;
  stop(): Promise<void>;
}

export const nodeNames = ["node-1", "node-2", "node-3"] as const;
const statesMs = 10_000;

export async function openDemoFleet(options: DemoFleetOptions): Promise<DemoFleet> {
  const { clock, folder } = options;
  const ports = await freePorts(nodeNames.length);
  const first = { key: makeKey(systemRandom) };
  const leases = createLeaseLog();
  const states = new Map<string, DemoNodeState>();
  let claimed: (name: string) => void = () => {};
  const processes = createChildProcesses({
    program: programFile("showcase/demo/demo-node.js"),
    clock,
    onEvent(message, name) {
      const event = message as NodeEvent;
      if (event.kind === "state") return void states.set(name, event);
      leases.note(name, event, machineMonotonicMs());
      if (event.kind === "claimed") claimed(name);
    },
  });
  const settingsOf = (name: string): DemoNodeSettings => {
    const port = ports[nodeNames.findIndex((one) => one === name)]!;
    const peers = ports.filter((one) => one !== port).map((one) => `127.0.0.1:${one}`);
    const { bucket, queue, crawl, version } = options;
    return {
      worker: name,
      folder: join(folder, name),
      bucket,
      queue,
      gossip: { on: "yes", cluster: "demo", host: "127.0.0.1", port, peers: peers.join(","), mdns: "no" }, // prettier-ignore
      crawl: { ...crawl, allowPrivateNetworks: "127.0.0.1", deobfuscate: "simple", browser: "off" },
      version,
    };
  };
  const start = (name: string) => processes.start(settingsOf(name), first);

  return {
    leases,
    failed: processes.failed,
    start,
    onClaim: (listener) => void (claimed = listener),
    kill(name) {
      const pid = processes.kill(name);
      leases.nodeDied(name, machineMonotonicMs());
      return pid;
    },
    rest: () => nodeNames.forEach((name) => processes.send(name, "rest")),
    async states(signal) {
      states.clear();
      const giveUpMs = clock.monotonicMs() + statesMs;
      while (states.size < nodeNames.length && clock.monotonicMs() < giveUpMs) {
        // A node that has just been started may not listen yet, so ask again.
        for (const name of nodeNames) if (!states.has(name)) processes.send(name, "state");
        await sleep(clock, 200, signal);
      }
      return [...states].map(([name, state]) => ({ name, ...state }));
    },
    stop: () => processes.stop(),
  };
}

/** The ports are free now; if another program takes one before the nodes do, the demo fails. */
async function freePorts(count: number): Promise<readonly number[]> {
  const sockets = Array.from({ length: count }, () => createSocket("udp4"));
  for (const socket of sockets) {
    socket.bind(0, "127.0.0.1");
    await once(socket, "listening");
  }
  const ports = sockets.map((socket) => socket.address().port);
  for (const socket of sockets) socket.close();
  return ports;
}
