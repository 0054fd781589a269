import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface TempFolder extends Disposable {
  readonly path: string;
  /** The path of a queue in the folder. */
  readonly file: string;
}

/** A folder for one test, deleted after the test. */
export function createTempFolder(): TempFolder {
  const path = mkdtempSync(join(tmpdir(), "forager-sqlite-"));
  return {
    path,
    file: join(path, "queue.db"),
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  };
}
