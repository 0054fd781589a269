import { readCampaignReport, readUnfetchedChanges } from "../../../app/index.ts";
import { usageError } from "../../../base/usage-error.ts";
import type { CampaignReport } from "../../../campaign/index.ts";
import type { Command, SettingsContext } from "../../frame/command.ts";
import { parseDuration } from "../../options/duration.ts";
import { textFlag } from "../../options/flags.ts";
import { openReaderOf } from "../../frame/node-context.ts";
import { goesOnAfter } from "../../frame/until-stopped.ts";
import { queueOrNone } from "../queue/parts/queue-or-none.ts";
import { unfetchedText } from "./parts/fleet-news.ts";
import { describeReport, reportLine } from "./parts/report-view.ts";
import { campaignArgument, campaignOption, loadCampaign } from "./parts/which-campaign.ts";

export const campaignReportCommand: Command = {
  needs: "settings",
  arguments: [campaignArgument],
  options: [
    { flag: "--watch", summary: "compute it repeatedly, until Ctrl-C" },
    { flag: "--every", value: "time", summary: "with --watch: how often (default: 5s)" },
    campaignOption,
  ],
  examples: [
    { line: "forager campaign report austin", summary: "from tiles to e-mail addresses" },
    { line: "forager campaign report austin --watch", summary: "update it while work continues" },
    { line: "forager campaign report austin --json", summary: "the document report.json" },
  ],
  details: [
    "Computed now and kept as campaigns/NAME/report.json. Excluded companies are not counted. A lead\n" +
      "is a company with an e-mail address; every company without one has a reason.",
    "Exit code 1 if there is an alarm: more than 40 % of more than 10 tiles of the last 7 days are\n" +
      "empty.",
  ],

  async run(context) {
    const { out, flags, clock, signal } = context;
    const { campaign } = await loadCampaign(context);
    await noteUnfetched(context);
    const every = textFlag(flags, "every");
    if (flags["watch"] !== true) {
      if (every !== undefined) throw usageError("--every can only be used with --watch");
      const report = await readReport(context, campaign.name);
      out.result(report, (layout) => describeReport(report, layout));
      return report.alarms.length > 0 ? "failed" : undefined;
    }
    const everyMs = parseDuration("every", every ?? "5s");
    if (everyMs < 1_000) throw usageError(`--every takes at least 1s, not '${every}'`);
    do {
      const report = await readReport(context, campaign.name);
      out.frame(report, {
        screen: (layout) => describeReport(report, layout),
        line: () => reportLine(report),
      });
    } while (await goesOnAfter(clock, everyMs, signal));
    return "stopped";
  },
};

async function noteUnfetched(context: SettingsContext): Promise<void> {
  const { settings, paths, out } = context;
  await using reader = await openReaderOf(context);
  const unfetched = await readUnfetchedChanges({ settings, paths, ledger: reader.ledger });
  if (unfetched) out.note(unfetchedText(unfetched));
}

async function readReport(context: SettingsContext, name: string): Promise<CampaignReport> {
  const { paths, settings, clock, signal } = context;
  await using reader = await openReaderOf(context);
  await using queue = await queueOrNone(context);
  return await readCampaignReport({
    name,
    paths,
    settings,
    clock,
    signal,
    reader,
    queue,
    maxAgeMs: 0,
  });
}
