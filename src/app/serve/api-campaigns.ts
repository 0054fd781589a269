import type { ApiCampaigns } from "../../api/index.ts";
import { AppError } from "../../base/app-error.ts";
import type { Clock } from "../../base/clock.ts";
import { lineDiff } from "../../base/text/line-diff.ts";
import type { Logger } from "../../base/log/logger.ts";
import { openCampaignFolder, planTiles } from "../../campaign/index.ts";
import type { Paths, Settings } from "../../config/index.ts";
import type { NodeApi } from "../../node/index.ts";
import type { Queue } from "../../queue/index.ts";
import { createPhraseMatcher, phraseLanguages } from "../../sources/index.ts";
import { openCampaignConfigs } from "../campaign/campaign-configs.ts";
import { readCampaignReport, reportMaxAgeMs } from "../campaign/campaign-report.ts";
import { readCampaignState } from "../campaign/campaign-state.ts";
import { readCampaignCoverage } from "../campaign/campaign-view.ts";
import { addDueTasks, findDueTasks } from "../campaign/dispatch-campaign.ts";
import { auditCampaigns, repairAudit } from "../campaign/audit-campaigns.ts";
import { makeEstimate } from "../campaign/estimate-campaign.ts";
import { coverageRow } from "../campaign/coverage-row.ts";
import { planCampaign } from "../campaign/plan-campaign.ts";
import { removeCampaign } from "../campaign/remove-campaign.ts";
import { resumeWithinBudget } from "../campaign/resume-campaign.ts";
import { openPlaces, type Places } from "../places/open-places.ts";
import { refuseOutside } from "./campaign-reach.ts";

export interface ApiCampaignsOptions {
  readonly paths: Paths;
  readonly settings: Settings;
  readonly node: NodeApi;
  readonly queue: () => Promise<Queue>;
  /** Only for reading stored data. */
  readonly places: () => Promise<Places>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Aborts requests to the bucket. */
  readonly signal: AbortSignal;
}

export function createApiCampaigns(options: ApiCampaignsOptions): ApiCampaigns {
  const { paths, settings, node, queue, places, clock } = options;
  const folder = openCampaignFolder(paths);
  const viewOf = async (name: string, signal: AbortSignal) => ({
    name,
    paths,
    settings,
    clock,
    reader: node,
    queue: await queue(),
    signal,
  });
  const { bucket, crawl } = settings;
  const { keepReleases } = settings.places;
  const openToWork = () => openPlaces({ paths, bucket, contact: crawl.contact, keepReleases });
  return {
    async list() {
      const names = await folder.list();
      return Promise.all(
        names.map(async (campaign) => {
          try {
            const { phrases, locations } = await folder.load(campaign);
            return { campaign, phrases: [...phrases], locations: [...locations], fault: null };
          } catch (error) {
            if (!(error instanceof AppError)) throw error;
            return { campaign, phrases: [], locations: [], fault: error.message };
          }
        }),
      );
    },
    async readConfig(name) {
      await using configs = openCampaignConfigs(options, "");
      return (await configs.read(name)).text;
    },
    async saveConfig(name, { text, base, isDryRun, mayReachOutside, by }) {
      const campaign = (await folder.checkConfig(name, text)) ?? (await folder.load(name));
      if (!mayReachOutside) await refuseOutside(folder, name, text);
      if (!isDryRun) {
        await using configs = openCampaignConfigs(options, by);
        const now = await configs.read(name);
        if (base !== undefined && base !== now.text) throw changedMeanwhile(name, base, now.text);
        await configs.save(name, text, now);
      }
      return { isSaved: !isDryRun, phrases: campaign.phrases, tiles: planTiles(campaign).length };
    },
    async create(name, by) {
      await using configs = openCampaignConfigs(options, by);
      await configs.create(name);
    },
    async status(campaign) {
      const { nextDueAt, ...state } = await readCampaignState(campaign, {
        paths,
        ledger: node.ledger,
        places: await places(),
        queue: await queue(),
        clock,
        settings,
        records: node.records,
      });
      return { ...state, nextDueAt: nextDueAt ?? null };
    },
    async report(name, { isFresh, signal }) {
      const maxAgeMs = isFresh ? 0 : reportMaxAgeMs;
      return await readCampaignReport({ ...(await viewOf(name, signal)), maxAgeMs });
    },
    async coverage(name, { phrase, signal }) {
      const by = phrase === undefined ? "tile" : "phrase";
      const view = await viewOf(name, signal);
      const { cells, licences } = await readCampaignCoverage({ ...view, by });
      const asked = phrase?.toLowerCase();
      return {
        rows: cells.filter((cell) => cell.phrase?.toLowerCase() === asked).map(coverageRow),
        licences,
      };
    },
    async estimate(name, { signal }) {
      const campaign = await folder.load(name);
      await using open = await openToWork();
      const { estimate } = await makeEstimate({
        campaign,
        folder,
        places: open,
        paths,
        settings,
        clock,
        reader: node,
        signal,
        isKept: true,
        isDryRun: true, // writes no target index
        isForced: true, // sends no request to a server
      });
      return estimate;
    },
    audit: (campaign, { signal }) =>
      auditCampaigns({ paths, clock, records: node.records, campaign, signal }),
    async repairAudit(campaign, { signal }) {
      const { records } = node;
      const { findings } = await auditCampaigns({ paths, clock, records, campaign, signal });
      return await repairAudit(findings, { records, clock, signal });
    },
    async plan(name, { isDryRun, isForced, signal }) {
      const campaign = await folder.load(name);
      await using open = await openToWork();
      const plan = await planCampaign({ campaign, folder, places: open, isDryRun, isForced, signal }); // prettier-ignore
      const { survey, file, requests, advice, locations, tiles, targets, leftOut } = plan;
      return {
        campaign: name,
        locations,
        tiles,
        targets,
        leftOut,
        isWritten: file !== undefined,
        phrases: survey.phrases.map(({ phrase, found, matches }) => ({ phrase, found, matches })),
        sources: plan.sources.map(
          ({ name: source, release, places: known, outside, bad, closed, duplicates }) => ({
            name: source,
            release,
            places: known,
            outside,
            bad,
            closed,
            duplicates,
          }),
        ),
        requests: requests ?? null,
        unread: survey.unread,
        isComplete: !survey.isPartial,
        advice: advice ?? null,
      };
    },
    async dispatch(name, { isDryRun, isRematch, isForced, batch, canary, signal }) {
      const campaign = await folder.load(name);
      await using open = await openToWork();
      const due = await findDueTasks({
        campaign,
        folder,
        places: open,
        ledger: node.ledger,
        clock,
        isRematch,
        isForced,
        choice: canary === undefined ? { limit: batch } : { limit: canary, isCanary: true },
        signal,
      });
      const answers = isDryRun
        ? { added: 0, duplicate: 0, over_budget: 0, closed: 0, full: 0 }
        : await addDueTasks({ queue: await queue(), campaign, due, nowMs: clock.nowMs() });
      const queueUrl = settings.queue.url;
      const job = isDryRun
        ? null
        : await resumeWithinBudget({ ...node, campaign, queue: await queue(), queueUrl, paths, clock }); // prettier-ignore
      return {
        campaign: name,
        targets: due.targets.length,
        leftOut: due.leftOut,
        due: due.due,
        chosen: Math.min(due.chosen.length, due.addedMax ?? Infinity),
        added: answers.added,
        duplicate: answers.duplicate,
        refused: answers.over_budget + answers.closed + answers.full,
        job,
        advice: due.advice ?? null,
      };
    },
    async remove(name, by) {
      await using configs = openCampaignConfigs(options, by);
      return await removeCampaign(name, { folder, queue: await queue(), configs });
    },
    phrases({ phrases, languages }) {
      const unknown = languages.find((one) => !phraseLanguages().includes(one));
      if (unknown !== undefined) {
        const message = `language '${unknown}' is not known: use one of ${phraseLanguages().join(", ")}`;
        throw new AppError("invalid", "no_language", message);
      }
      const matcher = createPhraseMatcher({ languages });
      return phrases.map((text) => {
        const { phrase, matches } = matcher.match(text);
        return { phrase, matches };
      });
    },
  };
}

/** More lines would not fit into a message. */
const diffLinesMax = 50;

/** The error contains the difference between the edited text and the current one. */
function changedMeanwhile(name: string, base: string, now: string): AppError {
  const marks = { add: "+ ", del: "- " } as const;
  const lines = lineDiff(base, now).flatMap(({ kind, text }) =>
    kind === "same" ? [] : [marks[kind] + text],
  );
  return new AppError(
    "conflict",
    "campaign_config_changed",
    `the configuration of ${name} was changed by somebody else meanwhile, nothing was saved. Their ` +
      `change:\n${lines.slice(0, diffLinesMax).join("\n")}`,
  );
}
