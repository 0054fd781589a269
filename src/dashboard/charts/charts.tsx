import { useMemo } from "preact/hooks";
import { api, type AnswerOf } from "../data/api.ts";
import { formatBytes, formatCount, formatDuration, formatMoney } from "../data/format.ts";
import { serverNowMs } from "../data/format.ts";
import { useResource } from "../data/resource.ts";
import { place, withQuery } from "../data/router.ts";
import { Chart } from "../parts/chart.tsx";
import { Icon } from "../parts/icon.tsx";
import { Same } from "../parts/same.tsx";
import { Loaded, Notice } from "../parts/state-view.tsx";
import { Top } from "../parts/top.tsx";
import { charts, type ChartSpec } from "./chart-list.ts";
import { csvOf, downloadCsv } from "./csv.ts";

type History = AnswerOf<"GET", "/api/history">;

const ranges = [
  ["60", "1 h"],
  ["360", "6 h"],
  ["1440", "24 h"],
  ["10080", "7 d"],
  ["43200", "30 d"],
] as const;

/** For longer ranges the history has one point per hour only. */
const minutesKept = 1_440;

/** Metrics of this node over time. The chart named in the address is enlarged. */
export function Charts() {
  const range = ranges.find(([value]) => value === place.value.query.get("minutes"))?.[0] ?? "360";
  const by = Number(range) > minutesKept ? "hour" : "minute";
  const history = useResource(by, (signal) => api.get("/api/history", { query: { by }, signal }), {
    topics: ["status"],
  });
  const open = charts.find(({ id }) => id === place.value.query.get("chart"));
  return (
    <>
      <Top title="Charts">
        <span class="row" role="group" aria-label="Time">
          {ranges.map(([value, text]) => (
            <a
              key={value}
              class={value === range ? "pill" : "pill quiet"}
              href={withQuery({ minutes: value === "360" ? undefined : value })}
              aria-current={value === range ? "true" : undefined}
            >
              {text}
            </a>
          ))}
        </span>
      </Top>
      <Loaded from={history}>
        {(data) => <Grid history={data} minutes={Number(range)} open={open} />}
      </Loaded>
      <Same command={`forager api GET '/api/history?by=${by}'`} api={`GET /api/history?by=${by}`} />
    </>
  );
}

interface GridProps {
  readonly history: History;
  readonly minutes: number;
  readonly open: ChartSpec | undefined;
}

function Grid({ history, minutes, open }: GridProps) {
  const shown = useMemo(() => since(history, serverNowMs() - 60_000 * minutes), [history, minutes]);
  const known = charts.filter(({ series }) => series.some(({ name }) => hasValues(shown.series[name]))); // prettier-ignore
  if (shown.times.length < 2 || known.length === 0)
    return (
      <section class="card">
        <Notice icon="history" title="No data for this time yet">
          <p>
            <code>forager up</code> keeps one point a minute for a day, and one an hour for 30 days.
            Wait two minutes, or choose another time.
          </p>
        </Notice>
      </section>
    );
  const missing = charts.length - known.length;
  return (
    <>
      {open && <ChartCard key={`${open.id} open`} spec={open} history={shown} isLarge />}
      <div class="charts">
        {known
          .filter(({ id }) => id !== open?.id)
          .map((spec) => (
            <ChartCard key={spec.id} spec={spec} history={shown} />
          ))}
      </div>
      {missing > 0 && (
        <p class="dim">
          <small>
            {missing} more have no values in this time; those of PostgreSQL need a queue on a
            server.
          </small>
        </p>
      )}
    </>
  );
}

const hasValues = (values: readonly (number | null)[] | undefined) =>
  values?.some((value) => value !== null) ?? false;

/** The points since a time. */
function since({ times, series, stepMs }: History, fromMs: number): History {
  const first = times.findIndex((atMs) => atMs >= fromMs);
  const at = first === -1 ? times.length : first;
  return {
    stepMs,
    times: times.slice(at),
    series: Object.fromEntries(
      Object.entries(series).map(([name, values]) => [name, values.slice(at)]),
    ),
  };
}

const formats: Readonly<Record<ChartSpec["unit"], (value: number) => string>> = {
  count: (value) =>
    value < 10 && !Number.isInteger(value) ? value.toFixed(1) : formatCount(value),
  ms: formatDuration,
  bytes: formatBytes,
  share: (value) => `${(100 * value).toFixed(1)} %`,
  dollars: formatMoney,
};

interface ChartCardProps {
  readonly spec: ChartSpec;
  readonly history: History;
  readonly isLarge?: boolean;
}

function ChartCard({ spec, history, isLarge = false }: ChartCardProps) {
  const { id, title, note, unit } = spec;
  const times = useMemo(() => history.times.map((atMs) => atMs / 1_000), [history]);
  const series = useMemo(
    () =>
      spec.series
        .filter(({ name }) => hasValues(history.series[name]))
        .map(({ name, label, colour }) => ({ label, colour, values: history.series[name]! })),
    [history, spec],
  );
  const last = (values: readonly (number | null)[]) => values.findLast((value) => value !== null);
  return (
    <section class="card" aria-label={title}>
      <header class="one-line">
        <div class="sp">
          <h2>
            <a href={withQuery({ chart: isLarge ? undefined : id })}>{title}</a>
          </h2>{" "}
          <small>{note}</small>
        </div>
        <button
          class="btn bare small"
          onClick={() => downloadCsv(`forager-${id}.csv`, csvOf(history, spec))}
        >
          <Icon name="download" /> CSV<span class="for-readers"> of {title}</span>
        </button>
      </header>
      {series.length === 0 ? (
        <p class="dim">No values in this time.</p>
      ) : (
        <>
          <Chart
            label={`${title}: ${series.map(({ label, values }) => `${label} ${formats[unit](last(values) ?? 0)} now`).join(", ")}`}
            times={times}
            series={series}
            height={isLarge ? 320 : 130}
          />
          <p class="legend">
            {series.map(({ label, colour, values }) => (
              <span key={label}>
                <i style={{ background: `var(${colour})` }} />
                {label} <b>{formats[unit](last(values) ?? 0)}</b>
              </span>
            ))}
          </p>
        </>
      )}
    </section>
  );
}
