import { formatDuration } from "../../../base/text/format-time.ts";
import type { ScheduleAction, ScheduleRun, Timing } from "../../../schedule/index.ts";

export const timingWords = (timing: Timing): string =>
  "cron" in timing
    ? `${timing.cron} (${timing.timezone})`
    : `every ${formatDuration(timing.everyMs)}`;

export function actionWords(action: ScheduleAction): string {
  const { kind, campaign, missing, staleMs, format, onlyNew, changes, target } = action;
  return [
    kind,
    ...(target === undefined ? [] : [target]),
    ...(campaign === undefined ? [] : [campaign]),
    ...(missing ? [`without ${missing.join(", ")}`] : []),
    ...(staleMs === undefined ? [] : [`not read for ${formatDuration(staleMs)}`]),
    ...(onlyNew === undefined ? [] : [`only new by ${onlyNew}`]),
    ...(changes === undefined ? [] : [`changes by ${changes}`]),
    ...(format === undefined ? [] : [`as ${format}`]),
  ].join(" ");
}

export function runWords(run: ScheduleRun | null): string {
  if (!run) return "";
  const why = run.reason === null ? "" : `: ${run.reason}`;
  return `${run.occurrence} ${run.state}${why}`;
}
