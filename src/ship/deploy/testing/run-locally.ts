import { spawn } from "node:child_process";
import { pipeline } from "node:stream/promises";
import type { RemoteCommand, RemoteResult, RunRemotely } from "../remote.ts";

export interface LocalHosts {
  readonly run: RunRemotely;
  /**
   * Decides for each call whether its connection is cut: before the command runs, or after it, so
   * that only the answer is lost.
   */
  cut: (host: string, action: string) => "before" | "after" | undefined;
  /** All calls, as `HOST ACTION`. */
  readonly calls: readonly string[];
}

/**
 * The "hosts" are folders of this machine: the same scripts run in a real shell, without a
 * connection.
 */
export function createLocalHosts(folderOf: (host: string) => string): LocalHosts {
  const calls: string[] = [];
  const hosts: LocalHosts = {
    cut: () => undefined,
    calls,
    async run(host, command) {
      const action = command.script.startsWith("s=") ? command.args[0]! : "data";
      calls.push(`${host} ${action}`);
      const lost = { kind: "lost", why: "the connection was cut" } as const;
      const when = hosts.cut(host, action);
      if (when === "before") return lost;
      const result = await runShell(command, folderOf(host));
      return when === "after" ? lost : result;
    },
  };
  return hosts;
}

function runShell(command: RemoteCommand, home: string): Promise<RemoteResult> {
  return new Promise((resolve, reject) => {
    const { script, args, input } = command;
    const child = spawn("sh", ["-c", script, "forager-deploy", ...args], { cwd: home });
    const text = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const) {
      child[name].setEncoding("utf8").on("data", (chunk: string) => (text[name] += chunk));
    }
    child.stdin.on("error", () => {});
    child.once("error", reject);
    child.once("close", (code) => resolve({ kind: "ended", exitCode: code ?? 1, ...text }));
    if (typeof input === "string") child.stdin.end(input);
    else void pipeline(input, child.stdin).catch(() => {});
  });
}
