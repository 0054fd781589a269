/**
 * A program for `createMdnsDiscovery` that reports which hosts it should announce, and stops when
 * asked.
 */
import { parentPort, workerData } from "node:worker_threads";
import type { MdnsTask } from "../mdns-thread.ts";

const { hosts, node, port } = workerData as MdnsTask;
const peers = hosts.map((host) => ({ node, address: `${host}:${port}` }));
parentPort!.postMessage({ kind: "found", peers });
parentPort!.on("message", () => process.exit(0));
