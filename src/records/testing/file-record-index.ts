import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import type { IndexBatch, RecordIndex } from "../search/record-index.ts";
import { createMemoryRecordIndex } from "./memory-record-index.ts";

/** The memory index with a file of its batches: for tests that kill a process. */
export function createFileRecordIndex(file: string): RecordIndex {
  const index = createMemoryRecordIndex();
  const batches: IndexBatch[] = existsSync(file)
    ? (JSON.parse(readFileSync(file, "utf8")) as IndexBatch[])
    : [];
  for (const batch of batches) index.update(batch);
  const save = () => {
    writeFileSync(`${file}.new`, JSON.stringify(batches));
    renameSync(`${file}.new`, file);
  };
  return {
    ...index,
    update(batch) {
      index.update(batch);
      batches.push(batch);
      save();
    },
    startReplacement() {
      const replacement = index.startReplacement();
      const loaded: IndexBatch[] = [];
      return {
        ...replacement,
        async load(batch) {
          await replacement.load(batch);
          loaded.push(batch);
        },
        async commit() {
          await replacement.commit();
          batches.splice(0, batches.length, ...loaded);
          save();
        },
      };
    },
  };
}
