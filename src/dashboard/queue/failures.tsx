import { useSignal } from "@preact/signals";
import { api, type AnswerOf } from "../data/api.ts";
import { formatCount } from "../data/format.ts";
import { useResource } from "../data/resource.ts";
import { withQuery } from "../data/router.ts";
import { may } from "../data/session.ts";
import { tasksHref } from "../data/task-query.ts";
import { Icon } from "../parts/icon.tsx";
import { Same } from "../parts/same.tsx";
import { Loaded, Notice } from "../parts/state-view.tsx";
import { Ago, Text } from "../parts/text.tsx";
import { BulkTasks } from "./bulk-tasks.tsx";
import { OpenTask } from "./task-drawer.tsx";

type Group = AnswerOf<"GET", "/api/queue/failures">["rows"][number];

/** Failed tasks grouped by error, with a button that retries a whole group. */
export function Failures() {
  const groups = useResource(
    "failures",
    (signal) => api.get("/api/queue/failures", { query: {}, signal }),
    { topics: ["queue"] },
  );
  const retried = useSignal<Group | undefined>(undefined);
  return (
    <>
      <section class="card" aria-label="Failed tasks by error">
        <header>
          <h2>Failed tasks by error</h2>
          <small>… replaces the parts that differ between tasks</small>
        </header>
        <Loaded from={groups}>
          {({ rows, isComplete, read }) =>
            rows.length === 0 ? (
              <Notice icon="check" title="No task has failed">
                <p>
                  A task fails when all its attempts are used. <code>forager queue stats</code>{" "}
                  counts all tasks.
                </p>
              </Notice>
            ) : (
              <>
                <ul class="groups">
                  {rows.map((group) => (
                    <li key={`${group.kind} ${group.error}`}>
                      <a
                        class="count"
                        href={tasksHref({
                          state: ["failed"],
                          kind: group.kind,
                          error: group.error,
                        })}
                        aria-label={`${formatCount(group.count)} tasks`}
                      >
                        {formatCount(group.count)}
                      </a>
                      <div>
                        <b>
                          <Text value={group.error} max={200} />
                        </b>
                        <small class="dim">
                          <Text value={group.kind} max={40} />, last <Ago atMs={group.lastAtMs} />,
                          first <Ago atMs={group.firstAtMs} /> ·{" "}
                          <a class="accent" href={withQuery({ open: String(group.exampleId) })}>
                            task {group.exampleId}
                          </a>
                        </small>
                      </div>
                      {may("queue:write") && (
                        <button class="btn small" onClick={() => (retried.value = group)}>
                          <Icon name="refresh-cw" /> Try again
                        </button>
                      )}
                    </li>
                  ))}
                </ul>
                {!isComplete && (
                  <p class="dim">Only the newest {formatCount(read)} failed tasks were read.</p>
                )}
              </>
            )
          }
        </Loaded>
      </section>
      <Same command="forager queue failures" api="GET /api/queue/failures" />
      {retried.value && (
        <BulkTasks
          title={`Try again: ${retried.value.error}`}
          action="retry"
          filter={{ state: ["failed"], kind: retried.value.kind, error: retried.value.error }}
          onClose={() => {
            retried.value = undefined;
            groups.reload();
          }}
        />
      )}
      <OpenTask onChanged={groups.reload} />
    </>
  );
}
