import { countOf, formatAmount, formatCount } from "../../../../base/text/count-words.ts";
import { budgetText, type CampaignReport } from "../../../../campaign/index.ts";
import type { Layout } from "../../../terminal/output.ts";
import { describeComparison, dollarsText } from "./estimate-view.ts";

type ReportRow = CampaignReport["rows"][number];

const rowsShown = 30;

export function describeReport(report: CampaignReport, layout: Layout): string {
  const { funnel, tiles, tasks, withoutEmail, cost } = report;
  const all: ReportRow = { phrase: "all", source: "", ...funnel };
  const rows = report.rows.slice(0, rowsShown);
  const left = report.rows.length - rows.length;
  return [
    `campaign ${report.campaign}, ${report.at}`,
    `tiles: ${formatCount(tiles.planned)} planned; ${tiles.fresh} fresh, ${tiles.empty} empty, ` +
      `${tiles.expired} expired, ${tiles.failed} failed, ${tiles.never} never searched`,
    ...(tasks
      ? [`tasks: ${tasks.pending} pending, ${tasks.running} running, ${tasks.failed} failed`]
      : []),
    layout.table([...rows, all], funnelColumns).trimEnd(),
    ...(left > 0 ? [`and ${countOf(left, "row")} more (--json has all)`] : []),
    `fields: ${report.fields
      .filter(({ companies }) => companies > 0)
      .map(({ field, share }) => `${field} ${Math.round(share * 100)} %`)
      .join(", ")}`,
    ...(report.filtered.length > 0
      ? [
          `not visited, by filter: ${report.filtered
            .map(({ filter, companies }) => `${filter} ${formatCount(companies)}`)
            .join(", ")}`,
        ]
      : []),
    ...(report.closedPlaces > 0
      ? [
          `permanently closed according to its sources: ${countOf(report.closedPlaces, "place")}, left out`,
        ]
      : []),
    ...(report.suppressedPlaces > 0
      ? [`suppressed: ${countOf(report.suppressedPlaces, "place")}, left out`]
      : []),
    ...(withoutEmail.companies > 0
      ? [
          `without an e-mail address: ${formatCount(withoutEmail.companies)}`,
          ...withoutEmail.reasons.map(
            ({ text, companies }) => `  ${formatCount(companies)} ${text}`,
          ),
        ]
      : []),
    `requests to websites: ${formatCount(cost.websiteRequests)}${perLead(cost.websiteRequestsPerLead)}`,
    ...(cost.bucketRequests === undefined
      ? []
      : [
          `requests to buckets: ${formatCount(cost.bucketRequests)}, ` +
            `${dollarsText(cost.bucketDollars ?? 0)}${perLead(cost.bucketDollarsPerLead, "$")}`,
        ]),
    ...budgetLines(report),
    ...describeComparison(report, layout),
    ...report.alarms.map(({ text }) => `ALARM: ${text}`),
  ].join("\n");
}

function budgetLines({ campaign, budget }: CampaignReport): readonly string[] {
  if (!budget) return [];
  const spent = budget.limits.map(
    ({ limit, max, spent: used }) => `${formatAmount(used)} of ${formatAmount(max)} ${limit}`,
  );
  const stopped =
    budget.state === "budget" ? [`state budget: ${budgetText(campaign, budget)}`] : [];
  return [`budget: ${spent.join(", ")}`, ...stopped];
}

const perLead = (value: number | undefined, unit = ""): string =>
  value === undefined ? "" : ` (${unit}${formatAmount(value)} for each lead)`;

export const reportLine = ({ campaign, at, funnel, tiles, tasks }: CampaignReport): string =>
  `${at} ${campaign}: ${funnel.tiles} of ${tiles.planned} tiles, ${funnel.companies} companies, ` +
  `${funnel.enriched} read, ${funnel.withEmail} with e-mail, ${tasks?.pending ?? 0} tasks pending`;

const counted = (title: string, value: (row: ReportRow) => number) => ({ title, value });

const funnelColumns = [
  { title: "phrase", value: ({ phrase }: ReportRow) => phrase },
  { title: "source", value: ({ source }: ReportRow) => source },
  counted("tiles", ({ tiles }) => tiles),
  counted("places", ({ places }) => places),
  counted("companies", ({ companies }) => companies),
  counted("website", ({ withWebsite }) => withWebsite),
  counted("visited", ({ visited }) => visited),
  counted("read", ({ enriched }) => enriched),
  counted("e-mail", ({ withEmail }) => withEmail),
  counted("phone", ({ withPhone }) => withPhone),
];
