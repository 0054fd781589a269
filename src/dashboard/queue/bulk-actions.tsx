import { useEffect } from "preact/hooks";
import { api } from "../data/api.ts";
import { formatCount, plural } from "../data/format.ts";
import { useResource } from "../data/resource.ts";
import { Progress } from "../parts/progress.tsx";
import { Same } from "../parts/same.tsx";
import { Loaded, Notice } from "../parts/state-view.tsx";
import { Ago, Text } from "../parts/text.tsx";

const pollMs = 2_000;
const words = { retry: "Try again", purge: "Remove" };

/** The latest bulk actions and their progress. */
export function BulkActions() {
  const found = useResource("selections", (signal) => api.get("/api/selections/tasks", { signal }));
  const rows = found.data?.rows.filter(({ actions }) => actions.length > 0) ?? [];
  const isRunning = rows.some(({ actions }) => actions.at(-1)?.state === "running");
  useEffect(() => {
    if (!isRunning) return undefined;
    const timer = setInterval(found.reload, pollMs);
    return () => clearInterval(timer);
  }, [isRunning]);
  return (
    <>
      <section class="card" aria-label="Bulk actions">
        <header>
          <h2>Bulk actions</h2>
          <small>the last ten selections of tasks, kept for an hour</small>
        </header>
        <Loaded from={found}>
          {() =>
            rows.length === 0 ? (
              <Notice icon="list-todo" title="No bulk actions yet">
                <p>
                  Filter{" "}
                  <a class="accent" href="/queue/tasks">
                    tasks
                  </a>{" "}
                  and choose <b>Change all</b>, or try a group of{" "}
                  <a class="accent" href="/queue/failed">
                    failed tasks
                  </a>{" "}
                  again.
                </p>
              </Notice>
            ) : (
              <ol class="timeline">
                {rows.flatMap(({ id, count, samples, actions }) =>
                  actions.toReversed().map((action, at) => (
                    <li key={`${id}${at}`}>
                      <b>{words[action.action as keyof typeof words] ?? action.action}</b>{" "}
                      {plural(count, "task")}{" "}
                      <span class={`pill ${action.state === "failed" ? "bad" : "quiet"}`}>
                        {action.state}
                      </span>{" "}
                      <span class="dim">
                        by <Text value={action.by} max={60} />, <Ago atMs={action.atMs} />
                      </span>
                      <Progress
                        done={action.done}
                        total={count}
                        label={`Progress of ${action.action}`}
                      >
                        {formatCount(action.done)} of {formatCount(count)},{" "}
                        {formatCount(action.changed)} changed
                      </Progress>
                      {action.fault !== null && (
                        <p class="dim">
                          <Text value={action.fault} max={600} />
                        </p>
                      )}
                      <small class="dim">
                        for example <Text value={samples.slice(0, 3).join(", ")} max={200} />
                      </small>
                    </li>
                  )),
                )}
              </ol>
            )
          }
        </Loaded>
      </section>
      <Same command="forager audit-log list" api="GET /api/selections/tasks" />
    </>
  );
}
