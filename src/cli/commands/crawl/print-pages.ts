import { resolve } from "node:path";
import { writeFileAtomic } from "../../../base/files/atomic-file.ts";
import { countOf, formatCount } from "../../../base/text/count-words.ts";
import {
  crawlCsvHeader,
  crawlCsvLine,
  crawledPages,
  crawlCuts,
  crawlStart,
  crawlSummary,
  type CrawlCuts,
  type CrawledPage,
  type CrawlEnd,
  type CrawlPlan,
  type CrawlSummary,
  type PageRow,
} from "../../../site-crawl/index.ts";
import type { SettingsContext } from "../../frame/command.ts";
import { textFlag } from "../../options/flags.ts";
import type { TableColumn } from "../../terminal/table.ts";

/** A finished crawl and its results. */
export interface CrawlResult {
  readonly plan: CrawlPlan;
  readonly end: CrawlEnd;
  readonly overBudget: number;
  readonly rows: readonly PageRow[];
  readonly file: string;
}

const columns: readonly TableColumn<CrawledPage>[] = [
  { title: "url", value: ({ url }) => url },
  {
    title: "state",
    value: ({ state }) => state,
    tint: ({ state }) => (state === "failed" ? "bad" : state === "gone" ? "warn" : undefined),
  },
  { title: "status", value: ({ status }) => status ?? "" },
  { title: "depth", value: ({ depth }) => depth },
  { title: "ms", value: ({ ms }) => ms },
  { title: "bytes", value: ({ bytes }) => bytes },
  { title: "in", value: ({ linksIn }) => linksIn },
  { title: "out", value: ({ linksOut }) => linksOut },
  { title: "title or reason", value: (page) => titleOf(page) },
];

const titleOf = (page: CrawledPage) =>
  `${page.needsScripts === true ? "(needs scripts) " : ""}${page.title ?? page.to ?? why(page)}`;

/** Removes the URL, which is in the first column already. */
const why = ({ url, message = "" }: CrawledPage) => message.replace(`${url}: `, "");

/**
 * Writes the pages to stdout or to a file, then a summary. Returns the outcome for the exit code.
 */
export async function printPages(
  context: SettingsContext,
  crawls: readonly CrawlResult[],
): Promise<"failed" | "partial" | undefined> {
  const { flags, out, cwd } = context;
  const results = crawls.map(({ plan, end, overBudget, rows, file }) => {
    const summary = crawlSummary(rows);
    const cuts = crawlCuts(plan, rows, { isCut: end !== "completed" || overBudget > 0 });
    const site = crawlStart(plan, rows);
    return { plan, site, end, overBudget, summary, cuts, file, pages: crawledPages(rows) };
  });
  const pages = results.flatMap((crawl) => crawl.pages);
  const heads = results.map(({ plan, site, end, overBudget, summary, cuts, file }) => ({
    crawl: plan.name,
    site,
    end,
    overBudget,
    summary,
    cuts,
    file,
  }));
  const value = heads.map((head, index) => ({ ...head, pages: results[index]!.pages }));
  const format = textFlag(flags, "format") ?? "table";
  const lines = results.flatMap(({ plan, ...rest }) => [
    words(plan, rest),
    ...cutWords(plan, rest),
  ]);
  const csv = () => `${crawlCsvHeader()}${pages.map(crawlCsvLine).join("")}`;
  const to = textFlag(flags, "to");
  if (to !== undefined) {
    const text = format === "json" ? `${JSON.stringify(value, null, 2)}\n` : csv();
    await writeFileAtomic(resolve(cwd, to), text);
    out.result(
      heads.map((head) => ({ ...head, to })),
      [...lines, `${countOf(pages.length, "page")} written to ${to}`].join("\n"),
    );
  } else {
    if (format === "json" || out.isJson) await out.piece(`${JSON.stringify(value, null, 2)}\n`);
    else if (format === "csv") {
      await out.piece(crawlCsvHeader());
      for (const page of pages) await out.piece(crawlCsvLine(page));
    } else await out.list(pages, { columns });
    for (const line of lines) out.note(line);
  }
  if (results.some(({ summary }) => summary.found === 0)) return "failed";
  return results.some(({ summary }) => summary.failed > 0) ? "partial" : undefined;
}

/** Says what the list leaves out, and which option includes it. */
function cutWords(
  { budget }: CrawlPlan,
  { cuts, summary }: { readonly cuts: CrawlCuts; readonly summary: CrawlSummary },
): readonly string[] {
  const left = [
    ...(cuts.depth > 0
      ? [`${countOf(cuts.depth, "link")} more than ${budget.depth} clicks away (--depth)`]
      : []),
    ...(cuts.traps > 0
      ? [`${countOf(cuts.traps, "link")} that look endless, as in a calendar`]
      : []),
    ...(cuts.budget > 0
      ? [`${countOf(cuts.budget, "link")} beyond the budget (--pages, --time, --bytes)`]
      : []),
  ];
  const { needScripts } = summary;
  return [
    ...(left.length > 0 ? [`not requested: ${left.join(", ")}`] : []),
    ...(needScripts > 0
      ? [
          `${countOf(needScripts, "page")} almost empty without scripts, which crawl does not run: ` +
            "marked (needs scripts)",
        ]
      : []),
  ];
}

function words(
  { budget }: CrawlPlan,
  results: {
    readonly site: string;
    readonly end: CrawlEnd;
    readonly overBudget: number;
    readonly summary: CrawlSummary;
  },
): string {
  const { pages, found, redirects, gone, robots, other, failed, bytes } = results.summary;
  const parts = [
    `${formatCount(found)} found`,
    ...[
      [redirects, "redirects"] as const,
      [gone, "gone"] as const,
      [robots, "forbidden by robots.txt"] as const,
      [other, "no pages"] as const,
      [failed, "failed"] as const,
    ]
      .filter(([count]) => count > 0)
      .map(([count, what]) => `${formatCount(count)} ${what}`),
  ];
  const why =
    results.end !== "completed"
      ? `; ended by its budget of ${results.end}`
      : results.overBudget > 0
        ? `; its budget of ${formatCount(budget.pages)} pages left ${countOf(results.overBudget, "link")} out`
        : "";
  return `${results.site}: ${countOf(pages, "page")} (${parts.join(", ")}), ${formatCount(bytes)} bytes${why}`;
}
