import type { Change, Commit, Ledger, TargetView } from "../ledger/index.ts";
import type { Random } from "../base/random.ts";
import { companyTarget } from "./company.ts";
import { companyId, firstText, normalDomain } from "./identity.ts";
import { worthWriting } from "./machine-facts.ts";
import { placeField } from "./places.ts";
import type { RecordIndex } from "./record-index.ts";
import type { CreateRequest } from "./records.ts";
import { slugOf } from "./slug.ts";
import { suppressionKeyOf } from "./suppression/keys.ts";

export interface CreatePlan {
  readonly outcome: "created" | "known" | "forgotten";
  readonly target: string;
  /** Undefined if nothing is to be written. */
  readonly commit: Commit | undefined;
  /** Fields that are suppressed or were forgotten, and are not written. */
  readonly leftOut: readonly string[];
}

export interface CreatePlanner {
  /** Each plan takes those before it into account, whether they were written or not. */
  plan(request: CreateRequest): Promise<CreatePlan>;
}

export interface CreatePlannerOptions {
  readonly ledger: Pick<Ledger, "read" | "suppressed">;
  readonly index: Pick<RecordIndex, "find" | "byDomain" | "byPlace">;
  readonly random: Random;
}

export function createPlanner({ ledger, index, random }: CreatePlannerOptions): CreatePlanner {
  /** What was planned and is not in the index yet. */
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
  /** Branches of a chain share a domain: of two places, one is not the other. */
  const findKnown = ({ place, domain }: Fields): string | undefined => {
    const [same] = typeof place === "string" ? having("place", place) : [];
    if (same !== undefined || typeof domain !== "string") return same;
    const found = having("domain", domain);
    const placeless = found.find((target) => !placeOf(target));
    return placeless ?? (place ? undefined : found[0]);
  };

  /** The company may have been merged since. */
  const followMerges = async (start: string): Promise<TargetView> => {
    let view = await ledger.read(start);
    for (let step = 0; step < mergesMax && view.mergedInto !== undefined; step++) {
      view = await ledger.read(view.mergedInto);
    }
    return view;
  };

  return {
    async plan(request) {
      const { source, firstFields = {}, isSeparate = false } = request;
      const fields = tidy(request.fields);
      const { gone, isSuppressed } = await findSuppressedFields(ledger, fields);
      const found = isSeparate ? undefined : findKnown(fields);
      const { id, isOfRequest } = companyId({ ...request, fields }, random);
      const view =
        found === undefined ? await followMerges(companyTarget(id)) : await ledger.read(found);
      const { target } = view;
      if (isSuppressed || view.isForgotten) {
        return { outcome: "forgotten", target, commit: undefined, leftOut: Object.keys(fields) };
      }
      const isKnown = view.fields.length > 0 || planned.has(target);
      // The first request wrote all of it in one commit; since then others may have changed it.
      if (isOfRequest && found === undefined && isKnown) {
        return { outcome: "created", target, commit: undefined, leftOut: [...gone] };
      }
      const has = new Set(view.fields.map(({ field }) => field));
      const first = Object.entries(firstFields).filter(([field]) => !has.has(field));
      const { place } = fields;
      const all = [...Object.entries(fields), ...first];
      const element = placeField(place);
      if (element !== undefined) all.push([element, true]);
      const left = Object.fromEntries(
        // The place that it was made from stays; each further one is an element of its own.
        all.filter(([field]) => !gone.has(field) && !(field === "place" && has.has("place"))),
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
      return { outcome: isKnown ? "known" : "created", target, commit, leftOut: [...gone] };
    },
  };
}

type Fields = Readonly<Record<string, unknown>>;
const mergesMax = 100;

const tidy = (fields: Fields): Fields =>
  typeof fields["domain"] === "string"
    ? { ...fields, domain: normalDomain(fields["domain"]) }
    : fields;

/** A suppressed domain or place stays away altogether; an address or a number alone is left out. */
async function findSuppressedFields(ledger: Pick<Ledger, "suppressed">, fields: Fields) {
  const keyOf = new Map<string, string>();
  for (const [field, value] of Object.entries(fields)) {
    const key =
      (field === "domain" || field === "place") && typeof value === "string"
        ? `${field}:${value}`
        : suppressionKeyOf(field);
    if (key !== undefined) keyOf.set(field, key);
  }
  const listed = new Set(await ledger.suppressed([...new Set(keyOf.values())]));
  const found = [...keyOf].flatMap(([field, key]) => (listed.has(key) ? [field] : []));
  const gone = new Set(found.filter((field) => field !== "domain" && field !== "place"));
  return { gone, isSuppressed: found.length > gone.size };
}

const changesOf = (target: string, fields: Fields): readonly Change[] =>
  Object.entries(fields).map(([field, value]) => ({ target, field, value }));
