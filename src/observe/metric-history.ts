import * as z from "zod";
import type { Clock, Timer } from "../base/clock.ts";
import type { Logger } from "../base/log/logger.ts";
import type { Service } from "../base/service.ts";

const row = z.tuple([z.number()], z.number().nullable());

/**
 * The format on disk: the names of the series, then points with a time and a value for each name.
 */
export const historySchema = z.object({
  format: z.literal(1),
  names: z.array(z.string().max(100)).max(50),
  minutes: z.array(row).max(2_000),
  hours: z.array(row).max(1_000),
});
export type StoredHistory = z.output<typeof historySchema>;

export interface HistoryPoint {
  readonly atMs: number;
  readonly values: Readonly<Record<string, number>>;
}

export interface MetricHistoryOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** Reads the current values. Counters are totals; their differences are stored. */
  readonly read: () => Promise<{
    readonly gauges: Readonly<Record<string, number>>;
    readonly counters: Readonly<Record<string, number>>;
  }>;
  readonly load: () => Promise<StoredHistory | undefined>;
  readonly save: (history: StoredHistory) => Promise<void>;
}

/** Points of the last day by minute, and of the last 30 days by hour. */
export interface MetricHistory extends Service {
  minutes(): readonly HistoryPoint[];
  hours(): readonly HistoryPoint[];
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const minutesMax = 24 * 60;
const hoursMax = 30 * 24;

/**
 * Keeps metrics over restarts. Both rings are bounded. They are stored once an hour and on stop,
 * because an idle node should write little; a process that is killed loses the last hour.
 */
export function createMetricHistory(options: MetricHistoryOptions): MetricHistory {
  const { clock, log, read, load, save } = options;
  let minutes: readonly HistoryPoint[] = [];
  let hours: readonly HistoryPoint[] = [];
  let before: Readonly<Record<string, number>> | undefined;
  let timer: Timer | undefined;
  let savedMs = 0;
  let taking: Promise<void> = Promise.resolve();

  const take = async () => {
    const { gauges, counters } = await read();
    const grown = Object.entries(before ? counters : {}).map(
      ([name, value]) => [name, Math.max(0, value - (before![name] ?? 0))] as const,
    );
    before = counters;
    const atMs = Math.floor(clock.nowMs() / minuteMs) * minuteMs;
    const point = { atMs, values: { ...gauges, ...Object.fromEntries(grown) } };
    endHour(atMs);
    minutes = [...minutes.filter((one) => one.atMs < atMs), point].slice(-minutesMax);
    if (clock.nowMs() - savedMs >= hourMs) await store();
  };
  const endHour = (atMs: number) => {
    const ended = endedHour(minutes, atMs);
    if (ended) hours = [...hours.filter((one) => one.atMs < ended.atMs), ended].slice(-hoursMax);
  };
  const store = async () => {
    savedMs = clock.nowMs();
    await save(toStored(minutes, hours));
  };
  const again = () => {
    timer = clock.setTimer(
      minuteMs,
      () => {
        taking = take().catch((error: unknown) => log.warn("the history of metrics has a gap", { error })); // prettier-ignore
        again();
      },
      { background: true },
    );
  };
  return {
    minutes: () => minutes,
    hours: () => hours,
    async start() {
      const stored = await load();
      savedMs = clock.nowMs();
      if (stored) {
        const nowMs = clock.nowMs();
        const isKept = (ms: number) => (one: HistoryPoint) => one.atMs > nowMs - ms && one.atMs <= nowMs; // prettier-ignore
        minutes = pointsOf(stored.names, stored.minutes).filter(isKept(hoursMax * hourMs));
        hours = pointsOf(stored.names, stored.hours).filter(isKept(hoursMax * hourMs));
        // Its minutes may be too old to be kept.
        endHour(nowMs);
        minutes = minutes.filter(isKept(minutesMax * minuteMs));
      }
      await take().catch((error: unknown) => log.warn("the history of metrics has a gap", { error })); // prettier-ignore
      again();
    },
    async stop() {
      timer?.cancel();
      await taking;
      await store().catch((error: unknown) => log.warn("the history of metrics was not stored", { error })); // prettier-ignore
    },
  };
}

/** The mean of the previous hour, if `atMs` begins a new hour. */
function endedHour(minutes: readonly HistoryPoint[], atMs: number): HistoryPoint | undefined {
  const last = minutes.at(-1);
  if (!last) return undefined;
  const hour = Math.floor(last.atMs / hourMs);
  if (hour === Math.floor(atMs / hourMs)) return undefined;
  const points = minutes.filter((one) => Math.floor(one.atMs / hourMs) === hour);
  const names = new Set(points.flatMap(({ values }) => Object.keys(values)));
  const meanOf = (name: string) => {
    const known = points.flatMap(({ values }) => (name in values ? [values[name]!] : []));
    return known.reduce((sum, one) => sum + one, 0) / known.length;
  };
  return {
    atMs: hour * hourMs,
    values: Object.fromEntries([...names].map((name) => [name, meanOf(name)])),
  };
}

function toStored(minutes: readonly HistoryPoint[], hours: readonly HistoryPoint[]): StoredHistory {
  const all = [...minutes, ...hours];
  const names = [...new Set(all.flatMap(({ values }) => Object.keys(values)))].sort().slice(0, 50);
  const rowOf = ({ atMs, values }: HistoryPoint): StoredHistory["minutes"][number] => [
    atMs,
    ...names.map((name) => values[name] ?? null),
  ];
  return { format: 1, names, minutes: minutes.map(rowOf), hours: hours.map(rowOf) };
}

export const pointsOf = (
  names: readonly string[],
  rows: StoredHistory["minutes"],
): readonly HistoryPoint[] =>
  rows.map(([atMs, ...values]) => ({
    atMs,
    values: Object.fromEntries(
      names.flatMap((name, at) => {
        const value = values[at];
        return value === null || value === undefined ? [] : [[name, value] as const];
      }),
    ),
  }));
