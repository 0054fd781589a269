import { api, apiUrl } from "../data/api.ts";
import { timeOf } from "../data/format.ts";
import { failureText, useResource } from "../data/resource.ts";
import { navigate, place, withQuery } from "../data/router.ts";
import { Icon } from "../parts/icon.tsx";
import { Same } from "../parts/same.tsx";
import { Loaded, Notice } from "../parts/state-view.tsx";
import { Ago, Text } from "../parts/text.tsx";
import { showToast } from "../parts/toast.tsx";

const states = ["pending", "running", "done", "skipped", "failed"] as const;
const pills = {
  pending: "warn",
  running: "warn",
  done: "",
  skipped: "quiet",
  failed: "bad",
} as const;

/** Messages sent to webhooks, the responses of their receivers, and a button to send one again. */
export function Deliveries() {
  const state = states.find((one) => one === place.value.query.get("state"));
  const webhook = place.value.query.get("webhook") ?? undefined;
  const query = { ...(state && { state }), ...(webhook && { webhook }), limit: 100 };
  const sent = useResource(
    JSON.stringify(query),
    (signal) => api.get("/api/deliveries", { query, signal }),
    { topics: ["queue"] },
  );
  const replay = async (delivery: number) => {
    try {
      await api.send("POST", "/api/deliveries/{delivery}/replay", { params: { delivery } });
      showToast("It is sent again, with the same webhook-id");
      sent.reload();
    } catch (error) {
      showToast(failureText(error, "nothing was sent"));
    }
  };
  return (
    <>
      <div class="row">
        <label class="field-label inline">
          State
          <select
            value={state ?? ""}
            onChange={(event) => navigate(withQuery({ state: event.currentTarget.value || undefined }))} // prettier-ignore
          >
            <option value="">all</option>
            {states.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
        {webhook && (
          <a class="chip" href={withQuery({ webhook: undefined })} title="Remove this filter">
            <Text value={webhook} max={60} /> <Icon name="x" label="remove" />
          </a>
        )}
      </div>
      <section class="card" aria-label="Deliveries">
        <Loaded from={sent}>
          {({ rows }) =>
            rows.length === 0 ? (
              <Notice icon="mail" title="Nothing was sent">
                <p>
                  Messages are sent when a campaign is finished, a budget is reached or an export is
                  ready. Add a receiver in{" "}
                  <a class="accent" href="/settings?tab=webhooks">
                    Settings
                  </a>{" "}
                  or run <code>forager webhook add URL</code>
                </p>
              </Notice>
            ) : (
              <table class="cards">
                <thead>
                  <tr>
                    <th>Event</th>
                    <th>Webhook</th>
                    <th>State</th>
                    <th class="n">Attempts</th>
                    <th>Answer</th>
                    <th>Added</th>
                    <th>
                      <span class="for-readers">Send again</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {rows.map((row) => (
                    <tr key={row.id}>
                      <td data-label="Event">
                        <span>
                          <b>
                            <Text value={row.type} max={40} />
                          </b>{" "}
                          <small class="dim">
                            <Text value={row.event} max={40} />
                          </small>
                        </span>
                      </td>
                      <td data-label="Webhook">
                        <a href={withQuery({ webhook: row.endpoint })}>
                          <Text value={row.endpoint} max={40} />
                        </a>
                      </td>
                      <td data-label="State">
                        <span class={`pill ${pills[row.state]}`}>{row.state}</span>
                      </td>
                      <td data-label="Attempts" class="n">
                        {row.attempts}
                      </td>
                      <td data-label="Answer">
                        <Text value={row.answer ?? ""} max={200} />
                      </td>
                      <td data-label="Added" class="nowrap dim">
                        <Ago atMs={timeOf(row.addedAt)} />
                      </td>
                      <td class="n">
                        {(row.state === "done" ||
                          row.state === "failed" ||
                          row.state === "skipped") && (
                          <button class="btn small" onClick={() => void replay(row.id)}>
                            <Icon name="refresh-cw" /> Replay
                          </button>
                        )}
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            )
          }
        </Loaded>
      </section>
      <Same
        command="forager webhook deliveries"
        api={`GET ${apiUrl("/api/deliveries", {}, query)}`}
      />
    </>
  );
}
