import { stat } from "node:fs/promises";
import type { Check } from "./check.ts";
import { findExistingParent } from "./existing-parent.ts";
import { probeFolder } from "./probe-folder.ts";

const ofOthers = 0o007;

export const checkDataFolder: Check = {
  name: "data folder",
  async run({ paths }) {
    const folder = paths.root();
    try {
      const existing = await findExistingParent(folder);
      const found = await stat(existing);
      if (!found.isDirectory()) {
        return {
          state: "fail",
          detail: `${existing} is not a folder`,
          advice: "move it away, or choose another folder with --data",
        };
      }
      await probeFolder(existing);
      if (existing !== folder) {
        return { state: "ok", detail: `${folder} will be created when it is needed` };
      }
      if ((found.mode & ofOthers) !== 0) {
        return {
          state: "warn",
          detail: `${folder} is open to every user of this machine`,
          // Files from an older version may be readable by others, because it did not set their
          // modes.
          advice: `run: chmod -R o-rwx ${folder}`,
        };
      }
      return { state: "ok", detail: `${folder} is writable` };
    } catch (error) {
      return {
        state: "fail",
        detail: `${folder} cannot be used: ${(error as Error).message}`,
        advice: "give this user the right to write there, or choose another folder with --data",
      };
    }
  },
};
