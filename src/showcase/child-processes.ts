import { fork, type ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import { AppError } from "../base/app-error.ts";
import { sleep, type Clock } from "../base/clock.ts";

export interface ChildProcessesOptions {
  /** The program to run, with its settings as JSON in the first argument. */
  readonly program: URL;
  readonly clock: Clock;
  /** Called for each message of a process. */
  readonly onEvent: (message: unknown, worker: string) => void;
}

/**
 * Child processes that a run may kill on purpose. However the run ends, `stop` leaves none running.
 */
export interface ChildProcesses {
  /** `first` is the first message to it: secrets that must not show in a list of processes. */
  start(settings: { readonly worker: string }, first?: object): void;
  /** Does nothing if the process has ended. */
  send(worker: string, message: string): void;
  /** Does nothing if the process has ended. */
  signal(worker: string, signal: NodeJS.Signals): void;
  /** SIGKILL: it cannot release anything. Returns its process id. */
  kill(worker: string): number;
  /** Rejects when a process ends that was not stopped or killed from here. */
  readonly failed: Promise<never>;
  stop(): Promise<void>;
}

const stopMs = 5_000;
const errorTextMax = 4_000;

export function createChildProcesses({
  program: url,
  clock,
  onEvent,
}: ChildProcessesOptions): ChildProcesses {
  const program = fileURLToPath(url);
  const workers = new Map<string, { child: ChildProcess; exited: Promise<void> }>();
  let isStopping = false;
  const { promise: failed, reject: fail } = Promise.withResolvers<never>();
  failed.catch(() => {}); // callers that await it get the error; without this line an unhandled rejection ends the process

  function start(settings: { readonly worker: string }, first?: object): void {
    const { worker } = settings;
    const child = fork(program, [JSON.stringify(settings)], {
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    });
    let errorText = "";
    child.stderr
      ?.setEncoding("utf8")
      .on("data", (text: string) => (errorText = (errorText + text).slice(-errorTextMax)));
    child.on("message", (message) => onEvent(message, worker));
    const exited = new Promise<void>((resolve) => {
      child.once("close", (code, signal) => {
        resolve();
        if (workers.delete(worker) && !isStopping) {
          const how = signal ?? `code ${code}`;
          const text = `${worker} ended by itself (${how}): ${errorText.trim() || "no error output"}`;
          fail(new AppError("internal", "demo_worker_ended", text));
        }
      });
      child.once("error", (cause) => {
        resolve();
        fail(new AppError("unavailable", "demo_no_worker", `${worker} did not start`, { cause }));
      });
    });
    if (first) child.send(first, () => {}); // the exit handler above reports a process that is gone
    workers.set(worker, { child, exited });
  }

  return {
    start,
    failed,
    send(worker, message) {
      const child = workers.get(worker)?.child;
      if (child?.connected) child.send(message, () => {});
    },
    signal: (worker, signal) => void workers.get(worker)?.child.kill(signal),
    kill(worker) {
      const found = workers.get(worker);
      if (!found?.child.pid) throw new AppError("internal", "demo_no_worker", `no ${worker}`);
      workers.delete(worker);
      found.child.kill("SIGKILL");
      return found.child.pid;
    },
    async stop() {
      isStopping = true;
      const left = [...workers.values()];
      for (const { child } of left) if (child.connected) child.send("stop");
      const ended = new AbortController();
      const patience = sleep(clock, stopMs, ended.signal).then(
        () => left.forEach(({ child }) => child.kill("SIGKILL")),
        () => {},
      );
      await Promise.all(left.map(({ exited }) => exited));
      ended.abort();
      await patience;
    },
  };
}
