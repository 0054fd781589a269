// needs: postgres s3
// inputs: scripts/**
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test as plainTest } from "vitest";
import { root } from "../../scripts/project.ts";
import { findProgram } from "../../scripts/services/command.ts";
import { needs } from "../support/services.ts";

const children: ChildProcess[] = [];
/** Where the servers of one test keep their folders. */
let folder = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "forager-end-"));
  chmodSync(folder, 0o711); // PostgreSQL does not run as root, and has to get in
});

afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  // A process that was killed may have a child that writes a last file.
  rmSync(folder, { recursive: true, maxRetries: 20 });
});

interface Started {
  readonly child: ChildProcess;
  readonly exitCode: Promise<number | null>;
  /** The servers, and the keepers above them. */
  readonly pids: readonly number[];
}

/** Starts servers of its own and waits until they are ready. */
async function startServices(args: readonly string[]): Promise<Started> {
  const child = spawnScript(args);
  const exitCode = new Promise<number | null>((resolve) => child.once("exit", resolve));
  let output = "";
  const list = await new Promise<string>((resolve, reject) => {
    child.stderr!.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      const ready = /ready \(processes ([\d, ]+)\)/.exec(output);
      if (ready) resolve(ready[1]!);
    });
    child.once("exit", () => reject(new Error(`ended before it was ready: ${output}`)));
  });
  const servers = list.split(", ").map(Number);
  const pids = [...new Set([...servers, ...servers.map(parentOf)])];
  return { child, exitCode, pids };
}

function spawnScript(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): ChildProcess {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith("FORAGER_TEST_"));
  const child = spawn(process.execPath, args, {
    cwd: root,
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...Object.fromEntries(own), TMPDIR: folder, ...env },
  });
  children.push(child);
  return child;
}

const services = ["--import", "tsx", "scripts/services.ts"];
const both = ["postgres", "s3"];

/** A run of the tests, caught as soon as its PostgreSQL is there and while S3 is starting. */
async function startTests(): Promise<Started> {
  const args = [
    "--import",
    "tsx",
    "scripts/test.ts",
    "--no-cache",
    "test/scripts/services.test.ts",
  ];
  const child = spawnScript(args);
  const exitCode = new Promise<number | null>((resolve) => child.once("exit", resolve));
  await expect.poll(postgresPid, { interval: 10 }).toBeGreaterThan(0);
  const pid = postgresPid();
  return { child, exitCode, pids: [pid, parentOf(pid)] };
}

// A run may be given an S3 server, on a machine that cannot start one.
const canStartS3 = (await findProgram(["radosgw"])) !== undefined;

needs(["postgres", "s3"], () => {
  const test = plainTest.skipIf(!canStartS3);

  test("Ctrl-C, passed on by the bootstrap, ends every server and removes its folder", async () => {
    const started = await startServices(["scripts/bootstrap.mjs", "services", ...both]);
    expectRunning(started, { servers: 4, keepers: 2 });
    started.child.kill("SIGINT");
    expect(await started.exitCode).toBe(0);
    expect(remaining(started)).toEqual([]);
  });

  test("after kill -9 of the owner every server ends", async () => {
    const started = await startServices([...services, ...both]);
    expectRunning(started, { servers: 4, keepers: 2 });
    started.child.kill("SIGKILL");
    await expect.poll(() => remaining(started)).toEqual([]);
  });
});

needs(["postgres", "s3"], () => {
  const test = plainTest.skipIf(!canStartS3);

  test("Ctrl-C in a run of the tests ends its servers", async () => {
    const started = await startTests();
    started.child.kill("SIGINT");
    expect(await started.exitCode).toBe(130);
    expect(remaining(started)).toEqual([]);
  });

  test("after kill -9 of a run of the tests its servers end", async () => {
    const started = await startTests();
    started.child.kill("SIGKILL");
    await expect.poll(() => remaining(started)).toEqual([]);
  });
});

needs(["postgres"], () => {
  const test = plainTest;

  test("after kill -9 of the bootstrap every server ends", async () => {
    const started = await startServices(["scripts/bootstrap.mjs", "services", "postgres"]);
    started.child.kill("SIGKILL");
    await expect.poll(() => remaining(started)).toEqual([]);
  });

  test("after kill -9 of a keeper its server ends", async () => {
    const started = await startServices([...services, "postgres"]);
    expectRunning(started, { servers: 1, keepers: 1 });
    const [server, keeper] = started.pids;
    process.kill(keeper!, "SIGKILL");
    await expect.poll(() => isRunning(server!)).toBe(false);
    started.child.kill("SIGTERM");
    await started.exitCode;
    expect(remaining(started)).toEqual([]);
  });

  test("SIGTERM while it starts leaves nothing behind", async () => {
    const child = spawnScript([...services, "postgres"]);
    const exit = new Promise((resolve) => child.once("exit", resolve));
    await expect.poll(() => serviceFolders(), { interval: 5 }).toHaveLength(1);
    child.kill("SIGTERM");
    await exit;
    expect(serviceFolders()).toEqual([]);
  });
});

plainTest("an unknown service is refused by name", async () => {
  const child = spawnScript([...services, "mysql"]);
  let output = "";
  child.stderr!.on("data", (text) => (output += String(text)));
  expect(await new Promise((resolve) => child.once("close", resolve))).toBe(1);
  expect(output).toBe(
    'error: there is no service "mysql"; there are postgres, postgres15, pgbouncer, s3, promtool, namespaces, avahi, otheruser, loopdisks, osmium, shells, shellcheck, systemd, sshd, podman, qemu, chromium\n',
  );
});

plainTest("where S3 is neither installed nor ours to install, it says how to get it", async () => {
  const child = spawnScript([...services, "s3"], { PATH: folder });
  let output = "";
  child.stderr!.on("data", (text) => (output += String(text)));
  expect(await new Promise((resolve) => child.once("close", resolve))).toBe(1);
  expect(output).toContain("s3: an S3 server is not installed. On Debian or Ubuntu: sudo apt-get");
  expect(output).toContain("set FORAGER_TEST_S3_ENDPOINT, _ACCESS_KEY, _SECRET_KEY and _REGION");
});

function expectRunning(
  { pids }: Started,
  counts: { readonly servers: number; readonly keepers: number },
): void {
  expect(pids.filter(isRunning)).toHaveLength(counts.servers + counts.keepers);
  expect(serviceFolders()).toHaveLength(counts.keepers);
}

/** Processes and folders that should be gone. */
function remaining({ pids }: Started): readonly (number | string)[] {
  return [...pids.filter(isRunning), ...serviceFolders()];
}

/** A process that has ended and waits for its parent to notice does not count. */
function isRunning(pid: number): boolean {
  try {
    return stat(pid).state !== "Z";
  } catch {
    return false;
  }
}

function parentOf(pid: number): number {
  return stat(pid).parent;
}

function stat(pid: number): { readonly state: string; readonly parent: number } {
  const text = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The name, in parentheses, may hold anything.
  const [state, parent] = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return { state: state!, parent: Number(parent) };
}

/** The process of the only PostgreSQL in the folder, 0 while there is none. */
function postgresPid(): number {
  const name = serviceFolders().find((each) => each.startsWith("forager-postgres-"));
  try {
    return Number.parseInt(readFileSync(join(folder, name!, "data/postmaster.pid"), "utf8"));
  } catch {
    return 0;
  }
}

function serviceFolders(): readonly string[] {
  return readdirSync(folder).filter((name) => name.startsWith("forager-"));
}
