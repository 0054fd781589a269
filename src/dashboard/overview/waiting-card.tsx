import type { AnswerOf } from "../data/api.ts";
import { formatCount, formatDuration, plural } from "../data/format.ts";
import { Notice } from "../parts/state-view.tsx";

type QueueStatus = AnswerOf<"GET", "/api/status">["queue"];

const reasonTexts: Readonly<Record<string, readonly [string, string, string]>> = {
  domain_delay: ["Host delay", "polite pauses between visits of one host", "--tile-fresh"],
  concurrency_limit: ["Host limit", "another visit of the same host is running", "--tile-aging"],
  worker_capacity: ["Worker capacity", "more workers would help", "--accent"],
  retry_backoff: ["Retry later", "it failed and is tried again", "--tile-expired"],
  scheduled: ["Scheduled", "its time has not come", "--tile-empty"],
  paused: ["Paused", "somebody paused it", "--tile-failed"],
};

const states = ["pending", "running", "done", "skipped", "failed"] as const;

/** Tasks by state, and the one reason for which each of them waits. */
export function WaitingCard({ queue }: { readonly queue: QueueStatus }) {
  if (!queue)
    return (
      <section class="card">
        <header>
          <h2>Work</h2>
        </header>
        <Notice icon="list-todo" title="No queue yet">
          <p>
            The first campaign makes one: <code>forager campaign run NAME</code>
          </p>
        </Notice>
      </section>
    );
  const waiting = queue.reasons.filter(({ count }) => count > 0);
  const { pending } = queue.states;
  return (
    <section class="card">
      <header>
        <h2>{pending === 0 ? "No task waits" : `Why ${plural(pending, "task")} wait`}</h2>
      </header>
      {pending > 0 && (
        <>
          <div class="shares" aria-hidden>
            {waiting.map(({ reason, share }) => (
              <i
                key={reason}
                style={{
                  width: `${100 * share}%`,
                  background: `var(${reasonTexts[reason]?.[2] ?? "--dim"})`,
                }}
              />
            ))}
          </div>
          <table>
            <tbody>
              {waiting.map(({ reason, count, oldestAgeMs }) => (
                <tr key={reason}>
                  <td>
                    {reasonTexts[reason]?.[0] ?? reason}
                    <br />
                    <small class="dim">{reasonTexts[reason]?.[1]}</small>
                  </td>
                  <td class="n">{formatCount(count)}</td>
                  <td class="n dim nowrap">oldest {formatDuration(oldestAgeMs)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </>
      )}
      <table>
        <thead>
          <tr>
            <th>Tasks</th>
            {states.map((state) => (
              <th class={state === "skipped" ? "n hide-s" : "n"} key={state}>
                {state}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {queue.kinds.slice(0, 12).map((kind) => (
            <tr key={kind.kind}>
              <td>{kind.kind}</td>
              {states.map((state) => (
                <td class={state === "skipped" ? "n hide-s" : "n"} key={state}>
                  {state === "failed" && kind.failed > 0 ? (
                    <span class="pill bad">{formatCount(kind.failed)}</span>
                  ) : (
                    formatCount(kind[state])
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
