import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { root } from "../project.ts";
import { readDurations } from "./durations.ts";
import { parseTestHeader } from "./test-header.ts";

/** So many files that need no service keep the processors busy while the services start. */
const filesBeforeServices = 16;

/** The project of vitest whose files share processes. */
export const sharedProject = "shared";

/**
 * The longest files come first, so that no processor waits for one long file at the end. Files
 * that share processes follow each other, because such a process ends before a file of its own.
 */
export class FileOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const durations = readDurations(root);
    const keyed = files
      .map((file) => {
        const path = relative(root, file.moduleId).replaceAll("\\", "/");
        const { needs } = parseTestHeader(path, readFileSync(file.moduleId, "utf8"));
        const isShared = file.project.name === sharedProject;
        return { file, needs, isShared, seconds: durations[path] ?? 0 };
      })
      .toSorted((a, b) => b.seconds - a.seconds);
    const isolated = keyed.filter(({ isShared }) => !isShared);
    const first = isolated.filter(({ needs }) => needs.length === 0).slice(0, filesBeforeServices);
    const others = isolated.filter((one) => !first.includes(one));
    const shared = keyed.filter(({ isShared }) => isShared);
    return [...first, ...others, ...shared].map(({ file }) => file);
  }
}
