import { readSyncFaults } from "../node/open-ledger.ts";
import { AppError } from "../../base/app-error.ts";
import type { Check } from "./check.ts";

/** Reads the result of the last sync from one small file. Sends no request to the bucket. */
export const checkLedger: Check = {
  name: "ledger",
  async run({ paths }) {
    try {
      const faults = await readSyncFaults(paths);
      if (faults === undefined) return { state: "ok", detail: "nothing was written yet" };
      const [first] = faults;
      if (first === undefined) return { state: "ok", detail: "the last sync found no problem" };
      const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : "";
      return {
        state: "warn",
        detail: `the last sync could not use all of the bucket: ${first}${more}`,
        advice: "`forager ledger verify --bucket ADDRESS` lists what is missing and who repairs it",
      };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return { state: "fail", detail: error.message, advice: "no command can use this ledger" };
    }
  },
};
