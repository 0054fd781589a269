import type { Worker } from "node:worker_threads";
import type { Clock, Timer } from "../../../base/clock.ts";
import { createId } from "../../../base/ids.ts";
import type { Logger } from "../../../base/log/logger.ts";
import type { Random } from "../../../base/random.ts";
import { startThread } from "../../../base/process/start-thread.ts";
import { isLoopback, parseAddress } from "../../address.ts";
import type { Discovery, OnPeersFound } from "../../discovery/discovery.ts";
import type { Reach } from "../../discovery/reach.ts";
import { clusterHash } from "../../wire/packet.ts";
import type { MdnsReport, MdnsTask } from "./mdns-thread.ts";
import { programFile } from "../../../base/files/package-files.ts";

export interface MdnsDiscoveryOptions {
  readonly node: string;
  readonly cluster: string;
  /** The address that the gossip socket is bound to. */
  readonly bound: string;
  /** Called now and then, because addresses come, go and change. */
  readonly reach: () => Reach;
  readonly found: OnPeersFound;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** The program of the thread, without file extension. */
  readonly program?: URL;
}

const restartMs = { min: 1_000, max: 300_000 };
/** A thread that ran this long does not count as a failed start. */
const goodMs = 600_000;
const addressesMs = 10_000;
const stopMs = 1_000;
/** More memory means a flood or a leak: then the thread ends, and is started again. */
const heapMegabytes = 64;

/**
 * Finds nodes on the local network and announces this one. The library and its sockets run in a
 * thread of their own, which may fail at any time: it is started again, with growing delays.
 */
export function createMdnsDiscovery(options: MdnsDiscoveryOptions): Discovery {
  const { bound, clock, found, log, random, reach } = options;
  const program = options.program ?? programFile("gossip/adapters/mdns/mdns-thread");
  let current: { readonly thread: Worker; readonly hosts: string } | undefined;
  let timer: Timer | undefined;
  let ending: Promise<void> | undefined;
  let failures = 0;
  let isOver = isLoopback(bound); // no other machine could reach us

  const start = () => {
    const hosts = ownHosts();
    const thread = startThread(program, {
      workerData: taskOf(options, hosts),
      stdout: true, // the library prints
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: heapMegabytes },
    });
    thread.unref();
    for (const output of [thread.stdout, thread.stderr]) output.resume();
    const life = { thread, hosts: hosts.join(" ") };
    const startedMs = clock.monotonicMs();
    let why = "it ended";
    current = life;
    thread.on("message", (report: MdnsReport) => {
      if (isOver || current !== life) return;
      if (report.kind === "found") found(filtered(report.peers));
      if (report.kind === "absent") giveUp();
    });
    thread.on("error", (error) => (why = error instanceof Error ? error.message : String(error)));
    thread.on("exit", () => {
      if (current !== life) return;
      current = undefined;
      if (isOver) return;
      timer?.cancel();
      failures = clock.monotonicMs() - startedMs > goodMs ? 1 : failures + 1;
      if (failures === 1) log.warn("mdns failed and is started again", { why });
      else log.debug("mdns failed once more", { why, failures });
      const delayMs = Math.min(restartMs.max, restartMs.min * 2 ** (failures - 1));
      timer = clock.setTimer(delayMs * (1 + random.next() / 4), start, { background: true });
    });
    watch();
  };

  const ownHosts = () => reach().own.map((address) => parseAddress(address)?.host ?? "");

  const filtered = (peers: Parameters<OnPeersFound>[0]) => {
    const { accepts } = reach();
    return peers.filter(({ address }) => accepts(address));
  };

  const giveUp = () => {
    isOver = true;
    timer?.cancel();
    log.info("bonjour-service is not installed: nodes on the local network are not found by mdns");
  };

  /**
   * Announcements are fixed until the thread is started again, for example with other addresses.
   */
  const watch = () => {
    timer = clock.setTimer(addressesMs, look, { background: true });
  };
  const look = () => {
    if (!current || ownHosts().join(" ") === current.hosts) return watch();
    const { thread } = current;
    current = undefined;
    ending = end(thread).then(() => void (isOver || start()));
  };

  const end = async (thread: Worker): Promise<void> => {
    const exit = new Promise<void>((resolve) => thread.once("exit", () => resolve()));
    thread.postMessage("stop");
    const giveUpTimer = clock.setTimer(stopMs, () => void thread.terminate());
    await exit;
    giveUpTimer.cancel();
  };

  if (!isOver) start();
  return {
    how: "mdns",
    async [Symbol.asyncDispose]() {
      isOver = true;
      timer?.cancel();
      await (current ? end(current.thread) : ending);
    },
  };
}

function taskOf(options: MdnsDiscoveryOptions, hosts: readonly string[]): MdnsTask {
  const { node, cluster, bound, random } = options;
  return {
    node,
    name: `${node}-${createId(random, 6)}`,
    cluster: Buffer.from(clusterHash(cluster)).toString("hex"),
    port: parseAddress(bound)?.port ?? 0,
    hosts,
  };
}
