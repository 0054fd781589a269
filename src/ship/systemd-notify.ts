import { execFile } from "node:child_process";
import type { Clock, Timer } from "../base/clock.ts";
import type { Logger } from "../base/log/logger.ts";
import type { Service } from "../base/service.ts";

/** How to reach systemd, if it started this process with `Type=notify`. */
export interface ServiceManager {
  /** $NOTIFY_SOCKET */
  readonly socket: string;
  /**
   * systemd restarts the process if it sends nothing for this long; undefined if there is no
   * watchdog.
   */
  readonly watchdogMs: number | undefined;
  /** $PATH, to find systemd-notify. */
  readonly path: string;
}

type Variables = Record<string, string | undefined>;

/**
 * Reads the variables that systemd sets, and removes them, because child processes must not send
 * messages for the service. Undefined if systemd does not wait for messages.
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
 * Node does not support Unix datagram sockets, so systemd's own program sends the message. The unit
 * needs `NotifyAccess=all`.
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
  /** One line about the current state, for `systemctl status`. */
  readonly status: () => string;
  /** Why this process cannot work and must be restarted; undefined if it can work. */
  readonly fault: () => string | undefined;
  readonly clock: Clock;
  readonly log: Logger;
}

const statusMs = 30_000;

/**
 * Tells systemd that the process is ready when it starts, alive as long as `fault` returns nothing,
 * and stopping. If a message cannot be sent, this is logged and the work continues.
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
      .catch((error: unknown) => log.warn("could not notify systemd", { assignments, error })));

  const repeat = () => {
    timer = clock.setTimer(
      everyMs,
      () => {
        const found = fault();
        if (found !== undefined && found !== lastFault) {
          log.error("not reporting to the systemd watchdog because this process has a fault", {
            why: found,
          });
        }
        lastFault = found;
        const alive = found === undefined && manager.watchdogMs !== undefined;
        const text = found === undefined ? status() : `faulty: ${found}`;
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
