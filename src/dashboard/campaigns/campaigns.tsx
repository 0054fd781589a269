import { api } from "../data/api.ts";
import { formatCount, plural } from "../data/format.ts";
import { isPublished } from "../data/published.ts";
import { useResource } from "../data/resource.ts";
import { navigate, pathParts, place } from "../data/router.ts";
import { may } from "../data/session.ts";
import { tasksHref } from "../data/task-query.ts";
import { Icon } from "../parts/icon.tsx";
import { Same } from "../parts/same.tsx";
import { Loaded, Notice } from "../parts/state-view.tsx";
import { Text } from "../parts/text.tsx";
import { Top } from "../parts/top.tsx";
import { CampaignDetail } from "./campaign-detail.tsx";
import { NewCampaign } from "./new-campaign.tsx";
import { PublishedSites } from "./published-sites.tsx";

export function Campaigns() {
  const [, name] = pathParts.value;
  return name === undefined ? <CampaignList /> : <CampaignDetail key={name} campaign={name} />;
}

function CampaignList() {
  const campaigns = useResource("campaigns", (signal) => api.get("/api/campaigns", { signal }), {
    topics: ["campaigns"],
  });
  return (
    <>
      <Top title="Campaigns">
        {may("campaigns:write") && (
          <a class="btn go" href="/campaigns?new=1">
            <Icon name="plus" /> New campaign
          </a>
        )}
      </Top>
      <section class="card" aria-label="Campaigns">
        <Loaded from={campaigns}>
          {({ rows }) =>
            rows.length === 0 ? (
              <Notice icon="layers" title="No campaign yet">
                <p>
                  A campaign is a list of phrases and places to search around. Make one with{" "}
                  <code>forager campaign new NAME</code>
                </p>
              </Notice>
            ) : (
              <table class="cards">
                <thead>
                  <tr>
                    <th>Campaign</th>
                    <th>Phrases</th>
                    <th>Around</th>
                    <th class="n">Tiles searched</th>
                    <th class="n">Places</th>
                    {!isPublished && <th class="n">Tasks left</th>}
                  </tr>
                </thead>
                <tbody>
                  {rows.map((row) => (
                    <CampaignLine key={row.campaign} row={row} />
                  ))}
                </tbody>
              </table>
            )
          }
        </Loaded>
      </section>
      <PublishedSites />
      {place.value.query.get("new") !== null && (
        <NewCampaign onClose={() => navigate("/campaigns", { isReplaced: true })} />
      )}
      <Same command="forager campaign list" api="GET /api/campaigns" />
    </>
  );
}

type Row = Awaited<ReturnType<typeof api.get<"/api/campaigns">>>["rows"][number];

function CampaignLine({ row: { campaign, phrases, locations, fault } }: { readonly row: Row }) {
  const status = useResource(
    campaign,
    (signal) => api.get("/api/campaigns/{campaign}/status", { params: { campaign }, signal }),
    { topics: ["campaigns", "queue"] },
  );
  const href = `/campaigns/${encodeURIComponent(campaign)}`;
  const { data } = status;
  return (
    <tr>
      <td data-label="Campaign">
        <a href={href}>
          <b>
            <Text value={campaign} max={60} />
          </b>
        </a>
        {fault !== null && (
          <>
            {" "}
            <a class="pill bad" href={`${href}?tab=config`}>
              config has an error
            </a>
          </>
        )}
      </td>
      <td data-label="Phrases">
        <Text
          value={
            phrases.slice(0, 4).join(", ") +
            (phrases.length > 4 ? ` and ${phrases.length - 4} more` : "")
          }
          max={120}
        />
      </td>
      <td data-label="Around">
        <Text
          value={
            locations
              .slice(0, 3)
              .map(({ name }) => name)
              .join(", ") +
            (locations.length > 3 ? ` and ${plural(locations.length - 3, "other")}` : "")
          }
          max={120}
        />
      </td>
      <td class="n" data-label="Tiles searched">
        {data && (
          <a href={`/map?campaign=${encodeURIComponent(campaign)}`}>
            {formatCount(data.fresh + data.empty + data.expired)}{" "}
            <span class="dim">of {formatCount(data.targets)}</span>
          </a>
        )}
      </td>
      <td class="n" data-label="Places">
        {data && <a href="/companies">{formatCount(data.found)}</a>}
      </td>
      {!isPublished && (
        <td class="n" data-label="Tasks left">
          {data &&
            (data.tasks.pending + data.tasks.running === 0 ? (
              <span class="dim">none</span>
            ) : (
              <a href={tasksHref({ state: ["pending", "running"], job: campaign })}>
                {formatCount(data.tasks.pending + data.tasks.running)}
              </a>
            ))}
          {data && data.tasks.failed > 0 && (
            <>
              {" "}
              <a class="pill bad" href={tasksHref({ state: ["failed"], job: campaign })}>
                {formatCount(data.tasks.failed)} failed
              </a>
            </>
          )}
        </td>
      )}
    </tr>
  );
}
