import { execFile } from "node:child_process";
import type { Clock, Timer } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import type { Service } from "../base/service.ts";

/** How to reach the systemd that has started this process with `Type=notify`. */
export interface ServiceManager {
  /** $NOTIFY_SOCKET */
  readonly socket: string;
  /** The process is restarted if it sends nothing for so long; undefined: it has no watchdog. */
  readonly watchdogMs: number | undefined;
  /** $PATH, where systemd-notify is found. */
  readonly path: string;
}

type Variables = Record<string, string | undefined>;

/**
 * Reads the variables by which systemd says how to reach it, and removes them: processes that this
 * one starts must not speak for the service. Undefined: systemd does not wait for messages.
 */
export function takeServiceManager(env: Variables, pid = process.pid): ServiceManager | undefined {
  const { NOTIFY_SOCKET: socket, WATCHDOG_USEC: usec, WATCHDOG_PID: watched } = env;
  for (const name of ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"]) delete env[name];
  if (socket === undefined || socket === "") return undefined;
  const isWatched = watched === undefined || watched === String(pid);
  const watchdogMs = isWatched && /^[1-9]\d*$/.test(usec ?? "") ? Number(usec) / 1_000 : undefined;
  return { socket, watchdogMs, path: env["PATH"] ?? "/usr/bin:/bin" };
}

/** Sends assignments such as `READY=1`. */
export type NotifyManager = (assignments: readonly string[]) => Promise<void>;

const notifyMs = 10_000;

/**
 * Node has no datagram sockets of the file system, so the program of systemd sends the message. The
 * unit needs `NotifyAccess=all`.
 */
export const systemdNotify =
  ({ socket, path }: ServiceManager): NotifyManager =>
  (assignments) =>
    new Promise((resolve, reject) => {
      const env = { PATH: path, NOTIFY_SOCKET: socket };
      execFile("systemd-notify", [...assignments], { env, timeout: notifyMs }, (error) =>
        error ? reject(error) : resolve(),
      );
    });

export interface ManagedServiceOptions {
  readonly manager: ServiceManager;
  readonly notify: NotifyManager;
  /** What the process does now, in one line: `systemctl status` shows it. */
  readonly status: () => string;
  /** Why this process cannot do its work and must be restarted; undefined: it can. */
  readonly fault: () => string | undefined;
  readonly clock: Clock;
  readonly log: Logger;
}

const statusMs = 30_000;

/**
 * Tells systemd that the process is ready when it starts, that it is alive while `fault` finds
 * nothing, and that it is stopping. A message that cannot be sent is logged, and the work goes on.
 */
export function createManagedService(options: ManagedServiceOptions): Service {
  const { manager, notify, status, fault, clock, log } = options;
  const everyMs = manager.watchdogMs === undefined ? statusMs : manager.watchdogMs / 3;
  let timer: Timer | undefined;
  let isStopped = false;
  let lastFault: string | undefined;
  let sending = Promise.resolve();

  const send = (assignments: readonly string[]) =>
    (sending = sending
      .then(() => notify(assignments))
      .catch((error: unknown) => log.warn("systemd was not notified", { assignments, error })));

  const repeat = () => {
    timer = clock.setTimer(
      everyMs,
      () => {
        const found = fault();
        if (found !== undefined && found !== lastFault) {
          log.error("the watchdog of systemd is not told that this process works", { why: found });
        }
        lastFault = found;
        const alive = found === undefined && manager.watchdogMs !== undefined;
        const text = found === undefined ? status() : `not well: ${found}`;
        void send([...(alive ? ["WATCHDOG=1"] : []), `STATUS=${text}`]);
        if (!isStopped) repeat();
      },
      { background: true },
    );
  };

  return {
    async start() {
      await send(["READY=1", `STATUS=${status()}`]);
      if (!isStopped) repeat();
    },
    async stop() {
      isStopped = true;
      timer?.cancel();
      await send(["STOPPING=1", "STATUS=stopping"]);
    },
  };
}
