#!/usr/bin/env node
try {
  await import("../base/require-node.ts");
} catch (error) {
  process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
const [{ registry }, { runProcess }] = await Promise.all([
  import("./registry.ts"),
  import("./run-process.ts"),
]);
await runProcess(registry);
