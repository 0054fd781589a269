/** `npm run release`: builds the program and writes what is published into `release/`. */
import { join } from "node:path";
import { AppError } from "../src/base/app-error.ts";
import { makeRelease } from "./make-release.ts";
import { root } from "./project.ts";

try {
  const { files } = await makeRelease(join(root, "release"));
  process.stdout.write(files.map((file) => `${join("release", file)}\n`).join(""));
} catch (error) {
  if (!(error instanceof AppError)) throw error;
  process.stderr.write(`error: ${error.message}\n`);
  process.exitCode = 1;
}
