import type { FieldDifference } from "../../../../records/index.ts";
import type { SettingsContext } from "../../../frame/command.ts";

/** More lines would scroll off the screen. */
const shownMax = 40;

/**
 * Prints the fields that are about to change, one per line, to stderr; stdout is for the result.
 */
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
