import { readFileSync } from "node:fs";
import type { ServiceName } from "../services/service.ts";

/** Names the file in which a run of the tests writes where each service is, as they start. */
export const servicesFileVariable = "FORAGER_TEST_SERVICES_FILE";

/** Longer than any service takes to be installed and started. */
const waitMsMax = 600_000;
const pollMs = 50;

/**
 * The environment variables of services, once all of them run or are known to be missing. Without
 * a file the caller's environment has to have them already.
 */
export async function waitForServices(
  names: readonly ServiceName[],
): Promise<Readonly<Record<string, string>>> {
  const file = process.env[servicesFileVariable];
  if (!file || names.length === 0) return {};
  for (const startMs = performance.now(); performance.now() - startMs < waitMsMax;) {
    const answers = readAnswers(file);
    if (names.every((name) => name in answers))
      return Object.assign({}, ...names.map((name) => answers[name])) as Record<string, string>;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
  throw new Error(`the services ${names.join(", ")} did not start within ${waitMsMax / 1_000} s`);
}

function readAnswers(file: string): Readonly<Record<string, Readonly<Record<string, string>>>> {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as ReturnType<typeof readAnswers>;
  } catch {
    return {}; // no service has answered yet
  }
}
