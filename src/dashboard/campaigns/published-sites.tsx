import { useSignal } from "@preact/signals";
import { api } from "../data/api.ts";
import { formatCount, plural, timeOf } from "../data/format.ts";
import { isPublished } from "../data/published.ts";
import { failureText, useResource } from "../data/resource.ts";
import { may } from "../data/session.ts";
import { Icon } from "../parts/icon.tsx";
import { Ago, Text } from "../parts/text.tsx";
import { showToast } from "../parts/toast.tsx";

/** Static sites that were published from here, with a button that updates each. */
export function PublishedSites() {
  const sites = useResource("sites", (signal) => api.get("/api/sites", { signal }), {
    isIdle: isPublished,
  });
  const running = useSignal<string | undefined>(undefined);
  const publish = async (target: string) => {
    running.value = target;
    try {
      const { status, companies } = await api.send("POST", "/api/sites/publish", { body: { target } }); // prettier-ignore
      showToast(status === "unchanged" ? "The site is up to date" : `Published ${plural(companies, "company", "companies")}`); // prettier-ignore
      sites.reload();
    } catch (error) {
      showToast(failureText(error, "the site did not change"));
    }
    running.value = undefined;
  };
  if (!sites.data || sites.data.rows.length === 0) return null;
  return (
    <section class="card" aria-label="Published sites">
      <header>
        <h2>Published sites</h2>
      </header>
      <table class="cards">
        <thead>
          <tr>
            <th>Where</th>
            <th>Who can read it</th>
            <th class="n">Companies</th>
            <th class="n">Changed</th>
            <th>
              <span class="for-readers">Publish again</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {sites.data.rows.map(({ target, mode, companies, at }) => (
            <tr key={target}>
              <td data-label="Where">
                <Text value={target} max={120} />
              </td>
              <td data-label="Who can read it">{mode}</td>
              <td class="n" data-label="Companies">
                {formatCount(companies)}
              </td>
              <td class="n" data-label="Changed">
                <Ago atMs={timeOf(at)} />
              </td>
              <td class="n">
                {may("campaigns:write") && (
                  <button
                    class="btn small"
                    disabled={running.value !== undefined}
                    onClick={() => void publish(target)}
                  >
                    <Icon name="refresh-cw" />{" "}
                    {running.value === target ? "Publishing…" : "Publish again"}
                  </button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
