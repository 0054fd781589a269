import { fork, type ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import { AppError } from "../../base/app-error.ts";
import { sleep, type Clock } from "../../base/clock.ts";

export interface CrewOptions {
  /** What a worker runs, with its settings as JSON in the first argument. */
  readonly program: URL;
  readonly clock: Clock;
  /** What a worker says. */
  readonly onEvent: (message: unknown, worker: string) => void;
}

/** Worker processes to be killed on purpose. However it ends, `stop` leaves none of them behind. */
export interface Crew {
  /** `first` is the first message it gets: what others must not read in a list of processes. */
  hire(settings: { readonly worker: string }, first?: object): void;
  /** One that is gone does not hear it. */
  tell(worker: string, message: string): void;
  /** One that is gone does not hear it. */
  signal(worker: string, signal: NodeJS.Signals): void;
  /** SIGKILL: it gets no chance to give anything back. Returns its process id. */
  kill(worker: string): number;
  /** Rejects when a worker ends that nobody ended. */
  readonly mishap: Promise<never>;
  stop(): Promise<void>;
}

const stopMs = 5_000;
const errorTextMax = 4_000;

export function createCrew({ program: url, clock, onEvent }: CrewOptions): Crew {
  const program = fileURLToPath(url);
  const workers = new Map<string, { child: ChildProcess; exited: Promise<void> }>();
  let isStopping = false;
  let fail: (error: AppError) => void = () => {};
  const mishap = new Promise<never>((_, reject) => (fail = reject));
  mishap.catch(() => {}); // heard by whoever awaits it; the demo may have ended before

  function hire(settings: { readonly worker: string }, first?: object): void {
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
          const text = `${worker} ended by itself (${how}): ${errorText.trim() || "it said nothing"}`;
          fail(new AppError("internal", "demo_worker_ended", text));
        }
      });
      child.once("error", (cause) => {
        resolve();
        fail(new AppError("unavailable", "demo_no_worker", `${worker} did not start`, { cause }));
      });
    });
    if (first) child.send(first, () => {}); // one that is gone already is heard of above
    workers.set(worker, { child, exited });
  }

  return {
    hire,
    mishap,
    tell(worker, message) {
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
