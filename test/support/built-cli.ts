import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildDist, builtVariable } from "../../scripts/build-dist.ts";
import { repositoryRoot } from "./repository.ts";
import { openSharedProcess } from "./shared-process.ts";

let built: Promise<string> | undefined;

/**
 * The path of the built program, which is built first if the sources have changed. A test file
 * checks that once, and not at all if the run has built it: to read all sources takes as long as to
 * start the program.
 */
export const builtCli = (): Promise<string> => (built ??= build());

async function build(): Promise<string> {
  if (process.env[builtVariable] === undefined) {
    const { kind, output } = await buildDist();
    if (kind === "failed") throw new Error(`the build failed:\n${output}`);
  }
  return join(repositoryRoot, "dist", "cli", "main.js");
}

export interface RunResult {
  /** Null if a signal ended it. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  /** Added to an environment that has no settings in it. */
  readonly env?: Readonly<Record<string, string>>;
  /** Standard input, which then ends; "open" never does. */
  readonly input?: string;
  /** Runs it as this user and group; only root may. */
  readonly uid?: number;
  /** Called once it runs. */
  readonly onStart?: (kill: (signal: NodeJS.Signals) => void) => void;
  /** Called as output comes, with all there is so far on stdout. */
  readonly onStdout?: (text: string, kill: (signal: NodeJS.Signals) => void) => void;
}

/** An empty folder that is working folder and home of what runs in it. */
export interface Sandbox {
  readonly folder: string;
  /** Runs the built program. */
  forager(args: readonly string[], options?: RunOptions): Promise<RunResult>;
  /** Runs any program. */
  run(program: string, args: readonly string[], options?: RunOptions): Promise<RunResult>;
  remove(): void;
}

export interface SandboxOptions {
  /**
   * Runs commands in one process that the test file keeps, unless they get signals, another user or
   * input that does not end. For files whose point is what commands do, not what processes do.
   */
  readonly hasSharedProcess?: boolean;
}

export async function createSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { hasSharedProcess = false } = options;
  const main = await builtCli();
  const top = mkdtempSync(join(tmpdir(), "forager-e2e-"));
  const folder = join(top, "here");
  const home = join(top, "home");
  for (const made of [folder, home]) mkdirSync(made);
  const { PATH = "", NODE_COMPILE_CACHE } = process.env;
  const base = {
    PATH,
    HOME: home,
    FORAGER_TEST_MAIN: main,
    // As in a terminal: otherwise bash, whose input is a socket here, may take itself for a remote
    // shell and read the machine's bashrc.
    SHLVL: "1",
    ...(NODE_COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE }),
  };

  const run: Sandbox["run"] = (
    program,
    args,
    { env = {}, input = "", uid, onStart, onStdout } = {},
  ) =>
    new Promise((resolve, reject) => {
      const child = spawn(program, args, {
        cwd: folder,
        env: { ...base, ...env },
        ...(uid !== undefined && { uid, gid: uid }),
      });
      const text = { stdout: "", stderr: "" };
      child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
        text.stdout += chunk;
        onStdout?.(text.stdout, (signal) => child.kill(signal));
      });
      child.stderr.setEncoding("utf8").on("data", (chunk: string) => (text.stderr += chunk));
      // Who reads nothing may be gone before all is written.
      child.stdin.on("error", () => {});
      if (input !== "open") child.stdin.end(input);
      child.once("spawn", () => onStart?.((signal) => child.kill(signal)));
      child.once("error", reject);
      child.once("close", (exitCode) => resolve({ exitCode, ...text }));
    });

  const runShared = (args: readonly string[], { env, input = "", ...others }: RunOptions) => {
    const canShare = hasSharedProcess && input !== "open" && Object.keys(others).length === 0;
    if (!canShare) return undefined;
    const line = { args, folder, env: { ...base, ...env }, input };
    return openSharedProcess(join(main, "../..")).run(line);
  };

  return {
    folder,
    run,
    forager: (args, how = {}) =>
      runShared(args, how) ?? run(process.execPath, [main, ...args], how),
    remove: () => rmSync(top, { recursive: true, force: true }),
  };
}
