import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { SourceTree } from "./signature.ts";
import { parseTestHeader } from "./test-header.ts";
import type { TestHeader } from "./test-header.ts";

export interface TestFile extends TestHeader {
  readonly path: string;
  /** Its row in the summary: unit, conformance, or its folder under test/. */
  readonly group: string;
  /** False where a result depends on what the file does not tell: it runs every time. */
  readonly isCacheable: boolean;
}

export interface Selection {
  /** The under-a-minute loop: unit and tidy, nothing that needs a service. */
  readonly isQuick: boolean;
  /** Also `*-long.test.ts`, which are otherwise run only when a filter names them. */
  readonly isLong: boolean;
  /** Parts of paths; none selects all. */
  readonly filters: readonly string[];
}

export async function findTestFiles(tree: SourceTree, selection: Selection): Promise<TestFile[]> {
  const { isQuick, isLong, filters } = selection;
  const found: TestFile[] = [];
  for (const path of tree.files) {
    if (!/^(src|test)\/.*\.test\.ts$/.test(path)) continue;
    if (filters.length > 0 && !filters.some((filter) => path.includes(filter))) continue;
    if (path.endsWith("-long.test.ts") && !isLong && filters.length === 0) continue;
    const source = await readFile(join(tree.root, path), "utf8");
    const header = parseTestHeader(path, source);
    const group = groupOf(path);
    if (isQuick && (header.needs.length > 0 || !["unit", "tidy"].includes(group))) continue;
    if (isQuick && takesItsTime.test(path)) continue;
    // What a child process reads is not to be seen in the imports.
    const isCacheable = !source.includes("node:child_process") || header.inputs.length > 0;
    found.push({ path, group, isCacheable, ...header });
  }
  return found;
}

/**
 * Races, random histories, crashes, faults and recounts go on for a while on purpose, and the whole
 * suite of the queue runs in memory alone: `npm test` runs the rest.
 */
const takesItsTime =
  /[-/](race|model|crash|faults|comparison|reconcile|maintenance|leases-and-runs|lane-walk|logs|many-shards|(sqlite|bucket)-queue-store)\.test\.ts$/;

function groupOf(path: string): string {
  if (path.endsWith(".conformance.test.ts")) return "conformance";
  if (path.startsWith("src/")) return "unit";
  return path.split("/")[1]!.replace(/\.test\.ts$/, "");
}
