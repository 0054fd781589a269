/** A program for `createMdnsDiscovery` that tells which hosts it was to announce, and obeys. */
import { parentPort, workerData } from "node:worker_threads";
import type { MdnsTask } from "../mdns-thread.ts";

const { hosts, node, port } = workerData as MdnsTask;
const peers = hosts.map((host) => ({ node, address: `${host}:${port}` }));
parentPort!.postMessage({ kind: "found", peers });
parentPort!.on("message", () => process.exit(0));
