import { useSignal } from "@preact/signals";
import { api } from "../data/api.ts";
import { formatCount } from "../data/format.ts";
import { failureText } from "../data/resource.ts";
import { may } from "../data/session.ts";
import { showToast } from "../parts/toast.tsx";
import type { TaskShown } from "./task-drawer.tsx";

/** The priority of a task. A pending one can be raised; the queue never lowers it. */
export function TaskPriority({ task }: { readonly task: TaskShown }) {
  const shown = useSignal(task.priority);
  const wanted = useSignal(String(Math.min(1_000, task.priority + 100)));
  if (task.state !== "pending" || !may("queue:write")) return <>{formatCount(shown.value)}</>;
  const raise = async (event: Event) => {
    event.preventDefault();
    const priority = Number(wanted.value);
    try {
      const { isChanged } = await api.send("POST", "/api/queue/tasks/{id}/raise", {
        params: { id: task.id },
        body: { priority },
      });
      if (isChanged) shown.value = priority;
      showToast(
        isChanged
          ? `Priority is ${priority}`
          : "Nothing changed: it already has this priority, or is no longer pending",
      );
    } catch (error) {
      showToast(failureText(error, "nothing was changed"));
    }
  };
  return (
    <form class="row" onSubmit={(event) => void raise(event)}>
      {formatCount(shown.value)}
      <input
        class="number"
        type="number"
        min={shown.value + 1}
        max={1_000}
        required
        aria-label="New priority, up to 1000"
        value={wanted.value}
        onInput={(event) => (wanted.value = event.currentTarget.value)}
      />
      <button class="btn small">Raise</button>
    </form>
  );
}
