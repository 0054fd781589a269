import { statfs } from "node:fs/promises";
import type { Check } from "./check.ts";
import { findExistingParent } from "./existing-parent.ts";

const mebibyte = 2 ** 20;
const freeBytesMin = 100 * mebibyte;
const freeBytesGood = 1_024 * mebibyte;

export function createDiskCheck(measure = measureFreeBytes): Check {
  return {
    name: "disk",
    async run({ paths }) {
      const folder = paths.root();
      let freeBytes: number;
      try {
        freeBytes = await measure(await findExistingParent(folder));
      } catch (error) {
        const detail = `free space at ${folder} is unknown: ${(error as Error).message}`;
        return { state: "warn", detail, advice: "check that the folder can be read" };
      }
      const detail = `${formatBytes(freeBytes)} free at ${folder}`;
      if (freeBytes >= freeBytesGood) return { state: "ok", detail };
      return {
        state: freeBytes < freeBytesMin ? "fail" : "warn",
        detail,
        advice: "free some space, or choose another disk with --data",
      };
    },
  };
}

/**
 * The space available to this user, which can be less than the free space: some is reserved for
 * root.
 */
async function measureFreeBytes(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(path);
  return bavail * bsize;
}

function formatBytes(bytes: number): string {
  const mebibytes = bytes / mebibyte;
  if (mebibytes < 1_024) return `${Math.floor(mebibytes)} MiB`;
  return `${(mebibytes / 1_024).toFixed(1)} GiB`;
}
