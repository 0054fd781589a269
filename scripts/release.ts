/**
 * `npm run release`: builds the program and writes what is published into `release/`.
 * `--platform linux-arm64` (repeatable) makes the folders of these machines alone, `--no-node`
 * leaves Node out of them.
 */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { AppError } from "../src/base/app-error.ts";
import { makeRelease } from "./make-release.ts";
import { root } from "./project.ts";
import { cleanCommit, writeStamp } from "./source-stamp.ts";
import { releasePlatforms, type ReleasePlatform } from "./release-folder.ts";

const isPlatform = (name: string): name is ReleasePlatform =>
  (releasePlatforms as readonly string[]).includes(name);

function readOptions() {
  const { values } = parseArgs({
    options: { platform: { type: "string", multiple: true }, "no-node": { type: "boolean" } },
  });
  const names: readonly string[] = values.platform ?? releasePlatforms;
  const unknown = names.find((name) => !isPlatform(name));
  if (unknown !== undefined) {
    const message = `--platform takes ${releasePlatforms.join(" or ")}, not "${unknown}"`;
    throw new AppError("invalid", "usage", message);
  }
  return { platforms: names.filter(isPlatform), hasNode: values["no-node"] !== true };
}

try {
  const folder = join(root, "release");
  const options = readOptions();
  const commit = await cleanCommit();
  const { files } = await makeRelease({ folder, ...options });
  const sums = createHash("sha256").update(await readFile(join(folder, "SHA256SUMS")));
  await writeStamp("release-source", commit, { sums: sums.digest("hex") });
  process.stdout.write(files.map((file) => `${join("release", file)}\n`).join(""));
} catch (error) {
  const isUsage = error instanceof TypeError && "code" in error; // of parseArgs
  if (!(error instanceof AppError) && !isUsage) throw error;
  process.stderr.write(`error: ${error.message}\n`);
  process.exitCode = isUsage ? 2 : 1;
}
