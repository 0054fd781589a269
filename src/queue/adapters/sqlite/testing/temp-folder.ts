import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface TempFolder extends Disposable {
  readonly path: string;
  /** The path of a queue in it. */
  readonly file: string;
}

/** A folder of its own for one test, gone with it. */
export function createTempFolder(): TempFolder {
  const path = mkdtempSync(join(tmpdir(), "forager-sqlite-"));
  return {
    path,
    file: join(path, "queue.db"),
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  };
}
