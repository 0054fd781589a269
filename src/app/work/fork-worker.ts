import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Clock } from "../../base/clock.ts";
import {
  endLeases,
  workerNodeFlags,
  type Child,
  type ChildEvents,
  type EndLeasesOptions,
  type FromChild,
} from "../../worker/index.ts";
import { openCrashFile } from "./crash-file.ts";
import type { ToWorker, WorkerStart } from "./worker-start.ts";
import { programFile } from "../../base/files/package-files.ts";

export interface ForkOptions {
  readonly start: WorkerStart;
  /** stdout is reserved for the parent's result: the worker writes to stderr instead. */
  readonly isStdoutTaken: boolean;
  /** The queue of the worker: if the worker dies, its leases are ended there. */
  readonly queue: EndLeasesOptions["queue"];
  readonly clock: Clock;
}

const program = fileURLToPath(programFile("app/work/worker-process.js"));

/** Starts one worker process. */
export function forkWorker(options: ForkOptions, events: ChildEvents): Child {
  const { start, isStdoutTaken, queue, clock } = options;
  const crashFile = openCrashFile();
  const child = fork(program, {
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
  // A process that is exiting may have closed its end already.
  const send = (message: ToWorker) => void (child.connected && child.send(message, () => {}));
  child.on("message", (message) => events.onMessage(message as FromChild));
  child.once("exit", (code, signal) => gone(signal ?? `code ${code}`));
  child.once("error", (error) => gone(`error: ${error.message}`));
  send({ kind: "start", start });
  return { pid: child.pid, send, kill: () => void child.kill("SIGKILL") };
}
