import type * as z from "zod";
import { AppError } from "../../base/app-error.ts";
import { docsPage } from "../../base/files/docs-page.ts";
import { nearestHint } from "../../base/text/nearest.ts";
import { valueAt, type ConfigPath } from "./config-layers.ts";

export interface IssuePlace {
  /** The value that was validated. */
  readonly root: unknown;
  /** File and line of a key. */
  readonly placeOf: (path: ConfigPath) => string;
  /** All valid keys. */
  readonly keys: readonly string[];
}

/** Describes an issue: file, line, key, and what to write instead. */
export function describeIssue(issue: z.core.$ZodIssue, at: IssuePlace): readonly string[] {
  const { root, placeOf, keys } = at;
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => {
      const path = [...issue.path, key];
      return `${placeOf(path)}: ${unknownKey(path, valueAt(root, path), keys)}`;
    });
  }
  const isMissing = valueAt(root, issue.path) === undefined;
  const verb = isMissing ? "is missing; it must be" : "must be";
  return [`${placeOf(issue.path)}: ${keyOf(issue.path)} ${verb} ${issue.message}`];
}

/**
 * Default words to complete "<key> must be …", for rules without a text of their own. The messages
 * of the validator are not shown.
 */
export const plainWords: z.core.$ZodErrorMap = (issue) => {
  if (issue.code === "invalid_type") return typeWords[issue.expected] ?? "a value of another kind";
  if (issue.code === "too_small") {
    const { minimum, origin } = issue;
    if (origin === "string") return "text that is not empty";
    return origin === "array" ? `a list of at least ${minimum}` : `${minimum} or more`;
  }
  if (issue.code === "too_big") {
    const { maximum, origin } = issue;
    if (origin === "string") return `text of at most ${maximum} characters`;
    return origin === "array" ? `a list of at most ${maximum}` : `${maximum} or less`;
  }
  return `another value: see ${docsPage("campaigns.md")}`;
};

const typeWords: Readonly<Record<string, string>> = {
  string: "text, in quotes",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list, in [ ]",
  tuple: "a list, in [ ]",
  object: "a table",
  record: "a table",
};

/** Recognises keys of other systems and says what to write instead. */
function unknownKey(path: ConfigPath, value: unknown, keys: readonly string[]): string {
  const key = keyOf(path);
  const miles = /^proximity[-_]?miles$/i.test(String(path.at(-1)));
  if (miles && typeof value === "number") {
    const km = Math.round(value * 16.09344) / 10;
    return `distances are in kilometres here: write proximityKm = ${km} for ${key} = ${value}`;
  }
  if (/^proximity$/i.test(String(path.at(-1)))) {
    return `unknown key ${key}: write proximityKm, in kilometres (a mile has 1.609)`;
  }
  const bare = path.filter((part) => typeof part === "string").join(".");
  const hint = nearestHint(bare, keys, (valid) => `; the nearest valid key is ${valid}`);
  return `unknown key ${key.slice(0, 80)}${hint}`;
}

/** Such as `locations[2].lat`; counted from 1, for people. */
export const keyOf = (path: ConfigPath): string =>
  path.reduce<string>(
    (key, part) =>
      typeof part === "number" ? `${key}[${part + 1}]` : `${key}${key && "."}${String(part)}`,
    "",
  ) || "the file";

const shownMax = 10;

export function faulty(problems: readonly string[], cause?: unknown): AppError {
  const shown = problems.slice(0, shownMax);
  const left = problems.length - shown.length;
  if (left > 0) shown.push(`and ${left} more`);
  const message =
    problems.length === 1
      ? shown.join("")
      : `${problems.length} problems:\n  ${shown.join("\n  ")}`;
  return new AppError("invalid", "campaign_config", message, { cause });
}
