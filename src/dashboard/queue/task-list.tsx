import { useSignal } from "@preact/signals";
import { api, apiUrl, type RowOf } from "../data/api.ts";
import { formatCount, formatDuration } from "../data/format.ts";
import { useResource } from "../data/resource.ts";
import { place, withQuery } from "../data/router.ts";
import { may } from "../data/session.ts";
import {
  hostHref,
  parseTaskQuery,
  taskCommand,
  tasksHref,
  type TaskFilter,
} from "../data/task-query.ts";
import { useHold } from "../data/hold.ts";
import { Icon } from "../parts/icon.tsx";
import { Same } from "../parts/same.tsx";
import { SavedViews } from "../parts/saved-views.tsx";
import { Loaded, Notice } from "../parts/state-view.tsx";
import { Ago, Text } from "../parts/text.tsx";
import { reasonText } from "../parts/waiting-reasons.ts";
import { BulkTasks } from "./bulk-tasks.tsx";
import type { Stats } from "./kinds.tsx";
import { OpenTask } from "./task-drawer.tsx";
import { TaskFilterBox } from "./task-filter.tsx";

type TaskRow = RowOf<"/api/queue/tasks">;

const pageSize = 100;

/** Tasks that match the filter in the address, one page at a time, ordered by number. */
export function TaskList({ stats }: { readonly stats: Stats | undefined }) {
  const { filter, problems } = parseTaskQuery(place.value.query.get("q") ?? "");
  const after = place.value.query.get("after") ?? undefined;
  const query = { ...filter, hasWaiting: true, limit: pageSize, ...(after && { after }) };
  const isBulkOpen = useSignal(false);
  const hold = useHold();
  const tasks = useResource(
    JSON.stringify(query),
    (signal) => api.get("/api/queue/tasks", { query, signal }),
    { topics: ["queue"], isHeld: hold.isHeld },
  );
  return (
    <>
      <div class="row">
        <TaskFilterBox kinds={stats?.kinds.map(({ kind }) => kind) ?? []} />
        <SavedViews screen="tasks" path="/queue/tasks" />
        {may("queue:write") && (
          <button class="btn" onClick={() => (isBulkOpen.value = true)}>
            <Icon name="list-todo" /> Change all
          </button>
        )}
      </div>
      {problems.map((problem) => (
        <div class="alarm" role="alert" key={problem}>
          <b>Invalid filter</b>
          <span>{problem}</span>
        </div>
      ))}
      <section class="card" aria-label="Tasks" {...hold.handlers}>
        <Loaded from={tasks}>
          {({ rows, next }) => (
            <>
              {rows.length === 0 ? (
                <Nothing filter={filter} hasMore={next !== null} />
              ) : (
                <Rows rows={rows} />
              )}
              {(next !== null || after !== undefined) && (
                <p class="row end pages">
                  {after !== undefined && (
                    <a class="btn" href={withQuery({ after: undefined })}>
                      First page
                    </a>
                  )}
                  {next !== null && (
                    <a class="btn" href={withQuery({ after: next })}>
                      {rows.length === 0 ? "Continue searching" : "Next page"}{" "}
                      <Icon name="arrow-right" />
                    </a>
                  )}
                </p>
              )}
            </>
          )}
        </Loaded>
      </section>
      <Same
        command={taskCommand(filter)}
        api={`GET ${apiUrl("/api/queue/tasks", {}, { ...filter, limit: pageSize })}`}
      />
      {isBulkOpen.value && (
        <BulkTasks
          title="Change all tasks of this list"
          filter={filter}
          onClose={() => {
            isBulkOpen.value = false;
            tasks.reload();
          }}
        />
      )}
      <OpenTask onChanged={tasks.reload} />
    </>
  );
}

const pills: Readonly<Record<TaskRow["state"], string>> = {
  pending: "quiet",
  running: "",
  done: "quiet",
  skipped: "quiet",
  failed: "bad",
};

function Rows({ rows }: { readonly rows: readonly TaskRow[] }) {
  return (
    <table class="cards rows">
      <thead>
        <tr>
          <th>Task</th>
          <th>State</th>
          <th>Kind</th>
          <th>Key</th>
          <th>Job</th>
          <th>Host</th>
          <th class="n hide-s">Priority</th>
          <th class="n hide-s">Attempts</th>
          <th class="n">When</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((task) => (
          <tr key={task.id}>
            <td data-label="Task">
              <a class="accent" href={withQuery({ open: String(task.id) })}>
                {task.id}
              </a>
            </td>
            <td data-label="State">
              <span>
                <span class={`pill ${pills[task.state]}`}>{task.state}</span>{" "}
                <small class="dim">
                  <Why task={task} />
                </small>
              </span>
            </td>
            <td data-label="Kind">
              <span class="clip short">
                <Text value={task.kind} max={40} />
              </span>
            </td>
            <td data-label="Key">
              <span class="clip mid">
                <Text value={task.key} max={120} />
              </span>
            </td>
            <td data-label="Job">
              <a class="clip short" href={tasksHref({ job: task.job })}>
                <Text value={task.job} max={60} />
              </a>
            </td>
            <td data-label="Host">
              {task.gate !== "" && (
                <a class="clip short" href={hostHref(task.gate)}>
                  <Text value={task.gate} max={60} />
                </a>
              )}
            </td>
            <td class="n hide-s" data-label="Priority">
              {formatCount(task.priority)}
            </td>
            <td class="n hide-s" data-label="Attempts">
              {task.used} of {task.attemptsMax}
            </td>
            <td class="n dim" data-label="When">
              <Ago atMs={task.finishedAtMs > 0 ? task.finishedAtMs : task.createdAtMs} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Why the task waits or failed, in one line. */
function Why({ task }: { readonly task: TaskRow }) {
  const { waiting } = task;
  if (waiting)
    return (
      <>
        {reasonText(waiting.reason).title}
        {waiting.forMs !== undefined && `, ${formatDuration(waiting.forMs)} at least`}
      </>
    );
  const last = task.state === "done" ? undefined : task.attempts.at(-1);
  return last ? <Text value={last.reason} max={70} /> : null;
}

function Nothing({ filter, hasMore }: { readonly filter: TaskFilter; readonly hasMore: boolean }) {
  if (hasMore)
    return (
      <Notice icon="search" title="None of the first 20,000 tasks matches">
        <p>Continue searching, or narrow the filter with a kind, a job or a host.</p>
      </Notice>
    );
  const hasFilter = Object.keys(filter).length > 0;
  return (
    <Notice icon="search" title={hasFilter ? "No task matches" : "The queue has no tasks"}>
      <p>
        {hasFilter && (
          <>
            <a class="accent" href="/queue/tasks">
              Show all tasks
            </a>
            .{" "}
          </>
        )}
        Tasks that ended long ago are in <code>forager queue log</code>.
      </p>
    </Notice>
  );
}
