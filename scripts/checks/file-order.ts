import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { root } from "../project.ts";
import { readDurations } from "./durations.ts";
import { parseTestHeader } from "./test-header.ts";

/** So many files that need no service keep the processors busy while the services start. */
const filesBeforeServices = 16;

/**
 * The longest files come first, so that no processor waits for one long file at the end. Files
 * that have a process of their own follow each other, because a process that is shared ends before
 * such a file.
 */
export class FileOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const durations = readDurations(root);
    const keyed = files
      .map((file) => {
        const path = relative(root, file.moduleId).replaceAll("\\", "/");
        const { needs, hasOwnProcess } = parseTestHeader(path, readFileSync(file.moduleId, "utf8"));
        return { file, needs, hasOwnProcess, seconds: durations[path] ?? 0 };
      })
      .toSorted((a, b) => b.seconds - a.seconds);
    const shared = keyed.filter(({ hasOwnProcess }) => !hasOwnProcess);
    const first = shared.filter(({ needs }) => needs.length === 0).slice(0, filesBeforeServices);
    const others = shared.filter((one) => !first.includes(one));
    const own = keyed.filter(({ hasOwnProcess }) => hasOwnProcess);
    return [...first, ...others, ...own].map(({ file }) => file);
  }
}
