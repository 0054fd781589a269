/**
 * Finds companies that belong to no campaign or to the wrong one, by tile, phrase and coordinates.
 * Only companies that a place or a campaign has brought are checked: one that was entered by hand
 * or imported may belong to no campaign. `membershipOf` decides which campaign a company belongs
 * to: if its plan becomes smaller, a campaign keeps what it found, unless another campaign searches
 * that tile for that phrase.
 */
import { foundField, placesOf, type Company, type FoundBy } from "../../records/index.ts";
import { tileAt, type CompiledPhrases } from "../../sources/index.ts";
import type { Campaign } from "../campaign.ts";
import { planTiles } from "../plan.ts";
import type { AuditFinding } from "./audit-schema.ts";

export interface CompanyAudit {
  findingsOf(company: Company): readonly AuditFinding[];
}

export interface CompanyAuditOptions {
  readonly campaigns: readonly Campaign[];
  readonly phrases: (campaign: Campaign) => CompiledPhrases;
  readonly nowMs: number;
}

interface Plan {
  readonly campaign: Campaign;
  readonly tiles: ReadonlySet<string>;
  readonly phrases: ReadonlySet<string>;
}

export function createCompanyAudit(options: CompanyAuditOptions): CompanyAudit {
  const plans: readonly Plan[] = options.campaigns.map((campaign) => ({
    campaign,
    tiles: new Set(planTiles(campaign).map(({ tile }) => tile.id)),
    phrases: new Set(campaign.phrases),
  }));
  const planOf = (name: string | undefined) => plans.find(({ campaign }) => campaign.name === name);
  const searching = (tile: string, phrase: string) =>
    plans.find((plan) => plan.tiles.has(tile) && plan.phrases.has(phrase));

  /** Undefined if the company belongs to the right campaign. */
  function judge(company: Company, found: FoundBy, here: string | undefined) {
    const { tile, phrase, campaign } = found;
    const own = planOf(campaign);
    if (here !== undefined && here !== tile && own && !own.tiles.has(here)) {
      const right = searching(here, phrase);
      return findingOf(company, {
        problem: "wrong_place",
        campaign: campaign ?? null,
        belongsTo: right?.campaign.name ?? null,
        evidence: `found in tile ${tile}, but it lies in ${here}, where campaign ${campaign ?? ""} does not search`,
        changes: [
          { field: foundField(found), value: null },
          ...(right ? [claim(here, phrase, right.campaign.name, found)] : []),
        ],
      });
    }
    if (own?.tiles.has(tile) && own.phrases.has(phrase)) return undefined;
    const right = searching(tile, phrase);
    if (!right || campaign === undefined) return undefined;
    const why = own ? `does not search tile ${tile} for "${phrase}"` : "does not exist";
    const name = right.campaign.name;
    return findingOf(company, {
      problem: "wrong_campaign",
      campaign,
      belongsTo: name,
      evidence: `campaign ${campaign} ${why}, and ${name} does`,
      changes: [
        ...(found.file === undefined ? [] : [{ field: foundField(found), value: null }]),
        claim(tile, phrase, name, found),
      ],
    });
  }

  /** A company that comes from a place and belongs to no campaign. */
  function judgeLost(company: Company, here: string | undefined): AuditFinding {
    const fits = here === undefined ? undefined : fitting(company, here);
    const gone = [...new Set((company.foundBy ?? []).map(({ campaign }) => campaign ?? ""))];
    const was = gone.length > 0 ? `found by ${gone.join(", ")}, which does not exist; ` : "";
    const found: FoundBy = { tile: here ?? "", phrase: fits?.phrase ?? "" };
    return findingOf(company, {
      problem: "no_campaign",
      campaign: gone[0] ?? null,
      belongsTo: fits?.plan.campaign.name ?? null,
      evidence: fits
        ? `${was}it lies in tile ${here}, and "${fits.phrase}" of campaign ${fits.plan.campaign.name} finds it`
        : `${was}${here === undefined ? "its coordinates are not known" : `no campaign searches tile ${here} for what it is`}`,
      changes: fits ? [claim(here!, fits.phrase, fits.plan.campaign.name, found)] : [],
    });
  }

  function fitting(company: Company, here: string) {
    for (const plan of plans) {
      if (!plan.tiles.has(here)) continue;
      const compiled = options.phrases(plan.campaign);
      const [first] = compiled.matching(placeLike(company));
      if (first !== undefined) return { plan, phrase: compiled.phrases[first]!.phrase };
    }
    return undefined;
  }

  const claim = (tile: string, phrase: string, campaign: string, found: FoundBy) => ({
    field: foundField({ tile, phrase }),
    value: {
      campaign,
      at: found.at ?? new Date(options.nowMs).toISOString(),
      source: found.source ?? "audit",
      ...(found.filtered !== undefined && { filtered: found.filtered }),
    },
  });

  return {
    findingsOf(company) {
      const { foundBy = [] } = company;
      if (company.excluded !== undefined) return [];
      const here = tileOf(company);
      const isSomeones = foundBy.some(
        ({ campaign, tile, phrase }) => planOf(campaign) || searching(tile, phrase),
      );
      if (!isSomeones) {
        const isPlace = foundBy.length > 0 || placesOf(company).length > 0;
        return isPlace ? [judgeLost(company, here)] : [];
      }
      return foundBy.flatMap((found) => judge(company, found, here) ?? []);
    },
  };
}

const findingOf = (
  { target, name, slug }: Company,
  finding: Omit<AuditFinding, "target" | "name" | "slug">,
): AuditFinding => ({ target, name, slug, ...finding });

function tileOf({ numbers: { latitude, longitude } }: Company): string | undefined {
  if (latitude === undefined || longitude === undefined) return undefined;
  return tileAt({ latitude, longitude }).id;
}

/** The fields of a place that phrases are matched with. */
const placeLike = ({ target, name, categories, numbers }: Company) => ({
  id: target,
  name,
  latitude: numbers.latitude ?? 0,
  longitude: numbers.longitude ?? 0,
  categories: [...categories],
  tags: categories.filter((one) => one.includes("=")),
});
