import { api, apiUrl, type AnswerOf } from "../data/api.ts";
import { formatDuration } from "../data/format.ts";
import { indentJson } from "../data/json-text.ts";
import { failureText, useResource } from "../data/resource.ts";
import { navigate, place, withQuery } from "../data/router.ts";
import { shownText } from "../data/safe-text.ts";
import { may } from "../data/session.ts";
import { hostHref, tasksHref } from "../data/task-query.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Icon } from "../parts/icon.tsx";
import { Same } from "../parts/same.tsx";
import { Loaded } from "../parts/state-view.tsx";
import { Text } from "../parts/text.tsx";
import { copyText, showToast } from "../parts/toast.tsx";
import { TaskAttempts } from "./task-attempts.tsx";
import { TaskPriority } from "./task-priority.tsx";
import { TaskStates } from "./task-states.tsx";
import { TaskWaiting } from "./task-waiting.tsx";

export type TaskShown = AnswerOf<"GET", "/api/queue/tasks/{id}">;

/** The task named in the address, in a panel beside the list. */
export function OpenTask({ onChanged }: { readonly onChanged: () => void }) {
  const open = Number(place.value.query.get("open"));
  if (!Number.isSafeInteger(open) || open < 1) return null;
  return <TaskDrawer key={open} id={open} onChanged={onChanged} />;
}

/** All details of one task: why it waits, its states, every attempt, its data. */
function TaskDrawer({ id, onChanged }: { readonly id: number; readonly onChanged: () => void }) {
  const found = useResource(
    String(id),
    (signal) => api.get("/api/queue/tasks/{id}", { params: { id }, signal }),
    { topics: ["queue"] },
  );
  const changed = () => {
    found.reload();
    onChanged();
  };
  return (
    <Dialog
      shape="drawer"
      title={`Task ${id}`}
      onClose={() => navigate(withQuery({ open: undefined }))}
    >
      <Loaded from={found}>
        {(task) => (
          <>
            <TaskStates task={task} />
            {task.state === "running" && <Running task={task} />}
            {task.waiting && <TaskWaiting task={task} onChanged={changed} />}
            {may("queue:write") && !task.isArchived && <Actions task={task} onChanged={changed} />}
            <Facts task={task} />
            <TaskAttempts task={task} />
            {task.isArchived ? (
              <p class="dim">This task is only in the log; its payload and result are deleted.</p>
            ) : (
              <>
                <Data title="Payload" json={task.payload} />
                {task.result !== null && <Data title="Result" json={task.result} />}
              </>
            )}
            <Same
              command={`forager queue show ${id}`}
              api={`GET ${apiUrl("/api/queue/tasks/{id}", { id })}`}
            />
          </>
        )}
      </Loaded>
    </Dialog>
  );
}

function Running({ task: { worker, leaseLeftMs } }: { readonly task: TaskShown }) {
  const isOver = leaseLeftMs !== null && leaseLeftMs <= 0;
  return (
    <div class={`alarm ${isOver ? "" : "calm"}`}>
      <b>Running</b>
      <span>
        by <Text value={worker ?? "an unknown worker"} max={80} />
        {leaseLeftMs !== null &&
          (isOver
            ? `; its lease ended ${formatDuration(-leaseLeftMs)} ago: the next claim makes it pending again`
            : `; its lease ends in ${formatDuration(leaseLeftMs)} unless it is extended`)}
      </span>
    </div>
  );
}

function Actions({
  task,
  onChanged,
}: {
  readonly task: TaskShown;
  readonly onChanged: () => void;
}) {
  const retry = async () => {
    try {
      await api.send("POST", "/api/queue/retry", {
        body: { ids: [task.id], state: ["failed", "skipped"] },
      });
      showToast(`Task ${task.id} is pending again, with all its attempts`);
      onChanged();
    } catch (error) {
      showToast(failureText(error, "nothing was changed"));
    }
  };
  const isRetried = task.state === "failed" || task.state === "skipped";
  if (!isRetried) return null;
  return (
    <div class="row">
      <button class="btn go" onClick={() => void retry()}>
        <Icon name="refresh-cw" /> Try again
      </button>
    </div>
  );
}

function Facts({ task }: { readonly task: TaskShown }) {
  return (
    <dl class="facts">
      <dt>Kind</dt>
      <dd>
        <a href={tasksHref({ kind: task.kind })}>
          <Text value={task.kind} max={80} />
        </a>
      </dd>
      <dt>Job</dt>
      <dd>
        <a href={tasksHref({ job: task.job })}>
          <Text value={task.job} max={120} />
        </a>
      </dd>
      <dt>Host</dt>
      <dd>
        {task.gate === "" ? (
          <span class="dim">none</span>
        ) : (
          <a href={hostHref(task.gate)}>
            <Text value={task.gate} max={120} />
          </a>
        )}
      </dd>
      <dt>Key</dt>
      <dd>
        <Text value={task.key} max={300} />
      </dd>
      {!task.isArchived && (
        <>
          <dt>Priority</dt>
          <dd>
            <TaskPriority key={task.priority} task={task} />
          </dd>
        </>
      )}
      {task.isSuspect && (
        <>
          <dt>Suspect</dt>
          <dd>its lease once ended without a result, so it runs alone</dd>
        </>
      )}
    </dl>
  );
}

function Data({ title, json }: { readonly title: string; readonly json: string }) {
  return (
    <section class="stack tight">
      <h3 class="row">
        {title}
        <button class="btn bare small" onClick={() => void copyText(json)}>
          <Icon name="copy" /> Copy
        </button>
      </h3>
      <pre class="code" tabIndex={0} aria-label={title}>
        {shownText(indentJson(json), 20_000)}
      </pre>
    </section>
  );
}
