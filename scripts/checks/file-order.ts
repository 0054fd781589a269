import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { root } from "../project.ts";
import { readDurations } from "./durations.ts";
import { parseTestHeader } from "./test-header.ts";

/**
 * Files that need no service come first, because services take a while to start. Among equals the
 * longest come first, so that no processor waits for one long file at the end.
 */
export class FileOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const durations = readDurations(root);
    const keyed = files.map((file) => {
      const source = readFileSync(file.moduleId, "utf8");
      const path = relative(root, file.moduleId).replaceAll("\\", "/");
      const isWaiting = parseTestHeader(path, source).needs.length > 0 ? 1 : 0;
      return { file, isWaiting, seconds: durations[path] ?? 0 };
    });
    return keyed
      .toSorted((a, b) => a.isWaiting - b.isWaiting || b.seconds - a.seconds)
      .map(({ file }) => file);
  }
}
