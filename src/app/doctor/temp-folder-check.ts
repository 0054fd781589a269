import { tmpdir } from "node:os";
import type { Check } from "./check.ts";
import { probeFolder } from "./probe-folder.ts";

export const checkTempFolder: Check = {
  name: "temp folder",
  async run() {
    const folder = tmpdir();
    try {
      await probeFolder(folder);
      return { state: "ok", detail: `${folder} is writable` };
    } catch (error) {
      return {
        state: "fail",
        detail: `${folder} is not writable: ${(error as Error).message}`,
        advice: "make it writable, or set TMPDIR to a folder that is",
      };
    }
  },
};
