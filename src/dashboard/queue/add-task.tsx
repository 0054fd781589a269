import { api } from "../data/api.ts";
import { navigate } from "../data/router.ts";
import { DialogForm } from "../parts/dialog-form.tsx";
import { showToast } from "../parts/toast.tsx";

interface AddTaskProps {
  readonly kinds: readonly string[];
  readonly onClose: () => void;
}

/** Adds one task of any kind, checked by the server. */
export function AddTask({ kinds, onClose }: AddTaskProps) {
  const add = async (form: FormData) => {
    const text = (name: string) => {
      const value = form.get(name);
      return typeof value === "string" ? value.trim() : "";
    };
    const optional = (name: string) => (text(name) === "" ? {} : { [name]: text(name) });
    let payload: unknown;
    try {
      payload = text("payload") === "" ? undefined : JSON.parse(text("payload"));
    } catch (error) {
      return `The payload is not JSON: ${(error as Error).message}`;
    }
    const { rows } = await api.send("POST", "/api/queue/tasks", {
      body: {
        tasks: [
          {
            kind: text("kind"),
            ...(payload !== undefined && { payload }),
            ...optional("job"),
            ...optional("gate"),
            ...optional("key"),
            priority: Number(text("priority")),
            delayMs: 60_000 * Number(text("minutes")),
          },
        ],
      },
    });
    const [{ status, id } = { status: "refused", id: undefined }] = rows;
    if (id === undefined) return refusals[status] ?? `The queue answered ${status}.`;
    const isDuplicate = status === "duplicate";
    showToast(
      `Task ${id} ${isDuplicate ? "already has this key: nothing was added" : "was added"}`,
    );
    onClose();
    navigate(`/queue/tasks?open=${id}`);
    return undefined;
  };
  return (
    <DialogForm
      title="Add a task"
      button="Add it"
      failure={["Not added", "nothing was added"]}
      onSend={add}
      onClose={onClose}
    >
      <label class="field-label">
        Kind (selects the handler)
        <input name="kind" required autoFocus maxLength={200} list="known-kinds" />
      </label>
      <datalist id="known-kinds">
        {kinds.map((kind) => (
          <option key={kind} value={kind} />
        ))}
      </datalist>
      <label class="field-label">
        Payload, as JSON
        <textarea
          name="payload"
          class="code"
          rows={4}
          placeholder='{"url":"https://example.org/"}'
        />
      </label>
      <div class="pair">
        <label class="field-label">
          Job (empty: default)
          <input name="job" maxLength={200} />
        </label>
        <label class="field-label">
          Host that paces it (empty: none)
          <input name="gate" maxLength={200} />
        </label>
        <label class="field-label">
          Key (a second task with it is a duplicate)
          <input name="key" maxLength={400} />
        </label>
        <label class="field-label">
          Priority, 0 to 1000
          <input name="priority" type="number" min={0} max={1_000} defaultValue="500" required />
        </label>
        <label class="field-label">
          Start after this many minutes
          <input name="minutes" type="number" min={0} max={100_000} defaultValue="0" required />
        </label>
      </div>
    </DialogForm>
  );
}

const refusals: Readonly<Record<string, string>> = {
  over_budget: "The budget of its job is used up: the job accepts no more tasks.",
  closed: "Its job is sealed or has ended.",
  full: "The queue is full and accepts no tasks at the moment.",
};
