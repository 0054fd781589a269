import { apiUrl } from "../data/api.ts";
import { formatCount, formatShare, timeOf } from "../data/format.ts";
import { place, withQuery } from "../data/router.ts";
import { Credits } from "../parts/credits.tsx";
import { Icon } from "../parts/icon.tsx";
import { Same } from "../parts/same.tsx";
import { Loaded } from "../parts/state-view.tsx";
import { Ago, Text } from "../parts/text.tsx";
import { Top } from "../parts/top.tsx";
import { ReportFunnel, useReport, type Report } from "./campaign-funnel.tsx";
import { ConfigEditor } from "./config-editor.tsx";

const tabs = [
  ["", "Results"],
  ["phrases", "Phrases"],
  ["config", "Configuration"],
] as const;

export function CampaignDetail({ campaign }: { readonly campaign: string }) {
  const report = useReport(campaign);
  const tab = tabs.find(([key]) => key === (place.value.query.get("tab") ?? ""))?.[0] ?? "";
  return (
    <>
      <Top title={campaign}>
        <a class="btn" href={`/map?campaign=${encodeURIComponent(campaign)}`}>
          <Icon name="map" /> Map
        </a>
      </Top>
      <Loaded from={report}>{(data) => <ReportFunnel report={data} isLinked={false} />}</Loaded>
      <nav class="tabs" aria-label="Parts of the campaign">
        {tabs.map(([key, text]) => (
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
      {tab === "phrases" && report.data && <Phrases report={report.data} />}
      <Credits of={report.data?.licences} />
      {tab === "config" && <ConfigEditor campaign={campaign} />}
      <Same
        command={`forager campaign report ${campaign}`}
        api={`GET ${apiUrl("/api/campaigns/{campaign}/report", { campaign })}`}
      />
    </>
  );
}

function Results({ report }: { readonly report: Report }) {
  const { withoutEmail, fields, freshness, tiles } = report;
  return (
    <div class="grid">
      <section class="card">
        <header>
          <h2>Why {formatCount(withoutEmail.companies)} companies have no email</h2>
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
      <div class="stack">
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
                    {formatCount(companies)} <span class="dim">{Math.round(100 * share)} %</span>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
        <section class="card">
          <header>
            <h2>Freshness</h2>
          </header>
          <dl class="pairs">
            <dt>Tiles fresh, empty, expired</dt>
            <dd>
              {formatCount(tiles.fresh)}, {formatCount(tiles.empty)}, {formatCount(tiles.expired)}
            </dd>
            <dt>Tiles failed, not searched</dt>
            <dd>
              {formatCount(tiles.failed)}, {formatCount(tiles.never)}
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
      </div>
    </div>
  );
}

function Phrases({ report }: { readonly report: Report }) {
  return (
    <section class="card">
      <header>
        <h2>What each phrase found</h2>
        <small>a company that two phrases found is in both rows</small>
      </header>
      <table class="cards">
        <thead>
          <tr>
            <th>Phrase</th>
            <th>Source</th>
            <th class="n">Tiles</th>
            <th class="n">Places</th>
            <th class="n">Companies</th>
            <th class="n">Visited</th>
            <th class="n">With email</th>
          </tr>
        </thead>
        <tbody>
          {report.rows.map((row) => (
            <tr key={`${row.phrase} ${row.source}`}>
              <td data-label="Phrase">
                <a
                  href={`/map?campaign=${encodeURIComponent(report.campaign)}&phrase=${encodeURIComponent(row.phrase)}`}
                >
                  <Text value={row.phrase} max={80} />
                </a>
              </td>
              <td data-label="Source">{row.source}</td>
              <td class="n" data-label="Tiles">
                {formatCount(row.tiles)}
              </td>
              <td class="n" data-label="Places">
                {formatCount(row.places)}
              </td>
              <td class="n" data-label="Companies">
                {formatCount(row.companies)}
              </td>
              <td class="n" data-label="Visited">
                {formatCount(row.visited)}
              </td>
              <td class="n" data-label="With email">
                {formatCount(row.withEmail)}{" "}
                <span class="dim">{formatShare(row.withEmail, row.companies)}</span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
