#!/usr/bin/env node
import "../base/process/require-node.ts";

// Import now, not at the top: on an old Node the line above has ended the program with a message.
const [{ registry }, { runProcess }] = await Promise.all([
  import("./registry.ts"),
  import("./frame/run-process.ts"),
]);
await runProcess(registry);
