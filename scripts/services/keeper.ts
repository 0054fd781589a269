/**
 * The process that owns one running service: `keeper.ts NAME FOLDER`. It leads a process group of its
 * own, so a Ctrl-C in the terminal does not reach the servers behind their owner's back, and it
 * lives exactly as long as its standard input: when the other end goes away, for whatever reason
 * and be it `kill -9`, the service is stopped, its folder removed, its group killed.
 *
 * It reports on standard output, one JSON object a line: see KeeperReport. A line on its standard
 * input, "restart", restarts the service.
 */
import { AppError, assert } from "../../src/base/app-error.ts";
import { startAvahi } from "./avahi.ts";
import {
  startOsmium,
  startPodman,
  startQemu,
  startShellcheck,
  startShells,
  startSshd,
  startSystemd,
} from "./debian-programs.ts";
import { startLoopDisks } from "./loop-disks.ts";
import { startNamespaces } from "./namespaces.ts";
import { startOtherUser } from "./other-user.ts";
import { startPgbouncer } from "./pgbouncer.ts";
import { startPostgres, startPostgres15 } from "./postgres.ts";
import { startPromtool } from "./promtool.ts";
import { startS3 } from "./s3.ts";
import { removeServiceFolder } from "./service-folder.ts";
import { isServiceName } from "./service.ts";
import type { Service, ServiceContext, ServiceName } from "./service.ts";

export type KeeperReport =
  | { readonly kind: "note"; readonly text: string }
  | {
      readonly kind: "ready";
      readonly env: Readonly<Record<string, string>>;
      readonly pids: readonly number[];
    }
  | { readonly kind: "restarted" }
  /** It is not installed here and we may not install it. */
  | { readonly kind: "missing"; readonly text: string }
  /** It is there and does not work. */
  | { readonly kind: "failed"; readonly text: string };

const starters: Readonly<Record<ServiceName, (context: ServiceContext) => Promise<Service>>> = {
  postgres: startPostgres,
  postgres15: startPostgres15,
  pgbouncer: startPgbouncer,
  s3: startS3,
  promtool: startPromtool,
  namespaces: startNamespaces,
  avahi: startAvahi,
  otheruser: startOtherUser,
  loopdisks: startLoopDisks,
  osmium: startOsmium,
  shells: startShells,
  shellcheck: startShellcheck,
  systemd: startSystemd,
  sshd: startSshd,
  podman: startPodman,
  qemu: startQemu,
};

/** After this long an orderly stop is given up and the group killed. */
const stopMs = 20_000;

await main(process.argv.slice(2));

async function main([name = "", folder = ""]: readonly string[]): Promise<void> {
  assert(isServiceName(name) && folder !== "", "a keeper needs the name of a service and a folder");
  const unwanted = new AbortController();
  process.stdin.resume();
  process.stdin.on("close", () => unwanted.abort());
  process.stdin.on("error", () => unwanted.abort());
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const)
    process.on(signal, () => unwanted.abort());
  process.stdout.on("error", () => {}); // a reader that is gone is seen on stdin
  unwanted.signal.addEventListener("abort", () => setTimeout(killGroup, stopMs).unref());

  const print = (text: string) => report({ kind: "note", text });
  try {
    const service = await starters[name]({ folder, print, signal: unwanted.signal });
    report({ kind: "ready", env: service.env, pids: service.pids });
    process.stdin.on("data", () => void restart(service));
    await whenAborted(unwanted.signal);
    await service.stop();
  } catch (error) {
    const isMissing = error instanceof AppError && error.code === "service_missing";
    const text = error instanceof Error ? error.message : String(error);
    if (!unwanted.signal.aborted) report({ kind: isMissing ? "missing" : "failed", text });
  } finally {
    await removeServiceFolder(folder);
  }
  await new Promise<void>((resolve) => process.stdout.write("", () => resolve()));
  killGroup();
}

async function restart(service: Service): Promise<void> {
  try {
    const restarting = service.restart?.();
    assert(restarting, "this service cannot be restarted");
    await restarting;
    report({ kind: "restarted" });
  } catch (error) {
    report({ kind: "failed", text: error instanceof Error ? error.message : String(error) });
  }
}

function report(line: KeeperReport): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/** The last act: whatever a service left behind goes too. */
function killGroup(): void {
  process.kill(-process.pid, "SIGKILL");
}
