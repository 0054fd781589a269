import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { api } from "../data/api.ts";
import { onLive } from "../data/live.ts";
import { isPublished } from "../data/published.ts";
import { failureOf, type Failure } from "../data/resource.ts";
import { place, withQuery } from "../data/router.ts";
import { Loaded, Notice } from "../parts/state-view.tsx";
import { ColumnChooser, shownColumns } from "./column-chooser.tsx";
import { CompanyPages, type LoadedPage, type PageRange } from "./company-pages.tsx";
import { sorts, type CompanyFilter, type Sort } from "./company-query.ts";

interface CompanyTableProps {
  readonly filter: CompanyFilter;
  readonly sort: Sort | undefined;
}

/** A published site has no callback dates. */
const shownSorts = sorts.filter((sort) => !isPublished || sort !== "callback");
const pageSize = 50;
/** Rows of other pages are dropped, and requested again when the user scrolls back to them. */
const keptPages = 60;

export function CompanyTable({ filter, sort }: CompanyTableProps) {
  const pages = useSignal<readonly LoadedPage[]>([]);
  const next = useSignal<string | null | undefined>(undefined);
  const failure = useSignal<Failure | undefined>(undefined);
  const isLoading = useSignal(true);
  const hasNews = useSignal(false);
  const range = useRef<PageRange>({ first: 0, last: 0 });

  /** Requests the page with this number; the number after the last one is a new page. */
  const load = async (at: number, after: string | undefined) => {
    isLoading.value = true;
    try {
      const query = { ...filter, limit: pageSize, ...(sort && { sort }), ...(after && { after }) };
      const found = await api.get("/api/companies", { query });
      const page = { after, rows: found.rows, count: found.rows.length };
      // The first page begins a new list: what follows it may have changed too.
      if (at === 0) pages.value = [page];
      else pages.value = pages.value.map(dropFar).toSpliced(at, 1, page);
      if (at === pages.value.length - 1) next.value = found.next;
      failure.value = undefined;
      if (at === 0) hasNews.value = false;
    } catch (error) {
      failure.value = failureOf(error);
    }
    isLoading.value = false;
    loadNear();
  };
  const dropFar = (page: LoadedPage, at: number): LoadedPage =>
    at > 0 && Math.abs(at - range.current.last) > keptPages ? { ...page, rows: undefined } : page;
  /** Requests what is missing near the window: a dropped page, or the next one. */
  const loadNear = () => {
    if (isLoading.value || failure.value !== undefined) return;
    const { first, last } = range.current;
    const missing = pages.value.findIndex(({ rows }, at) => rows === undefined && at >= first && at <= last); // prettier-ignore
    if (missing !== -1) void load(missing, pages.value[missing]!.after);
    else if (next.value && last >= pages.value.length - 1)
      void load(pages.value.length, next.value);
  };
  const restart = () => void load(0, undefined);
  useEffect(restart, []);
  // Rows do not move under the pointer: changes are announced, and shown when the user asks for
  // them.
  useEffect(
    () =>
      onLive(["records"], () => {
        if (pages.value.length === 0 || scrollY < 40) restart();
        else hasNews.value = true;
      }),
    [],
  );

  const columns = shownColumns(place.value.query.get("columns"));
  const isEmpty = (pages.value[0]?.count ?? 0) === 0;
  const resource = {
    data: pages.value.length > 0 ? pages.value : undefined,
    failure: failure.value,
    isLoading: isLoading.value,
    reload: restart,
  };
  return (
    <section class="card" aria-label="Companies">
      <header>
        <h2>Companies</h2>
        <small>
          sorted by{" "}
          {shownSorts.map((one, index) => (
            <>
              {index > 0 && " · "}
              <a
                href={withQuery({ sort: one === "name" ? undefined : one })}
                class={(sort ?? "name") === one ? "accent" : ""}
                aria-current={(sort ?? "name") === one ? "true" : undefined}
              >
                {one}
              </a>
            </>
          ))}
        </small>
        <span class="sp" />
        {hasNews.value && (
          <button class="btn small" onClick={restart}>
            Show changes
          </button>
        )}
        <ColumnChooser />
      </header>
      <Loaded from={resource}>
        {(found) =>
          isEmpty ? (
            <Nothing hasFilter={Object.keys(filter).length > 0} />
          ) : (
            <CompanyPages
              pages={found}
              columns={columns}
              onRange={(near) => {
                range.current = near;
                loadNear();
              }}
            />
          )
        }
      </Loaded>
      {next.value && !isEmpty && <p class="loading">Loading more…</p>}
    </section>
  );
}

function Nothing({ hasFilter }: { readonly hasFilter: boolean }) {
  return hasFilter ? (
    <Notice icon="search" title="No company matches">
      <p>
        Every word must be the beginning of a word of the company.{" "}
        <a class="accent" href="/companies">
          Clear all filters
        </a>
        .
      </p>
    </Notice>
  ) : (
    <Notice icon="building-2" title="No companies yet">
      <p>
        Run a campaign: <code>forager campaign run NAME</code>, or import your own list:{" "}
        <code>forager import companies.csv</code>
      </p>
    </Notice>
  );
}
