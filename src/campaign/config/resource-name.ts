import { AppError } from "../../base/app-error.ts";
import { environments } from "../../config/index.ts";
import { campaignNameRule } from "../campaign.ts";

export interface ResourceOwner {
  readonly campaign: string;
  /** Absent if there is only one environment. */
  readonly environment?: string | undefined;
}

const resourceRule = /^[a-z][a-z0-9]*$/;

/**
 * The name of a resource that belongs to a campaign but is outside the data folder: folders in
 * buckets, buckets, roles. `forager-<resource>-<campaign>[-<environment>]`: two campaigns or
 * environments never share a name, because the name of a campaign cannot end like an environment.
 */
export function resourceName(resource: string, { campaign, environment }: ResourceOwner): string {
  const isGood = resourceRule.test(resource) && campaignNameRule.test(campaign);
  if (!isGood || endsLikeEnvironment(campaign)) {
    const message = `${resource} cannot be named after '${campaign.slice(0, 80)}': ${endingWords}`;
    throw new AppError("invalid", "campaign_name", message);
  }
  return ["forager", resource, campaign, ...(environment === undefined ? [] : [environment])].join(
    "-",
  );
}

export const endsLikeEnvironment = (campaign: string): boolean =>
  environments.some((one) => campaign.endsWith(`-${one}`));

export const endingWords = `the name of a campaign must not end with ${environments.map((one) => `-${one}`).join(", ")}, which are environments`;
