import { api, apiUrl, type AnswerOf } from "../data/api.ts";
import { isPublished } from "../data/published.ts";
import { useResource } from "../data/resource.ts";
import { navigate, withQuery } from "../data/router.ts";
import { may } from "../data/session.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Same } from "../parts/same.tsx";
import { Loaded } from "../parts/state-view.tsx";
import { chosenTab, Tabs } from "../parts/tabs.tsx";
import { Text } from "../parts/text.tsx";
import { CompanyActions, MergedCompanies } from "./company-actions.tsx";
import { CompanyEntries } from "./company-entries.tsx";
import { CompanyFacts } from "./company-facts.tsx";
import { CompanyHistory } from "./company-history.tsx";
import { CompanyTrace } from "./company-trace.tsx";
import { Duplicates } from "./duplicates.tsx";

export type CompanyShown = AnswerOf<"GET", "/api/companies/{name}">;

const tabs = [
  ["", "Values"],
  ["notes", "Notes and calls"],
  ["history", "History"],
  ["trace", "How it was found"],
] as const;

/** All details of one company, next to the list. */
export function CompanyDrawer({ name }: { readonly name: string }) {
  const company = useResource(
    name,
    (signal) => api.get("/api/companies/{name}", { params: { name }, signal }),
    { topics: ["records"] },
  );
  const tab = chosenTab(tabs);
  const close = () => navigate(withQuery({ open: undefined, tab: undefined, at: undefined }));
  const { data, reload } = company;
  const shownTabs = tabs.filter(([key]) => !isPublished || isInSite(key, data));
  const canEdit = may("companies:write");
  return (
    <Dialog shape="drawer" title={data ? data.name || data.slug : name} onClose={close}>
      <Loaded from={company}>
        {(shown) => (
          <>
            <p class="row dim">
              {shown.texts["city"] && <Text value={shown.texts["city"]} max={60} />}
              {shown.categories.slice(0, 3).map((category) => (
                <span class="pill quiet" key={category}>
                  <Text value={category} max={40} />
                </span>
              ))}
              {shown.excluded !== undefined && (
                <span class="pill bad">excluded: {shown.excluded}</span>
              )}
            </p>
            {shown.problems.map(({ path, reason }) => (
              <div class="alarm bad" key={path}>
                <b>File left alone</b>
                <span>
                  {path}: {reason}
                </span>
              </div>
            ))}
            <Duplicates company={shown} onChanged={reload} />
            {canEdit && <MergedCompanies company={shown} onChanged={reload} />}
            <Tabs label="Parts of the company" tabs={shownTabs} />
            {tab === "" && <CompanyFacts company={shown} canEdit={canEdit} onChanged={reload} />}
            {tab === "notes" && (
              <CompanyEntries company={shown} canEdit={canEdit} onChanged={reload} />
            )}
            {tab === "history" && (
              <CompanyHistory company={shown} canEdit={canEdit} onChanged={reload} />
            )}
            {tab === "trace" && <CompanyTrace company={shown} />}
            {canEdit && tab === "" && <CompanyActions company={shown} onChanged={reload} />}
            <Same
              command={`forager company show ${shown.slug}`}
              api={`GET ${apiUrl("/api/companies/{name}", { name: shown.slug })}`}
            />
          </>
        )}
      </Loaded>
    </Dialog>
  );
}

/** A published site has no history, and has notes only if they were not left out. */
const isInSite = (tab: string, company: CompanyShown | undefined): boolean =>
  tab !== "history" && (tab !== "notes" || (company?.entries.length ?? 0) > 0);
