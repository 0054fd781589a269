import { useSignal } from "@preact/signals";
import { api } from "../data/api.ts";
import { failureText, useResource } from "../data/resource.ts";
import { shownText } from "../data/safe-text.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Loaded } from "../parts/state-view.tsx";
import { Text } from "../parts/text.tsx";
import { showToast } from "../parts/toast.tsx";
import type { CompanyShown } from "./company-drawer.tsx";
import { sourceText } from "./provenance.tsx";

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
        {sidesOf(left, right).map(({ field, values: [a, b] }) => {
          const differs = a.text !== b.text && a.text !== "" && b.text !== "" ? "differs" : "";
          return (
            <>
              <span class="dim">{field}</span>
              <SideValue {...a} class={differs} />
              <SideValue {...b} class={differs} />
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

interface Side {
  readonly text: string;
  /** Where the value comes from; empty if there is none. */
  readonly sources: string;
}

function SideValue({ text, sources, ...rest }: Side & { readonly class: string }) {
  return (
    <span {...rest}>
      {shownText(text, 300)}
      {text !== "" && <small class="dim">{shownText(sources, 160)}</small>}
    </span>
  );
}

/** Lists of a company, and the beginning of their fields in the ledger. */
const lists = { emails: "email", phones: "phone", tags: "tag", categories: "category" } as const;

/** Fields that one of the two has, those that differ first. */
function sidesOf(left: CompanyShown, right: CompanyShown) {
  const sidesIn = (company: CompanyShown): Readonly<Record<string, Side>> => {
    const { texts, emails, phones, tags, categories, provenance } = company;
    const sourcesOf = (isOf: (field: string) => boolean) =>
      [...new Set(provenance.filter(({ field }) => isOf(field)).map(({ source }) => sourceText(source)))].join(", "); // prettier-ignore
    const values = { emails: emails.map(({ value }) => value), phones: phones.map(({ value }) => value), tags, categories }; // prettier-ignore
    const names = Object.keys(lists) as (keyof typeof lists)[];
    return Object.fromEntries([
      ...Object.entries(texts).map(([name, text]) => [name, { text, sources: sourcesOf((field) => field === name) }]), // prettier-ignore
      ...names.map((name) => [name, { text: values[name].join(", "), sources: sourcesOf((field) => field.startsWith(`${lists[name]}/`)) }]), // prettier-ignore
    ]) as Readonly<Record<string, Side>>;
  };
  const none: Side = { text: "", sources: "" };
  const [a, b] = [sidesIn(left), sidesIn(right)];
  return [...new Set([...Object.keys(a), ...Object.keys(b)])]
    .toSorted()
    .map((field) => ({ field, values: [a[field] ?? none, b[field] ?? none] as const }))
    .filter(({ values: [one, other] }) => one.text !== "" || other.text !== "")
    .toSorted((one, other) => rank(one.values) - rank(other.values));
}

const rank = ([a, b]: readonly [Side, Side]) =>
  a.text === b.text ? 2 : a.text !== "" && b.text !== "" ? 0 : 1;
