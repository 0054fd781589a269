import { expect } from "vitest";
import type { RunResult } from "./built-cli.ts";

/** What `forager loadtest --json` says. */
export interface LoadtestDocument {
  readonly isGood: boolean;
  readonly tasks: number;
  readonly kills: number;
  readonly stops: number;
  readonly answers: Readonly<Record<string, number>>;
  readonly checks: readonly LoadtestCheck[];
  readonly last: { readonly profile: string } | null;
}

export interface LoadtestCheck {
  readonly name: string;
  readonly value: number;
  readonly isGood: boolean;
}

/** What the machine's other work decides is not for a test; what is promised always is. */
export const isAboutTime = /^(?:recovery|processor|memory)/;

/** The short form: the baseline's hour in six seconds. It waits more than it works. */
export async function runLoadtest(forager: (words: readonly string[]) => Promise<RunResult>) {
  const words = ["loadtest", "--time-scale", "600", "--data", "data", "--json"];
  const { stdout, stderr, exitCode } = await forager(words);
  expect(stdout, stderr).not.toBe("");
  return { result: JSON.parse(stdout) as LoadtestDocument, exitCode, stderr };
}

export const failedChecks = ({ checks }: LoadtestDocument): readonly string[] =>
  checks.filter(({ name, isGood }) => !isGood && !isAboutTime.test(name)).map(({ name }) => name);
