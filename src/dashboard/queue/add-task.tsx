import { useSignal } from "@preact/signals";
import { api } from "../data/api.ts";
import { indentJson } from "../data/json-text.ts";
import { failureText, useResource } from "../data/resource.ts";
import { navigate } from "../data/router.ts";
import { shownText } from "../data/safe-text.ts";
import { DialogForm, textOf } from "../parts/dialog-form.tsx";
import { showToast } from "../parts/toast.tsx";
import { readVisit, VisitFields, type AskedTask } from "./visit-form.tsx";

interface AddTaskProps {
  readonly kinds: readonly string[];
  readonly onClose: () => void;
}

const forms = {
  visit: "Visit a company's website",
  run: "Search tiles of a campaign",
  any: "Any kind of task",
} as const;
type Form = keyof typeof forms;

/** Adds one task, checked by the server: by a form for what people add most, or of any kind. */
export function AddTask({ kinds, onClose }: AddTaskProps) {
  const chosen = useSignal<Form>("visit");
  const add = async (form: FormData) => {
    if (chosen.value === "run") {
      onClose();
      navigate(`/campaigns/${encodeURIComponent(textOf(form, "campaign"))}?run=yes`);
      return undefined;
    }
    const task = chosen.value === "visit" ? readVisit(form) : readAny(form);
    if (typeof task === "string") return task;
    const { rows } = await api.send("POST", "/api/queue/tasks", {
      body: {
        tasks: [
          {
            ...task,
            priority: Number(textOf(form, "priority")),
            delayMs: 60_000 * Number(textOf(form, "minutes")),
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
      button={chosen.value === "run" ? "Show what is due" : "Add it"}
      failure={["Not added", "nothing was added"]}
      onSend={add}
      onClose={onClose}
    >
      <div class="row" role="radiogroup" aria-label="What to add">
        {(Object.keys(forms) as Form[]).map((form) => (
          <label key={form} class="row choice">
            <input
              type="radio"
              name="form"
              checked={chosen.value === form}
              onChange={() => (chosen.value = form)}
            />
            {forms[form]}
          </label>
        ))}
      </div>
      {chosen.value === "visit" && <VisitFields />}
      {chosen.value === "run" && <CampaignField />}
      {chosen.value === "any" && <AnyFields kinds={kinds} />}
      {chosen.value !== "run" && <WhenFields />}
    </DialogForm>
  );
}

/** A campaign searches what is due, in one task for each tile: its own dialog says what that is. */
function CampaignField() {
  const campaigns = useResource("campaigns", (signal) => api.get("/api/campaigns", { signal }));
  const rows = campaigns.data?.rows ?? [];
  return (
    <label class="field-label">
      Campaign
      <select name="campaign" required disabled={rows.length === 0}>
        {rows.map(({ campaign }) => (
          <option key={campaign} value={campaign}>
            {shownText(campaign, 80)}
          </option>
        ))}
      </select>
    </label>
  );
}

const WhenFields = () => (
  <div class="pair">
    <label class="field-label">
      Priority, 0 to 1000
      <input name="priority" type="number" min={0} max={1_000} defaultValue="500" required />
    </label>
    <label class="field-label">
      Start after this many minutes
      <input name="minutes" type="number" min={0} max={100_000} defaultValue="0" required />
    </label>
  </div>
);

function AnyFields({ kinds }: Pick<AddTaskProps, "kinds">) {
  const kind = useSignal("");
  const payload = useSignal("");
  const copyNewest = async () => {
    try {
      const query = { kind: kind.value.trim(), limit: 1_000 };
      const { rows } = await api.get("/api/queue/tasks", { query });
      const newest = rows.at(-1);
      if (newest) payload.value = indentJson(newest.payload);
      else showToast("The queue has no task of this kind");
    } catch (error) {
      showToast(failureText(error, "nothing was copied"));
    }
  };
  return (
    <>
      <label class="field-label">
        Kind (selects the handler)
        <input
          name="kind"
          required
          autoFocus
          maxLength={200}
          list="known-kinds"
          value={kind.value}
          onInput={(event) => (kind.value = event.currentTarget.value)}
        />
      </label>
      <datalist id="known-kinds">
        {kinds.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
      <label class="field-label">
        Payload, as JSON
        <textarea
          name="payload"
          class="code"
          rows={4}
          placeholder='{"url":"https://example.org/"}'
          value={payload.value}
          onInput={(event) => (payload.value = event.currentTarget.value)}
        />
      </label>
      {kinds.includes(kind.value.trim()) && (
        <p>
          <button type="button" class="btn small" onClick={() => void copyNewest()}>
            Copy the payload of a task of this kind
          </button>
        </p>
      )}
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
      </div>
    </>
  );
}

function readAny(form: FormData): AskedTask | string {
  const optional = (name: string) => (textOf(form, name) === "" ? {} : { [name]: textOf(form, name) }); // prettier-ignore
  let payload: unknown;
  try {
    payload = textOf(form, "payload") === "" ? undefined : JSON.parse(textOf(form, "payload"));
  } catch (error) {
    return `The payload is not JSON: ${(error as Error).message}`;
  }
  return {
    kind: textOf(form, "kind"),
    ...(payload !== undefined && { payload }),
    ...optional("job"),
    ...optional("gate"),
    ...optional("key"),
  };
}

const refusals: Readonly<Record<string, string>> = {
  over_budget: "The budget of its job is used up: the job accepts no more tasks.",
  closed: "Its job is sealed or has ended.",
  full: "The queue is full and accepts no tasks at the moment.",
};
