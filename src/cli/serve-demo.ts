import { spawn } from "node:child_process";
import type { ClusterPlace } from "../showcase/index.ts";

/**
 * Runs `forager serve` on the data folder of a demo until it is stopped. The child prints the
 * address.
 */
export function serveDemo(
  program: string,
  { data, bucket, queue }: ClusterPlace,
  signal: AbortSignal,
): Promise<void> {
  const env = {
    ...process.env,
    FORAGER_BUCKET_URL: bucket,
    FORAGER_QUEUE_URL: queue,
    FORAGER_GOSSIP_ON: "no",
    FORAGER_SERVE_ENVIRONMENT: "demo",
  };
  const args = [program, "serve", "--data", data, "--listen", "127.0.0.1:0"];
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { env, stdio: ["ignore", "inherit", "inherit"] });
    // In a terminal, Ctrl-C reaches the child too; other signals do not.
    const stop = () => child.kill("SIGTERM");
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    child.once("error", reject);
    child.once("close", () => {
      signal.removeEventListener("abort", stop);
      resolve();
    });
  });
}
