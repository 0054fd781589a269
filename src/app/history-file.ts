import { writeFileAtomic } from "../base/files/atomic-file.ts";
import { readRegularFile } from "../base/files/regular-file.ts";
import type { Paths } from "../config/index.ts";
import {
  historySchema,
  pointsOf,
  type HistoryPoint,
  type StoredHistory,
} from "../observe/index.ts";

/** Past metrics of the node's `forager up`. */
const historyFile = (paths: Paths): string => paths.resolve("node", "history.json");

/** Undefined if there is none yet or it is damaged; then a new history is started. */
export async function loadHistory(paths: Paths): Promise<StoredHistory | undefined> {
  try {
    const text = (await readRegularFile(historyFile(paths))).toString();
    return historySchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

export const saveHistory = (paths: Paths, history: StoredHistory): Promise<void> =>
  writeFileAtomic(historyFile(paths), `${JSON.stringify(history)}\n`, { mode: 0o600 });

export async function readStoredHistory(
  paths: Paths,
  by: "minute" | "hour",
): Promise<readonly HistoryPoint[]> {
  const stored = await loadHistory(paths);
  if (!stored) return [];
  return pointsOf(stored.names, by === "minute" ? stored.minutes : stored.hours);
}
