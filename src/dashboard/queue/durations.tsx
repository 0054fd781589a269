import { api, type RowOf } from "../data/api.ts";
import { formatCount, formatDuration } from "../data/format.ts";
import { useResource } from "../data/resource.ts";
import { tasksHref } from "../data/task-query.ts";
import { Busy } from "../charts/busy.tsx";
import { Text } from "../parts/text.tsx";
import { reasonText } from "../parts/waiting-reasons.ts";
import type { Stats } from "./kinds.tsx";

type Percentiles = Stats["waits"];

interface Line {
  readonly name: string;
  readonly href?: string;
  readonly values: Percentiles;
}

/** Median, 95th and 99th percentile: of waits before a start, of present waits, of runs. */
export function Durations({ stats }: { readonly stats: Stats }) {
  const activity = useResource("kinds", (signal) =>
    api.get("/api/queue/activity", { query: { by: "kind" }, signal }),
  );
  const ages = useResource("ages", (signal) => api.get("/api/queue/waits", { signal }));
  const waited = [
    { name: "all kinds", values: stats.waits },
    ...stats.kinds.map(({ kind, waits }) => ({ name: kind, values: waits })),
  ];
  const waiting = (ages.data?.reasons ?? []).map(({ reason, ...values }) => ({
    name: reasonText(reason).title,
    href: tasksHref({ waits: reason }),
    values,
  }));
  return (
    <>
      <Percentile
        title="How long tasks waited before they started"
        note="tasks that started since the queue was created"
        first={["Kind", "Starts"]}
        lines={waited}
      />
      <div class="grid halves">
        <Percentile
          title="How long pending tasks have waited"
          note={ages.data?.isComplete === false ? `the oldest ${formatCount(ages.data.read)}, since they were added` : "since they were added, by reason"} // prettier-ignore
          first={["Reason", "Tasks"]}
          lines={waiting}
        />
        <Runs rows={activity.data?.rows ?? []} />
      </div>
    </>
  );
}

/** What workers measured in the last hour: how many attempts started, and how long they ran. */
function Runs({ rows }: { readonly rows: readonly RowOf<"/api/queue/activity">[] }) {
  if (rows.length === 0) return null;
  return (
    <section class="card" aria-label="How long attempts ran">
      <header>
        <h2>How long attempts ran</h2>
        <small>in the last hour, as workers measured it</small>
      </header>
      <table class="cards">
        <thead>
          <tr>
            <th>Kind</th>
            <th class="n">Started</th>
            <th class="n">median</th>
            <th class="n">95 %</th>
            <th class="n">99 %</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.name}>
              <td data-label="Kind">
                <Text value={row.name} max={60} />
              </td>
              <td class="n" data-label="Started">
                <Busy activity={row} />
              </td>
              {([row.runs.p50Ms, row.runs.p95Ms, row.runs.p99Ms] as const).map((ms, at) => (
                <td class="n" key={at} data-label={["median", "95 %", "99 %"][at]}>
                  {formatDuration(ms)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface PercentileProps {
  readonly title: string;
  readonly note: string;
  readonly first: readonly [string, string];
  readonly lines: readonly Line[];
}

function Percentile({ title, note, first: [what, count], lines }: PercentileProps) {
  const rows = lines.filter(({ values }) => values.count > 0);
  if (rows.length === 0) return null;
  return (
    <section class="card" aria-label={title}>
      <header>
        <h2>{title}</h2>
        <small>{note}</small>
      </header>
      <table class="cards">
        <thead>
          <tr>
            <th>{what}</th>
            <th class="n">{count}</th>
            <th class="n">median</th>
            <th class="n">95 %</th>
            <th class="n">99 %</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, href, values }) => (
            <tr key={name}>
              <td data-label={what}>
                {href === undefined ? <Text value={name} max={60} /> : <a href={href}>{name}</a>}
              </td>
              <td class="n" data-label={count}>
                {formatCount(values.count)}
              </td>
              <td class="n" data-label="median">
                {formatDuration(values.p50Ms)}
              </td>
              <td class="n" data-label="95 %">
                {formatDuration(values.p95Ms)}
              </td>
              <td class="n" data-label="99 %">
                {formatDuration(values.p99Ms)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
