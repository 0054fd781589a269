import { api } from "../data/api.ts";
import { useResource } from "../data/resource.ts";
import { place } from "../data/router.ts";
import { Same } from "../parts/same.tsx";
import { SearchBox } from "../parts/search-box.tsx";
import { Loaded, Notice } from "../parts/state-view.tsx";
import { Text } from "../parts/text.tsx";

/** Every setting of the node that serves this page, and where its value comes from. */
export function ServerSettings() {
  const settings = useResource("settings", (signal) => api.get("/api/settings", { signal }));
  const words = (place.value.query.get("words") ?? "").toLowerCase();
  return (
    <>
      <div class="row">
        <SearchBox label="Search settings" placeholder="Name, value or source" />
      </div>
      <section class="card" aria-label="Settings of the server">
        <Loaded from={settings}>
          {({ rows }) => {
            const shown = rows.filter(({ key, value, source }) => `${key} ${value} ${source}`.toLowerCase().includes(words)); // prettier-ignore
            return shown.length === 0 ? (
              <Notice icon="search" title="No setting matches">
                <p>
                  <a class="accent" href="/settings?tab=server">
                    Show all
                  </a>
                </p>
              </Notice>
            ) : (
              <table class="cards">
                <thead>
                  <tr>
                    <th>Setting</th>
                    <th>Value</th>
                    <th>From</th>
                  </tr>
                </thead>
                <tbody>
                  {shown.map(({ key, value, source }) => (
                    <tr key={key}>
                      <td data-label="Setting">
                        <code>{key}</code>
                      </td>
                      <td data-label="Value">
                        <Text value={value} max={300} />
                      </td>
                      <td data-label="From" class={source === "default" ? "dim" : ""}>
                        <Text value={source} max={200} />
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            );
          }}
        </Loaded>
      </section>
      <Same command="forager config show" api="GET /api/settings" />
    </>
  );
}
