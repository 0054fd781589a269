/**
 * One worker process of `forager work`. It reads the same command line and settings, is told by
 * its parent which post it has, and ends when it is told, when its parent is gone, or by a signal.
 */
import { homedir } from "node:os";
import { systemClock } from "../../../base/clock.ts";
import type { FromChild, ToChild } from "../../../worker/index.ts";
import { runCli } from "../../run-cli.ts";
import { createWorkChild, type Orders } from "./work-child.ts";

const queued: ToChild[] = [];
let listener: ((message: ToChild) => void) | undefined;
const told = (message: ToChild) => {
  if (listener) listener(message);
  else queued.push(message);
};
const orders: Orders = {
  send: (message: FromChild) => void (process.connected && process.send?.(message, () => {})),
  listen(wanted) {
    listener = wanted;
    for (const message of queued.splice(0)) wanted(message);
  },
};
process.on("message", (message) => told(message as ToChild));
// Asked again while it stops, a process gives back what it has at once: so does one whose parent
// has gone meanwhile.
process.on("disconnect", () => told({ kind: "stop" }));
process.on("SIGTERM", () => told({ kind: "stop" }));
process.on("SIGINT", () => told({ kind: "stop" }));

const exitCode = await runCli({
  argv: process.argv.slice(2),
  registry: {
    nouns: {},
    commands: [{ name: "work", summary: "", load: async () => createWorkChild(orders) }],
  },
  version: "",
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  cwd: process.cwd(),
  home: homedir(),
  clock: systemClock,
  signal: new AbortController().signal,
  isWorkerProcess: true,
});
// A handler that was given up may wait for ever; what it waits for must not keep the process.
process.exit(exitCode);
