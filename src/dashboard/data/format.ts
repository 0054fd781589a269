/** Formats numbers, times and amounts for people. */
import { signal } from "@preact/signals";

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const oneDigit = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });

/** A value other than zero is never shown as zero. */
const tiny = new Intl.NumberFormat("en", {
  maximumSignificantDigits: 2,
  maximumFractionDigits: 20,
});

export const formatCount = (value: number): string => whole.format(value);

/** For hours, kilometres or limits, which may have fractions. */
export const formatAmount = (value: number): string =>
  Number.isInteger(value) ? whole.format(value) : value.toLocaleString("en", { maximumSignificantDigits: 3, maximumFractionDigits: 20 }); // prettier-ignore

export function formatShare(part: number, all: number): string {
  if (all === 0) return "";
  const share = (100 * part) / all;
  return `${share > 0 && share < 1 ? "<1" : whole.format(share)} %`;
}

export { countOf as plural } from "../../base/text/count-words.ts";

export function formatMoney(dollars: number): string {
  if (dollars === 0) return "$0";
  if (dollars < 0.001) return `$${tiny.format(dollars)}`;
  const digits = dollars < 0.01 ? 4 : dollars < 10 ? 3 : 2;
  return `$${dollars.toFixed(digits)}`;
}

export function formatBytes(bytes: number): string {
  const units = ["B", "KB", "MB", "GB", "TB"];
  let value = bytes;
  let unit = 0;
  while (value >= 1_000 && unit < units.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  return `${oneDigit.format(value)} ${units[unit]}`;
}

export const formatDistance = (metres: number): string =>
  metres < 1_000 ? `${whole.format(metres)} m` : `${oneDigit.format(metres / 1_000)} km`;

export function formatDuration(ms: number): string {
  const seconds = Math.max(0, ms) / 1_000;
  if (seconds < 1) return `${Math.round(Math.max(0, ms))} ms`;
  if (seconds < 10) return `${oneDigit.format(seconds)} s`;
  if (seconds < 90) return `${Math.round(seconds)} s`;
  const minutes = seconds / 60;
  if (minutes < 90) return `${Math.round(minutes)} min`;
  const hours = minutes / 60;
  if (hours < 48) return `${oneDigit.format(hours)} h`;
  return `${Math.round(hours / 24)} days`;
}

/** The server's clock minus the browser's: ages are computed with the server's clock. */
export const clockOffsetMs = signal(0);
/** Changes every second while the page is visible. */
export const tick = signal(0);
/** Changes every 15 seconds, for what is shown in minutes or more. */
export const slowTick = signal(0);

export const serverNowMs = (): number => Date.now() + clockOffsetMs.value;

export function formatAgo(atMs: number): string {
  const ageMs = serverNowMs() - atMs;
  if (ageMs < -5_000) return `in ${formatDuration(-ageMs)}`;
  return ageMs < 2_000 ? "just now" : `${formatDuration(ageMs)} ago`;
}

const timeFormat = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const dayFormat = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });

/** In the viewer's time zone. */
export const formatTime = (atMs: number): string => timeFormat.format(atMs);
export const formatDay = (atMs: number): string => dayFormat.format(atMs);

/** The time in an ISO text, or in a stamp of the ledger, which begins with one. */
export function timeOf(text: string): number | undefined {
  const ms = Date.parse(text.slice(0, 24));
  return Number.isNaN(ms) ? undefined : ms;
}
