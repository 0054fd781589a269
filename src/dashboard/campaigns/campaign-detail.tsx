import { apiUrl } from "../data/api.ts";
import { formatCount, formatShare, timeOf } from "../data/format.ts";
import { isPublished } from "../data/published.ts";
import { place, withQuery } from "../data/router.ts";
import { Credits } from "../parts/credits.tsx";
import { Icon } from "../parts/icon.tsx";
import { Same } from "../parts/same.tsx";
import { Loaded } from "../parts/state-view.tsx";
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
  const tab = shownTabs.find(([key]) => key === (place.value.query.get("tab") ?? ""))?.[0] ?? "";
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
      <nav class="tabs" aria-label="Parts of the campaign">
        {shownTabs.map(([key, text]) => (
          <a
            key={key}
            href={withQuery({ tab: key || undefined })}
            aria-current={key === tab ? "page" : undefined}
          >
            {text}
          </a>
        ))}
      </nav>
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
            <dt>Tiles fresh, empty, expired</dt>
            <dd>
              {(["fresh", "empty", "expired"] as const).map((state, at) => (
                <TileCount key={state} {...{ campaign, state, at }} count={tiles[state]} />
              ))}
            </dd>
            <dt>Tiles failed, not searched</dt>
            <dd>
              {(["failed", "never"] as const).map((state, at) => (
                <TileCount key={state} {...{ campaign, state, at }} count={tiles[state]} />
              ))}
            </dd>
            {freshness.nextDueAt && (
              <>
                <dt>Next tile due</dt>
                <dd>
                  <Ago atMs={timeOf(freshness.nextDueAt)} />
                </dd>
              </>
            )}
            <dt>Visited within 7, 30, 90 days</dt>
            <dd>
              {formatCount(freshness.visits.days7)}, {formatCount(freshness.visits.days30)},{" "}
              {formatCount(freshness.visits.days90)}
            </dd>
            <dt>Never visited</dt>
            <dd>{formatCount(freshness.visits.never)}</dd>
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

interface TileCountProps {
  readonly campaign: string;
  readonly state: "fresh" | "empty" | "expired" | "failed" | "never";
  readonly count: number;
  /** Its place in the line. */
  readonly at: number;
}

const TileCount = ({ campaign, state, count, at }: TileCountProps) => (
  <>
    {at > 0 && ", "}
    <a
      href={`/map?campaign=${encodeURIComponent(campaign)}&tiles=${state === "fresh" ? "fresh,aging" : state}`}
    >
      {formatCount(count)}
    </a>
  </>
);
