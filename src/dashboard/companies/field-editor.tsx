import { useSignal } from "@preact/signals";
import { api } from "../data/api.ts";
import { failureText } from "../data/resource.ts";
import { shownText } from "../data/safe-text.ts";
import { showToast } from "../parts/toast.tsx";
import type { CompanyShown } from "./company-drawer.tsx";

interface FieldEditorProps {
  readonly company: CompanyShown;
  /** `city`, an element of a list (`phone/+15125550142`), or the name of a list to add to. */
  readonly field: string;
  readonly value: string;
  readonly onDone: () => void;
  readonly onCancel: () => void;
}

/** Changes one value by hand. Manual values override collected ones. */
export function FieldEditor({ company, field, value, onDone, onCancel }: FieldEditorProps) {
  const text = useSignal(value);
  const problem = useSignal("");
  const isBusy = useSignal(false);
  const name = field.split("/")[0]!;
  const send = async (next: string) => {
    isBusy.value = true;
    try {
      const isElement = field.includes("/");
      const isChanged = next.trim() !== value;
      await api.send("PATCH", "/api/companies/{name}", {
        params: { name: company.slug },
        body: {
          ...(next.trim() !== "" && { set: { [name]: next.trim() } }),
          ...((next.trim() === "" || (isElement && isChanged)) &&
            value !== "" && { unset: [field] }),
        },
      });
      showToast(next.trim() === "" ? `Removed ${name}` : `Saved ${name}`);
      onDone();
    } catch (error) {
      problem.value = failureText(error, "nothing was saved");
    }
    isBusy.value = false;
  };
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        void send(text.value);
      }}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.preventDefault();
        event.stopPropagation();
        onCancel();
      }}
    >
      <label class="field-label">
        {value === "" ? `New ${name}` : `Change ${name}`}
        <input
          autoFocus
          value={text.value}
          maxLength={2_000}
          aria-invalid={problem.value !== ""}
          onInput={(event) => (text.value = event.currentTarget.value)}
        />
      </label>
      {problem.value !== "" && (
        <p class="alarm bad" role="alert">
          <span>{shownText(problem.value)}</span>
        </p>
      )}
      <div class="row">
        <button class="btn go small" disabled={isBusy.value || text.value.trim() === ""}>
          Save
        </button>
        <button type="button" class="btn small" onClick={onCancel}>
          Cancel
        </button>
        {value !== "" && (
          <button
            type="button"
            class="btn small"
            disabled={isBusy.value}
            onClick={() => void send("")}
          >
            Remove
          </button>
        )}
      </div>
    </form>
  );
}
