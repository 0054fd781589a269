import { stat, statfs } from "node:fs/promises";
import { dirname } from "node:path";
import type { PreflightFinding } from "./preflight.ts";

const mebibyte = 2 ** 20;
const freeBytesMin = 100 * mebibyte;

/** Fails only if the space is too small to work; `forager doctor` also warns earlier. */
export async function freeSpaceFinding(folder: string): Promise<PreflightFinding | undefined> {
  const existing = await existingParent(folder);
  const free = await statfs(existing).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => Infinity, // not measurable; the first write reports the error
  );
  if (free >= freeBytesMin) return undefined;
  return {
    check: "disk",
    state: "fail",
    detail: `only ${Math.floor(free / mebibyte)} MiB are free at ${existing}`,
    advice: "free some space, or choose another disk with --data",
  };
}

async function existingParent(path: string): Promise<string> {
  const isThere = await stat(path).then(
    () => true,
    () => false,
  );
  const parent = dirname(path);
  return isThere || parent === path ? path : existingParent(parent);
}
