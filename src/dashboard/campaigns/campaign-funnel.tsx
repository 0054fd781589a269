import { api, type AnswerOf } from "../data/api.ts";
import { formatCount, formatMoney, timeOf } from "../data/format.ts";
import { useResource } from "../data/resource.ts";
import { Funnel } from "../parts/funnel.tsx";
import { Loaded } from "../parts/state-view.tsx";
import { Ago } from "../parts/text.tsx";
import { Alarm } from "../overview/alarms.tsx";

export type Report = AnswerOf<"GET", "/api/campaigns/{campaign}/report">;

export const useReport = (campaign: string) =>
  useResource(
    campaign,
    (signal) => api.get("/api/campaigns/{campaign}/report", { params: { campaign }, signal }),
    { topics: ["campaigns", "records"] },
  );

interface CampaignFunnelProps {
  readonly campaign: string;
  /** Shows a link to the campaign. */
  readonly isLinked?: boolean;
}

export function CampaignFunnel({ campaign, isLinked }: CampaignFunnelProps) {
  const report = useReport(campaign);
  return <Loaded from={report}>{(data) => <ReportFunnel report={data} isLinked={isLinked === true} />}</Loaded>; // prettier-ignore
}

export function ReportFunnel({
  report,
  isLinked,
}: {
  readonly report: Report;
  readonly isLinked: boolean;
}) {
  // prettier-ignore
  const { campaign, funnel, tiles, cost, at, alarms } = report;
  const searched = tiles.planned - tiles.never;
  const name = encodeURIComponent(campaign);
  const share = (count: number) => (funnel.companies === 0 ? 0 : count / funnel.companies);
  const steps = [
    { label: "Tiles searched", count: searched, of: tiles.planned, isTotalShown: true, bar: tiles.planned === 0 ? 0 : searched / tiles.planned, href: `/map?campaign=${name}` }, // prettier-ignore
    { label: "Companies found", count: funnel.companies, bar: share(funnel.companies), href: "/companies" }, // prettier-ignore
    { label: "With website", count: funnel.withWebsite, of: funnel.companies, bar: share(funnel.withWebsite), href: `/companies?hasDomain=true` }, // prettier-ignore
    { label: "Visited", count: funnel.visited, of: funnel.withWebsite, bar: share(funnel.visited), href: `/companies?hasDomain=true` }, // prettier-ignore
    { label: "With email", count: funnel.withEmail, of: funnel.companies, bar: share(funnel.withEmail), href: `/companies?hasEmail=true` }, // prettier-ignore
  ];
  return (
    <>
      {alarms.map(({ alarm, text }) => (
        <Alarm key={alarm} text={text} page={alarm} />
      ))}
      <Funnel steps={steps} label={`Funnel of ${campaign}`} />
      <p class="row dim">
        {isLinked && (
          <a class="accent" href={`/campaigns/${name}`}>
            {campaign}
          </a>
        )}
        <small>
          counted <Ago atMs={timeOf(at)} />
        </small>
        {cost.websiteRequestsPerLead !== undefined && (
          <small>{cost.websiteRequestsPerLead.toFixed(1)} web requests per lead</small>
        )}
        {cost.bucketDollars !== undefined && cost.bucketDollars > 0 && (
          <small>
            bucket {formatMoney(cost.bucketDollars)}
            {cost.bucketDollarsPerLead === undefined
              ? ""
              : `, ${formatMoney(1_000 * cost.bucketDollarsPerLead)} per 1,000 leads`}
          </small>
        )}
        <small>
          <a href="/companies?hasEmail=true">{formatCount(cost.leads)} leads</a>
        </small>
      </p>
    </>
  );
}
