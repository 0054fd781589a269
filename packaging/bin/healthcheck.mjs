// The health check of the container image: asks the server of the node whether it is healthy.
import { readFileSync } from "node:fs";
import { join } from "node:path";

try {
  const file = join(process.env["FORAGER_DATA"] ?? "/data", "node", "api.json");
  const { origin } = JSON.parse(readFileSync(file, "utf8"));
  const answer = await fetch(`${origin}/healthz`, { signal: AbortSignal.timeout(8_000) });
  process.exitCode = answer.ok ? 0 : 1;
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
