import { useSignal } from "@preact/signals";
import { api, apiUrl, type RowOf } from "../data/api.ts";
import { formatTime, timeOf } from "../data/format.ts";
import { failureText, useResource } from "../data/resource.ts";
import { navigate, place, withQuery } from "../data/router.ts";
import { Loaded } from "../parts/state-view.tsx";
import { Ago, Text } from "../parts/text.tsx";
import { showToast } from "../parts/toast.tsx";
import type { CompanyShown } from "./company-drawer.tsx";
import { elementText } from "./company-facts.tsx";
import { sourceText } from "./provenance.tsx";

type HistoryRow = RowOf<"/api/companies/{name}/history">;

interface HistoryProps {
  readonly company: CompanyShown;
  readonly canEdit: boolean;
  readonly onChanged: () => void;
}

/** Every value that was written, by whom, and which of several values is shown. */
export function CompanyHistory({ company, canEdit, onChanged }: HistoryProps) {
  const history = useResource(
    company.slug,
    (signal) => api.get("/api/companies/{name}/history", { params: { name: company.slug }, query: { limit: 500 }, signal }), // prettier-ignore
    { topics: ["records"] },
  );
  const at = place.value.query.get("at") ?? "";
  const restoring = useSignal(false);
  const restore = async (row: HistoryRow) => {
    restoring.value = true;
    try {
      const atMs = timeOf(row.stamp) ?? 0;
      await api.send("POST", "/api/companies/{name}/restore", {
        params: { name: company.slug },
        body: { field: row.field, at: new Date(atMs + 1).toISOString() },
      });
      showToast(`Restored ${row.field.split("/")[0]}`);
      history.reload();
      onChanged();
    } catch (error) {
      showToast(failureText(error, "nothing was changed"));
    }
    restoring.value = false;
  };
  const atMs = at === "" ? undefined : new Date(at).getTime();
  return (
    <>
      <label class="field-label">
        Show the company as it was at
        <input
          type="datetime-local"
          value={at}
          onChange={(event) => navigate(withQuery({ at: event.currentTarget.value || undefined }), { isReplaced: true })} // prettier-ignore
        />
      </label>
      <Loaded from={history}>
        {({ rows }) => {
          const shown = atMs === undefined || Number.isNaN(atMs) ? rows : valuesAt(rows, atMs);
          return (
            <>
              {atMs !== undefined && (
                <p class="dim">
                  {shown.length === 0
                    ? "Nothing was known at that time."
                    : `Values as of ${formatTime(atMs)}.`}
                </p>
              )}
              <ol class="timeline">
                {shown.map((row) => (
                  <li key={`${row.stamp}${row.field}${row.node}`}>
                    <b>{row.field.split("/")[0]}</b>{" "}
                    {row.value === undefined || row.value === null ? (
                      <span class="pill quiet">removed</span>
                    ) : (
                      <Text value={elementText(row)} max={200} />
                    )}{" "}
                    {!row.isShown && <span class="pill warn">replaced</span>}
                    <br />
                    <small class="dim">
                      <Ago atMs={timeOf(row.stamp)} />, {sourceText(row.source).slice(0, 160)}, node{" "}
                      {row.node}
                    </small>{" "}
                    {canEdit && !row.isShown && !row.field.includes("/") && (
                      <button
                        class="btn small"
                        disabled={restoring.value}
                        onClick={() => void restore(row)}
                      >
                        Restore
                      </button>
                    )}
                  </li>
                ))}
              </ol>
            </>
          );
        }}
      </Loaded>
      <p class="dim">
        <small>
          <code>forager company history {company.slug}</code> · GET{" "}
          {apiUrl("/api/companies/{name}/history", { name: company.slug })}
        </small>
      </p>
    </>
  );
}

/** The newest value of each field at that time. */
function valuesAt(rows: readonly HistoryRow[], atMs: number): readonly HistoryRow[] {
  const newest = new Map<string, HistoryRow>();
  for (const row of rows) {
    if ((timeOf(row.stamp) ?? 0) > atMs) continue;
    const known = newest.get(row.field);
    if (!known || known.stamp < row.stamp) newest.set(row.field, row);
  }
  return [...newest.values()]
    .filter(({ value }) => value !== undefined && value !== null)
    .toSorted((a, b) => (a.field < b.field ? -1 : 1));
}
