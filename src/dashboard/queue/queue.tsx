import { api } from "../data/api.ts";
import { formatCount } from "../data/format.ts";
import { useLive } from "../data/resource.ts";
import { panelIn, pathParts } from "../data/router.ts";
import { may } from "../data/session.ts";
import { tasksHref, taskStates } from "../data/task-query.ts";
import { Icon } from "../parts/icon.tsx";
import { Loaded } from "../parts/state-view.tsx";
import { TabLinks } from "../parts/tabs.tsx";
import { Top } from "../parts/top.tsx";
import { AddTask } from "./add-task.tsx";
import { BulkActions } from "./bulk-actions.tsx";
import { Failures } from "./failures.tsx";
import { Jobs } from "./jobs.tsx";
import { Kinds } from "./kinds.tsx";
import { TaskList } from "./task-list.tsx";

const tabs = [
  ["", "Kinds"],
  ["tasks", "Tasks"],
  ["jobs", "Jobs"],
  ["failed", "Failed, by error"],
  ["actions", "Bulk actions"],
] as const;

/** Tasks of all nodes: counts, reasons for waiting, failures, and actions. */
export function Queue() {
  const page = tabs.find(([path]) => path === (pathParts.value[1] ?? ""))?.[0] ?? "";
  const stats = useLive("queue", (signal) => api.get("/api/queue/stats", { signal }));
  const add = panelIn("add");
  return (
    <>
      <Top title="Queue">
        {may("queue:write") && (
          <button class="btn" onClick={() => add.open()}>
            <Icon name="plus" /> Add a task
          </button>
        )}
      </Top>
      <Loaded from={stats}>
        {({ states }) => (
          <ul class="funnel" aria-label="Tasks by state">
            {taskStates.map((state) => (
              <li key={state}>
                <a href={tasksHref({ state: [state] })} data-state={state}>
                  <small>{state}</small>
                  <strong class={state === "failed" && states.failed > 0 ? "bad" : ""}>
                    {formatCount(states[state])}
                  </strong>
                </a>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      <TabLinks
        label="Parts of the queue"
        tabs={tabs}
        chosen={page}
        hrefOf={(path) => (path === "" ? "/queue" : `/queue/${path}`)}
      />
      {page === "" && <Loaded from={stats}>{(data) => <Kinds stats={data} />}</Loaded>}
      {page === "tasks" && <TaskList stats={stats.data} />}
      {page === "jobs" && <Jobs />}
      {page === "failed" && <Failures />}
      {page === "actions" && <BulkActions />}
      {add.value !== undefined && may("queue:write") && (
        <AddTask kinds={stats.data?.kinds.map(({ kind }) => kind) ?? []} onClose={add.close} />
      )}
    </>
  );
}
