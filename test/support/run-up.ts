import { spawn } from "node:child_process";
import { onTestFinished } from "vitest";
import type { UpPart } from "../../src/app/index.ts";
import { builtCli, type Sandbox } from "./built-cli.ts";

/** A `forager up` that runs; killed when the test is over. */
export interface RunningUp {
  readonly pid: number;
  kill(signal: NodeJS.Signals): void;
  readonly ended: Promise<number | null>;
  stdout(): string;
  stderr(): string;
  /** With `--json`: what it has printed so far. */
  parts(): readonly UpPart[];
  /** The newest line of a part. */
  part(name: UpPart["part"]): UpPart | undefined;
}

/** Many tests run at once, and there is one default port. */
const noServer = { FORAGER_SERVE_LISTEN: "off" };

export async function runUp(
  sandbox: Pick<Sandbox, "folder">,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<RunningUp> {
  const child = spawn(process.execPath, [await builtCli(), "up", ...args], {
    cwd: sandbox.folder,
    env: { ...noServer, PATH: process.env["PATH"] ?? "", HOME: sandbox.folder, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const text = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (text.stdout += chunk));
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (text.stderr += chunk));
  const parts = () =>
    text.stdout
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as UpPart);
  return {
    pid: child.pid!,
    kill: (signal) => void child.kill(signal),
    ended: new Promise((resolve) => child.once("close", resolve)),
    stdout: () => text.stdout,
    stderr: () => text.stderr,
    parts,
    part: (name) => parts().findLast(({ part }) => part === name),
  };
}
