import { lineDiff } from "../base/line-diff.ts";

/** What a change did: only the fields that differ. Both are `{}` if nothing does. */
export interface ChangedParts {
  /** Undefined: there was nothing. */
  readonly before: unknown;
  /** Undefined: there is nothing any more. */
  readonly after: unknown;
}

/** Compares what was there with what is there now. Of texts of several lines, only lines that differ are kept. */
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
