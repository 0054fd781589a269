import { fork } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { AppError } from "../../src/base/app-error.ts";
import type { NodeInstall } from "./node-install.ts";
import type { FromChild, Measured, ToChild } from "./side.ts";

export interface SideCall {
  /** Where the side is: `new URL("./peers/plainjob.ts", import.meta.url)`. */
  readonly module: URL;
  /** The exported function, a `Side`. */
  readonly side: string;
  readonly input?: unknown;
  /** Another Node to run on (see `nodeBinary`). Give every side of a bench the same. */
  readonly node?: NodeInstall;
  readonly timeoutMs?: number;
}

export interface SideOutcome {
  /** By the child's own clock: no process start and no messages in it. */
  readonly elapsedMs: number;
  readonly measured: Measured;
  readonly rssBytesMax: number;
}

const timeoutMsDefault = 10 * 60_000;
const childFile = fileURLToPath(new URL("./child.ts", import.meta.url));

/** Runs one side in a fresh process and returns what it measured. */
export async function runSide(call: SideCall): Promise<SideOutcome> {
  const { outcomes } = await runSides([call]);
  return outcomes[0]!;
}

/**
 * Runs sides at the same time, each in a process of its own, sharing one scratch folder. All are
 * ready before any starts. `elapsedMs` runs from "go" until the last one was done.
 */
export async function runSides(calls: readonly SideCall[]): Promise<{
  readonly elapsedMs: number;
  readonly outcomes: readonly SideOutcome[];
}> {
  const folder = mkdtempSync(join(tmpdir(), "forager-bench-"));
  const children = calls.map((call) => startChild(call, folder));
  const cleanUp = () => {
    for (const child of children) child.kill();
    rmSync(folder, { recursive: true, force: true });
  };
  // A bench that is interrupted leaves neither processes nor a full disk behind.
  process.once("exit", cleanUp);
  try {
    await Promise.all(children.map((child) => child.next("ready")));
    const startedMs = performance.now();
    for (const child of children) child.send({ kind: "go" });
    await Promise.all(children.map((child) => child.next("done")));
    const elapsedMs = performance.now() - startedMs;
    const outcomes = await Promise.all(children.map((child) => child.next("checked")));
    await Promise.all(children.map((child) => child.ended));
    return { elapsedMs, outcomes };
  } finally {
    process.off("exit", cleanUp);
    cleanUp();
  }
}

function startChild(call: SideCall, folder: string) {
  const child = fork(childFile, [], {
    execArgv: ["--import", import.meta.resolve("tsx")],
    ...(call.node && { execPath: call.node.binary }),
    // stdout belongs to the result of the bench; whatever a peer prints goes to stderr.
    stdio: ["ignore", 2, 2, "ipc"],
    serialization: "advanced",
  });
  const label = `side "${call.side}" of ${call.module.pathname.split("/").at(-1)}`;
  const timeoutMs = call.timeoutMs ?? timeoutMsDefault;
  const mailbox = createMailbox(child, label);
  const timer = setTimeout(() => {
    mailbox.fail(`${label} took longer than ${timeoutMs / 1000} s and was stopped`);
    child.kill("SIGKILL");
  }, timeoutMs);
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  void ended.then(() => clearTimeout(timer));

  const send = (message: ToChild) => child.send(message);
  send({
    kind: "prepare",
    module: call.module.href,
    side: call.side,
    input: call.input,
    context: { folder },
    ...(call.node && { packagesFolder: call.node.packagesFolder }),
  });
  return { send, next: mailbox.next, ended, kill: () => child.kill("SIGKILL") };
}

/** Messages of a child in order; once it failed or is gone, every further wait is that error. */
function createMailbox(child: ChildProcess, label: string) {
  const arrived: FromChild[] = [];
  let failure: AppError | undefined;
  let wake = () => {};
  const fail = (reason: string) => {
    failure ??= new AppError("unavailable", "bench_side_failed", reason);
    wake();
  };
  child.on("message", (message: FromChild) => {
    if (message.kind === "failed") return fail(`${label} failed: ${message.reason}`);
    arrived.push(message);
    wake();
  });
  child.once("error", (error) => fail(`${label} could not be started: ${error.message}`));
  child.once("exit", (code, signal) => fail(`${label} ended early (${signal ?? `exit ${code}`})`));

  async function next<Kind extends FromChild["kind"]>(
    kind: Kind,
  ): Promise<Extract<FromChild, { kind: Kind }>> {
    while (arrived.length === 0) {
      if (failure) throw failure;
      await new Promise<void>((resolve) => (wake = resolve));
    }
    const message = arrived.shift()!;
    if (message.kind !== kind) {
      throw new AppError("internal", "bench_protocol", `expected "${kind}", got "${message.kind}"`);
    }
    return message as Extract<FromChild, { kind: Kind }>;
  }
  return { next, fail };
}
