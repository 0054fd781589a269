import { fileURLToPath } from "node:url";
import { join } from "node:path";

/** The folder of the project: where package.json is, wherever the command was started. */
export const root = fileURLToPath(new URL("../", import.meta.url));

/** What we keep between runs and may be deleted at any time. */
export const cacheFolder = join(root, ".cache");

/** The program of an installed package, run with Node: no shell, the same on every system. */
export const tools = {
  tsc: join(root, "node_modules/typescript/bin/tsc"),
  oxlint: join(root, "node_modules/oxlint/bin/oxlint"),
  oxfmt: join(root, "node_modules/oxfmt/bin/oxfmt"),
  vitest: join(root, "node_modules/vitest/vitest.mjs"),
} as const;
