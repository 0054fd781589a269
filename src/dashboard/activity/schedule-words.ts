/** Schedules in words: when they run and what they do. */
import type { RowOf } from "../data/api.ts";
import { formatDuration } from "../data/format.ts";

type Schedule = RowOf<"/api/schedules">;

const weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/** A time of day, or undefined if the fields mean more than one. */
function clockTime(minute: string, hour: string): string | undefined {
  if (!/^\d{1,2}$/.test(minute) || !/^\d{1,2}$/.test(hour)) return undefined;
  return `${hour.padStart(2, "0")}:${minute.padStart(2, "0")}`;
}

/** Names of days for `1-5`, `1,3` and `*`; undefined for other patterns. */
function dayWords(days: string): string | undefined {
  if (days === "*") return "every day";
  if (days === "1-5") return "Monday to Friday";
  if (!/^[0-7](?:,[0-7])*$/.test(days)) return undefined;
  const names = days.split(",").map((day) => weekdays[Number(day) % 7]!);
  return names.length === 1 ? `every ${names[0]}` : names.join(", ");
}

/** Common cron patterns in words; undefined for others, which are shown as the five fields. */
export function cronWords(cron: string): string | undefined {
  const [minute = "", hour = "", day = "", month = "", weekday = ""] = cron.trim().split(/\s+/);
  if (month !== "*") return undefined;
  if (day === "*" && weekday === "*" && hour === "*") {
    const [, step] = /^\*\/(\d{1,2})$/.exec(minute) ?? [];
    if (step !== undefined) return `every ${step} minutes`;
    if (/^\d{1,2}$/.test(minute)) return `every hour at :${minute.padStart(2, "0")}`;
    return undefined;
  }
  const time = clockTime(minute, hour);
  if (time === undefined) return undefined;
  if (day === "*") {
    const days = dayWords(weekday);
    return days && `${days} at ${time}`;
  }
  return /^\d{1,2}$/.test(day) && weekday === "*" ? `on day ${day} of every month at ${time}` : undefined; // prettier-ignore
}

export function timingWords(timing: Schedule["timing"]): string {
  if ("everyMs" in timing) return `every ${formatDuration(timing.everyMs)}`;
  return `${cronWords(timing.cron) ?? timing.cron} (${timing.timezone})`;
}

export function actionWords(action: Schedule["action"]): string {
  const { kind, campaign, missing, staleMs, format, onlyNew, target } = action;
  return [
    kind,
    ...(target === undefined ? [] : [target]),
    ...(campaign === undefined ? [] : [campaign]),
    ...(missing ? [`without ${missing.join(", ")}`] : []),
    ...(staleMs === undefined ? [] : [`not read for ${formatDuration(staleMs)}`]),
    ...(format === undefined ? [] : [`as ${format}`]),
    ...(onlyNew === undefined ? [] : [`only what is new to ${onlyNew}`]),
  ].join(" ");
}
