import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findCheckedRelease, isCheckout } from "./checkout.ts";

let folder = "";
const git = (...args: string[]) =>
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.org", ...args], {
    cwd: folder,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  }).trim();
const write = (path: string, text: string) => writeFileSync(join(folder, path), text);
const stamp = (name: string, facts: object) =>
  write(`.cache/${name}.json`, JSON.stringify({ format: 1, ...facts }));
const sums = "abc  forager.tgz\n";
const madeFrom = (commit: string) =>
  stamp("release-source", { commit, sums: createHash("sha256").update(sums).digest("hex") });

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "forager-checkout-"));
  for (const path of [".cache", "release", "scripts"]) mkdirSync(join(folder, path));
  write("scripts/bootstrap.mjs", "");
  write(".gitignore", ".cache\nrelease\n");
  write("release/SHA256SUMS", sums);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("a release of a checkout is taken only from a commit whose checks passed", async () => {
  expect(isCheckout(folder)).toBe(true);
  await expect(findCheckedRelease(folder)).rejects.toThrow("has no git history");
  git("init", "-q");
  await expect(findCheckedRelease(folder)).rejects.toThrow("has no git history");
  git("add", "-A");
  git("commit", "-qm", "one");
  const first = git("rev-parse", "HEAD");
  await expect(findCheckedRelease(folder)).rejects.toThrow(
    `the checks have not passed on commit ${first.slice(0, 10)}: run \`npm run check\``,
  );
  stamp("checks-passed", { commit: first });
  await expect(findCheckedRelease(folder)).rejects.toThrow("release/ was not made from commit");
  madeFrom(first);
  expect(await findCheckedRelease(folder)).toBe(join(folder, "release"));

  write("scripts/more.mjs", "");
  await expect(findCheckedRelease(folder)).rejects.toThrow("not committed (scripts/more.mjs)");
  git("add", "-A");
  git("commit", "-qm", "two");
  await expect(findCheckedRelease(folder)).rejects.toThrow("the checks have not passed");
  stamp("checks-passed", { commit: git("rev-parse", "HEAD") });
  await expect(findCheckedRelease(folder)).rejects.toThrow("release/ was not made from commit");
  madeFrom(git("rev-parse", "HEAD"));
  write("release/SHA256SUMS", "of another release\n");
  await expect(findCheckedRelease(folder)).rejects.toThrow("release/ was not made from commit");
});
