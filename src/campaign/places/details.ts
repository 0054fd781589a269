import type { TaskInput } from "../../queue/index.ts";
import { parseTileId } from "../../sources/index.ts";
import { defineHandler, done, release, skip, type Handler } from "../../worker/index.ts";
import { companyLimitOf } from "../budget/company-limit.ts";
import { fileSourceKey, placeFileKey } from "../campaign.ts";
import { companyFacts } from "./company-fields.ts";
import type { PutCompany } from "./company-writer.ts";
import { enoughReason, foundCompany } from "./discover.ts";
import { exclusionOf } from "./exclusions.ts";
import { filterOfPlace } from "./filters.ts";
import { releaseIfLacking } from "../lacking.ts";
import type { CampaignServices } from "../services.ts";
import { isSuppressed } from "./suppressed-places.ts";
import { detailsKind, detailsSchema, type DetailsPayload } from "../tasks.ts";

export type Detailed =
  | { readonly kind: "put"; readonly company: PutCompany; readonly enrich: TaskInput | undefined }
  | { readonly kind: "left"; readonly reason: string }
  /** The limit of companies is reached: nothing was written. */
  | { readonly kind: "enough" };

/**
 * Creates or updates the company of one place, and records by which tile and phrase it was found.
 * Unknown never overwrites known: a field that the place does not have is not written. Used for
 * sources that list only ids, and for places that a person names. Area sources deliver whole
 * places, so their places need no task of their own.
 */
export async function detail(
  services: CampaignServices,
  payload: DetailsPayload,
  signal: AbortSignal,
): Promise<Detailed> {
  const campaign = await services.campaign(payload.campaign);
  const source = await services.places(campaign, payload.source);
  const { id = "", tile, phrase, at } = payload;
  const known = parseTileId(tile);
  const place = payload.place ?? (await source.look(id, { ...(known && { tile: known }), signal }));
  if (!place) return left(`the source ${source.name} no longer has place ${id}`);
  const facts = companyFacts(place);
  const { domain, website } = facts;
  const excluded = exclusionOf(campaign.exclusions, { id: place.id, name: place.name, domain });
  if (excluded) return left(excluded);
  if (await isSuppressed(services, place.id, domain)) return left(suppressedReason);

  const filter = filterOfPlace(campaign.filters, place, facts);
  const file = payload.source === fileSourceKey ? placeFileKey(campaign) : undefined;
  const found = { tile, phrases: [phrase], at, source: source.name, file, filter };
  let company: PutCompany | undefined;
  const written = await companyLimitOf(services).within(
    campaign,
    [{ id: place.id, isCounted: !filter }],
    async () => {
      const all = [foundCompany(campaign, place, facts, found)];
      [company] = await services.companies.putAll(all);
    },
  );
  if (written === 0) return { kind: "enough" };
  if (!company || company.status === "suppressed") return left(suppressedReason);
  const { target } = company;
  const enrich =
    website && !filter
      ? await services.enrichTask({ campaign, target, website, domain })
      : undefined;
  return { kind: "put", company, enrich };
}

/** It does not say which of the two applies, because the log of tasks keeps reasons. */
export const suppressedReason = "it is suppressed: on the suppression list, or forgotten";

const left = (reason: string): Detailed => ({ kind: "left", reason });

export function createDetailsHandler(): Handler<CampaignServices> {
  return defineHandler<DetailsPayload, CampaignServices>(
    detailsKind,
    detailsSchema,
    ({ task, services, signal }) =>
      releaseIfLacking(async () => {
        const result = await detail(services, task.payload, signal);
        if (result.kind === "left") return skip(result.reason);
        if (result.kind === "enough") return release(enoughReason);
        const { company, enrich } = result;
        // The follow-up task is added in the same transaction that ends this one.
        return done(company, enrich ? { add: [enrich] } : {});
      }),
    { yields: (result) => Number((result as PutCompany | undefined)?.status === "created") },
  );
}
