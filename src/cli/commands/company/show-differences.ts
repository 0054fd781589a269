import type { FieldDifference } from "../../../records/index.ts";
import type { SettingsContext } from "../../frame/command.ts";

/** More of them would scroll away before anybody read them. */
const shownMax = 40;

/** What is about to change, a line for each field, on the error stream: stdout has the result. */
export function showDifferences(
  out: SettingsContext["out"],
  differences: readonly FieldDifference[],
  nameOf?: (target: string) => string,
): void {
  for (const { target, field, now, after } of differences.slice(0, shownMax)) {
    const whose = nameOf ? `${nameOf(target)}: ` : "";
    out.note(`${whose}${field}: ${shown(now)} → ${shown(after)}`);
  }
  const rest = differences.length - shownMax;
  if (rest > 0) out.note(`and ${rest} more`);
}

const shown = (value: unknown): string =>
  value === undefined ? "(none)" : value === true ? "(there)" : JSON.stringify(value).slice(0, 200);
