import { useSignal } from "@preact/signals";
import { api } from "../data/api.ts";
import { failureText, useResource } from "../data/resource.ts";
import { shownText } from "../data/safe-text.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Loaded } from "../parts/state-view.tsx";
import { Text } from "../parts/text.tsx";
import { showToast } from "../parts/toast.tsx";
import type { CompanyShown } from "./company-drawer.tsx";

interface MergeProps {
  /** The first one stays, unless the user chooses the other. */
  readonly names: readonly [string, string];
  readonly onClose: () => void;
  readonly onChanged: () => void;
}

/**
 * Shows two companies side by side: the user chooses which one stays, merges them, or marks them as
 * distinct.
 */
export function Merge({ names, onClose, onChanged }: MergeProps) {
  const loaded = useResource(names.join(" "), (signal) =>
    Promise.all(
      names.map((name) => api.get("/api/companies/{name}", { params: { name }, signal })),
    ),
  );
  return (
    <Dialog shape="dialog wide" title="Are these the same company?" onClose={onClose}>
      <Loaded from={loaded}>
        {([left, right]) => (
          <Compared left={left!} right={right!} onClose={onClose} onChanged={onChanged} />
        )}
      </Loaded>
    </Dialog>
  );
}

interface ComparedProps extends Pick<MergeProps, "onClose" | "onChanged"> {
  readonly left: CompanyShown;
  readonly right: CompanyShown;
}

function Compared({ left, right, onClose, onChanged }: ComparedProps) {
  const stays = useSignal<"left" | "right">("left");
  const isBusy = useSignal(false);
  const [into, from] = stays.value === "left" ? [left, right] : [right, left];
  const merge = async () => {
    isBusy.value = true;
    try {
      await api.send("POST", "/api/companies/{name}/merge", {
        params: { name: from.slug },
        body: { into: into.slug },
      });
      onChanged();
      showToast("Merged", { label: "Undo", run: () => void separate(from.target, onChanged) });
    } catch (error) {
      showToast(failureText(error, "nothing was merged"));
    }
    isBusy.value = false;
  };
  const choice = (side: "left" | "right", company: CompanyShown) => (
    <label class="row">
      <input
        type="radio"
        name="stays"
        checked={stays.value === side}
        onChange={() => (stays.value = side)}
      />
      <b>
        <Text value={company.name || company.slug} max={80} />
      </b>
      {stays.value === side && <span class="pill">stays</span>}
    </label>
  );
  return (
    <>
      <div class="merge" role="group" aria-label="Which one stays">
        <span class="dim">stays</span>
        {choice("left", left)}
        {choice("right", right)}
        {sidesOf(left, right).map(({ field, texts: [a, b] }) => {
          const differs = a !== b && a !== "" && b !== "" ? "differs" : "";
          return (
            <>
              <span class="dim">{field}</span>
              <span class={differs}>{shownText(a, 300)}</span>
              <span class={differs}>{shownText(b, 300)}</span>
            </>
          );
        })}
      </div>
      <p class="dim">
        The one that stays keeps its own values and gets what only the other one has. The folder{" "}
        <code>companies/{from.slug}</code> leads to <code>companies/{into.slug}</code>. You can
        separate them again.
      </p>
      <div class="row">
        <button class="btn go" disabled={isBusy.value} onClick={() => void merge()}>
          Merge into {shownText(into.name || into.slug, 40)}
        </button>
        <button
          class="btn"
          disabled={isBusy.value}
          onClick={() => void callDistinct(left.slug, right.slug, onChanged)}
        >
          Not the same
        </button>
        <button class="btn" onClick={onClose}>
          Decide later
        </button>
      </div>
    </>
  );
}

/** Marks two companies as distinct, so that they are not suggested again. */
export async function callDistinct(
  name: string,
  other: string,
  onChanged: () => void,
): Promise<void> {
  try {
    await api.send("POST", "/api/companies/{name}/distinct", { params: { name }, body: { other } });
    onChanged();
    showToast("Kept as two companies");
  } catch (error) {
    showToast(failureText(error, "nothing was changed"));
  }
}

async function separate(target: string, onChanged: () => void): Promise<void> {
  try {
    await api.send("POST", "/api/companies/{name}/unmerge", { params: { name: target } });
    onChanged();
    showToast("Two companies again");
  } catch (error) {
    showToast(failureText(error, "nothing was changed"));
  }
}

/** Fields that one of the two has, those that differ first. */
function sidesOf(left: CompanyShown, right: CompanyShown) {
  const textsOf = (company: CompanyShown): Readonly<Record<string, string>> => ({
    ...company.texts,
    emails: company.emails.map(({ value }) => value).join(", "),
    phones: company.phones.map(({ value }) => value).join(", "),
    tags: company.tags.join(", "),
    categories: company.categories.join(", "),
  });
  const [a, b] = [textsOf(left), textsOf(right)];
  return [...new Set([...Object.keys(a), ...Object.keys(b)])]
    .toSorted()
    .map((field) => ({ field, texts: [a[field] ?? "", b[field] ?? ""] as const }))
    .filter(({ texts: [one, other] }) => one !== "" || other !== "")
    .toSorted((one, other) => rank(one.texts) - rank(other.texts));
}

const rank = ([a, b]: readonly [string, string]) => (a === b ? 2 : a !== "" && b !== "" ? 0 : 1);
