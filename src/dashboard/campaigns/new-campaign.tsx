import { useSignal } from "@preact/signals";
import { api } from "../data/api.ts";
import { failureText } from "../data/resource.ts";
import { navigate } from "../data/router.ts";
import { shownText } from "../data/safe-text.ts";
import { Dialog } from "../parts/dialog.tsx";
import { say } from "../parts/toast.tsx";

/** Makes a campaign from the template. Its configuration opens next. */
export function NewCampaign({ onClose }: { readonly onClose: () => void }) {
  const name = useSignal("");
  const problem = useSignal("");
  const create = async (event: Event) => {
    event.preventDefault();
    try {
      await api.send("POST", "/api/campaigns", {
        body: { campaign: name.value.trim() },
      });
      say(`Campaign ${name.value.trim()} made`);
      navigate(`/campaigns/${encodeURIComponent(name.value.trim())}?tab=config`);
    } catch (error) {
      problem.value = failureText(error, "nothing was made");
    }
  };
  return (
    <Dialog title="New campaign" onClose={onClose}>
      <form class="stack" onSubmit={(event) => void create(event)}>
        <label class="field-label">
          Name, as its folder: small letters, digits and dashes
          <input
            required
            autoFocus
            pattern="[a-z0-9][a-z0-9\-]*"
            maxLength={60}
            placeholder="austin-flooring"
            value={name.value}
            onInput={(event) => (name.value = event.currentTarget.value)}
          />
        </label>
        <p class="dim">
          The next page shows its configuration, where you list phrases and towns. Nothing runs
          until you start it.
        </p>
        {problem.value !== "" && (
          <div class="alarm bad" role="alert">
            <b>Not made</b>
            <span>{shownText(problem.value, 600)}</span>
          </div>
        )}
        <div class="row">
          <button class="btn go">Make it</button>
          <button type="button" class="btn" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  );
}
