import type { AnswerOf } from "../data/api.ts";
import { formatCount, formatDuration, formatShare, plural } from "../data/format.ts";
import { tasksHref, taskStates } from "../data/task-query.ts";
import { Same } from "../parts/same.tsx";
import { Notice } from "../parts/state-view.tsx";
import { Text } from "../parts/text.tsx";
import { reasonText } from "../parts/waiting-reasons.ts";
import { Durations } from "./durations.tsx";

export type Stats = AnswerOf<"GET", "/api/queue/stats">;
type Kind = Stats["kinds"][number];

/** A task that could run and has waited longer than this is stuck: see the alarm `stuck`. */
const stuckMs = 600_000;

/** Tasks by kind and state, why tasks wait, and how long earlier tasks waited. */
export function Kinds({ stats }: { readonly stats: Stats }) {
  if (stats.kinds.length === 0)
    return (
      <>
        <section class="card">
          <Notice icon="list-todo" title="The queue is empty">
            <p>
              A campaign fills it: <code>forager campaign run NAME</code>. Finished tasks stay for{" "}
              some days; older ones are in <code>forager queue log</code>.
            </p>
          </Notice>
        </section>
        <Same command="forager queue stats" api="GET /api/queue/stats" />
      </>
    );
  return (
    <>
      <div class="grid">
        <section class="card" aria-label="Kinds">
          <header>
            <h2>Tasks by kind</h2>
            <small>each number is a link to its tasks</small>
          </header>
          <table class="cards">
            <thead>
              <tr>
                <th>Kind</th>
                {taskStates.map((state) => (
                  <th class="n" key={state}>
                    {state}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {stats.kinds.map((kind) => (
                <KindLine key={kind.kind} kind={kind} />
              ))}
            </tbody>
          </table>
        </section>
        <Waiting stats={stats} />
      </div>
      <Durations stats={stats} />
      <Same command="forager queue stats" api="GET /api/queue/stats" />
    </>
  );
}

function KindLine({ kind }: { readonly kind: Kind }) {
  return (
    <tr>
      <td data-label="Kind">
        <span>
          <a href={tasksHref({ kind: kind.kind })}>
            <b>
              <Text value={kind.kind} max={60} />
            </b>
          </a>
          {kind.claimableAgeMs > stuckMs && (
            <>
              <br />
              <a class="pill warn" href={tasksHref({ kind: kind.kind, waits: "worker_capacity" })}>
                {formatCount(kind.claimable)} could run, and have waited for{" "}
                {formatDuration(kind.claimableAgeMs)}
              </a>
            </>
          )}
        </span>
      </td>
      {taskStates.map((state) => (
        <td class="n" data-label={state} key={state}>
          <a
            class={kind[state] === 0 ? "dim" : state === "failed" ? "pill bad" : ""}
            href={tasksHref({ state: [state], kind: kind.kind })}
          >
            {formatCount(kind[state])}
          </a>
        </td>
      ))}
    </tr>
  );
}

function Waiting({ stats }: { readonly stats: Stats }) {
  const { pending } = stats.states;
  const waiting = stats.reasons.filter(({ count }) => count > 0);
  return (
    <section class="card" aria-label="Why tasks wait">
      <header>
        <h2>{pending === 0 ? "No task waits" : `Why ${plural(pending, "task")} wait`}</h2>
      </header>
      {pending === 0 ? (
        <p class="dim">
          All tasks are done, skipped or failed.{" "}
          <a class="accent" href="/campaigns">
            Run a campaign
          </a>{" "}
          to add more.
        </p>
      ) : (
        <>
          <div class="shares" aria-hidden>
            {waiting.map(({ reason, share }) => (
              <i
                key={reason}
                style={{
                  width: `${100 * share}%`,
                  background: `var(${reasonText(reason).colour})`,
                }}
              />
            ))}
          </div>
          <ul class="reasons">
            {waiting.map(({ reason, count, oldestAgeMs }) => (
              <li key={reason}>
                <i style={{ background: `var(${reasonText(reason).colour})` }} />
                <span>
                  <a href={tasksHref({ waits: reason })}>{reasonText(reason).title}</a>
                  <small class="dim">{reasonText(reason).meaning}</small>
                </span>
                <span class="n">
                  <a href={tasksHref({ waits: reason })}>{formatCount(count)}</a>{" "}
                  <span class="dim">{formatShare(count, pending)}</span>
                  <small class="dim">oldest {formatDuration(oldestAgeMs)}</small>
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}
