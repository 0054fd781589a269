import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { api } from "../data/api.ts";
import { onLive } from "../data/live.ts";
import { isPublished } from "../data/published.ts";
import { failureOf, type Failure } from "../data/resource.ts";
import { place, withQuery } from "../data/router.ts";
import { Loaded, Notice } from "../parts/state-view.tsx";
import { ColumnChooser, shownColumns } from "./column-chooser.tsx";
import { sorts, type CompanyFilter, type CompanyRow, type Sort } from "./company-query.ts";

interface CompanyTableProps {
  readonly filter: CompanyFilter;
  readonly sort: Sort | undefined;
}

/** A published site has no callback dates. */
const shownSorts = sorts.filter((sort) => !isPublished || sort !== "callback");
const pageSize = 100;
/** Nobody reads more; a filter finds the rest. */
const rowsMax = 5_000;

export function CompanyTable({ filter, sort }: CompanyTableProps) {
  /** As they were loaded. */
  const pages = useSignal<readonly (readonly CompanyRow[])[]>([]);
  const next = useSignal<string | null | undefined>(undefined);
  const failure = useSignal<Failure | undefined>(undefined);
  const isLoading = useSignal(true);
  const hasNews = useSignal(false);
  const end = useRef<HTMLDivElement>(null);
  const isEndShown = useRef(false);

  const count = () => pages.value.reduce((sum, page) => sum + page.length, 0);

  const load = async (after: string | undefined) => {
    isLoading.value = true;
    try {
      const query = { ...filter, limit: pageSize, ...(sort && { sort }), ...(after && { after }) };
      const page = await api.get("/api/companies", { query });
      pages.value = after === undefined ? [page.rows] : [...pages.value, page.rows];
      next.value = page.next;
      failure.value = undefined;
      hasNews.value = false;
    } catch (error) {
      failure.value = failureOf(error);
    }
    isLoading.value = false;
    loadMore();
  };
  const loadMore = () => {
    const isMore = next.value && !isLoading.value && count() < rowsMax;
    if (isMore && isEndShown.current && failure.value === undefined) void load(next.value!);
  };
  useEffect(() => void load(undefined), []);
  // Rows do not move under the pointer: changes are announced, and shown when the user asks for
  // them.
  useEffect(
    () =>
      onLive(["records"], () => {
        if (count() === 0 || scrollY < 40) void load(undefined);
        else hasNews.value = true;
      }),
    [],
  );
  useEffect(() => {
    const observer = new IntersectionObserver(([entry]) => {
      isEndShown.current = entry?.isIntersecting === true;
      loadMore();
    });
    observer.observe(end.current!);
    return () => observer.disconnect();
  }, []);

  const columns = shownColumns(place.value.query.get("columns"));
  const resource = {
    data: count() > 0 || next.value !== undefined ? pages.value : undefined,
    failure: failure.value,
    isLoading: isLoading.value,
    reload: () => void load(undefined),
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
          <button class="btn small" onClick={() => void load(undefined)}>
            Show changes
          </button>
        )}
        <ColumnChooser />
      </header>
      <Loaded from={resource}>
        {(found) =>
          count() === 0 ? (
            <Nothing hasFilter={Object.keys(filter).length > 0} />
          ) : (
            <table class="rows cards">
              <thead>
                <tr>
                  {columns.map(({ key, title, isNumber }) => (
                    <th key={key} class={isNumber ? "n" : ""}>
                      {title}
                    </th>
                  ))}
                </tr>
              </thead>
              {found.map((page, at) => (
                <CompanyPage key={at} rows={page} columns={columns} />
              ))}
            </table>
          )
        }
      </Loaded>
      <div ref={end} />
      {next.value && count() > 0 && (
        <p class="loading">
          {count() >= rowsMax
            ? `The first ${rowsMax.toLocaleString("en")} are shown. Narrow the search to see others.`
            : "Loading more…"}
        </p>
      )}
    </section>
  );
}

interface CompanyPageProps {
  readonly rows: readonly CompanyRow[];
  readonly columns: ReturnType<typeof shownColumns>;
}

/** Drawn once: when another page is loaded, this one is not compared again. */
function CompanyPage({ rows, columns }: CompanyPageProps) {
  // The links of rows keep the filters, and change only the open company.
  const base = withQuery({ open: undefined });
  return useMemo(
    () => (
      <tbody>
        {rows.map((company) => (
          <tr key={company.target}>
            {columns.map(({ key, title, isNumber, cell }) => (
              <td key={key} class={isNumber ? "n" : ""} data-label={title}>
                {cell(company)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    ),
    [rows, base, columns.map(({ key }) => key).join()],
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
