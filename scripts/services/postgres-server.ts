import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { chmod, chown, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { AppError } from "../../src/base/app-error.ts";
import { runCommand } from "./command.ts";
import type { Owner } from "./daemon.ts";
import { findFreePort } from "./free-port.ts";

export const postgresPassword = "forager";

export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
}

export interface PostgresServerOptions {
  /** For `data` and the log. */
  readonly folder: string;
  readonly binaries: PostgresBinaries;
  /** Who runs it: PostgreSQL refuses root. */
  readonly owner: Owner | undefined;
  /** As after -c: `max_connections=30`. */
  readonly settings?: readonly string[];
  readonly signal?: AbortSignal;
  /** Data that is already there, such as a copy of another server's. */
  readonly hasData?: boolean;
  /** It ends with whoever started it, also when that one is killed: for what has no keeper. */
  readonly endsWithStarter?: boolean;
}

/** One server on one data folder, which can be stopped, killed and started again. */
export interface PostgresServer {
  readonly url: string;
  readonly port: number;
  readonly data: string;
  readonly logFile: string;
  pid(): number;
  start(settings?: readonly string[]): Promise<void>;
  /** Waits for nobody; what was committed is on the disk. */
  stop(): Promise<void>;
  /** `kill -9`: what was only in memory is gone. */
  kill(): Promise<void>;
}

const baseSettings = [
  "listen_addresses=127.0.0.1",
  "unix_socket_directories=",
  "max_connections=200",
  "timezone=UTC",
];

/** Makes the data folder if need be; does not start yet. */
export async function createPostgresServer(
  options: PostgresServerOptions,
): Promise<PostgresServer> {
  const { folder, binaries, owner, signal } = options;
  const data = join(folder, "data");
  const logFile = join(folder, "postgres.log");
  if (!options.hasData) await initialise(options, data);
  const port = await findFreePort();
  let child: ReturnType<typeof spawn> | undefined;
  let exit: Promise<void> = Promise.resolve();
  let pid = 0;
  const hasExited = () => !child || child.exitCode !== null || child.signalCode !== null;

  async function startOnce(settings: readonly string[]): Promise<"ready" | "ended"> {
    const all = [...baseSettings, ...(options.settings ?? []), ...settings];
    const args = ["-D", data, "-p", String(port), ...all.flatMap((one) => ["-c", one])];
    const log = openSync(logFile, "a");
    const [program, given] = options.endsWithStarter
      ? ["sh", ["-c", endWithStarter, binaries.postgres, ...args]]
      : [binaries.postgres, args];
    const fresh = spawn(program, given, { stdio: ["pipe", log, log], ...owner });
    closeSync(log);
    fresh.stdin?.on("error", () => {});
    child = fresh;
    exit = new Promise((resolve) => fresh.once("exit", () => resolve()));
    const deadlineMs = performance.now() + startMs;
    while (!(await accepts(port))) {
      if (hasExited()) return "ended";
      if (signal?.aborted) throw failure("nobody waits for PostgreSQL any more");
      if (performance.now() > deadlineMs) throw failure(await logTail("took too long to start"));
      await delay(50);
    }
    return "ready";
  }

  const logTail = async (what: string) => {
    const text = await readFile(logFile, "utf8").catch(() => "");
    return `PostgreSQL ${what}: ${text.trim().split("\n").slice(-15).join("\n")}`;
  };

  async function end(stopSignal: NodeJS.Signals): Promise<void> {
    if (hasExited()) return;
    try {
      process.kill(await readPid(data), stopSignal);
    } catch {
      child?.kill("SIGKILL"); // it has no pid yet, or none any more
    }
    const giveUp = setTimeout(() => {
      child?.stdin?.destroy();
      child?.kill("SIGKILL");
    }, stopMs);
    await exit;
    clearTimeout(giveUp);
    child?.stdin?.destroy();
  }

  return {
    port,
    data,
    logFile,
    url: `postgres://postgres:${postgresPassword}@127.0.0.1:${port}/postgres`,
    pid: () => pid,
    async start(settings = []) {
      // After a kill its children are still leaving, and the memory they share is in the way.
      for (let attempt = 1; (await startOnce(settings)) === "ended"; attempt++) {
        if (attempt === 40) throw failure(await logTail("does not start"));
        await delay(100);
      }
      pid = await readPid(data);
    },
    stop: () => end("SIGINT"),
    kill: () => end("SIGKILL"),
  };
}

const startMs = 60_000;
const stopMs = 10_000;

/** Their end of standard input goes, and it is killed. */
const endWithStarter = `exec 3<&0; "$0" "$@" 3<&- </dev/null & server=$!
(cat <&3 >/dev/null; kill -QUIT $server 2>/dev/null) & exec 3<&-; wait $server`;

async function initialise(
  { folder, binaries, owner }: PostgresServerOptions,
  data: string,
): Promise<void> {
  await mkdir(data, { mode: 0o700 });
  if (owner) {
    await chmod(folder, 0o711);
    await chown(data, owner.uid, owner.gid);
  }
  await writeFile(join(folder, "postgres.log"), "");
  const passwordFile = join(folder, "password");
  await writeFile(passwordFile, `${postgresPassword}\n`, { mode: 0o644 });
  const flags = ["--encoding=UTF8", "--locale=C", "--no-sync", "--auth=scram-sha-256"];
  const args = [`--pgdata=${data}`, "--username=postgres", `--pwfile=${passwordFile}`];
  await runCommand(binaries.initdb, [...args, ...flags], { timeoutMs: 60_000, owner });
  await rm(passwordFile);
}

async function readPid(data: string): Promise<number> {
  const [first] = (await readFile(join(data, "postmaster.pid"), "utf8")).split("\n");
  return Number(first);
}

function failure(message: string): AppError {
  return new AppError("internal", "service_failed", message);
}

/**
 * Whether the server takes sessions. Asked with a start-up packet, because the port is open some
 * time before that: a server that is still starting answers with an error, a ready one with a
 * request to authenticate ("R").
 */
export function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const parameters = Buffer.from("user\0postgres\0database\0postgres\0\0");
    const header = Buffer.alloc(8);
    header.writeInt32BE(header.length + parameters.length, 0);
    header.writeInt32BE(3 << 16, 4); // protocol 3.0
    const socket = connect({ port, host: "127.0.0.1" });
    const finish = (isReady: boolean) => {
      socket.destroy();
      resolve(isReady);
    };
    socket.setTimeout(2_000, () => finish(false));
    socket.once("connect", () => socket.write(Buffer.concat([header, parameters])));
    socket.once("data", (data) => finish(data.toString("latin1", 0, 1) === "R"));
    socket.once("error", () => finish(false));
    socket.once("close", () => finish(false));
  });
}
