import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { AppError } from "../../base/app-error.ts";

const execute = promisify(execFile);

/** True if the program runs from a source checkout. */
export const isCheckout = (folder: string): boolean =>
  existsSync(join(folder, "scripts", "bootstrap.mjs"));

/**
 * The release that `npm run release` made from this checkout. Throws `invalid` unless the checkout has
 * no changes, its checks passed on this commit, and the release was made from it.
 * `npm run check` and `npm test` write `.cache/checks-passed.json`, `npm run release` writes
 * `.cache/release-source.json`, both only from a tree without changes.
 */
export async function findCheckedRelease(folder: string): Promise<string> {
  const git = async (...args: string[]) =>
    (await execute("git", args, { cwd: folder, maxBuffer: 64 * 1024 * 1024 })).stdout.trimEnd();
  const commit = await git("rev-parse", "HEAD").catch((cause: unknown) => {
    throw invalid(`${folder} has no git history, so it is unknown which commit was checked. ${orFrom}`, cause); // prettier-ignore
  });
  const changed = await git("status", "--porcelain");
  if (changed !== "") {
    const [first = ""] = changed.split("\n");
    throw invalid(`${folder} has changes that are not committed (${first.slice(3)}): commit them, then run \`npm run check\` and \`npm run release\`. ${orFrom}`); // prettier-ignore
  }
  const short = commit.slice(0, 10);
  const passed = await readJson(join(folder, ".cache", "checks-passed.json"));
  if (passed?.["commit"] !== commit) {
    throw invalid(`the checks have not passed on commit ${short}: run \`npm run check\` or \`npm test\`. ${orFrom}`); // prettier-ignore
  }
  const release = join(folder, "release");
  const made = await readJson(join(folder, ".cache", "release-source.json"));
  const sums = await readFile(join(release, "SHA256SUMS")).catch(() => undefined);
  const isSame = sums && createHash("sha256").update(sums).digest("hex") === made?.["sums"];
  if (made?.["commit"] !== commit || !isSame) {
    throw invalid(`release/ was not made from commit ${short}: run \`npm run release\`. ${orFrom}`);
  }
  return release;
}

const orFrom = "Or name a release with --from";

async function readJson(file: string): Promise<Readonly<Record<string, unknown>> | undefined> {
  try {
    const found: unknown = JSON.parse(await readFile(file, "utf8"));
    return typeof found === "object" && found !== null ? (found as Record<string, unknown>) : undefined; // prettier-ignore
  } catch {
    return undefined;
  }
}

const invalid = (message: string, cause?: unknown) =>
  new AppError("invalid", "deploy_unchecked", message, { cause });
