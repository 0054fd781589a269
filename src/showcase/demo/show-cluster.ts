import { execFile } from "node:child_process";
import type { ClusterPlace } from "./run-demo.ts";

const patienceMs = 30_000;

/** What this very program says of the fleet, asked as anybody would. Undefined: it said nothing. */
export function showCluster(
  program: string,
  { data, bucket, queue }: ClusterPlace,
): Promise<string | undefined> {
  const args = ["status", "--cluster", "--data", data, "--bucket", bucket, "--queue", queue];
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...args], { timeout: patienceMs }, (_, stdout) =>
      // Its exit code says whether something needs attention, and so do its lines.
      resolve(stdout.trim() || undefined),
    );
  });
}
