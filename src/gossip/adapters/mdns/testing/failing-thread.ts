/**
 * A program for `createMdnsDiscovery` that fails as the library does: later, outside of any caller.
 */
import { parentPort, workerData } from "node:worker_threads";
import { systemClock } from "../../../../base/clock.ts";
import type { MdnsTask } from "../mdns-thread.ts";

const { node } = workerData as MdnsTask;
systemClock.setTimer(0, () => {
  process.stdout.write("noise\n");
  parentPort!.postMessage({ kind: "found", peers: [{ node, address: "10.0.0.9:9999" }] });
  throw new Error("addMembership ENODEV");
});
