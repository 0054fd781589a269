import { AppError } from "../base/app-error.ts";

/** One problem of the settings, and its place. */
export interface SettingProblem {
  /** `/path/forager.toml:12:3`, `FORAGER_LOG_LEVEL` or `--data`. */
  readonly where: string;
  /** What is wrong and what would be right. Never contains a secret. */
  readonly text: string;
  /** The line in the file, for sorting. */
  readonly line?: number;
}

const shownMax = 10;

/** All problems in one error, so that a user can fix them at once. */
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
