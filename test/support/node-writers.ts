import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { builtCli, type Sandbox } from "./built-cli.ts";
import { repositoryRoot } from "./repository.ts";

/** A process of node-writer.ts. */
export interface NodeWriter {
  readonly name: string;
  readonly child: ChildProcess;
  readonly opened: Promise<void>;
  /** False: it ended before it had written everything. */
  readonly done: Promise<boolean>;
  /** The numbers of the fields whose writes were acknowledged. */
  readonly acknowledged: () => readonly number[];
  /** What it wrote to stderr. */
  readonly errors: () => string;
  isAlive(): boolean;
  kill(): Promise<void>;
  /** Lets it end by itself; answers its exit code. */
  readonly end: () => Promise<number | null>;
}

export interface NodeWriterOptions {
  readonly folder: string;
  readonly name: string;
  readonly fields: number;
  readonly kind?: "service" | "command";
  /** Starts it in another place, such as a network namespace; otherwise on this machine. */
  readonly startIn?: (program: string, args: readonly string[]) => ChildProcess;
}

const program = join(repositoryRoot, "test/support/node-writer.ts");
/** Node 22.14 runs TypeScript only if it is told to. */
const stripTypes = ["--experimental-strip-types", "--disable-warning=ExperimentalWarning"];

/** It is killed when the test ends. */
export async function startNodeWriter(options: NodeWriterOptions): Promise<NodeWriter> {
  const { folder, name, fields, kind = "service" } = options;
  const dist = join(await builtCli(), "../..");
  const startIn = options.startIn ?? ((file, args) => spawn(file, args));
  const own = [dist, folder, name, kind, `${fields}`];
  const child = startIn(process.execPath, [...stripTypes, program, ...own]);
  const ended = once(child, "close");
  let [text, errors] = ["", ""];
  child.stderr!.setEncoding("utf8").on("data", (chunk: string) => (errors += chunk));
  const lines = () => text.split("\n").slice(0, -1);
  let [onOpen, onDone] = [() => {}, (_isAll: boolean) => {}];
  const opened = new Promise<void>((resolve) => (onOpen = resolve));
  const done = new Promise<boolean>((resolve) => (onDone = resolve));
  child.stdout!.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
    onOpen();
    if (text.endsWith("done\n")) onDone(true);
  });
  void ended.then(() => (onOpen(), onDone(false)));
  const isAlive = () => child.exitCode === null && child.signalCode === null;
  const kill = async () => {
    child.kill("SIGKILL");
    if (isAlive()) await ended;
  };
  onTestFinished(kill);
  return {
    name,
    child,
    opened,
    done,
    acknowledged: () =>
      lines()
        .filter((line) => /^\d+$/u.test(line))
        .map(Number),
    errors: () => errors,
    isAlive,
    kill,
    async end() {
      child.stdin!.end();
      await ended;
      return child.exitCode;
    },
  };
}

/** The process that `node/owner.json` names. */
export function ownerPid(folder: string): number | undefined {
  const file = join(folder, "node/owner.json");
  if (!existsSync(file)) return undefined;
  return (JSON.parse(readFileSync(file, "utf8")) as { readonly pid: number }).pid;
}

/** Waits for the living writer that owns the folder; the file of a dead one is replaced soon. */
export async function ownerAmong(
  folder: string,
  writers: readonly NodeWriter[],
): Promise<NodeWriter> {
  const find = () => writers.find((one) => one.isAlive() && one.child.pid === ownerPid(folder));
  await expect.poll(find, { interval: 5 }).toBeDefined();
  return find()!;
}

interface LogLine {
  readonly target: string;
  readonly field: string;
}

/**
 * Checks by `ledger log` that each acknowledged write is there once, and that no other is twice. Returns
 * how many there are, without those of the system itself.
 */
export async function expectWrittenOnce(
  sandbox: Sandbox,
  folder: string,
  writers: readonly NodeWriter[],
): Promise<number> {
  const forager = async (...args: readonly string[]) => {
    const result = await sandbox.forager([...args, "--data", folder]);
    expect(result.exitCode, result.stderr).toBe(0);
    return result.stdout;
  };
  const text = await forager("ledger", "log", "--limit", "10000000", "--json");
  const rows = JSON.parse(text) as readonly LogLine[];
  const times = new Map<string, number>();
  for (const { target, field } of rows) {
    times.set(`${target} ${field}`, (times.get(`${target} ${field}`) ?? 0) + 1);
  }
  const lost = writers.flatMap(({ name, acknowledged }) =>
    acknowledged()
      .map((index) => `company/${name}-${index % 50} f/${index}`)
      .filter((place) => !times.has(place)),
  );
  expect(lost).toEqual([]);
  expect([...times].filter(([, count]) => count !== 1)).toEqual([]);
  const verified: unknown = JSON.parse(await forager("ledger", "verify", "--json"));
  const sound = { stranded: 0, lost: 0, cuts: [], datagramsSinceCheckpoint: rows.length };
  expect(verified).toMatchObject(sound);
  return rows.filter(({ target }) => !target.startsWith("system/")).length;
}
