import { useSignal } from "@preact/signals";
import { api } from "../data/api.ts";
import { plural } from "../data/format.ts";
import { failureText } from "../data/resource.ts";
import { navigate, withQuery } from "../data/router.ts";
import { Dialog } from "../parts/dialog.tsx";
import { DialogForm } from "../parts/dialog-form.tsx";
import { Text } from "../parts/text.tsx";
import { showToast } from "../parts/toast.tsx";
import type { CompanyShown } from "./company-drawer.tsx";

interface ActionsProps {
  readonly company: CompanyShown;
  readonly onChanged: () => void;
}

/** Actions on a whole company. Each can be undone. */
export function CompanyActions({ company, onChanged }: ActionsProps) {
  const isExcludeOpen = useSignal(false);
  const isDeleteOpen = useSignal(false);
  const params = { name: company.slug };
  const exclude = async (reason: string | null) => {
    await attempt(async () => {
      await api.send("PUT", "/api/companies/{name}/exclusion", { params, body: { reason } });
      onChanged();
      const undo = { label: "Undo", run: () => void exclude(reason === null ? (company.excluded ?? null) : null) }; // prettier-ignore
      showToast(reason === null ? "Included again" : "Excluded", undo);
    });
  };
  const remove = () =>
    attempt(async () => {
      const { target, before } = await api.send("POST", "/api/companies/{name}/delete", { params, body: { confirm: company.slug } }); // prettier-ignore
      isDeleteOpen.value = false;
      const shown = withQuery({ open: company.slug });
      navigate(withQuery({ open: undefined, tab: undefined, at: undefined }));
      showToast(`Deleted ${company.name || company.slug}`, {
        label: "Undo",
        run: () =>
          void attempt(async () => {
            await api.send("POST", "/api/companies/{name}/restore", { params: { name: target }, body: { at: before } }); // prettier-ignore
            navigate(shown);
          }),
      });
    });
  return (
    <div class="row">
      {company.excluded === undefined ? (
        <button class="btn small" onClick={() => (isExcludeOpen.value = true)}>
          Exclude
        </button>
      ) : (
        <button class="btn small" onClick={() => void exclude(null)}>
          Include again
        </button>
      )}
      <button class="btn small" onClick={() => (isDeleteOpen.value = true)}>
        Delete
      </button>
      {isExcludeOpen.value && (
        <Exclude
          onClose={() => (isExcludeOpen.value = false)}
          onExclude={(reason) => {
            isExcludeOpen.value = false;
            void exclude(reason);
          }}
        />
      )}
      {isDeleteOpen.value && (
        <Dialog title="Delete this company?" onClose={() => (isDeleteOpen.value = false)}>
          <p>
            All values, {plural(company.entries.length, "note or call", "notes and calls")} and the
            folder <code>companies/{company.slug}</code> go, on every node. The history stays, so it
            can be restored.
          </p>
          <p class="dim">
            A campaign that finds it again adds it again: exclude it to keep it out. To erase
            personal data for good, run <code>forager company forget {company.slug}</code>
          </p>
          <div class="row">
            <button class="btn danger" onClick={() => void remove()}>
              Delete
            </button>
            <button class="btn" onClick={() => (isDeleteOpen.value = false)}>
              Cancel
            </button>
          </div>
        </Dialog>
      )}
    </div>
  );
}

function Exclude({
  onClose,
  onExclude,
}: {
  readonly onClose: () => void;
  readonly onExclude: (reason: string) => void;
}) {
  const reason = useSignal("");
  return (
    <DialogForm
      title="Exclude this company"
      button="Exclude"
      failure={["Not excluded", "nothing was changed"]}
      isReady={reason.value.trim() !== ""}
      onSend={async () => {
        onExclude(reason.value.trim());
        return undefined;
      }}
      onClose={onClose}
    >
      <p>It stays out of campaigns, lists and downloads until it is taken in again.</p>
      <label class="field-label">
        Why
        <input
          autoFocus
          required
          maxLength={500}
          placeholder="not a customer"
          value={reason.value}
          onInput={(event) => (reason.value = event.currentTarget.value)}
        />
      </label>
    </DialogForm>
  );
}

/** Companies that were merged into this one; each can be separated again. */
export function MergedCompanies({ company, onChanged }: ActionsProps) {
  if (company.merged.length === 0) return null;
  const separate = (target: string) =>
    attempt(async () => {
      const { slug } = await api.send("POST", "/api/companies/{name}/unmerge", { params: { name: target } }); // prettier-ignore
      onChanged();
      showToast(`${slug} is a company of its own again`, {
        label: "Open it",
        run: () => navigate(withQuery({ open: slug, tab: undefined })),
      });
    });
  return (
    <div class="alarm calm">
      <b>Merged into this one</b>
      <span>
        {company.merged.slice(0, 5).map(({ target, slug, name }) => (
          <span key={target} class="row">
            <Text value={name || slug || target} max={60} />
            <button class="btn small" onClick={() => void separate(target)}>
              Separate again
            </button>
          </span>
        ))}
      </span>
    </div>
  );
}

async function attempt(action: () => Promise<void>): Promise<void> {
  try {
    await action();
  } catch (error) {
    showToast(failureText(error, "nothing was changed"));
  }
}
