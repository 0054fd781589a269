import { useSignal } from "@preact/signals";
import { api } from "../data/api.ts";
import { navigate } from "../data/router.ts";
import { DialogForm } from "../parts/dialog-form.tsx";
import { showToast } from "../parts/toast.tsx";

/** Creates a campaign from the template, then opens its configuration. */
export function NewCampaign({ onClose }: { readonly onClose: () => void }) {
  const name = useSignal("");
  const create = async () => {
    const campaign = name.value.trim();
    await api.send("POST", "/api/campaigns", { body: { campaign } });
    showToast(`Campaign ${campaign} made`);
    navigate(`/campaigns/${encodeURIComponent(campaign)}?tab=config`);
    return undefined;
  };
  return (
    <DialogForm
      title="New campaign"
      button="Make it"
      failure={["Not made", "nothing was created"]}
      onSend={create}
      onClose={onClose}
    >
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
        The next page shows its configuration, where you list phrases and towns. Nothing runs until
        you start it.
      </p>
    </DialogForm>
  );
}
