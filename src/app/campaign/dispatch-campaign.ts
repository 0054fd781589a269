import { AppError } from "../../base/app-error.ts";
import type { Clock } from "../../base/clock.ts";
import {
  addsAtOnce,
  chooseBatch,
  createPhraseCache,
  dispatch,
  dueTargets,
  fileSourceKey,
  groupByTask,
  hasSource,
  mayHave,
  meaningHash,
  openOverpassGate,
  overpassAdvice,
  overpassSourceKey,
  planTargets,
  planTiles,
  readWitnesses,
  resolveTask,
  sourceKeysOf,
  topUpKind,
  topUpTask,
  type Campaign,
  type CampaignFolder,
  type CampaignSource,
  type Dispatched,
  type Question,
  type Target,
  type Witness,
} from "../../campaign/index.ts";
import type { NodeReadApi } from "../../node/index.ts";
import type { Queue } from "../../queue/index.ts";
import type { SnapshotRelease } from "../../sources/index.ts";
import type { Places } from "../places/open-places.ts";

export interface OpenedSource {
  readonly key: string;
  readonly source: CampaignSource;
  /** Undefined if the contents of the source are not known beforehand. */
  readonly release: SnapshotRelease | undefined;
}

/** Opens all sources of a campaign; imports files that are new or have changed. */
export async function openCampaignSources(
  places: Places,
  { campaign, folder }: LoadedCampaign,
  signal?: AbortSignal,
): Promise<readonly OpenedSource[]> {
  const opened: OpenedSource[] = [];
  for (const key of sourceKeysOf(campaign)) {
    const source = await places.source(folder, campaign, key);
    opened.push({ key, source, release: await source.release?.(signal) });
  }
  return opened;
}

/** The releases of sources whose places are known beforehand. */
export const releasesOf = (
  sources: readonly OpenedSource[],
): ReadonlyMap<string, SnapshotRelease> =>
  new Map(sources.flatMap(({ key, release }) => (release ? [[key, release] as const] : [])));

export interface LoadedCampaign {
  readonly campaign: Campaign;
  readonly folder: CampaignFolder;
}

export interface DueTasksOptions extends LoadedCampaign {
  readonly places: Places;
  readonly ledger: Pick<NodeReadApi["ledger"], "readAll">;
  readonly clock: Clock;
  /** Also targets whose witness used other tags, another matcher or another release. */
  readonly isRematch?: boolean;
  /** True if a server may be asked for more tiles than its operators recommend. */
  readonly isForced?: boolean;
  readonly choice?: { readonly limit: number | undefined; readonly isCanary?: boolean };
  readonly signal?: AbortSignal;
}

/** The tasks that a dispatch would add. */
export interface DueTasks {
  readonly targets: readonly Target[];
  /** Targets in whose tile the source has no places. */
  readonly leftOut: number;
  readonly due: number;
  /** The number of due tasks, before the choice. */
  readonly tasks: number;
  readonly chosen: Parameters<typeof dispatch>[2];
  /** The current content of the campaign's file. Undefined if there is none. */
  readonly content: string | undefined;
  /** For a batch: the dispatch ends after this many were added. */
  readonly addedMax: number | undefined;
  /** True if the source's answer for a target is stored already, so that no request is needed. */
  readonly isKept: (target: Target) => boolean;
  /** A warning about the number of tiles to request. */
  readonly advice: string | undefined;
}

export async function findDueTasks(options: DueTasksOptions): Promise<DueTasks> {
  const { campaign, places, ledger, clock, isRematch = false, signal } = options;
  checkSource(campaign);
  const targets = planTargets(campaign);
  const releases = releasesOf(await openCampaignSources(places, options, signal));
  const tiles = planTiles(campaign).map(({ tile }) => tile);
  const file = releases.get(fileSourceKey);
  const toAsk = await places.tilesToAsk(campaign, tiles);
  const isAsked = ({ tile, source }: Target) => source === overpassSourceKey && toAsk.has(tile.id);
  const isThere = mayHave(releases);
  const has = (target: Target) => isThere(target) && !(isRematch && isAsked(target));
  const due = dueTargets({
    targets,
    witnesses: await readWitnesses(ledger, tiles, { campaign, release: file }),
    freshness: campaign.freshness,
    nowMs: clock.nowMs(),
    mayHave: has,
    ...(isRematch && { isOutdated: isOutdated(campaign, releases) }),
  });
  const groups = groupByTask(due);
  const { limit, isCanary = false } = options.choice ?? { limit: undefined };
  const asked = groups.filter(([first]) => isAsked(first!)).length;
  return {
    targets,
    leftOut: targets.filter((target) => !has(target)).length,
    due: due.length,
    tasks: groups.length,
    chosen: isCanary ? chooseBatch(groups, { limit, isCanary }) : groups,
    content: file?.content ?? file?.release,
    addedMax: isCanary ? undefined : limit,
    isKept: (target) => !isAsked(target),
    advice: overpassAdvice(asked, { isForced: options.isForced === true }),
  };
}

export interface AddDueOptions {
  readonly queue: Pick<Queue, "add" | "gate" | "setGate" | "browse" | "hasTaskLimit">;
  readonly campaign: Campaign;
  readonly due: Pick<DueTasks, "chosen" | "isKept"> &
    Partial<Pick<DueTasks, "addedMax" | "content">>;
  /**
   * If set, a node adds the remaining tasks later if the queue is full. If absent, the caller does.
   */
  readonly topUp?: { readonly isRematch: boolean } | undefined;
  readonly nowMs: number;
  readonly onProgress?: (added: number) => void;
}

export interface AddedDue extends Dispatched {
  /** Tasks that did not fit are added automatically when there is room. */
  readonly isToppedUp: boolean;
}

/** Adds the due tasks. Safe to repeat: an existing task is a duplicate. */
export async function addDueTasks(options: AddDueOptions): Promise<AddedDue> {
  const { queue, campaign, due, topUp, nowMs, onProgress = () => {} } = options;
  await openOverpassGate(queue, campaign);
  const { isKept, addedMax, content } = due;
  const round = new Date(nowMs).toISOString();
  const mayFill = queue.hasTaskLimit === true && due.chosen.length > addsAtOnce;
  const isWanted = mayFill && addedMax === undefined && topUp !== undefined;
  const isToppedUp = isWanted && (await reserve(options, topUp, round));
  const answers = await dispatch(queue, campaign, due.chosen, {
    onProgress,
    isKept,
    addedMax,
    content,
  });
  // Several sources contain the same businesses.
  if (answers.added > 0 && sourceKeysOf(campaign).length > 1) {
    await queue.add([resolveTask(campaign.name, round)]);
  }
  return { ...answers, isToppedUp };
}

/**
 * Before the queue is full: later there would be no room for the task that continues the dispatch.
 */
async function reserve(
  { queue, campaign: { name } }: AddDueOptions,
  { isRematch }: { readonly isRematch: boolean },
  round: string,
): Promise<boolean> {
  const query = { states: ["pending", "running"], kind: topUpKind, job: name, limit: 1 } as const;
  if ((await queue.browse(query)).length > 0) return true;
  const [answer] = await queue.add([topUpTask({ campaign: name, round, pass: 1, isRematch })]);
  return answer?.status === "added" || answer?.status === "duplicate";
}

/** True if the tile was searched with other tags, another matcher, or another release. */
function isOutdated(campaign: Campaign, releases: ReadonlyMap<string, SnapshotRelease>) {
  const { phrases } = createPhraseCache()(campaign);
  const hashes = new Map(phrases.map((one) => [one.phrase, meaningHash(one)]));
  return ({ phrase, source }: Question, { how, release }: Witness): boolean =>
    how !== hashes.get(phrase) || release !== (releases.get(source)?.release ?? release);
}

/** Throws instead of adding tasks that can only fail. */
function checkSource(campaign: Campaign): void {
  if (hasSource(campaign)) return;
  const { name } = campaign;
  const what = `campaign ${name} has no source: write file = "places.jsonl" under [sources]`;
  throw new AppError("invalid", "campaign_source", what);
}
