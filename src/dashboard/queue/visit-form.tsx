import { useSignal } from "@preact/signals";
import { api, type RowOf } from "../data/api.ts";
import { useResource } from "../data/resource.ts";
import { safeHref, shownText } from "../data/safe-text.ts";
import { textOf } from "../parts/dialog-form.tsx";

/** A task as the API takes it. */
export interface AskedTask {
  readonly kind: string;
  readonly payload?: unknown;
  readonly job?: string;
  readonly gate?: string;
  readonly key?: string;
}

type Company = RowOf<"/api/companies">;

const companiesMax = 20;

/** The fields of a visit: which company. */
export function VisitFields() {
  const words = useSignal("");
  const found = useResource(
    words.value,
    (signal) => api.get("/api/companies", { query: { words: words.value, limit: companiesMax }, signal }), // prettier-ignore
    { isIdle: words.value.trim() === "" },
  );
  const rows = (found.data?.rows ?? []).filter(({ texts }) => websiteOf(texts) !== undefined);
  const isAsked = words.value.trim() !== "" && found.data !== undefined && !found.isLoading;
  return (
    <>
      <label class="field-label">
        Find a company
        <input
          type="search"
          autoFocus
          placeholder="Name, city, email …"
          value={words.value}
          onInput={(event) => (words.value = event.currentTarget.value)}
        />
      </label>
      <label class="field-label">
        Company whose website is visited
        <select name="company" required disabled={rows.length === 0}>
          {rows.map((company) => (
            <option
              key={company.target}
              value={JSON.stringify([company.target, websiteOf(company.texts)])}
            >
              {shownText(`${company.name}, ${websiteOf(company.texts)!}`, 100)}
            </option>
          ))}
        </select>
      </label>
      {isAsked && rows.length === 0 && <p class="dim">No company with a website matches.</p>}
    </>
  );
}

const websiteOf = ({ website, domain }: Company["texts"]): string | undefined =>
  website ?? (domain === undefined ? undefined : `https://${domain}/`);

/** The task of a visit, or what is wrong with the input. The worker sets the pace of the host. */
export function readVisit(form: FormData): AskedTask | string {
  const chosen = textOf(form, "company");
  if (chosen === "") return "Choose a company.";
  const [target, website] = JSON.parse(chosen) as readonly [string, string];
  const href = safeHref(website);
  if (href === undefined) return `The website of this company is not an address: ${website}`;
  const after = new Date().toISOString();
  return {
    kind: "enrich",
    gate: new URL(href).hostname,
    key: `enrich ${target} ${after}`,
    payload: { target, website: href, after },
  };
}
