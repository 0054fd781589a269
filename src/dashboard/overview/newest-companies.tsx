import { api } from "../data/api.ts";
import { formatCount, timeOf } from "../data/format.ts";
import { hasValues } from "../data/published.ts";
import { useResource } from "../data/resource.ts";
import { useHold } from "../data/hold.ts";
import { Loaded, Notice } from "../parts/state-view.tsx";
import { Ago, Text } from "../parts/text.tsx";

const shownCount = 8;

export function NewestCompanies() {
  const hold = useHold();
  const newest = useResource(
    "newest",
    (signal) =>
      api.get("/api/companies", { query: { sort: "changed", limit: shownCount }, signal }),
    { topics: ["records"], isHeld: hold.isHeld },
  );
  const count = useResource("count", (signal) => api.get("/api/companies/count", { signal }), {
    topics: ["records"],
  });
  return (
    <section class="card">
      <header>
        <h2>Newest companies</h2>
        <span class="sp" />
        {count.data && (
          <a class="dim" href="/companies">
            all {formatCount(count.data.count)}
          </a>
        )}
      </header>
      <Loaded from={newest}>
        {({ rows }) =>
          rows.length === 0 ? (
            <Notice icon="building-2" title="No companies yet">
              <p>They appear here as soon as the first tile is searched.</p>
            </Notice>
          ) : (
            <table {...hold.handlers}>
              <thead>
                <tr>
                  <th>Company</th>
                  <th class="hide-s">City</th>
                  {hasValues("emails") && <th>Email</th>}
                  <th class="n">Changed</th>
                </tr>
              </thead>
              <tbody>
                {rows.map(({ target, slug, name, texts, emails, changedAt }) => (
                  <tr key={target}>
                    <td>
                      <a href={`/companies?open=${encodeURIComponent(slug)}`}>
                        <Text value={name || slug} max={80} />
                      </a>
                    </td>
                    <td class="hide-s">
                      <span class="clip short">
                        <Text value={texts["city"] ?? ""} max={40} />
                      </span>
                    </td>
                    {hasValues("emails") && (
                      <td>
                        {emails[0] ? (
                          <Text value={emails[0].value} max={60} />
                        ) : (
                          <span class="dim">none yet</span>
                        )}
                      </td>
                    )}
                    <td class="n nowrap dim">
                      <Ago atMs={timeOf(changedAt)} />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          )
        }
      </Loaded>
    </section>
  );
}
