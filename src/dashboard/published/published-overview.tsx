import { CampaignFunnel } from "../campaigns/campaign-funnel.tsx";
import { formatCount } from "../data/format.ts";
import { place } from "../data/router.ts";
import { CampaignChoice } from "../overview/campaign-choice.tsx";
import { NewestCompanies } from "../overview/newest-companies.tsx";
import { Credits } from "../parts/credits.tsx";
import { Text } from "../parts/text.tsx";
import { Top } from "../parts/top.tsx";
import { PublishedDownloads } from "./published-downloads.tsx";
import { useSite } from "./use-site.ts";

/** The results of a campaign, and the contents of the site. */
export function PublishedOverview() {
  const site = useSite();
  const names = site?.body.campaigns.map(({ campaign }) => campaign) ?? [];
  const chosen = place.value.query.get("campaign") ?? names[0];
  return (
    <>
      <Top title="Overview">
        {names.length > 1 && <CampaignChoice names={names} chosen={chosen} />}
      </Top>
      {chosen !== undefined && <CampaignFunnel campaign={chosen} isLinked />}
      <div class="grid">
        <div class="stack">
          <NewestCompanies />
        </div>
        <div class="stack">
          <PublishedDownloads campaign={undefined} />
          <About />
        </div>
      </div>
      <Credits of={site?.body.licences} />
    </>
  );
}

const modeTexts = {
  private: "only for those who may read its files",
  sealed: "encrypted; only the link opens it",
  public: "for everybody",
} as const;

function About() {
  const site = useSite();
  if (!site) return null;
  const { companies, leftOut, mode, legal } = site.body;
  return (
    <section class="card" aria-label="About this site">
      <header>
        <h2>About this site</h2>
      </header>
      <dl class="pairs">
        <dt>Companies</dt>
        <dd>
          <a href="/companies">{formatCount(companies)}</a>
        </dd>
        <dt>Left out</dt>
        <dd>
          {formatCount(leftOut.suppressed)} suppressed, {formatCount(leftOut.excluded)} excluded
          {leftOut.forgotten !== undefined && `, ${formatCount(leftOut.forgotten)} forgotten`}
        </dd>
        {leftOut.values.length > 0 && (
          <>
            <dt>Not shown of any company</dt>
            <dd>{leftOut.values.join(", ")}</dd>
          </>
        )}
        <dt>Who can read it</dt>
        <dd>{modeTexts[mode]}</dd>
      </dl>
      {legal.map((line) => (
        <p class="dim" key={line}>
          <Text value={line} max={300} />
        </p>
      ))}
    </section>
  );
}
