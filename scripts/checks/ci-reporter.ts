import { stripVTControlCharacters } from "node:util";
import type { SerializedError } from "vitest";
import type { Reporter, TestCase, TestModule } from "vitest/node";

const linesMax = 14;
const lineLengthMax = 200;

export interface ShownError {
  readonly message: string;
  readonly stack?: string;
  readonly diff?: string;
}

/** What is shown of an error: the first lines of its message, and where it was thrown. */
export function shortenError(error: ShownError): string {
  const stack = (error.stack ?? "").split("\n").filter((line) => /^\s+at /u.test(line));
  const isOurs = (line: string) => !line.includes("node_modules") && !line.includes("node:");
  const where = stack.find(isOurs) ?? stack[0];
  const text = stripVTControlCharacters(`${error.message}\n${error.diff ?? ""}`).split("\n");
  const lines = text.filter((line) => line.trim() !== "");
  const shown = lines.slice(0, linesMax).map((line) => line.slice(0, lineLengthMax));
  const left = lines.length - shown.length;
  return [
    ...shown,
    ...(left > 0 ? [`… and ${left} more lines`] : []),
    ...(where === undefined ? [] : [where.trim()]),
  ]
    .map((line) => `    ${line}`)
    .join("\n");
}

/**
 * For logs that are cut off somewhere: nothing for what passed, and each failure in a few lines as
 * soon as it happens.
 */
export default class CiReporter implements Reporter {
  onTestCaseResult(test: TestCase): void {
    const { state, errors } = test.result();
    if (state === "failed") show(`${test.module.relativeModuleId} > ${test.fullName}`, errors);
  }

  onTestModuleEnd(module: TestModule): void {
    const errors = module.errors();
    if (errors.length > 0) show(module.relativeModuleId, errors);
  }

  onTestRunEnd(_modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    if (errors.length > 0) show("outside of a test", errors);
  }
}

function show(what: string, errors: readonly ShownError[]): void {
  process.stdout.write(`FAILED ${what}\n${errors.map(shortenError).join("\n")}\n`);
}
