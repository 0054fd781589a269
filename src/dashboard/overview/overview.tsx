import { api, apiUrl } from "../data/api.ts";
import { liveValue } from "../data/live.ts";
import { isPublished } from "../data/published.ts";
import { useLive } from "../data/resource.ts";
import { place } from "../data/router.ts";
import { Same } from "../parts/same.tsx";
import { Loaded, Notice } from "../parts/state-view.tsx";
import { CampaignFunnel } from "../campaigns/campaign-funnel.tsx";
import { Top } from "../parts/top.tsx";
import { CampaignChoice } from "./campaign-choice.tsx";
import { Alarms } from "./alarms.tsx";
import { NewestCompanies } from "./newest-companies.tsx";
import { PublishedOverview } from "../published/published-overview.tsx";
import { NodesCard } from "./nodes-card.tsx";
import { ThroughputCard } from "./throughput-card.tsx";
import { WaitingCard } from "./waiting-card.tsx";

export function Overview() {
  return isPublished ? <PublishedOverview /> : <FleetOverview />;
}

function FleetOverview() {
  const status = useLive("status", (signal) =>
    api.get("/api/status", { query: { cluster: true }, signal }),
  );
  const campaigns = useLive("campaigns", (signal) => api.get("/api/campaigns", { signal }));
  // The status also needs the bucket, so its queue counts are older than these.
  const queue = liveValue("queue").value;
  const chosen = place.value.query.get("campaign") ?? campaigns.data?.rows[0]?.campaign;
  return (
    <>
      <Top title="Overview">
        {(campaigns.data?.rows.length ?? 0) > 1 && (
          <CampaignChoice
            names={campaigns.data!.rows.map(({ campaign }) => campaign)}
            chosen={chosen}
          />
        )}
      </Top>
      {status.data && <Alarms texts={status.data.attention} problems={status.data.problems} />}
      <Loaded from={campaigns}>
        {({ rows }) =>
          chosen === undefined || rows.length === 0 ? (
            <section class="card">
              <Notice icon="layers" title="No campaign yet">
                <p>
                  A campaign is a list of phrases and places, such as “flooring contractors around
                  Austin”. Make one in{" "}
                  <a class="accent" href="/campaigns?new=1">
                    Campaigns
                  </a>{" "}
                  or run <code>forager campaign new NAME</code>
                </p>
              </Notice>
            </section>
          ) : (
            <CampaignFunnel campaign={chosen} isLinked />
          )
        }
      </Loaded>
      <div class="grid">
        <div class="stack">
          <ThroughputCard />
          <NewestCompanies />
        </div>
        <div class="stack">
          <Loaded from={status}>
            {({ queue: known, nodes, hub }) => (
              <>
                <WaitingCard queue={known && queue ? { ...known, ...queue } : known} />
                <NodesCard nodes={nodes} hub={hub?.node} />
              </>
            )}
          </Loaded>
        </div>
      </div>
      <Same
        command="forager status --cluster"
        api={`GET ${apiUrl("/api/status", {}, { cluster: true })}`}
      />
    </>
  );
}
