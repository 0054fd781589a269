import { isServiceName } from "../services/service.ts";
import type { ServiceName } from "../services/service.ts";
import { AppError } from "../../src/base/app-error.ts";

/**
 * What a test file says of itself in `//` comments before its first line of code:
 *
 *     // needs: postgres s3           the services that must run (see test/support/services.ts)
 *     // inputs: docs/** README.md    files it reads or runs that it does not import
 *     // long: chaos                  the group of `npm run test:long` that runs its long form
 *     // process: own                 it measures memory or time or watches a prototype, so it
 *                                     shares no process
 *
 * A file that replaces a module (`vi.mock`) shares no process either: the module would stay replaced
 * for the files after it.
 *
 * `inputs` may be given several times. A file that runs the built program declares `src/**`.
 */
export interface TestHeader {
  readonly needs: readonly ServiceName[];
  readonly inputs: readonly string[];
  readonly longGroup?: string;
  readonly hasOwnProcess: boolean;
}

export function parseTestHeader(path: string, source: string): TestHeader {
  const needs: ServiceName[] = [];
  const inputs: string[] = [];
  let longGroup: string | undefined;
  let hasOwnProcess = /^\s*vi\.(mock|doMock)\(/m.test(source);
  for (const line of source.split("\n")) {
    if (line.trim() !== "" && !line.startsWith("//")) break;
    const [, key, value = ""] = /^\/\/ (needs|inputs|long|process): (.+)$/.exec(line.trim()) ?? [];
    const words = value.split(/\s+/).filter(Boolean);
    if (key === "inputs") inputs.push(...words);
    if (key === "needs") for (const word of words) needs.push(serviceName(path, word));
    if (key === "long") [longGroup] = words;
    if (key === "process") hasOwnProcess ||= value === "own";
  }
  return { needs, inputs, hasOwnProcess, ...(longGroup === undefined ? {} : { longGroup }) };
}

function serviceName(path: string, word: string): ServiceName {
  if (isServiceName(word)) return word;
  const message = `${path} needs "${word}", which is no service; see scripts/services/service.ts`;
  throw new AppError("invalid", "unknown_service", message);
}
