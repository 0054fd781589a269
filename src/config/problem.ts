import { AppError } from "../base/app-error.ts";

/** One thing that is wrong with the settings, and where. */
export interface SettingProblem {
  /** `/path/forager.toml:12:3`, `FORAGER_LOG_LEVEL` or `--data`. */
  readonly where: string;
  /** What is wrong and what would be right. Never holds a secret. */
  readonly text: string;
  /** Of a file, for order. */
  readonly line?: number;
}

const shownMax = 10;

/** All problems in one error, so that a user mends them in one go. */
export function settingsError(problems: readonly SettingProblem[]): AppError {
  const lines = problems.slice(0, shownMax).map(({ where, text }) => `${where}: ${text}`);
  const left = problems.length - lines.length;
  if (left > 0) lines.push(`and ${left} more`);
  const message =
    problems.length === 1
      ? lines.join()
      : `${problems.length} problems in the settings:\n  ${lines.join("\n  ")}`;
  return new AppError("invalid", "settings_invalid", message);
}
