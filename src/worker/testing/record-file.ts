import { closeSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** An empty file for a crash record, open for reading and writing. */
export function openFile(): number {
  const folder = mkdtempSync(join(tmpdir(), "forager-crash-"));
  const fd = openSync(join(folder, "record"), "wx+");
  onTestFinished(() => {
    closeSync(fd);
    rmSync(folder, { recursive: true, force: true });
  });
  return fd;
}
