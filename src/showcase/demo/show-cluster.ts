import { execFile } from "node:child_process";
import type { ClusterPlace } from "./run-demo.ts";

const patienceMs = 30_000;

/** Runs this program's `status --cluster`: what it printed, or else why it failed. */
export function showCluster(
  program: string,
  { data, bucket, queue }: ClusterPlace,
): Promise<string | undefined> {
  const args = ["status", "--cluster", "--data", data, "--bucket", bucket, "--queue", queue];
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [program, ...args],
      { timeout: patienceMs },
      (error, stdout, stderr) =>
        // Ignore the exit code: it says whether something needs attention, and the output says so
        // too.
        resolve(stdout.trim() || stderr.trim() || error?.message),
    );
  });
}
