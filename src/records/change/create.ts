import type { Change, Commit, Ledger, TargetView } from "../../ledger/index.ts";
import type { Random } from "../../base/random.ts";
import { companyTarget, idOf } from "../fields/company.ts";
import { isSameValue } from "../exchange/read-company.ts";
import { listPrefixes } from "../fields/fields.ts";
import { companyIds, firstText, normalDomain, type CompanyIds } from "../fields/identity.ts";
import { makesHashedIds } from "./id-form.ts";
import { comparedName, shareTellingWord } from "../resolve/name-similarity.ts";
import { worthWriting } from "./machine-facts.ts";
import { isSamePlace, ownIdWithName } from "./same-place.ts";
import { domainField, isIdOfOwnList, placeField } from "../fields/places.ts";
import type { RecordIndex } from "../search/record-index.ts";
import type { Created, CreateRequest } from "../records.ts";
import { slugOf } from "../files/slug.ts";
import { suppressionKeyOf } from "../suppression/keys.ts";
import { mentionedKeys, numbersIn, regionOf, withoutMentions } from "../suppression/mentions.ts";

export interface CreatePlan {
  readonly outcome: "created" | "known" | "suppressed";
  readonly target: string;
  /** Undefined if there is nothing to write. */
  readonly commit: Commit | undefined;
  /** Fields that are not written because they are suppressed or were forgotten. */
  readonly leftOut: readonly string[];
  readonly kept: Created["kept"];
  /** Targets of other companies with one of its phone numbers. */
  readonly alike: readonly string[];
}

export interface CreatePlanner {
  /** Each plan takes the earlier ones into account, even if they have not been written yet. */
  plan(request: CreateRequest): Promise<CreatePlan>;
}

export interface CreatePlannerOptions {
  readonly ledger: Pick<Ledger, "read" | "suppressed" | "vector" | "node">;
  readonly index: Pick<RecordIndex, "find" | "byDomain" | "byPlace" | "byPhone">;
  readonly random: Random;
}

export function createPlanner({ ledger, index, random }: CreatePlannerOptions): CreatePlanner {
  /** Planned companies that are not in the index yet. */
  const planned = new Map<string, { place: unknown }>();
  const plannedWith = new Map<string, Set<string>>();

  const placeOf = (target: string): unknown => {
    const known = index.find(target);
    return planned.get(target)?.place ?? (known?.kind === "company" && known.company.texts.place);
  };
  const having = (key: "place" | "domain", value: string): readonly string[] => [
    ...(key === "place" ? index.byPlace(value) : index.byDomain(value)),
    ...(plannedWith.get(`${key}:${value}`) ?? []),
  ];
  const ofPlace = (place: string, fields: Fields): readonly string[] => {
    const found = having("place", place);
    if (!isIdOfOwnList(place)) return found;
    return found.filter((target) => {
      const known = index.find(target);
      return known?.kind !== "company" || isSamePlace(known.company, fields);
    });
  };
  /** The fields that a new company gets its id from. */
  const identifying = (fields: Fields): Fields => {
    const { place, name } = fields;
    if (typeof place !== "string" || !isIdOfOwnList(place)) return fields;
    const isTaken = having("place", place).length > 0 && ofPlace(place, fields).length === 0;
    return isTaken ? { ...fields, place: ownIdWithName(place, name) } : fields;
  };
  /** Branches of a chain share a domain: companies with different places are different. */
  const findKnown = (fields: Fields): string | undefined => {
    const { place, domain } = fields;
    const same = typeof place === "string" ? ofPlace(place, fields)[0] : undefined;
    if (same !== undefined || typeof domain !== "string") return same;
    const found = having("domain", domain);
    const placeless = found.find((target) => !placeOf(target));
    return placeless ?? (place ? undefined : found[0]);
  };

  /** Other companies with one of its phone numbers. */
  const havingPhone = (fields: Fields): readonly string[] => {
    const prefix = listPrefixes.phones;
    const numbers = Object.keys(fields).filter((field) => field.startsWith(prefix));
    return [...new Set(numbers.flatMap((field) => index.byPhone(field.slice(prefix.length))))];
  };
  /**
   * Offices share a number: it counts only if exactly one company has it, with a similar name and
   * no other site.
   */
  const findByPhone = (fields: Fields): string | undefined => {
    const [only, ...others] = havingPhone(fields);
    const known = only === undefined || others.length > 0 ? undefined : index.find(only);
    if (known?.kind !== "company") return undefined;
    const { domain, place } = known.company.texts;
    const isOther = (given: unknown, its: string | undefined) =>
      given !== undefined && its !== undefined && given !== its;
    if (isOther(fields["domain"], domain) || isOther(fields["place"], place)) return undefined;
    const [one, other] = [known.company.name, firstText(fields["name"])].map(comparedName);
    return one!.joined === other!.joined || shareTellingWord(one!, other!) ? only : undefined;
  };

  /** The company may have been merged since. */
  const followMerges = async (start: string): Promise<TargetView> => {
    let view = await ledger.read(start);
    for (let step = 0; step < mergesMax && view.mergedInto !== undefined; step++) {
      view = await ledger.read(view.mergedInto);
    }
    return view;
  };

  let isHashed: boolean | undefined;
  /** A company that an earlier version made is found by its readable id. */
  const viewOfNew = async ({ id, readableId }: CompanyIds): Promise<TargetView> => {
    const hashed = companyTarget(id);
    if (readableId === undefined) return followMerges(hashed);
    const readable = companyTarget(readableId);
    const earlier = await followMerges(readable);
    const isThere =
      planned.has(readable) ||
      earlier.target !== readable ||
      earlier.fields.length > 0 ||
      earlier.isForgotten;
    isHashed ??= await makesHashedIds(ledger);
    if (isThere || !isHashed) return earlier;
    return followMerges(hashed);
  };

  return {
    async plan(request) {
      const { source, firstFields = {}, isSeparate = false, addsOnly = false } = request;
      const checked = await findSuppressedFields(ledger, tidy(request.fields));
      const { gone, isSuppressed, clean: fields } = checked;
      const given = request.target === undefined ? undefined : await followMerges(request.target);
      const isThere = given !== undefined && (given.fields.length > 0 || given.isForgotten);
      const found =
        isSeparate || isThere
          ? undefined
          : (findKnown(fields) ?? (addsOnly ? findByPhone(fields) : undefined));
      const ids: CompanyIds =
        given === undefined
          ? companyIds({ ...request, fields: identifying(fields) }, random)
          : { id: idOf(given.target), isOfRequest: false };
      const { id, isOfRequest } = ids;
      const view =
        found === undefined ? (given ?? (await viewOfNew(ids))) : await ledger.read(found);
      const { target } = view;
      if (isSuppressed || view.isForgotten) {
        const leftOut = Object.keys(fields);
        return { outcome: "suppressed", target, commit: undefined, leftOut, kept: [], alike: [] };
      }
      const isKnown = view.fields.length > 0 || planned.has(target);
      // The first request wrote everything in one commit; since then others may have changed it.
      if (isOfRequest && found === undefined && isKnown) {
        return {
          outcome: "created",
          target,
          commit: undefined,
          leftOut: [...gone],
          kept: [],
          alike: [],
        };
      }
      const has = new Map(view.fields.map(({ field, value }) => [field, value]));
      const first = Object.entries(firstFields).filter(([field]) => !has.has(field));
      const { place } = fields;
      const all = [...Object.entries(fields), ...first];
      const element = placeField(place);
      if (element !== undefined) all.push([element, true]);
      // The domain of a merged company does not replace the company's own domain.
      const isByOther = has.has(domainField(fields["domain"]) ?? "");
      const isKept = (field: string) =>
        // The first place stays in `place`; each further one is a separate element.
        (field === "place" || addsOnly) && has.has(field)
          ? true
          : isByOther && (field === "domain" || field === "website");
      const kept = addsOnly
        ? Object.entries(fields).flatMap(([field, value]) =>
            isKept(field) && !isSameValue(field, has.get(field), value)
              ? [{ field, value: has.get(field), given: value }]
              : [],
          )
        : [];
      // The same value from another source is worth writing: it then has two sources.
      const isOurs = addsOnly || request.target !== undefined;
      const left = Object.fromEntries(
        all.filter(
          ([field, value]) =>
            !gone.has(field) &&
            !isKept(field) &&
            !(isOurs && isSameValue(field, has.get(field), value)),
        ),
      );
      const slug = slugOf(firstText(left["slug"], left["name"], left["domain"], id), id);
      const commit = worthWriting({
        source,
        changes: changesOf(target, isKnown ? left : { ...left, slug }),
      });
      planned.set(target, { place: fields["place"] ?? planned.get(target)?.place });
      for (const key of ["place", "domain"] as const) {
        const name = `${key}:${String(fields[key])}`;
        if (fields[key]) plannedWith.set(name, (plannedWith.get(name) ?? new Set()).add(target));
      }
      const outcome = isKnown ? "known" : "created";
      const alike = addsOnly ? havingPhone(fields).filter((one) => one !== target) : [];
      return { outcome, target, commit, leftOut: [...gone], kept, alike };
    },
  };
}

type Fields = Readonly<Record<string, unknown>>;
const mergesMax = 100;

const tidy = (fields: Fields): Fields =>
  typeof fields["domain"] === "string"
    ? { ...fields, domain: normalDomain(fields["domain"]) }
    : fields;

/**
 * A company with a suppressed domain or place is not written at all. A suppressed address or number
 * is left out and removed from the other texts.
 */
async function findSuppressedFields(ledger: Pick<Ledger, "suppressed">, fields: Fields) {
  const keyOf = new Map<string, string>();
  for (const [field, value] of Object.entries(fields)) {
    const key =
      (field === "domain" || field === "place") && typeof value === "string"
        ? `${field}:${value}`
        : suppressionKeyOf(field);
    if (key !== undefined) keyOf.set(field, key);
  }
  const country = regionOf(fields["country"], numbersIn(Object.keys(fields)));
  const mentioned = mentionedKeys(fields, country);
  const listed = new Set(await ledger.suppressed([...new Set([...keyOf.values(), ...mentioned])]));
  const found = [...keyOf].flatMap(([field, key]) => (listed.has(key) ? [field] : []));
  const gone = new Set(found.filter((field) => field !== "domain" && field !== "place"));
  const clean = withoutMentions(fields, listed, country);
  return { gone, isSuppressed: found.length > gone.size, clean };
}

const changesOf = (target: string, fields: Fields): readonly Change[] =>
  Object.entries(fields).map(([field, value]) => ({ target, field, value }));
