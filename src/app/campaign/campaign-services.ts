import { AppError } from "../../base/app-error.ts";
import type { Clock } from "../../base/clock.ts";
import {
  createDetailsHandler,
  createDiscoverHandler,
  createPhraseCache,
  enrichKind,
  openCampaignFolder,
  type CampaignServices,
  type CompanyWriter,
} from "../../campaign/index.ts";
import type { Paths } from "../../config/index.ts";
import type { Queue } from "../../queue/index.ts";
import type { Handler } from "../../worker/index.ts";
import type { Places } from "../places/open-places.ts";

export interface CampaignServicesOptions {
  readonly paths: Paths;
  readonly clock: Clock;
  readonly ledger: CampaignServices["ledger"];
  readonly queue: Pick<Queue, "add">;
  readonly companies: CompanyWriter;
  readonly closing?: CampaignServices["closing"];
  readonly places: () => Promise<Places>;
  /** Default: read from the folder each time. */
  readonly campaign?: CampaignServices["campaign"];
  /** Default: one task per company, `{ target, website }`, paced by the host's gate. */
  readonly enrichTask?: CampaignServices["enrichTask"];
}

/** The services of `discover` and `details` for a data folder. */
export function createCampaignServices(options: CampaignServicesOptions): CampaignServices {
  const { paths, clock, ledger, queue, companies, enrichTask = defaultEnrichTask } = options;
  const phrases = createPhraseCache();
  const folder = openCampaignFolder(paths);
  return {
    clock,
    ledger,
    companies,
    closing: options.closing,
    campaign: options.campaign ?? ((name) => folder.load(name)),
    places: async (campaign, key) => (await options.places()).source(folder, campaign, key),
    phrases,
    async addTasks(tasks, by) {
      const answers = await queue.add(tasks, { by });
      const refused = answers.find(({ id }) => id === undefined);
      if (refused) throw notStored(refused.status);
    },
    enrichTask,
  };
}

/** The handlers of the kinds `discover` and `details`. */
export const campaignHandlers = (): readonly Handler<CampaignServices>[] => [
  createDiscoverHandler(),
  createDetailsHandler(),
];

const defaultEnrichTask: CampaignServices["enrichTask"] = ({ campaign, target, website }) => ({
  kind: enrichKind,
  job: campaign.name,
  gate: new URL(website).hostname,
  key: `${enrichKind} ${target}`,
  payload: { campaign: campaign.name, target, website },
});

/** Does not fail the tile: a full queue has room later, and a closed job can be opened again. */
const notStored = (answer: string) =>
  new AppError(
    "unavailable",
    "campaign_tasks_refused",
    `the queue does not accept the places that were found (${answer}): see \`forager queue jobs\``,
  );
