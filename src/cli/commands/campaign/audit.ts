import { loadCampaignAudit, type CampaignAudit } from "../../../app/index.ts";
import { countOf } from "../../../base/text/count-words.ts";
import { asUsage } from "../../../base/usage-error.ts";
import type { Command, CommandOutcome, SettingsContext } from "../../frame/command.ts";
import { openNodeOf, openReaderOf } from "../../frame/node-context.ts";
import type { Layout } from "../../terminal/output.ts";
import { campaignArgument, campaignNameOf, campaignOption } from "./parts/which-campaign.ts";

export const campaignAudit: Command = {
  needs: "settings",
  arguments: [{ ...campaignArgument, summary: "the campaign (default: this folder's, or all)" }],
  options: [
    { flag: "--repair", summary: "apply the proposed corrections" },
    { flag: "--yes", summary: "with --repair: do not ask" },
    campaignOption,
  ],
  examples: [
    {
      line: "forager campaign audit",
      summary: "companies without a campaign, or in the wrong one",
    },
    { line: "forager campaign audit austin --repair", summary: "and put them where they belong" },
    { line: "forager campaign audit --json", summary: "for programs" },
  ],
  details: [
    "no_campaign: a place that no campaign has. wrong_place: it lies in a tile where its campaign does\n" +
      "not search. wrong_campaign: its campaign does not search that tile for that phrase, or is gone, and\n" +
      "another one does. Companies that a person typed in or imported are not judged.",
    "A repair writes fields found/TILE/PHRASE. To undo it:\n" +
      "`forager company restore NAME --at MOMENT --yes`.",
    "Exits 1 when findings are left.",
  ],

  async run(context) {
    const { flags, out } = context;
    const audit = await lookAt(context);
    const { findings, companies } = audit;
    const able = findings.filter(({ changes }) => changes.length > 0).length;
    const question = `repair ${countOf(able, "finding")}? (run without --repair to list them)`;
    const isAsked = flags["repair"] === true && able > 0;
    if (!isAsked || !(await context.confirm(question, { yes: flags["yes"] === true }))) {
      if (isAsked) out.note("nothing was repaired");
      out.result({ ...audit, repaired: 0 }, (layout) => describe(audit, layout));
      return outcomeOf(findings.length);
    }
    const { repairAudit } = await loadCampaignAudit();
    await using node = await openNodeOf(context);
    const { records } = node;
    const { clock, signal } = context;
    const { repaired, left, undoAt } = await repairAudit(findings, { records, clock, signal });
    out.result(
      { ...audit, companies, repaired, left, undoAt },
      `${countOf(repaired, "finding")} repaired, ${left} left\n` +
        `undo one with: forager company restore NAME --at ${undoAt} --yes`,
    );
    return outcomeOf(left);
  },
};

const outcomeOf = (left: number): CommandOutcome => (left > 0 ? "failed" : undefined);

async function lookAt(context: SettingsContext): Promise<CampaignAudit> {
  const { paths, clock, signal, progress } = context;
  const { auditCampaigns } = await loadCampaignAudit();
  const bar = progress.start({ label: "check companies" });
  try {
    await using reader = await openReaderOf(context);
    const { records } = reader;
    const campaign = campaignNameOf(context);
    const onCompanies = (count: number) => bar.advance(count);
    return await asUsage(() =>
      auditCampaigns({ paths, clock, records, campaign, signal, onCompanies }),
    );
  } finally {
    bar.done();
  }
}

const shownMax = 200;

function describe({ findings, companies, campaigns, isComplete }: CampaignAudit, layout: Layout) {
  const looked = `${countOf(companies, "company")} and ${countOf(campaigns, "campaign")}`;
  if (findings.length === 0) return `no problems found in ${looked}`;
  const table = layout.table(findings.slice(0, shownMax), [
    { title: "company", value: ({ slug }) => slug, isKey: true },
    { title: "problem", value: ({ problem }) => problem },
    { title: "is in", value: ({ campaign }) => campaign ?? "" },
    { title: "belongs to", value: ({ belongsTo }) => belongsTo ?? "" },
    { title: "because", value: ({ evidence }) => evidence },
  ]);
  const more =
    findings.length > shownMax ? `\nand ${findings.length - shownMax} more (--json has all)` : "";
  const cut = isComplete
    ? ""
    : "\nthe list is incomplete: repair these, then run the command again";
  return `${table.trimEnd()}${more}${cut}\n${countOf(findings.length, "finding")} in ${looked}`;
}
