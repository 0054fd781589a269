import { useSignal } from "@preact/signals";
import { api, apiUrl } from "../data/api.ts";
import { plural } from "../data/format.ts";
import { isPublished } from "../data/published.ts";
import { useResource } from "../data/resource.ts";
import { panelIn, pathParts, place, withQuery } from "../data/router.ts";
import { may } from "../data/session.ts";
import { Dialog } from "../parts/dialog.tsx";
import { DownloadLinks } from "./download-links.tsx";
import { Icon } from "../parts/icon.tsx";
import { Same } from "../parts/same.tsx";
import { SavedViews } from "../parts/saved-views.tsx";
import { SearchBox } from "../parts/search-box.tsx";
import { Text } from "../parts/text.tsx";
import { Top } from "../parts/top.tsx";
import { BulkCompanies } from "./bulk-companies.tsx";
import { CompanyDrawer } from "./company-drawer.tsx";
import { CompanyFacets } from "./company-facets.tsx";
import { companyFilter, companySort, filterChips, filterCommand } from "./company-query.ts";
import { CompanyTable } from "./company-table.tsx";
import { CampaignAudit } from "./campaign-audit.tsx";
import { DuplicatePairs } from "./duplicate-pairs.tsx";

export function Companies() {
  const [, page] = pathParts.value;
  if (isPublished) return <CompanyList />;
  if (page === "audit") return <CampaignAudit />;
  return page === "duplicates" ? <DuplicatePairs /> : <CompanyList />;
}

function CompanyList() {
  const filter = companyFilter();
  const sort = companySort();
  const key = JSON.stringify({ filter, sort });
  const areFacetsOpen = useSignal(false);
  const isBulkOpen = useSignal(false);
  const count = useResource(
    JSON.stringify(filter),
    (signal) => api.get("/api/companies/count", { query: filter, signal }),
    { topics: ["records"] },
  );
  const open = place.value.query.get("open");
  const download = panelIn("download");
  const countText =
    count.data &&
    `${plural(count.data.count, "company", "companies")}${count.data.isComplete ? "" : " or more"}`;
  return (
    <>
      <Top title="Companies">
        {!isPublished && (
          <>
            <a class="btn" href="/companies/duplicates">
              <Icon name="merge" /> Duplicates
            </a>
            <a class="btn" href="/companies/audit">
              <Icon name="check" /> Audit
            </a>
          </>
        )}
        {may("companies:write") && (
          <button class="btn" onClick={() => (isBulkOpen.value = true)}>
            <Icon name="list-todo" /> Change all
          </button>
        )}
        {may("exports:read") && (
          <button class="btn" onClick={() => download.open()}>
            <Icon name="download" /> Download
          </button>
        )}
        <SavedViews screen="companies" path="/companies" />
      </Top>
      <div class="row">
        <SearchBox
          label="Search companies"
          placeholder="Name, city, email, phone … several words in any order"
          resets={["open"]}
        />
        <button
          class="btn facets-toggle"
          aria-expanded={areFacetsOpen.value}
          onClick={() => (areFacetsOpen.value = !areFacetsOpen.value)}
        >
          <Icon name="filter" /> Filters
        </button>
        <span class="dim" role="status">
          {countText}
        </span>
      </div>
      <Chips />
      <div class="companies">
        <CompanyFacets filter={filter} isOpen={areFacetsOpen.value} />
        <CompanyTable key={key} filter={filter} sort={sort} />
      </div>
      <Same
        command={filterCommand(filter)}
        api={`GET ${apiUrl("/api/companies", {}, { ...filter, sort, limit: 100 })}`}
      />
      {isBulkOpen.value && (
        <BulkCompanies
          filter={filter}
          onClose={() => {
            isBulkOpen.value = false;
            count.reload();
          }}
        />
      )}
      {download.value !== undefined && may("exports:read") && (
        <Dialog title="Download" onClose={download.close}>
          <p>
            <b>{countText}</b> that the filters show, as they are when you click. Excluded companies
            are left out.
          </p>
          <DownloadLinks filter={filter} />
          <Same
            command={filterCommand(filter, "export companies")}
            api={`GET ${apiUrl("/api/exports/companies", {}, filter)}`}
          />
        </Dialog>
      )}
      {open && <CompanyDrawer key={open} name={open} />}
    </>
  );
}

function Chips() {
  const chips = filterChips(companyFilter());
  if (chips.length === 0) return null;
  const without = (key: string, value: string | undefined) =>
    value === undefined
      ? withQuery({ [key]: undefined })
      : withQuery({ [key]: place.value.query.getAll(key).filter((one) => one !== value) });
  return (
    <div class="chips" aria-label="Active filters">
      {chips.map(({ key, value, text }) => (
        <a
          class="chip"
          key={`${key}${value ?? ""}`}
          href={without(key, value)}
          title="Remove this filter"
        >
          <Text value={text} max={60} /> <Icon name="x" label="remove" />
        </a>
      ))}
      <a class="chip" href="/companies">
        clear all <Icon name="x" />
      </a>
    </div>
  );
}
