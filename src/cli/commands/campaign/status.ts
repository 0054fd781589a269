import {
  readCampaignReport,
  readCampaignState,
  readUnfetchedChanges,
  type CampaignState,
  type UnfetchedChanges,
} from "../../../app/index.ts";
import { formatCount } from "../../../base/text/count-words.ts";
import { formatMoment } from "../../../base/text/format-time.ts";
import { usageError } from "../../../base/usage-error.ts";
import { budgetText, openCampaignFolder, type CampaignReport } from "../../../campaign/index.ts";
import type { Command, SettingsContext } from "../../frame/command.ts";
import { parseDuration } from "../../options/duration.ts";
import { textFlag } from "../../options/flags.ts";
import { openReaderOf } from "../../frame/node-context.ts";
import type { Layout } from "../../terminal/output.ts";
import { goesOnAfter } from "../../frame/until-stopped.ts";
import { fetchConfigs, unfetchedText } from "./parts/fleet-news.ts";
import { openPlacesHere } from "./parts/open-sources.ts";
import { queueOrNone } from "../queue/parts/queue-or-none.ts";
import { campaignArgument, campaignOption, campaignNameOf } from "./parts/which-campaign.ts";

/** The state of a campaign, and its results so far. */
interface CampaignRow extends CampaignState {
  /** Undefined if several campaigns are shown: computing a funnel for each takes too long. */
  readonly funnel?: CampaignReport["funnel"];
  /** The reasons why companies have no e-mail address, with their funnel. */
  readonly withoutEmail?: CampaignReport["withoutEmail"];
  /** Results of other nodes that this node has not fetched, so the numbers do not include them. */
  readonly unfetched?: UnfetchedChanges;
}

/** With --watch, companies are counted again after this time. */
const watchedFunnelMs = 15_000;

export const campaignStatusCommand: Command = {
  needs: "settings",
  arguments: [{ ...campaignArgument, summary: "the campaign (default: this folder's, or all)" }],
  options: [
    { flag: "--watch", summary: "repeat until Ctrl-C" },
    { flag: "--every", value: "time", summary: "the interval of --watch (default: 5s)" },
    campaignOption,
  ],
  examples: [
    { line: "forager campaign status", summary: "all campaigns, one line each" },
    {
      line: "forager campaign status austin",
      summary: "one campaign with its results",
    },
    { line: "forager campaign status austin --watch", summary: "update it until Ctrl-C" },
    { line: "forager campaign status austin --json", summary: "for programs" },
  ],
  details: [
    "fresh and empty targets have a recent result; a dispatch would add expired and never; the\n" +
      "source has no place in the tile of those left out. pending, running and failed\n" +
      "count the tasks of the campaign's job, of every kind.",
    "Each step counts those of the one before it: places that were found, companies, companies whose\n" +
      "website was visited, was read, and those of them with an e-mail address or a phone. `forager\n" +
      "campaign report` has all numbers, also contacts that places came with.",
    "Exits 3 if tasks have failed (`forager queue list --state failed` says why), tasks are left\n" +
      "and the campaign is paused or its budget is reached, or none of its visited websites was read.",
  ],

  async run(context) {
    const { flags, out, paths, clock, signal } = context;
    const isWatching = flags["watch"] === true;
    const every = textFlag(flags, "every") ?? "5s";
    if (flags["every"] !== undefined && !isWatching)
      throw usageError("--every can only be used with --watch");
    const everyMs = parseDuration("every", every);
    if (everyMs < 100) throw usageError(`--every takes at least 100ms, not '${every}'`);
    const named = campaignNameOf(context);
    await fetchConfigs(context, named);
    let counted: Counted | undefined;
    const look = async () => {
      const names = named === undefined ? await openCampaignFolder(paths).list() : [named];
      const isDue = !counted || clock.monotonicMs() - counted.atMs >= watchedFunnelMs;
      const hasFunnel = named !== undefined && isDue;
      const rows = await readStates(context, names, { hasFunnel, isDue });
      const [first] = rows;
      if (isDue && first) {
        const { funnel, withoutEmail, unfetched } = first;
        const read = { ...(funnel && { funnel }), ...(withoutEmail && { withoutEmail }), ...(unfetched && { unfetched }) }; // prettier-ignore
        counted = { atMs: clock.monotonicMs(), read };
      }
      return rows.map((row) => ({ ...row, ...counted?.read }));
    };
    if (isWatching) {
      do {
        const rows = await look();
        out.frame(named === undefined ? rows : rows[0], {
          screen: (layout) => describe(rows, layout),
          line: () => `${formatMoment(clock.nowMs())} ${rows.map(describeInLine).join("; ")}`,
        });
      } while (await goesOnAfter(clock, everyMs, signal));
      return "stopped";
    }
    const rows = await look();
    if (named !== undefined) out.result(rows[0], (layout) => describe(rows, layout));
    else if (rows.length > 0) out.result(rows, (layout) => describe(rows, layout));
    else out.result([], noCampaign);
    return rows.some(needsAttention) ? "partial" : undefined;
  },
};

/** The same rule as in `forager status`. */
const needsAttention = ({ tasks, isPaused, budget, funnel }: CampaignRow): boolean =>
  tasks.failed > 0 ||
  (isPaused && tasks.pending + tasks.running > 0) ||
  budget?.state === "budget" ||
  (funnel !== undefined && funnel.visited > 0 && funnel.enriched === 0);

interface Counted {
  readonly atMs: number;
  readonly read: Pick<CampaignRow, "funnel" | "withoutEmail" | "unfetched">;
}

const noCampaign = "there are no campaigns: `forager campaign new NAME` creates one";

async function readStates(
  context: SettingsContext,
  names: readonly string[],
  { hasFunnel, isDue }: { readonly hasFunnel: boolean; readonly isDue: boolean },
): Promise<readonly CampaignRow[]> {
  const { settings, paths, clock, signal } = context;
  await using queue = await queueOrNone(context);
  await using places = await openPlacesHere(context);
  await using reader = await openReaderOf(context);
  const rows: CampaignRow[] = [];
  const unfetched = isDue
    ? await readUnfetchedChanges({ settings, paths, ledger: reader.ledger })
    : undefined;
  for (const name of names) {
    const state = await readCampaignState(name, { ...context, ...reader, places, queue });
    const common = { name, paths, settings, clock, reader, queue, signal };
    const report =
      hasFunnel && (await readCampaignReport({ ...common, maxAgeMs: 0, isKept: false }));
    const { funnel, withoutEmail } = report || {};
    rows.push({
      ...state,
      ...(funnel && { funnel }),
      ...(withoutEmail && { withoutEmail }),
      ...(unfetched && { unfetched }),
    });
  }
  return rows;
}

function describe(rows: readonly CampaignRow[], layout: Layout): string {
  if (rows.length === 0) return noCampaign;
  const [{ funnel, withoutEmail, unfetched }] = rows as readonly [CampaignRow, ...CampaignRow[]];
  const table = layout.table(rows, columns).trimEnd();
  return [
    table,
    ...(funnel ? ["", funnelText(funnel)] : []),
    ...(withoutEmail && withoutEmail.companies > 0 ? [withoutEmailText(withoutEmail)] : []),
    ...(unfetched ? [unfetchedText(unfetched)] : []),
    ...rows.flatMap(pauseLines),
    ...rows.flatMap(({ campaign, budget }) =>
      budget?.state === "budget" ? [`campaign ${campaign}: ${budgetText(campaign, budget)}`] : [],
    ),
  ].join("\n");
}

/** `40 places → 38 companies → 36 visited → 34 read → 30 with contact` */
function funnelText(funnel: CampaignReport["funnel"]): string {
  const { places, companies, visited, enriched, withContact } = funnel;
  return [
    `${formatCount(places)} places`,
    `${formatCount(companies)} companies`,
    `${formatCount(visited)} visited`,
    `${formatCount(enriched)} read`,
    `${formatCount(withContact)} with contact`,
  ].join(" → ");
}

const reasonsMax = 5;

/** `without an e-mail address: 20 unreachable (private_address: see …), 3 robots` */
function withoutEmailText({ companies, reasons }: CampaignReport["withoutEmail"]): string {
  const words = reasons
    .toSorted((a, b) => b.companies - a.companies)
    .slice(0, reasonsMax)
    .map(({ reason, detail, companies: count }) => {
      const setting = detail === "private_address" ? ": see crawl.allowPrivateNetworks" : "";
      return `${formatCount(count)} ${reason}${detail === undefined ? "" : ` (${detail}${setting})`}`;
    });
  const more = reasons.length > reasonsMax ? " and others, see `forager campaign report`" : "";
  return `without an e-mail address: ${formatCount(companies)}: ${words.join(", ")}${more}`;
}

const pauseLines = ({ campaign, isPaused, pausedFor, budget }: CampaignRow) =>
  isPaused && budget?.state !== "budget"
    ? [
        `campaign ${campaign} is paused${pausedFor === undefined ? "" : `: ${pausedFor}`}; ` +
          `continue with: forager queue resume ${campaign}`,
      ]
    : [];

const describeInLine = ({ campaign, tasks, funnel, isPaused, unfetched }: CampaignRow) =>
  [
    `${campaign}${isPaused ? " (paused)" : ""}: ${tasks.pending} pending, ${tasks.running} running, ${tasks.failed} failed`,
    ...(funnel ? [funnelText(funnel)] : []),
    ...(unfetched && "changes" in unfetched ? [`${unfetched.changes} changes not fetched`] : []),
  ].join(", ");

const column = (title: string, value: (row: CampaignRow) => number) => ({ title, value });

const columns = [
  { title: "campaign", value: ({ campaign }: CampaignRow) => campaign, isKey: true },
  column("tiles", ({ tiles }) => tiles),
  column("targets", ({ targets }) => targets),
  column("fresh", ({ fresh }) => fresh),
  column("empty", ({ empty }) => empty),
  column("expired", ({ expired }) => expired),
  column("never", ({ never }) => never),
  column("left out", ({ leftOut }) => leftOut),
  column("found", ({ found }) => found),
  column("pending", ({ tasks }) => tasks.pending),
  column("running", ({ tasks }) => tasks.running),
  { ...column("failed", ({ tasks }) => tasks.failed), isKey: true },
  {
    title: "state",
    value: ({ budget, isPaused }: CampaignRow) =>
      budget?.state === "budget" ? "budget" : isPaused ? "paused" : (budget?.state ?? ""),
    isKey: true,
  },
];
