import { openCampaignFolder, type Campaign } from "../../campaign/index.ts";
import type { LoadedSettings, Paths } from "../../config/index.ts";
import type { Queue } from "../../queue/index.ts";
import { freeSpaceFinding } from "./free-space.ts";
import { sharedQueueFinding } from "./shared-queue.ts";

/** Something that the work needs and does not have. */
export interface PreflightFinding {
  readonly check: "contact" | "disk" | "queue";
  /** "fail": the work could not succeed. "warn": it can, but not as the operator may expect. */
  readonly state: "warn" | "fail";
  readonly detail: string;
  readonly advice: string;
}

export interface PreflightOptions {
  readonly loaded: LoadedSettings;
  readonly paths: Paths;
  /** The campaigns whose websites will be visited; undefined: visits of no campaign. */
  readonly campaigns?: readonly Pick<Campaign, "name" | "politeness">[] | undefined;
}

/** Checks, before work starts, that it can succeed. Each finding names the setting to change. */
export async function preflight(options: PreflightOptions): Promise<readonly PreflightFinding[]> {
  const { loaded, paths } = options;
  return [
    contactFinding(options),
    await freeSpaceFinding(paths.root()),
    sharedQueueFinding(loaded),
  ].filter((found) => found !== undefined);
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
 * The campaigns whose visits wait in a queue, as far as this node has them; undefined if other visits
 * wait too. Empty: none waits.
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
