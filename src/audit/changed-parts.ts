import { lineDiff } from "../base/text/line-diff.ts";

/** The fields that a change altered, before and after. Both are `{}` if nothing changed. */
export interface ChangedParts {
  /** Undefined if the object did not exist before. */
  readonly before: unknown;
  /** Undefined if the object was deleted. */
  readonly after: unknown;
}

/** Compares two values. Of texts with several lines, only the lines that differ are kept. */
export function changedParts(before: unknown, after: unknown): ChangedParts {
  if (!isFields(before) || !isFields(after)) return { before, after };
  const was: Record<string, unknown> = {};
  const is: Record<string, unknown> = {};
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [old, now] = [before[name], after[name]];
    if (JSON.stringify(old) === JSON.stringify(now)) continue;
    const [oldPart, newPart] = isText(old) && isText(now) ? changedLines(old, now) : [old, now];
    if (oldPart !== undefined) was[name] = oldPart;
    if (newPart !== undefined) is[name] = newPart;
  }
  return { before: was, after: is };
}

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isText = (value: unknown): value is string =>
  typeof value === "string" && value.includes("\n");

function changedLines(before: string, after: string): readonly [string, string] {
  const lines = lineDiff(before, after);
  const of = (kind: "del" | "add") =>
    lines.filter((line) => line.kind === kind).map(({ text }) => text).join("\n"); // prettier-ignore
  return [of("del"), of("add")];
}
