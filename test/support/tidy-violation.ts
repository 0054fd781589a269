import { lineAt } from "./source-scan.ts";

/** A file as a rule sees it: `path` is relative to the repository, with forward slashes. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

export interface Violation {
  readonly path: string;
  readonly line: number;
  readonly message: string;
}

/** A rule is pure: one file in, what is wrong with it out. */
export type Rule = (file: SourceFile) => readonly Violation[];

/** One violation for each place where `pattern` (global) matches this view of the file. */
export function violationsOf(
  file: SourceFile,
  search: { readonly view: string; readonly pattern: RegExp; readonly message: string },
): readonly Violation[] {
  return [...search.view.matchAll(search.pattern)].map((match) => ({
    path: file.path,
    line: lineAt(search.view, match.index),
    message: search.message,
  }));
}

export function isTypeScript(path: string): boolean {
  return /\.tsx?$/.test(path);
}

/** Code that never ships: unit tests, conformance suites and doubles, everything under test/. */
export function isTestCode(path: string): boolean {
  return path.endsWith(".test.ts") || path.startsWith("test/") || path.includes("/testing/");
}

/** As people read it: `src/a.ts:3 what is wrong`. */
export function formatViolations(violations: readonly Violation[]): string {
  return violations.map(({ path, line, message }) => `${path}:${line} ${message}`).join("\n");
}
