import { spawn } from "node:child_process";
import { pipeline } from "node:stream/promises";
import { AppError } from "../../../../base/app-error.ts";
import type { Clock } from "../../../../base/clock.ts";
import { remoteLine, type RemoteResult, type RunRemotely } from "../../remote.ts";

export interface RunBySshOptions {
  /** The program, such as `ssh`. It uses the user's configuration, keys and agent. */
  readonly program?: string;
  readonly clock: Clock;
}

const outputBytesMax = 32 * 1024 * 1024;
/** ssh never prompts, and notices a cut connection after 15 seconds. */
const options = [
  "BatchMode=yes",
  "ConnectTimeout=10",
  "ServerAliveInterval=5",
  "ServerAliveCountMax=3",
].flatMap((option) => ["-o", option]);

/** Runs each command with the system's `ssh`, over a connection of its own. */
export const createRunBySsh =
  ({ program = "ssh", clock }: RunBySshOptions): RunRemotely =>
  (host, command) =>
    new Promise((resolve, reject) => {
      const { input, timeoutMs, signal } = command;
      const bulk = typeof input === "string" ? [] : ["-C"];
      const args = ["-T", "-x", ...bulk, ...options, "--", host, remoteLine(command)];
      const child = spawn(program, args, { stdio: ["pipe", "pipe", "pipe"] });
      const chunks = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
      let bytes = 0;
      for (const name of ["stdout", "stderr"] as const) {
        child[name].on("data", (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes > outputBytesMax) child.kill("SIGKILL");
          else chunks[name].push(chunk);
        });
      }
      let lost: string | undefined;
      const timer = clock.setTimer(timeoutMs, () => {
        lost = `no answer within ${Math.round(timeoutMs / 1_000)} s`;
        child.kill("SIGKILL");
      });
      const onAbort = () => child.kill("SIGKILL");
      signal?.addEventListener("abort", onAbort, { once: true });
      if (signal?.aborted) onAbort();
      const end = (result: RemoteResult) => {
        timer.cancel();
        signal?.removeEventListener("abort", onAbort);
        if (!signal?.aborted) return resolve(result);
        reject(new AppError("aborted", "deploy_aborted", "the deploy was cancelled", { cause: signal.reason })); // prettier-ignore
      };
      child.once("error", ({ message }) =>
        end({ kind: "lost", why: `${program} could not be started: ${message}` }),
      );
      child.once("close", (code) => {
        const stderr = Buffer.concat(chunks.stderr).toString("utf8");
        const stdout = Buffer.concat(chunks.stdout).toString("utf8");
        const why = lost ?? connectionProblem(code, stderr);
        end(why === undefined ? { kind: "ended", exitCode: code ?? 1, stdout, stderr } : { kind: "lost", why }); // prettier-ignore
      });
      if (typeof input === "string") {
        child.stdin.on("error", () => {}); // the exit code says what happened
        child.stdin.end(input);
      } else void pipeline(input, child.stdin).catch(() => {});
    });

/** ssh ends with 255 for its own problems, and by a signal only if it was killed. */
function connectionProblem(code: number | null, stderr: string): string | undefined {
  if (code === null) return "ssh was killed";
  if (code !== 255) return undefined;
  const words = stderr.trim().split("\n").at(-1)?.trim() ?? "";
  if (/Host key verification failed/.test(stderr)) {
    return "its host key is not known or has changed: connect once with `ssh`, and check the key";
  }
  return words === "" ? "the connection was lost" : words;
}
