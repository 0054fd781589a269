import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { openQueue } from "../../src/app/index.ts";
import type { Queue, TaskInput } from "../../src/queue/index.ts";
import { builtCli, createSandbox, type RunOptions, type RunResult } from "./built-cli.ts";

type Words = string | readonly string[];

/** A sandbox with a queue: `q.db` in its working folder, unless another address is given. */
export interface QueueSandbox {
  readonly folder: string;
  readonly file: string;
  /** Runs a command in the process that the commands of the file share. */
  readonly command: (args: readonly string[], options?: RunOptions) => Promise<RunResult>;
  /** Runs any command in a process of its own. */
  readonly forager: (args: readonly string[], options?: RunOptions) => Promise<RunResult>;
  readonly run: (
    program: string,
    args: readonly string[],
    options?: RunOptions,
  ) => Promise<RunResult>;
  /** `forager queue … --queue ADDRESS`, its words parted by spaces or given one by one. */
  readonly queue: (words: Words, options?: RunOptions) => Promise<RunResult>;
  /** The same with --json; what is on stdout, parsed. Fails unless it exits with `exitCode`. */
  readonly json: (words: Words, exitCode?: number) => Promise<unknown>;
  /** Opens the queue as a program would, does something and closes it. */
  readonly use: <T>(work: (queue: Queue) => Promise<T>) => Promise<T>;
  readonly write: (name: string, text: string | Buffer) => void;
}

export async function createQueueSandbox(address = "sqlite:q.db"): Promise<QueueSandbox> {
  const sandbox = await createSandbox({ hasSharedProcess: true });
  const main = await builtCli();
  onTestFinished(() => sandbox.remove());
  const file = join(sandbox.folder, "q.db");
  const toWords = (words: Words) =>
    typeof words === "string" ? words.split(" ").filter(Boolean) : words;
  const queue: QueueSandbox["queue"] = (words, options) =>
    sandbox.forager(["queue", ...toWords(words), "--queue", address], options);
  return {
    folder: sandbox.folder,
    file,
    command: (args, options) => sandbox.forager(args, options),
    forager: (args, options) => sandbox.run(process.execPath, [main, ...args], options),
    run: (program, args, options) => sandbox.run(program, args, options),
    queue,
    json: async (words, exitCode = 0) => {
      const result = await queue([...toWords(words), "--json"]);
      if (result.exitCode === exitCode) return JSON.parse(result.stdout) as unknown;
      throw new Error(`exit code ${result.exitCode}, not ${exitCode}: ${result.stderr}`);
    },
    use: async (work) => {
      const isFile = address === "sqlite:q.db";
      await using opened = await openQueue(isFile ? `sqlite:${file}` : address);
      return await work(opened);
    },
    write: (name, text) => writeFileSync(join(sandbox.folder, name), text),
  };
}

/** Adds tasks and ends each of them so. */
export async function addFinished(
  queue: Queue,
  tasks: readonly TaskInput[],
  outcome: "done" | "fail" | "skip",
): Promise<void> {
  await queue.add(tasks);
  const kinds = [...new Set(tasks.map(({ kind }) => kind))];
  for (;;) {
    const { leases } = await queue.claim({ worker: "test", kinds, limit: 1_000 });
    if (leases.length === 0) return;
    const end =
      outcome === "done"
        ? ({ kind: "done", result: { ok: true } } as const)
        : ({ kind: outcome, reason: "it rained" } as const);
    await queue.finish(leases.map(({ id, token }) => ({ id, token, outcome: end })));
  }
}
