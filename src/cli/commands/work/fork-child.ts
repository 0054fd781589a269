import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Clock } from "../../../base/clock.ts";
import {
  endLeases,
  workerNodeFlags,
  type Child,
  type ChildEvents,
  type EndLeasesOptions,
  type FromChild,
} from "../../../worker/index.ts";
import { openCrashFile } from "./crash-file.ts";

export interface ForkOptions {
  /** The command line of the parent, which the child reads too. */
  readonly argv: readonly string[];
  /** stdout belongs to the parent's result when a program reads it. */
  readonly isStdoutTaken: boolean;
  /** The queue that the child works on: where its leases are ended if it dies. */
  readonly queue: EndLeasesOptions["queue"];
  readonly clock: Clock;
}

const program = fileURLToPath(new URL("./work-process.js", import.meta.url));

/** Starts one worker process. */
export function forkChild(options: ForkOptions, events: ChildEvents): Child {
  const { argv, isStdoutTaken, queue, clock } = options;
  const crashFile = openCrashFile();
  const child = fork(program, argv, {
    execArgv: [...process.execArgv, ...workerNodeFlags],
    stdio: [
      "ignore",
      isStdoutTaken ? 2 : "inherit",
      "inherit",
      "ipc",
      crashFile?.fd ?? "ignore", // see crashRecordFd
    ],
  });
  let isGone = false;
  const gone = (how: string) => {
    if (isGone) return;
    isGone = true;
    const inFlight = crashFile?.take();
    const dead = inFlight && {
      inFlight,
      endLeases: () => endLeases({ queue, inFlight, how, clock }),
    };
    events.onExit(how, dead);
  };
  child.on("message", (message) => events.onMessage(message as FromChild));
  child.once("exit", (code, signal) => gone(signal ?? `code ${code}`));
  child.once("error", (error) => gone(`error: ${error.message}`));
  return {
    pid: child.pid,
    // One that is ending may have closed its end already.
    send: (message) => void (child.connected && child.send(message, () => {})),
    kill: () => void child.kill("SIGKILL"),
  };
}
