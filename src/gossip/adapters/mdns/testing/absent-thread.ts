/** A program for `createMdnsDiscovery` where the library is not installed. */
import { parentPort } from "node:worker_threads";

parentPort!.postMessage({ kind: "absent" });
