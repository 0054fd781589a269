import { formatAmount, formatCount } from "../../../../base/text/count-words.ts";
import {
  estimateFigures,
  type CampaignEstimate,
  type CampaignReport,
  type EstimateFigureName,
} from "../../../../campaign/index.ts";
import type { Layout } from "../../../terminal/output.ts";

const titles: Readonly<Record<EstimateFigureName, string>> = {
  tiles: "tiles",
  places: "places",
  companies: "companies",
  websites: "websites to visit",
  sourceRequests: "requests to place servers",
  websiteRequests: "requests to websites",
  hours: "hours",
  bytes: "bytes",
  bucketDollars: "bucket cost",
};

export function describeEstimate(estimate: CampaignEstimate, layout: Layout): string {
  const rows = estimateFigures.map((name) => ({ name, ...estimate[name] }));
  return layout
    .table(rows, [
      { title: "estimate", value: ({ name }) => titles[name] },
      { title: "about", value: ({ name, value }) => amountText(name, value) },
      { title: "basis", value: ({ basis }) => basis },
      { title: "because", value: ({ because }) => because },
    ])
    .trimEnd();
}

const comparedMax = 30;

/** Compares the estimate with the actual numbers; empty if there is no estimate. */
export function describeComparison(
  { estimate }: Pick<CampaignReport, "estimate">,
  layout: Layout,
): readonly string[] {
  if (!estimate) return [];
  const { rows, at, isFinal, isOutdated } = estimate;
  const about = [
    ...(isFinal ? [] : ["the campaign is not finished"]),
    ...(isOutdated ? ["outdated: the campaign was changed; run plan --estimate again"] : []),
  ];
  return [
    `estimate of ${at}${about.length > 0 ? ` (${about.join("; ")})` : ""}:`,
    layout
      .table(rows.slice(0, comparedMax), [
        { title: "figure", value: ({ figure, phrase }) => titleOf(figure, phrase) },
        { title: "estimated", value: ({ figure, estimated }) => amountText(figure, estimated) },
        { title: "actual", value: ({ figure, actual }) => amountText(figure, actual) },
        { title: "error", value: ({ errorPercent }) => errorText(errorPercent) },
        { title: "basis", value: ({ basis }) => basis },
      ])
      .trimEnd(),
  ];
}

const titleOf = (figure: string, phrase: string | undefined): string =>
  phrase === undefined ? (titles[figure as EstimateFigureName] ?? figure) : `places, ${phrase}`;

export const dollarsText = (value: number): string =>
  `$${value > 0 && value < 0.001 ? formatAmount(value) : value.toFixed(4)}`;

function amountText(name: string, value: number): string {
  if (name === "bucketDollars") return dollarsText(value);
  if (name === "hours") {
    return value > 0 && value < 0.01 ? formatAmount(value) : value.toFixed(value < 1 ? 3 : 1);
  }
  return formatCount(Math.round(value));
}

const errorText = (percent: number | null): string =>
  percent === null ? "-" : `${percent > 0 ? "+" : ""}${percent} %`;
