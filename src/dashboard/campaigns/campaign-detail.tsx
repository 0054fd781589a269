import { apiUrl } from "../data/api.ts";
import { formatCount, formatShare, timeOf } from "../data/format.ts";
import { isPublished } from "../data/published.ts";
import { Credits } from "../parts/credits.tsx";
import { Icon } from "../parts/icon.tsx";
import { Same } from "../parts/same.tsx";
import { Loaded } from "../parts/state-view.tsx";
import { chosenTab, Tabs } from "../parts/tabs.tsx";
import { Ago, Text } from "../parts/text.tsx";
import { Top } from "../parts/top.tsx";
import { PublishedDownloads } from "../published/published-downloads.tsx";
import { CampaignBudget } from "./campaign-budget.tsx";
import { ReportFunnel, useReport, type Report } from "./campaign-funnel.tsx";
import { CampaignDownloads } from "./campaign-downloads.tsx";
import { CampaignPhrases } from "./campaign-phrases.tsx";
import { CampaignWork } from "./campaign-work.tsx";
import { ConfigEditor } from "./config-editor.tsx";

const tabs = [
  ["", "Results"],
  ["phrases", "Phrases"],
  ["config", "Configuration"],
] as const;

const shownTabs = tabs.filter(([key]) => !isPublished || key !== "config");

export function CampaignDetail({ campaign }: { readonly campaign: string }) {
  const report = useReport(campaign);
  const tab = chosenTab(shownTabs);
  return (
    <>
      <Top title={campaign}>
        <a class="btn" href={`/map?campaign=${encodeURIComponent(campaign)}`}>
          <Icon name="map" /> Map
        </a>
      </Top>
      {!isPublished && (
        <CampaignWork
          campaign={campaign}
          isBudgetUsedUp={report.data?.budget?.state === "budget"}
        />
      )}
      <Loaded from={report}>{(data) => <ReportFunnel report={data} isLinked={false} />}</Loaded>
      <Tabs label="Parts of the campaign" tabs={shownTabs} />
      {tab === "" && report.data && <Results report={report.data} />}
      {tab === "phrases" && report.data && <CampaignPhrases report={report.data} />}
      {tab === "config" && <ConfigEditor campaign={campaign} />}
      {tab !== "config" && <Credits of={report.data?.licences} />}
      <Same
        command={`forager campaign report ${campaign}`}
        api={`GET ${apiUrl("/api/campaigns/{campaign}/report", { campaign })}`}
      />
    </>
  );
}

function Results({ report }: { readonly report: Report }) {
  const { campaign, withoutEmail, fields, freshness, tiles, budget } = report;
  return (
    <div class="grid">
      <div class="stack">
        <section class="card">
          <header>
            <h2>
              Why{" "}
              <a href="/companies?hasEmail=false">
                {formatCount(withoutEmail.companies)} companies have no email
              </a>
            </h2>
          </header>
          {withoutEmail.reasons.length === 0 ? (
            <p class="dim">Every company has one.</p>
          ) : (
            <table>
              <tbody>
                {withoutEmail.reasons.map(({ reason, detail, text, companies, examples }) => (
                  <tr key={`${reason} ${detail ?? ""}`}>
                    <td>
                      <Text value={text} />
                      <br />
                      <small class="dim">
                        such as{" "}
                        {examples.slice(0, 3).map((slug, index) => (
                          <>
                            {index > 0 && ", "}
                            <a href={`/companies?open=${encodeURIComponent(slug)}`} key={slug}>
                              <Text value={slug} max={40} />
                            </a>
                          </>
                        ))}
                      </small>
                    </td>
                    <td class="n">{formatCount(companies)}</td>
                    <td class="n dim nowrap">{formatShare(companies, withoutEmail.companies)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
        </section>
        <section class="card">
          <header>
            <h2>Freshness</h2>
          </header>
          <dl class="pairs">
            {tileLines.map(([state, title]) => (
              <>
                <dt>{title}</dt>
                <dd>
                  <TileCount campaign={campaign} state={state} count={tiles[state]} />
                </dd>
              </>
            ))}
            {freshness.nextDueAt && (
              <>
                <dt>Next tile due</dt>
                <dd>
                  <Ago atMs={timeOf(freshness.nextDueAt)} />
                </dd>
              </>
            )}
            {visitLines.map(([age, title]) => (
              <>
                <dt>{title}</dt>
                <dd>{formatCount(freshness.visits[age])}</dd>
              </>
            ))}
          </dl>
        </section>
        {budget && <CampaignBudget campaign={report.campaign} budget={budget} />}
        {isPublished ? (
          <PublishedDownloads campaign={report.campaign} />
        ) : (
          <CampaignDownloads campaign={report.campaign} />
        )}
      </div>
      <section class="card">
        <header>
          <h2>Known values</h2>
          <small>share of companies</small>
        </header>
        <table class="bars">
          <tbody>
            {fields.slice(0, 14).map(({ field, companies, share }) => (
              <tr key={field}>
                <td>{field}</td>
                <td>
                  <span class="bar" aria-hidden>
                    <i style={{ width: `${Math.round(100 * share)}%` }} />
                  </span>
                </td>
                <td class="n nowrap">
                  {field in fieldFlags ? (
                    <a href={`/companies?${fieldFlags[field]}=true`}>{formatCount(companies)}</a>
                  ) : (
                    formatCount(companies)
                  )}{" "}
                  <span class="dim">{Math.round(100 * share)} %</span>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </div>
  );
}

/** Fields that the list of companies can be filtered by. */
const fieldFlags: Readonly<Record<string, string>> = {
  email: "hasEmail",
  phone: "hasPhone",
  website: "hasDomain",
  domain: "hasDomain",
};

const tileLines = [
  ["fresh", "Tiles up to date"],
  ["empty", "Tiles with nothing there"],
  ["expired", "Tiles to search again"],
  ["failed", "Tiles whose search failed"],
  ["never", "Tiles not searched yet"],
] as const;

const visitLines = [
  ["days7", "Websites visited in the last 7 days"],
  ["days30", "Visited 8 to 30 days ago"],
  ["days90", "Visited 31 to 90 days ago"],
  ["older", "Visited longer ago"],
  ["never", "Never visited"],
] as const;

interface TileCountProps {
  readonly campaign: string;
  readonly state: (typeof tileLines)[number][0];
  readonly count: number;
}

const TileCount = ({ campaign, state, count }: TileCountProps) => (
  <a
    href={`/map?campaign=${encodeURIComponent(campaign)}&tiles=${state === "fresh" ? "fresh,aging" : state}`}
  >
    {formatCount(count)}
  </a>
);
