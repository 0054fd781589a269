import { useMemo } from "preact/hooks";
import { api, type AnswerOf } from "../data/api.ts";
import { formatCount, serverNowMs } from "../data/format.ts";
import { useResource } from "../data/resource.ts";
import { tasksHref } from "../data/task-query.ts";
import { Chart } from "../parts/chart.tsx";
import { SpanLinks, spanInUrl } from "../parts/span-links.tsx";
import { Loaded, Notice } from "../parts/state-view.tsx";

const spans = [
  ["60", "1 h"],
  ["360", "6 h"],
  ["1440", "24 h"],
  ["10080", "7 d"],
  ["43200", "30 d"],
] as const;

/** For longer times the queue's log is not read; this node stores its counts per hour. */
const logMinutesMax = 1_440;

/** Finished tasks over time, and how long the rest will take. */
export function ThroughputCard() {
  const span = spanInUrl(spans);
  const isLong = Number(span) > logMinutesMax;
  const minutes = isLong ? 60 : Number(span);
  const recent = useResource(
    String(minutes),
    (signal) => api.get("/api/queue/throughput", { query: { minutes }, signal }),
    { topics: ["queue"] },
  );
  const hours = useResource(
    "hours",
    (signal) => api.get("/api/history", { query: { by: "hour" }, signal }),
    { isIdle: !isLong },
  );
  return (
    <section class="card">
      <header>
        <h2>Throughput</h2>
        <small>finished tasks per minute{isLong ? ", of this node" : ""}</small>
        <span class="sp" />
        <SpanLinks spans={spans} />
      </header>
      {isLong ? (
        <Loaded from={hours}>
          {(kept) => <KeptHours kept={kept} minutes={Number(span)} recent={recent.data} />}
        </Loaded>
      ) : (
        <Loaded from={recent}>{(data) => <History {...data} />}</Loaded>
      )}
    </section>
  );
}

interface KeptHoursProps {
  readonly kept: AnswerOf<"GET", "/api/history">;
  readonly minutes: number;
  readonly recent: AnswerOf<"GET", "/api/queue/throughput"> | undefined;
}

/** What this node has recorded about its past; it survives a restart. */
function KeptHours({ kept, minutes, recent }: KeptHoursProps) {
  const shown = useMemo(() => {
    const fromMs = serverNowMs() - minutes * 60_000;
    const first = kept.times.findIndex((atMs) => atMs >= fromMs);
    const since = <T,>(all: readonly T[]) => (first === -1 ? [] : all.slice(first));
    const of = (name: string) => since(kept.series[name] ?? kept.times.map(() => null));
    return {
      times: since(kept.times).map((atMs) => atMs / 1_000),
      done: of("tasksDone"),
      failed: of("tasksFailed"),
    };
  }, [kept, minutes]);
  if (shown.times.length < 2)
    return (
      <Notice icon="history" title="Nothing is recorded for this time yet">
        <p>
          <code>forager up</code> keeps one point an hour, for 30 days.
        </p>
      </Notice>
    );
  const left = { left: recent?.left ?? 0, leftMinutes: recent?.leftMinutes ?? null };
  return <History {...shown} {...left} stepMinutes={kept.stepMs / 60_000} isComplete />;
}

interface HistoryProps {
  readonly times: readonly number[];
  /** Per minute; null if not known. */
  readonly done: readonly (number | null)[];
  readonly failed: readonly (number | null)[];
  /** Default: the distance between the times. */
  readonly stepMinutes?: number;
  readonly isComplete: boolean;
  readonly left: number;
  readonly leftMinutes: readonly [number, number] | null;
}

function History(props: HistoryProps) {
  const { times, done, failed, isComplete, left, leftMinutes } = props;
  const series = useMemo(
    () => [
      { label: "done", colour: "--accent", values: done },
      { label: "failed", colour: "--bad", values: failed },
    ],
    [done, failed],
  );
  const stepMinutes = props.stepMinutes ?? ((times[1] ?? 60) - (times[0] ?? 0)) / 60;
  const total = stepMinutes * done.reduce<number>((sum, one) => sum + (one ?? 0), 0);
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
          <a href={tasksHref({ state: ["done", "failed"] })}>{formatCount(total)}</a>
          {isComplete ? "" : " and more"}
        </dd>
        <dt>Left</dt>
        <dd>
          {left === 0 ? (
            "nothing"
          ) : (
            <a href={tasksHref({ state: ["pending", "running"] })}>{formatCount(left)} tasks</a>
          )}
        </dd>
        {left > 0 && (
          <>
            <dt>Time left</dt>
            <dd>{leftMinutes ? rangeText(leftMinutes) : "not known: nothing finished recently"}</dd>
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
