import { useMemo } from "preact/hooks";
import { api } from "../data/api.ts";
import { formatCount } from "../data/format.ts";
import { useResource } from "../data/resource.ts";
import { place, withQuery } from "../data/router.ts";
import { Chart } from "../parts/chart.tsx";
import { Loaded } from "../parts/state-view.tsx";

const spans = [
  ["60", "1 h"],
  ["360", "6 h"],
  ["1440", "24 h"],
] as const;

/** Finished tasks over time, and how long the rest will take. */
export function ThroughputCard() {
  const minutes = spans.find(([value]) => value === place.value.query.get("minutes"))?.[0] ?? "60";
  const history = useResource(
    minutes,
    (signal) => api.get("/api/queue/throughput", { query: { minutes: Number(minutes) }, signal }),
    { topics: ["queue"] },
  );
  return (
    <section class="card">
      <header>
        <h2>Throughput</h2>
        <small>finished tasks per minute</small>
        <span class="sp" />
        <small>
          {spans.map(([value, text], index) => (
            <>
              {index > 0 && " · "}
              <a
                href={withQuery({ minutes: value === "60" ? undefined : value })}
                class={value === minutes ? "accent" : ""}
                aria-current={value === minutes ? "true" : undefined}
              >
                {text}
              </a>
            </>
          ))}
        </small>
      </header>
      <Loaded from={history}>{(data) => <History {...data} />}</Loaded>
    </section>
  );
}

interface HistoryProps {
  readonly times: readonly number[];
  readonly done: readonly number[];
  readonly failed: readonly number[];
  readonly isComplete: boolean;
  readonly left: number;
  readonly leftMinutes: readonly [number, number] | null;
}

function History({ times, done, failed, isComplete, left, leftMinutes }: HistoryProps) {
  const series = useMemo(
    () => [
      { label: "done", colour: "--accent", values: done },
      { label: "failed", colour: "--bad", values: failed },
    ],
    [done, failed],
  );
  const total = done.reduce((sum, one) => sum + one, 0);
  return (
    <>
      <Chart
        label={`Finished tasks per minute; ${formatCount(total)} in all`}
        times={times}
        series={series}
      />
      <dl class="pairs">
        <dt>Finished in this time</dt>
        <dd>
          {formatCount(total)}
          {isComplete ? "" : " and more"}
        </dd>
        <dt>Left</dt>
        <dd>{left === 0 ? "nothing" : `${formatCount(left)} tasks`}</dd>
        {left > 0 && (
          <>
            <dt>Time left</dt>
            <dd>
              {leftMinutes ? rangeText(leftMinutes) : "not known: nothing has finished lately"}
            </dd>
          </>
        )}
      </dl>
    </>
  );
}

function rangeText([low, high]: readonly [number, number]): string {
  const isHours = high >= 120;
  const shown = (minutes: number) => (isHours ? (minutes / 60).toFixed(1) : String(Math.max(1, Math.round(minutes)))); // prettier-ignore
  const unit = isHours ? "h" : "min";
  return shown(low) === shown(high) ? `about ${shown(low)} ${unit}` : `about ${shown(low)}–${shown(high)} ${unit}`; // prettier-ignore
}
