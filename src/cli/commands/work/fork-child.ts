import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import {
  workerNodeFlags,
  type Child,
  type ChildEvents,
  type FromChild,
} from "../../../worker/index.ts";

export interface ForkOptions {
  /** The command line of the parent, which the child reads too. */
  readonly argv: readonly string[];
  /** stdout belongs to the parent's result when a program reads it. */
  readonly isStdoutTaken: boolean;
}

const program = fileURLToPath(new URL("./work-process.js", import.meta.url));

/** Starts one worker process. */
export function forkChild({ argv, isStdoutTaken }: ForkOptions, events: ChildEvents): Child {
  const child = fork(program, argv, {
    execArgv: [...process.execArgv, ...workerNodeFlags],
    stdio: ["ignore", isStdoutTaken ? 2 : "inherit", "inherit", "ipc"],
  });
  let isGone = false;
  const gone = (how: string) => {
    if (isGone) return;
    isGone = true;
    events.onExit(how);
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
