import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { readDurations, slowSecondsMin } from "./durations.ts";
import type { Durations } from "./durations.ts";
import type { SourceTree } from "./signature.ts";
import { parseTestHeader } from "./test-header.ts";
import type { TestHeader } from "./test-header.ts";

export interface TestFile extends TestHeader {
  readonly path: string;
  /** Its row in the summary: unit, conformance, or its folder under test/. */
  readonly group: string;
  /** False if a result depends on what the file does not name: it runs every time. */
  readonly isCacheable: boolean;
}

export type Selection =
  /** `npm run check`: unit and tidy, nothing that needs a service or is slow. */
  | { readonly kind: "quick" }
  /** `npm test`: everything but files named `*-long.test.ts`. */
  | { readonly kind: "whole" }
  /** `npm test -- PART …`: files whose path contains one of the parts, long ones too. */
  | { readonly kind: "parts"; readonly parts: readonly string[] }
  /** `npm run test:long`: the long forms that belong to the groups; no group selects all. */
  | { readonly kind: "long"; readonly groups: readonly string[] };

export async function findTestFiles(tree: SourceTree, selection: Selection): Promise<TestFile[]> {
  const durations = readDurations(tree.root);
  const found: TestFile[] = [];
  for (const path of tree.files) {
    if (!/^(src|test)\/.*\.test\.ts$/.test(path)) continue;
    const source = await readFile(join(tree.root, path), "utf8");
    const header = parseTestHeader(path, source);
    // What a child process reads is not to be seen in the imports.
    const isCacheable = !source.includes("node:child_process") || header.inputs.length > 0;
    const file = { path, group: groupOf(path), isCacheable, ...header };
    if (isSelected(file, selection, durations)) found.push(file);
  }
  return found;
}

function isSelected(file: TestFile, selection: Selection, durations: Durations): boolean {
  const { path, group, longGroup } = file;
  switch (selection.kind) {
    case "quick":
      return isQuickKind(file) && (group === "tidy" || !isSlow(path, durations));
    case "whole":
      return !isLongOnly(path);
    case "parts":
      return selection.parts.some((part) => path.includes(part));
    case "long":
      return (
        longGroup !== undefined &&
        (selection.groups.length === 0 || selection.groups.includes(longGroup))
      );
  }
}

/** Whether only `npm run test:long` runs a file. */
export function isLongOnly(path: string): boolean {
  return path.endsWith("-long.test.ts");
}

/** Whether `npm run check` runs the file, unless it is slow. */
export function isQuickKind({ path, group, needs }: TestFile): boolean {
  return needs.length === 0 && ["unit", "tidy"].includes(group) && !isLongOnly(path);
}

function isSlow(path: string, durations: Durations): boolean {
  return (durations[path] ?? 0) >= slowSecondsMin;
}

function groupOf(path: string): string {
  if (path.endsWith(".conformance.test.ts")) return "conformance";
  if (path.startsWith("src/")) return "unit";
  return path.split("/")[1]!.replace(/\.test\.ts$/, "");
}
