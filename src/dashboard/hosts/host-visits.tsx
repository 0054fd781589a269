import type { AnswerOf } from "../data/api.ts";
import { formatCount, formatDuration, plural } from "../data/format.ts";
import { tasksHref } from "../data/task-query.ts";
import { Notice } from "../parts/state-view.tsx";
import { Ago, Text } from "../parts/text.tsx";
import type { HostGate } from "./gate-state.ts";
import { isEarly, outcomeTexts, PacingLine } from "./pacing-line.tsx";

type Pacing = AnswerOf<"GET", "/api/queue/gates/{gate}/pacing">;

interface HostVisitsProps {
  readonly pacing: Pacing;
  readonly gate: HostGate | undefined;
  readonly name: string;
}

/** The timeline of a host, whether the asked pause was kept, and what the host complained about. */
export function HostVisits({ pacing, gate, name }: HostVisitsProps) {
  const { ends, starts, isComplete } = pacing;
  if (ends.length === 0 && starts.length === 0)
    return (
      <Notice icon="clock" title="No visit in this time">
        <p>
          Choose a longer time, or look at its{" "}
          <a class="accent" href={tasksHref({ gate: name })}>
            tasks
          </a>
          .
        </p>
      </Notice>
    );
  const slow = ends.filter(({ outcome }) => outcome === "slow_down");
  const notes = ends.filter(({ reason }) => reason !== "").slice(-10).toReversed(); // prettier-ignore
  return (
    <div class="stack">
      <PacingLine pacing={pacing} gate={gate} />
      <dl class="pairs">
        <Starts pacing={pacing} name={name} />
        <dt>Visits that ended</dt>
        <dd>
          <a href={tasksHref({ gate: name })}>{formatCount(ends.length)}</a>
          {isComplete ? "" : " or more (only the newest are shown)"}
        </dd>
        <dt>Asked to slow down (429, 503)</dt>
        <dd>{slow.length === 0 ? "never" : plural(slow.length, "time")}</dd>
      </dl>
      <p class="dim">
        <small>
          The worker that sends a request measures when. Each node keeps the records of its last
          attempts, and puts the newest into the bucket every ten minutes. The queue itself stores
          only when an attempt ended.
        </small>
      </p>
      {notes.length > 0 && (
        <ol class="timeline">
          {notes.map(({ atMs, task, outcome, reason }) => (
            <li key={`${task} ${atMs}`} class={outcome === "slow_down" ? "is-slow" : ""}>
              <b>{outcomeTexts[outcome]}</b>{" "}
              <span class="dim">
                <Ago atMs={atMs} />,{" "}
              </span>
              <a class="accent" href={`/queue/tasks?open=${task}`}>
                task {task}
              </a>
              <p class="reason-text">
                <Text value={reason} max={400} />
              </p>
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}

/** The proof of politeness: the shortest time between two requests, and what was asked. */
function Starts({ pacing: { starts, waits }, name }: Pick<HostVisitsProps, "pacing" | "name">) {
  if (starts.length === 0)
    return (
      <>
        <dt>Requests</dt>
        <dd>no node has records of them any more</dd>
      </>
    );
  const gaps = starts.flatMap(({ gapMs }) => gapMs ?? []).toSorted((a, b) => a - b);
  const delays = starts.map(({ delayMs }) => delayMs);
  const [least, most] = [Math.min(...delays), Math.max(...delays)];
  const early = starts.filter(isEarly);
  const nodes = [...new Set(starts.map(({ node }) => node))].filter(Boolean);
  return (
    <>
      <dt>Requests</dt>
      <dd>
        <a href={tasksHref({ gate: name })}>{formatCount(starts.length)}</a>
        {nodes.length > 0 && (
          <>
            , sent by <Text value={nodes.join(", ")} max={200} />
          </>
        )}
      </dd>
      {gaps.length > 0 && (
        <>
          <dt>Shortest time between two</dt>
          <dd>
            {formatDuration(gaps[0]!)}
            {most > 0 &&
              ` (asked: ${least === most ? "" : `${formatDuration(least)} to `}${formatDuration(most)})`}{" "}
            {/* prettier-ignore */}
            {most > 0 &&
              (early.length === 0 ? (
                <span class="pill">the pause was always kept</span>
              ) : (
                <span class="pill bad">{plural(early.length, "request")} too early</span>
              ))}
          </dd>
          <dt>Median time between two</dt>
          <dd>{formatDuration(gaps[Math.floor(gaps.length / 2)]!)}</dd>
        </>
      )}
      {waits.length > 0 && (
        <>
          <dt>Waits it asked for (Retry-After)</dt>
          <dd>
            {plural(waits.length, "wait")}, the longest{" "}
            {formatDuration(Math.max(...waits.map(({ fromMs, untilMs }) => untilMs - fromMs)))}
          </dd>
        </>
      )}
    </>
  );
}
