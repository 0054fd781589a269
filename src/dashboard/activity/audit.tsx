import { api, apiUrl, type AnswerOf } from "../data/api.ts";
import { formatTime, plural, timeOf } from "../data/format.ts";
import { useResource } from "../data/resource.ts";
import { navigate, place, withQuery } from "../data/router.ts";
import { shownText } from "../data/safe-text.ts";
import { Icon } from "../parts/icon.tsx";
import { Same } from "../parts/same.tsx";
import { SearchBox } from "../parts/search-box.tsx";
import { Loaded, Notice } from "../parts/state-view.tsx";
import { Text } from "../parts/text.tsx";

type Entry = AnswerOf<"GET", "/api/audit-log">["rows"][number];

const results = ["ok", "denied", "failed"] as const;
const shownMax = 200;
const exportMax = 1_000;

/** The filters in the address of the page. */
function auditFilter() {
  const { query } = place.value;
  const who = query.get("who") ?? "";
  const what = query.get("what") ?? "";
  const result = results.find((one) => one === query.get("result"));
  const since = /^\d{4}-\d{2}-\d{2}$/.exec(query.get("since") ?? "")?.[0];
  return {
    ...(who && { who }),
    ...(what && { what }),
    ...(result && { result }),
    ...(since && { since: `${since}T00:00:00Z` }),
  };
}

/** The audit log: sign-ins, changes, downloads and refusals. */
export function Audit() {
  const filter = auditFilter();
  const log = useResource(JSON.stringify(filter), (signal) =>
    api.get("/api/audit-log", { query: { ...filter, limit: shownMax }, signal }),
  );
  const command = Object.entries(filter).map(([key, value]) => ` --${key} ${value}`);
  return (
    <>
      <div class="row">
        <SearchBox label="What was done" placeholder="Route or command" parameter="what" />
        <label class="field-label inline">
          Who
          <input
            value={filter.who ?? ""}
            maxLength={64}
            size={12}
            onChange={(event) => set({ who: event.currentTarget.value.trim() })}
          />
        </label>
        <label class="field-label inline">
          Result
          <select
            value={filter.result ?? ""}
            onChange={(event) => set({ result: event.currentTarget.value })}
          >
            <option value="">all</option>
            {results.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
        <label class="field-label inline">
          Since
          <input
            type="date"
            value={place.value.query.get("since") ?? ""}
            onChange={(event) => set({ since: event.currentTarget.value })}
          />
        </label>
        <button class="btn" onClick={log.reload}>
          <Icon name="refresh-cw" /> Reload
        </button>
        <a
          class="btn"
          download="audit-log.json"
          href={apiUrl("/api/audit-log", {}, { ...filter, limit: exportMax })}
        >
          <Icon name="download" /> Download
        </a>
      </div>
      <section class="card" aria-label="Audit log">
        <Loaded from={log}>
          {({ rows }) =>
            rows.length === 0 ? (
              <Notice icon="history" title="No entry matches">
                <p>
                  <a class="accent" href="/activity?tab=audit">
                    Clear all filters
                  </a>
                  . Entries are kept as long as <code>audit.keepDays</code> says.
                </p>
              </Notice>
            ) : (
              <Entries rows={rows} />
            )
          }
        </Loaded>
      </section>
      <Same
        command={`forager audit-log list${shownText(command.join(""), 300)}`}
        api={`GET ${apiUrl("/api/audit-log", {}, { ...filter, limit: shownMax })}`}
      />
    </>
  );
}

const set = (change: Readonly<Record<string, string>>) =>
  navigate(withQuery(Object.fromEntries(Object.entries(change).map(([key, value]) => [key, value || undefined])))); // prettier-ignore

function Entries({ rows }: { readonly rows: readonly Entry[] }) {
  return (
    <table class="cards rows">
      <caption class="for-readers">{plural(rows.length, "entry", "entries")}, newest first</caption>
      <thead>
        <tr>
          <th>When</th>
          <th>Who</th>
          <th>From</th>
          <th>What</th>
          <th>Target</th>
          <th>Result</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((entry, index) => (
          <tr key={`${entry.at} ${index}`}>
            <td data-label="When" class="nowrap">
              {formatTime(timeOf(entry.at) ?? 0)}
            </td>
            <td data-label="Who">
              <span>
                {entry.who === "" ? (
                  <span class="dim">nobody</span>
                ) : (
                  <a href={withQuery({ who: entry.who })}>
                    <Text value={entry.who} max={60} />
                  </a>
                )}{" "}
                <small class="dim">{shownText(entry.by, 20)}</small>
              </span>
            </td>
            <td data-label="From" class="dim">
              <Text value={entry.from ?? "here"} max={60} />
            </td>
            <td data-label="What">
              <a href={withQuery({ what: entry.what })}>
                <Text value={entry.what} max={80} />
              </a>
            </td>
            <td data-label="Target">
              <Target entry={entry} />
            </td>
            <td data-label="Result">
              <span>
                <span class={`pill ${entry.result === "ok" ? "quiet" : "bad"}`}>
                  {entry.result}
                </span>
                {entry.result !== "ok" && (
                  <>
                    {" "}
                    <small class="dim">
                      <Text value={entry.detail} max={200} />
                    </small>
                  </>
                )}
              </span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The target, with the input and the values before and after if the entry has them. */
function Target({ entry: { target, asked, before, after } }: { readonly entry: Entry }) {
  const values = Object.entries({ asked, before, after }).filter(([, value]) => value !== null);
  if (values.length === 0) return <Text value={target} max={120} />;
  return (
    <details>
      <summary>
        <Text value={target || "values"} max={120} />
      </summary>
      {values.map(([name, value]) => (
        <code class="value" key={name}>
          {name}: <bdi>{shownText(value ?? "", 2_000)}</bdi>
        </code>
      ))}
    </details>
  );
}
