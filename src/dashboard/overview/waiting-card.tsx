import type { AnswerOf } from "../data/api.ts";
import { formatCount, formatDuration, plural } from "../data/format.ts";
import { tasksHref, taskStates as states } from "../data/task-query.ts";
import { Notice } from "../parts/state-view.tsx";
import { Text } from "../parts/text.tsx";
import { reasonText } from "../parts/waiting-reasons.ts";

type QueueStatus = AnswerOf<"GET", "/api/status">["queue"];

/** Tasks by state, and the reasons why they wait. */
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
                  background: `var(${reasonText(reason).colour})`,
                }}
              />
            ))}
          </div>
          <table>
            <tbody>
              {waiting.map(({ reason, count, oldestAgeMs }) => (
                <tr key={reason}>
                  <td>
                    <a href={tasksHref({ waits: reason })}>{reasonText(reason).title}</a>
                    <br />
                    <small class="dim">{reasonText(reason).meaning}</small>
                  </td>
                  <td class="n">
                    <a href={tasksHref({ waits: reason })}>{formatCount(count)}</a>
                  </td>
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
              <td>
                <a href={tasksHref({ kind: kind.kind })}>
                  <Text value={kind.kind} max={40} />
                </a>
              </td>
              {states.map((state) => (
                <td class={state === "skipped" ? "n hide-s" : "n"} key={state}>
                  <a
                    class={state === "failed" && kind.failed > 0 ? "pill bad" : ""}
                    href={tasksHref({ state: [state], kind: kind.kind })}
                  >
                    {formatCount(kind[state])}
                  </a>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
