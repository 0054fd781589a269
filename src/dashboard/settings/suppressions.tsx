import { useSignal } from "@preact/signals";
import { api, apiUrl } from "../data/api.ts";
import { plural, timeOf } from "../data/format.ts";
import { failureText, useResource } from "../data/resource.ts";
import { navigate, place, withQuery } from "../data/router.ts";
import { shownText } from "../data/safe-text.ts";
import { may } from "../data/session.ts";
import { Problem } from "../parts/problem.tsx";
import { Same } from "../parts/same.tsx";
import { Loaded, Notice } from "../parts/state-view.tsx";
import { Ago, Text } from "../parts/text.tsx";

const kinds = ["email", "domain", "phone", "place"] as const;
const shownMax = 200;

/** The suppression list. It stores hashes, so it can check values but not show them. */
export function Suppressions() {
  const kind = kinds.find((one) => one === place.value.query.get("kind"));
  const query = { ...(kind && { kind }), limit: shownMax };
  const list = useResource(JSON.stringify(query), (signal) =>
    api.get("/api/suppressions", { query, signal }),
  );
  return (
    <>
      <div class="grid">
        <section class="card" aria-label="Suppression list">
          <header>
            <h2>Suppression list</h2>
            <span class="sp" />
            <select
              aria-label="Kind"
              value={kind ?? ""}
              onChange={(event) => navigate(withQuery({ kind: event.currentTarget.value || undefined }))} // prettier-ignore
            >
              <option value="">all kinds</option>
              {kinds.map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
          </header>
          <Loaded from={list}>
            {({ rows, next }) =>
              rows.length === 0 ? (
                <Notice icon="check" title="The list is empty">
                  <p>
                    Addresses, domains and numbers on it are not gathered, visited or exported:{" "}
                    <code>forager suppress add hello@firm.example --reason "asked by mail"</code>
                  </p>
                </Notice>
              ) : (
                <>
                  <table class="cards">
                    <thead>
                      <tr>
                        <th>Hash begins with</th>
                        <th>Kind</th>
                        <th>Reason</th>
                        <th>By</th>
                        <th>Since</th>
                      </tr>
                    </thead>
                    <tbody>
                      {rows.map((row) => (
                        <tr key={row.id}>
                          <td data-label="Hash">
                            <code>
                              <Text value={row.id} max={40} />
                            </code>
                          </td>
                          <td data-label="Kind">{row.kind}</td>
                          <td data-label="Reason">
                            <Text value={row.reason ?? ""} max={200} />
                          </td>
                          <td data-label="By">
                            <Text value={row.source.replace(/^hand:/, "")} max={60} />
                          </td>
                          <td data-label="Since" class="nowrap dim">
                            <Ago atMs={timeOf(row.at)} />
                          </td>
                        </tr>
                      ))}
                    </tbody>
                  </table>
                  {next !== null && (
                    <p class="dim">
                      The newest {rows.length} are shown. All: <code>forager suppress list</code>
                    </p>
                  )}
                </>
              )
            }
          </Loaded>
        </section>
        <ChangeList onChanged={list.reload} />
      </div>
      <Same command="forager suppress list" api={`GET ${apiUrl("/api/suppressions", {}, query)}`} />
    </>
  );
}

/** One value per line. */
const valuesOf = (text: string): string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

function ChangeList({ onChanged }: { readonly onChanged: () => void }) {
  const text = useSignal("");
  const reason = useSignal("");
  const problem = useSignal("");
  const message = useSignal("");
  const values = valuesOf(text.value);
  const act = async (ask: () => Promise<string>) => {
    problem.value = message.value = "";
    try {
      message.value = await ask();
      onChanged();
    } catch (error) {
      problem.value = failureText(error, "the list was not changed");
    }
  };
  const add = () =>
    act(async () => {
      const body = { values, ...(reason.value.trim() && { reason: reason.value.trim() }) };
      const { added, known } = await api.send("POST", "/api/suppressions", { body });
      return `${plural(added, "entry", "entries")} added${known > 0 ? `, ${known} were already on the list` : ""}`;
    });
  const check = () =>
    act(async () => {
      const { rows } = await api.send("POST", "/api/suppressions/check", { body: { values } });
      return rows.map(({ value, isListed }) => `${value}: ${isListed ? "listed" : "not listed"}`).join("\n"); // prettier-ignore
    });
  const remove = () =>
    act(async () => {
      const { removed } = await api.send("POST", "/api/suppressions/remove", { body: { values } });
      return `${plural(removed, "entry", "entries")} removed`;
    });
  const canWrite = may("companies:write");
  return (
    <section class="card" aria-label={canWrite ? "Check and change the list" : "Check the list"}>
      <header>
        <h2>{canWrite ? "Check or change" : "Check"}</h2>
      </header>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void check();
        }}
      >
        <label class="field-label">
          E-mail addresses, domains or phone numbers with country code, one on each line
          <textarea
            rows={5}
            value={text.value}
            onInput={(event) => (text.value = event.currentTarget.value)}
          />
        </label>
        {canWrite && (
          <label class="field-label">
            Reason, kept with the entry
            <input
              maxLength={500}
              value={reason.value}
              onInput={(event) => (reason.value = event.currentTarget.value)}
            />
          </label>
        )}
        <Problem title="Not done" text={problem.value} />
        {message.value !== "" && (
          <p class="lines" role="status">
            <bdi>{shownText(message.value, 4_000)}</bdi>
          </p>
        )}
        <div class="row">
          <button class="btn" disabled={values.length === 0}>
            Check
          </button>
          {canWrite && (
            <>
              <button
                type="button"
                class="btn go"
                disabled={values.length === 0}
                onClick={() => void add()}
              >
                Add to the list
              </button>
              <button
                type="button"
                class="btn"
                disabled={values.length === 0}
                onClick={() => void remove()}
              >
                Remove from the list
              </button>
            </>
          )}
        </div>
      </form>
    </section>
  );
}
