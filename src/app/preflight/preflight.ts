import { enrichKind, openCampaignFolder, type Campaign } from "../../campaign/index.ts";
import type { LoadedSettings, Paths } from "../../config/index.ts";
import type { Queue } from "../../queue/index.ts";
import { AppError } from "../../base/app-error.ts";
import { systemClock } from "../../base/clock.ts";
import { findBrowser } from "../node/load-parts.ts";
import { hostsLookedAt, privateHostsFinding, type ResolveHost } from "./private-hosts.ts";
import { freeSpaceFinding } from "./free-space.ts";

/** A requirement of the work that is missing. */
export interface PreflightFinding {
  readonly check:
    | "contact"
    | "disk"
    | "queue"
    | "clock"
    | "browser"
    | "private address"
    | "override";
  /**
   * "fail": the work could not succeed. "warn": it can, but perhaps not as the operator expects.
   * "note": it works as requested, but the operator may have forgotten the request.
   */
  readonly state: "note" | "warn" | "fail";
  readonly detail: string;
  readonly advice: string;
}

export interface PreflightOptions {
  readonly loaded: LoadedSettings;
  readonly paths: Paths;
  /** The campaigns whose websites will be visited; undefined if some visits belong to none. */
  readonly campaigns?: readonly Pick<Campaign, "name" | "politeness">[] | undefined;
  /** Hosts that will be visited, if known. */
  readonly hosts?: readonly string[];
  readonly resolve?: ResolveHost;
  /** The time of this machine; settable for tests. */
  readonly nowMs?: number;
}

/** Checks, before work starts, that it can succeed. Each finding names the setting to change. */
export async function preflight(options: PreflightOptions): Promise<readonly PreflightFinding[]> {
  const { loaded, paths, campaigns = [], hosts = [], resolve } = options;
  return [
    contactFinding(options),
    await freeSpaceFinding(paths.root()),
    sharedQueueFinding(loaded),
    clockFinding(options.nowMs ?? systemClock.nowMs()),
    await browserFinding(loaded),
    await privateHostsFinding(loaded, hosts, resolve),
    ...campaigns.flatMap((campaign) => overriddenFindings(loaded, campaign)),
  ].filter((found) => found !== undefined);
}

const yearMin = 2025; // the first release: an earlier date means a machine without battery or network time
const yearMax = 2100;

/** Leases, witnesses and the order of writes depend on the wall clock. */
function clockFinding(nowMs: number): PreflightFinding | undefined {
  const year = new Date(nowMs).getUTCFullYear();
  if (year >= yearMin && year <= yearMax) return undefined;
  return {
    check: "clock",
    state: "fail",
    detail: `the clock of this machine says that it is the year ${year}`,
    advice: "turn on time synchronisation (on Debian: apt install systemd-timesyncd)",
  };
}

/** Only if `crawl.browser` is `always`; in other cases `forager doctor` warns. */
async function browserFinding({ settings }: LoadedSettings): Promise<PreflightFinding | undefined> {
  const { browser, browserPath } = settings.crawl;
  if (browser !== "always") return undefined;
  try {
    await findBrowser(browserPath);
    return undefined;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return {
      check: "browser",
      state: "fail",
      detail: `crawl.browser is always, and ${error.message}`,
      advice: "or run `forager config set crawl.browser auto`",
    };
  }
}

/** Visits need a contact: from the settings, or from each campaign that has visits. */
function contactFinding({ loaded, campaigns }: PreflightOptions): PreflightFinding | undefined {
  if (loaded.settings.crawl.contact !== undefined) return undefined;
  const without = campaigns?.filter(({ politeness }) => politeness.contact === undefined);
  if (without?.length === 0) return undefined;
  const names = without?.map(({ name }) => name).join(", ") ?? "";
  return {
    check: "contact",
    state: "fail",
    detail: `crawl.contact is not set${names === "" ? "" : `, nor by campaign ${names}`}; no website is visited without it`,
    advice:
      "it is an e-mail address or page for site owners, sent in the User-Agent: " +
      "run `forager config set crawl.contact you@example.org`",
  };
}

const visitKinds = ["discover", "details", "enrich"];

/**
 * The campaigns whose visits wait in a queue, if this node has them; undefined if other visits wait
 * too. Empty if no visits wait.
 */
export async function waitingCampaigns(
  queue: Pick<Queue, "stats" | "jobs">,
  paths: Paths,
): Promise<PreflightOptions["campaigns"]> {
  const { kinds } = await queue.stats();
  if (!kinds.some(({ kind, pending }) => visitKinds.includes(kind) && pending > 0)) return [];
  const folder = openCampaignFolder(paths);
  const known = new Set(await folder.list());
  const jobs = (await queue.jobs()).filter(({ pending }) => pending > 0);
  if (jobs.some(({ name }) => !known.has(name))) return undefined;
  return Promise.all(jobs.map(({ name }) => folder.load(name)));
}

/** Some of the hosts whose visits wait. */
export async function waitingHosts(queue: Pick<Queue, "browse">): Promise<readonly string[]> {
  const tasks = await queue.browse({
    states: ["pending"],
    kind: enrichKind,
    limit: hostsLookedAt,
  });
  return tasks.map(({ gate }) => gate).filter((gate) => gate !== "");
}

/** A fleet with a bucket does not share work if each node has its own queue. */
function sharedQueueFinding({ settings, values }: LoadedSettings): PreflightFinding | undefined {
  const { bucket, queue } = settings;
  if (bucket.url === undefined || !queue.url.startsWith("sqlite:")) return undefined;
  const source = values.find(({ key }) => key === "queue.url")?.source ?? "";
  return {
    check: "queue",
    state: "warn",
    detail: `queue.url is a file of this machine (${source}): other nodes of the fleet cannot share its tasks`,
    advice: "remove queue.url to keep the queue in the bucket, if other machines should help",
  };
}

/** Values of a campaign override the settings; the operator should know about differences. */
function overriddenFindings(
  { values }: LoadedSettings,
  { name, politeness }: Pick<Campaign, "name" | "politeness">,
): readonly PreflightFinding[] {
  return (["delayMs", "contact"] as const).flatMap((key): PreflightFinding[] => {
    const own = politeness[key];
    const set = values.find((one) => one.key === `crawl.${key}`);
    if (own === undefined || !set || set.source === "default" || set.value === own) return [];
    return [
      {
        check: "override",
        state: "note",
        detail: `campaign ${name} sets politeness.${key} = ${own}, which overrides crawl.${key} = ${String(set.value)} (${set.source})`,
        advice: `remove ${key} from its config.toml to use the setting`,
      },
    ];
  });
}
