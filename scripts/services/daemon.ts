import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { AppError } from "../../src/base/app-error.ts";

/** A server process in the foreground: a child of ours, in our process group. */
export interface Daemon {
  readonly name: string;
  readonly pid: number;
  readonly logFile: string;
  hasExited(): boolean;
  /** Sends the stop signal, waits for `stopMs`, then kills. Safe to repeat. */
  stop(): Promise<void>;
}

export interface DaemonOptions {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly logFile: string;
  readonly owner?: Owner | undefined;
  readonly stopSignal?: NodeJS.Signals;
  readonly stopMs?: number;
}

/** The user a process runs as. */
export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  const { name, command, args, logFile, owner, stopSignal = "SIGTERM", stopMs = 5_000 } = options;
  const log = openSync(logFile, "a");
  const child = spawn(command, args, { stdio: ["ignore", log, log], ...owner });
  closeSync(log);
  const exit = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", (cause) =>
      reject(failure(`${name} could not be run (${command}): ${cause.message}`, cause)),
    );
  });
  const hasExited = () => child.exitCode !== null || child.signalCode !== null;
  return {
    name,
    pid: child.pid!,
    logFile,
    hasExited,
    async stop() {
      if (hasExited()) return;
      child.kill(stopSignal);
      const giveUp = new AbortController();
      await Promise.race([exit, delay(stopMs, undefined, { signal: giveUp.signal })]);
      giveUp.abort();
      if (!hasExited()) child.kill("SIGKILL");
      await exit;
    },
  };
}

export interface WaitOptions {
  readonly daemon: Daemon;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Whether the daemon is ready. A throw means not yet. */
  readonly isReady: () => Promise<boolean>;
}

/** Waits until a daemon is ready; an error with the end of its log if it ends or takes too long. */
export async function waitUntilReady(options: WaitOptions): Promise<void> {
  const { daemon, timeoutMs, signal, isReady } = options;
  const deadlineMs = performance.now() + timeoutMs;
  while (!(await isReady().catch(() => false))) {
    if (signal.aborted) throw new AppError("aborted", "service_aborted", "nobody waits any more");
    if (daemon.hasExited()) throw failure(`${daemon.name} ended at once: ${await logTail(daemon)}`);
    if (performance.now() > deadlineMs)
      throw failure(
        `${daemon.name} was not ready after ${timeoutMs / 1_000} s: ${await logTail(daemon)}`,
      );
    await delay(100);
  }
}

async function logTail({ logFile }: Daemon): Promise<string> {
  const text = await readFile(logFile, "utf8").catch(() => "");
  return text.trim().split("\n").slice(-15).join("\n") || "(its log is empty)";
}

function failure(message: string, cause?: unknown): AppError {
  return new AppError("internal", "service_failed", message, { cause });
}
