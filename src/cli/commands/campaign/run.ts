import { relative } from "node:path";
import {
  isNothingRead,
  outcomeOfJob,
  runCampaign,
  type CampaignRun,
  type RunProgress,
} from "../../../app/index.ts";
import { AppError } from "../../../base/app-error.ts";
import { countOf } from "../../../base/text/count-words.ts";
import { asUsage } from "../../../base/usage-error.ts";
import { budgetText } from "../../../campaign/index.ts";
import { warningsOf } from "../../frame/warnings-of.ts";
import type { Command, CommandOutcome, SettingsContext } from "../../frame/command.ts";
import { attributionLine } from "../../../sources/index.ts";
import { openReaderOf } from "../../frame/node-context.ts";
import { outcomeText } from "../../frame/outcome-text.ts";
import { workOptions, workOptionsOf } from "../../options/work-options.ts";
import { showCut } from "./parts/open-sources.ts";
import { describeReport } from "./parts/report-view.ts";
import { campaignArgument, campaignOption, loadCampaign } from "./parts/which-campaign.ts";

export const campaignRun: Command = {
  needs: "settings",
  keepsLog: true,
  arguments: [campaignArgument],
  options: [
    ...workOptions.filter(({ flag }) => flag === "--processes" || flag === "--concurrency"),
    { flag: "--contact", value: "contact", summary: "your e-mail address or page, sent to every site (crawl.contact)", setting: "crawl.contact" }, // prettier-ignore
    campaignOption,
  ],
  examples: [
    { line: "forager campaign run austin", summary: "plan, discover, visit, report and export" },
    {
      line: "forager campaign run austin --json",
      summary: "the same, with the result for a program",
    },
  ],
  details: [
    "Does everything on this machine and ends with the report and a CSV file in\n" +
      "campaigns/NAME/exports. For several machines use `forager campaign dispatch` and `forager up`.",
    "After Ctrl-C, a crash or kill -9, run it again to continue. Tiles and sites with a recent\n" +
      "result are skipped; failed tasks are retried.",
    "Exit code 3 if some tasks failed or are left, or its budget stopped it; 130 after Ctrl-C.",
  ],

  async run(context) {
    const { out, signal } = context;
    const { campaign } = await loadCampaign(context);
    const bar = createBar(context);
    const ran = await asUsage(
      () =>
        runCampaign({
          name: campaign.name,
          work: {
            ...workOptionsOf(context),
            log: warningsOf(context.log),
            onListening: () => {},
          },
          openReader: () => openReaderOf(context),
          signal,
          onCut: showCut(context),
          onPlanned: ({ targets, due, tilesToAsk }) =>
            out.note(
              `${countOf(targets, "target")}, ${due} due: ${countOf(tilesToAsk, "tile")} to search`,
            ),
          onResumed: (reason) =>
            out.note(
              `campaign ${campaign.name} was paused${reason === undefined ? "" : ` (${reason})`}: resumed`,
            ),
          onProgress: (progress) => bar.show(progress),
        }),
      ["campaign_contact", "campaign_source", "campaign_config", "campaign_overpass_size"],
    ).finally(() => bar.done());
    return printRun(context, campaign.name, ran);
  },
};

function printRun(context: SettingsContext, name: string, ran: CampaignRun): CommandOutcome {
  const { out, signal, cwd } = context;
  const { report, file, about, key, keyError, left, failed } = ran;
  const work = ran.work && outcomeOfJob(ran.work, name);
  const path = relative(cwd, file);
  const inBucket = key === undefined ? "" : ` and ${key} of the bucket`;
  out.result({ report, file, key, rows: about.rows, left, failed, work }, (layout) =>
    [
      describeReport(report, layout),
      ...(work && (work.failed > 0 || work.paused.length > 0 || work.held)
        ? [outcomeText(work)]
        : []),
      `${countOf(about.rows, "company")} written to ${path.startsWith("..") ? file : path}${inBucket}`,
      ...about.licences.map((one) => `attribution: ${attributionLine(one)}`),
    ].join("\n"),
  );
  if (keyError) out.note(`the export could not be copied into the bucket: ${keyError.message}`);
  if (signal.aborted) {
    out.note(
      `stopped, ${countOf(left, "task")} left: continue with \`forager campaign run ${name}\``,
    );
    throw new AppError("aborted", "campaign_stopped", "the campaign was stopped");
  }
  if (report.budget?.state === "budget") {
    out.note(`campaign ${name}: ${budgetText(name, report.budget)}`);
    return "partial";
  }
  const isUnread = work !== undefined && isNothingRead(work.visits);
  // This includes runs that visited nothing: an earlier run may have failed on every site.
  if (isUnread || (report.funnel.visited > 0 && report.funnel.enriched === 0)) {
    out.note(
      isUnread
        ? `no website could be read: ${outcomeText(work).split("\n")[1]}`
        : "no website of this campaign was read",
    );
    out.note("fix the cause, then run `forager enrich --missing email` and `forager work --drain`");
    return "partial";
  }
  if (left + failed > 0) {
    out.note(
      `${left} tasks left, ${failed} failed: continue with \`forager campaign run ${name}\``,
    );
    return "partial";
  }
}

function createBar({ progress }: SettingsContext) {
  let shown: ReturnType<typeof progress.start> | undefined;
  let ended = 0;
  return {
    show(now: RunProgress) {
      shown ??= progress.start({ label: "tiles and websites", total: now.total });
      shown.setTotal(now.total);
      if (now.ended > ended) shown.advance(now.ended - ended);
      ended = Math.max(ended, now.ended);
      shown.note(
        `${now.tilesLeft} tiles left, ${now.websitesRead} websites read, ${now.websitesNotRead} not`,
      );
    },
    done: () => shown?.done(),
  };
}
