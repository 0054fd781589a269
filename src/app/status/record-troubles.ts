import { AppError } from "../../base/app-error.ts";
import { countOf } from "../../base/text/count-words.ts";
import type { Clock } from "../../base/clock.ts";
import type { Paths } from "../../config/index.ts";
import type { NodeReadApi } from "../../node/index.ts";
import { checkRecords } from "../../records/index.ts";

export interface RecordTroublesOptions {
  readonly paths: Paths;
  readonly clock: Clock;
  readonly node: Pick<NodeReadApi, "ledger" | "records" | "fleet">;
}

/** More records are not checked for a status: that would take seconds. */
const recordsMax = 1_000;
/** A status that is read repeatedly checks the records at most this often. */
const everyMs = 60_000;

/**
 * What `forager records check` finds, in one line. In a data folder with many records only the files
 * count that could not be read. While a node is running, only errors in files count, because the
 * files are written shortly after the data they show.
 */
export function createRecordTroubles() {
  let known: { readonly atMs: number; readonly texts: readonly string[] } | undefined;
  return {
    async of(options: RecordTroublesOptions): Promise<readonly string[]> {
      const nowMs = options.clock.nowMs();
      if (!known || nowMs - known.atMs >= everyMs) {
        known = { atMs: nowMs, texts: await textsOf(options, nowMs) };
      }
      return known.texts;
    },
  };
}

interface Found {
  readonly errors: number;
  /** Files that are missing, or differ from the stored data. */
  readonly outdated: number;
}

async function find({ paths, node }: RecordTroublesOptions, nowMs: number): Promise<Found> {
  const { records } = node;
  const count = async (kind: "company" | "person") => await records.count({ kind }, recordsMax + 1);
  if ((await count("company")) + (await count("person")) > recordsMax) {
    return { errors: (await records.problems()).length, outdated: 0 };
  }
  const { problems, outdated } = await checkRecords({ folder: paths.root(), node, nowMs });
  const isWritten = (await node.fleet.view()) !== undefined;
  // A running node writes files a moment after the data, so outdated ones are not an error.
  if (!isWritten) return { errors: problems.length, outdated: outdated.length };
  return { errors: problems.filter(({ kind }) => kind === "file").length, outdated: 0 };
}

async function textsOf(options: RecordTroublesOptions, nowMs: number): Promise<readonly string[]> {
  try {
    return foundText(await find(options, nowMs));
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== "unavailable") throw error;
    // Only facts of other nodes so far: the next process that writes creates the files and the index.
    if (error.code === "index_missing") return [];
    return [`records cannot be checked: ${error.message}`];
  }
}

const foundText = ({ errors, outdated }: Found): readonly string[] => {
  const parts = [
    ...(errors > 0 ? [countOf(errors, "error")] : []),
    ...(outdated > 0 ? [`${countOf(outdated, "file")} missing or outdated`] : []),
  ];
  if (parts.length === 0) return [];
  return [`records: ${parts.join(", ")}: see forager records check, then forager records repair`];
};
