import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fstatSync, ftruncateSync, mkdtempSync, openSync, readSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { repositoryRoot } from "./repository.ts";

/** One run of the program, as its process would see it. */
export interface CommandLine {
  readonly args: readonly string[];
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly input: string;
}

export interface CommandResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

const program = join(repositoryRoot, "test/support/command-host.ts");

/** Runs command lines of the built program, one at a time, in a process that it keeps. */
export interface SharedProcess {
  /** Undefined while another command runs: this one needs its own process then. */
  run(line: CommandLine): Promise<CommandResult> | undefined;
}

let shared: SharedProcess | undefined;

/**
 * The process that all commands of a test file share. To start Node and to load the modules takes
 * longer than most commands.
 */
export const openSharedProcess = (dist: string): SharedProcess => (shared ??= open(dist));

interface Pending {
  resolve(result: CommandResult): void;
  reject(error: Error): void;
}

function open(dist: string): SharedProcess {
  const output = { stdout: openFile(), stderr: openFile() };
  const child = start(dist, [output.stdout, output.stderr]);
  let pending: Pending | undefined;
  const take = (): Pending | undefined => {
    const ended = pending;
    pending = undefined;
    return ended;
  };
  const read = () => ({ stdout: takeText(output.stdout), stderr: takeText(output.stderr) });
  const ready = once(child, "message").then(() => {
    child.on("message", (exitCode: number) => take()?.resolve({ exitCode, ...read() }));
  });
  child.once("exit", (code, signal) => {
    const why = `the shared process of commands ended: ${code ?? signal}\n${read().stderr}`;
    take()?.reject(new Error(why));
  });
  return {
    run(line) {
      if (pending) return undefined;
      return new Promise((resolve, reject) => {
        pending = { resolve, reject };
        void ready.then(() => child.send(line));
      });
    },
  };
}

/** It ends when this process does, because then its channel closes. */
function start(dist: string, [stdout, stderr]: readonly [number, number]): ChildProcess {
  const execArgv = ["--experimental-strip-types", "--disable-warning=ExperimentalWarning"];
  const stdio = ["ignore" as const, stdout, stderr, "ipc" as const];
  const child = fork(program, [dist], { cwd: dist, execArgv, stdio });
  child.unref();
  child.channel!.unref();
  return child;
}

/** A file without a name. Everything goes to its end, so that it can be emptied at any time. */
function openFile(): number {
  const folder = mkdtempSync(join(tmpdir(), "forager-output-"));
  const fd = openSync(join(folder, "output"), "a+");
  rmSync(folder, { recursive: true });
  return fd;
}

function takeText(fd: number): string {
  const { size } = fstatSync(fd);
  const bytes = Buffer.alloc(size);
  readSync(fd, bytes, 0, size, 0);
  ftruncateSync(fd);
  return bytes.toString("utf8");
}
