import { useSignal } from "@preact/signals";
import { api } from "../data/api.ts";
import { plural } from "../data/format.ts";
import type { TaskFilter } from "../data/task-query.ts";
import { Bulk } from "../parts/bulk.tsx";

export type TaskAction = "retry" | "purge";

interface BulkTasksProps {
  readonly title: string;
  readonly filter: TaskFilter;
  /** Absent: the user chooses in the dialog. */
  readonly action?: TaskAction;
  readonly onClose: () => void;
}

/** One action on all tasks that match now. The server stores the selection, so its progress can be shown later. */
export function BulkTasks({ title, filter, action, onClose }: BulkTasksProps) {
  const chosen = useSignal<TaskAction>(action ?? "retry");
  const isRetry = chosen.value === "retry";
  // prettier-ignore
  return (
    <Bulk
      title={title}
      verb={isRetry ? "Try again" : "Remove"}
      countText={(count) => plural(count, "task")}
      select={(signal) => api.send("POST", "/api/selections/tasks", { body: filter, signal })}
      read={(id) => api.get("/api/selections/tasks/{id}", { params: { id } })}
      run={(id, count) => isRetry
        ? api.send("POST", "/api/selections/tasks/{id}/retry", { params: { id }, body: { count } })
        : api.send("POST", "/api/selections/tasks/{id}/purge", { params: { id }, body: { count } })}
      stop={(id) => api.send("POST", "/api/selections/tasks/{id}/stop", { params: { id } })}
      onClose={onClose}
    >
      {action === undefined && (
        <fieldset class="choices">
          <legend>What to do</legend>
          <label>
            <input type="radio" name="action" checked={isRetry} onChange={() => (chosen.value = "retry")} />
            <span>
              <b>Try again</b>
              <small class="dim">failed and skipped tasks become pending with all their attempts; other tasks do not change</small>
            </span>
          </label>
          <label>
            <input type="radio" name="action" checked={!isRetry} onChange={() => (chosen.value = "purge")} />
            <span>
              <b>Remove</b>
              <small class="dim">finished tasks move into the log and free their keys; their payloads are deleted</small>
            </span>
          </label>
        </fieldset>
      )}
    </Bulk>
  );
}
