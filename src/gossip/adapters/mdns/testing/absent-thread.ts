/** A program for `createMdnsDiscovery` that behaves as if the library were not installed. */
import { parentPort } from "node:worker_threads";

parentPort!.postMessage({ kind: "absent" });
