import { AppError, assert } from "../../base/app-error.ts";
import type { LeaseRef, TaskInput } from "../../queue/index.ts";
import { foundField } from "../../records/index.ts";
import { busyForMs, parseTileId, type Place } from "../../sources/index.ts";
import { defineHandler, done, release, retry, skip, type Handler } from "../../worker/index.ts";
import { companyLimitOf, type FoundPlace } from "../budget/company-limit.ts";
import { fileSourceKey, placeFileKey, type Campaign } from "../campaign.ts";
import { markClosed } from "./closed-places.ts";
import { companyFacts, type CompanyFacts } from "./company-fields.ts";
import type { FoundCompany } from "./company-writer.ts";
import { exclusionOf } from "./exclusions.ts";
import { filterOfPlace, type FilterName } from "./filters.ts";
import { releaseIfLacking } from "../lacking.ts";
import { meaningHash } from "./phrase-meaning.ts";
import type { CampaignServices } from "../services.ts";
import { placeKeys } from "./suppressed-places.ts";
import { discoverKind, discoverSchema, type DiscoverPayload } from "../tasks.ts";
import { readWitnessesOf, witnessState, witnessChange, witnessOf } from "../witness.ts";

export interface Discovered {
  /** Places that a phrase found. */
  readonly found: number;
  readonly excluded: number;
  /**
   * The number of places that each filter of the campaign rejects. They are kept but not visited.
   */
  readonly filtered?: Readonly<Partial<Record<FilterName, number>>>;
  readonly created: number;
  /** Places that are on the suppression list or were forgotten. Nothing about them is kept. */
  readonly suppressed?: number;
  /** Companies whose place is closed or missing in this release but was open in the one before. */
  readonly closed?: number;
}

export interface DiscoverOptions {
  readonly by: LeaseRef;
  readonly signal: AbortSignal;
  /** Called for each request to the source. */
  readonly onRequest?: () => void;
}

/** The size of a batch of writes: few syncs, and little memory in tiles with many places. */
const companiesAtOnce = 200;

/**
 * Searches one tile of one source for all phrases that are due. The order matters: first every
 * place becomes a company, with the task that visits its website; then the witnesses are written;
 * then this task ends. So a witness means that all of the tile was stored, whenever a worker dies,
 * and repeating the task changes nothing. Every failure throws, and then no witness is written.
 * No witness is written either if the campaign reaches its limit of companies before
 * the end of the tile.
 */
export async function discover(
  services: CampaignServices,
  payload: DiscoverPayload,
  { by, signal, onRequest }: DiscoverOptions,
): Promise<Discovered | "witnessed" | "enough"> {
  const { ledger, clock } = services;
  const tile = parseTileId(payload.tile);
  assert(tile, `${payload.tile} is not a tile`);
  const campaign = await services.campaign(payload.campaign);
  const compiled = services.phrases(campaign);
  // Whether a witness of a file is valid depends on the current content of the file.
  const isFile = payload.source === fileSourceKey;
  const file = isFile ? await services.places(campaign, payload.source) : undefined;
  const fileKey = isFile ? placeFileKey(campaign) : undefined;
  const cut = await file?.release?.(signal);
  const witnesses = await readWitnessesOf(ledger, tile, { campaign, release: cut });
  const due = new Map<number, string>();
  const releases = new Map<string, string | undefined>();
  for (const { phrase, since } of payload.due) {
    const at = compiled.phrases.findIndex((one) => one.phrase === phrase);
    if (at < 0) continue; // the campaign no longer has this phrase
    const witness = witnessOf(witnesses, { phrase, source: payload.source });
    const state = witnessState(witness, campaign.freshness, clock.nowMs());
    const isKnown = state === "fresh" || state === "empty";
    // Another campaign has searched this tile for this phrase since; its result is shared.
    if (!isKnown || witness?.at === since) due.set(at, phrase);
    releases.set(phrase, witness?.release);
  }
  if (due.size === 0) return "witnessed";

  const source = file ?? (await services.places(campaign, payload.source));
  if (!source.area) throw noArea(source.name);
  const { places, release } = await source.area(tile, signal, onRequest);
  const at = new Date(clock.nowMs()).toISOString();
  const counts = { found: 0, excluded: 0, created: 0 };
  const filtered: Partial<Record<FilterName, number>> = {};
  const foundBy = new Map([...due.keys()].map((phrase) => [phrase, { found: 0, suppressed: 0 }]));
  let suppressed = 0;
  const writer = createWriter(services, campaign, by);
  const matching = (place: Place) => compiled.matching(place).filter((phrase) => due.has(phrase));
  for (const some of matchedPlaces(places, matching)) {
    const listed = new Set(await ledger.suppressed(some.flatMap(({ keys }) => keys)));
    for (const { place, facts, matched, keys } of some) {
      signal.throwIfAborted();
      const isSuppressed = keys.some((key) => listed.has(key));
      counts.found += 1;
      for (const phrase of matched) {
        foundBy.get(phrase)!.found += 1;
        if (isSuppressed) foundBy.get(phrase)!.suppressed += 1;
      }
      const { id, name } = place;
      if (isSuppressed) suppressed += 1;
      else if (exclusionOf(campaign.exclusions, { id, name, domain: facts.domain })) {
        counts.excluded += 1;
      } else {
        const phrases = matched.map((phrase) => due.get(phrase)!);
        const filter = filterOfPlace(campaign.filters, place, facts);
        if (filter) filtered[filter] = (filtered[filter] ?? 0) + 1;
        const found = { tile: tile.id, phrases, at, source: source.name, file: fileKey, filter };
        const company = foundCompany(campaign, place, facts, found);
        const website = filter ? undefined : facts.website;
        if (!(await writer.add({ company, isCounted: !filter, id, website }))) return "enough";
      }
    }
  }
  if (!(await writer.flush())) return "enough";
  counts.created = writer.created();
  const phrases = [...due.values()].filter(
    (phrase) => (releases.get(phrase) ?? release) !== release,
  );
  const closed = await markClosed(services, {
    tile,
    source,
    places: new Set(places.map(({ id }) => id)),
    temporarilyClosed: new Set(
      places.flatMap(({ id, temporarilyClosed }) => (temporarilyClosed ? [id] : [])),
    ),
    phrases: new Set(phrases),
    file: fileKey,
    signal,
  });
  const content = cut?.release === release ? cut.content : undefined;
  const changes = [...due].map(([phrase, text]) =>
    witnessChange(
      tile,
      { phrase: text, source: fileKey ?? payload.source },
      {
        at,
        found: foundBy.get(phrase)!.found,
        ...(foundBy.get(phrase)!.suppressed > 0 && {
          suppressed: foundBy.get(phrase)!.suppressed,
        }),
        source: source.name,
        release,
        ...(content !== undefined && { content }),
        how: meaningHash(compiled.phrases[phrase]!),
      },
    ),
  );
  await ledger.write({ source: "system", changes });
  return {
    ...counts,
    ...(suppressed > 0 && { suppressed }),
    ...(closed > 0 && { closed }),
    ...(Object.keys(filtered).length > 0 && { filtered }),
  };
}

export interface FoundWhere {
  readonly tile: string;
  readonly phrases: readonly string[];
  readonly at: string;
  /** The name of the source in records. */
  readonly source: string;
  /** `placeFileKey` of the campaign, if the source is its file. */
  readonly file: string | undefined;
  /** The filter of the campaign that rejects the place. */
  readonly filter?: FilterName | undefined;
}

/** Converts a place to a company, with the tile and phrases by which it was found. */
export function foundCompany(
  campaign: Pick<Campaign, "name">,
  place: Place,
  { domain, fields }: CompanyFacts,
  { tile, phrases, at, source, file, filter }: FoundWhere,
): FoundCompany {
  const value = { campaign: campaign.name, at, source, ...(filter && { filtered: filter }) };
  return {
    source: `place:${place.id}`,
    name: place.name,
    place: place.id,
    domain,
    fields: [
      ...fields,
      ...phrases.map((phrase) => ({ field: foundField({ tile, phrase, file }), value })),
    ],
    firstFields: [{ field: "foundAt", value: at }],
  };
}

interface MatchedPlace {
  readonly place: Place;
  readonly facts: CompanyFacts;
  readonly matched: readonly number[];
  /** Keys to look up in the suppression list. */
  readonly keys: readonly string[];
}

/** Yields batches, because a batch is looked up in the suppression list at once. */
function* matchedPlaces(
  places: readonly Place[],
  matching: (place: Place) => readonly number[],
): Generator<readonly MatchedPlace[]> {
  let some: MatchedPlace[] = [];
  for (const place of places) {
    const matched = matching(place);
    if (matched.length === 0) continue;
    const facts = companyFacts(place);
    some.push({ place, facts, matched, keys: placeKeys(place.id, facts.domain) });
    if (some.length < companiesAtOnce) continue;
    yield some;
    some = [];
  }
  if (some.length > 0) yield some;
}

interface WaitingCompany extends FoundPlace {
  readonly company: FoundCompany;
  readonly website: string | undefined;
}

/**
 * Writes companies before the tasks of their websites: after a crash in between both are written
 * again.
 */
function createWriter(services: CampaignServices, campaign: Campaign, by: LeaseRef) {
  let waiting: WaitingCompany[] = [];
  let created = 0;
  const put = async (some: readonly WaitingCompany[]): Promise<void> => {
    const answers = await services.companies.putAll(some.map(({ company }) => company));
    const tasks: TaskInput[] = [];
    for (const [at, answer] of answers.entries()) {
      if (answer.status === "created") created += 1;
      const { website, company } = some[at]!;
      if (answer.status === "suppressed" || website === undefined) continue;
      const { target } = answer;
      const { domain } = company;
      const task = await services.enrichTask({ campaign, target, website, domain });
      if (task) tasks.push(task);
    }
    if (tasks.length > 0) await services.addTasks(tasks, by);
  };
  /**
   * Returns false if the campaign has reached its limit, and not all of the companies were written.
   */
  const flush = async (): Promise<boolean> => {
    const some = waiting;
    waiting = [];
    if (some.length === 0) return true;
    return (await companyLimitOf(services).within(campaign, some, put)) === some.length;
  };
  return {
    async add(found: WaitingCompany): Promise<boolean> {
      waiting.push(found);
      return waiting.length < companiesAtOnce || (await flush());
    },
    flush,
    created: () => created,
  };
}

const noArea = (name: string) =>
  new AppError("invalid", "places_no_area", `the source ${name} cannot be asked for a whole tile`);

export const enoughReason = "the campaign has reached the company limit of its budget";

/** A tile that needs many requests takes long. */
const discoverTimeoutMs = 3_600_000;

export function createDiscoverHandler(): Handler<CampaignServices> {
  return defineHandler<DiscoverPayload, CampaignServices>(
    discoverKind,
    discoverSchema,
    ({ task, services, signal, progress, markStart }) =>
      releaseIfLacking(async () => {
        progress(`${task.payload.tile} ${task.payload.source}`);
        const { id, token } = task;
        const onRequest = () => {
          markStart();
          services.countRequest?.();
        };
        const options = { by: { id, token }, signal, onRequest };
        try {
          const result = await discover(services, task.payload, options);
          if (result === "enough") return release(enoughReason);
          return result === "witnessed" ? skip("searched by another task") : done(result);
        } catch (error) {
          const retryAfterMs = busyForMs(error);
          if (retryAfterMs === undefined) throw error;
          // The gate is closed until then, so no node of the fleet sends a request before.
          return retry((error as AppError).message, {
            delayMs: retryAfterMs,
            slowDown: { retryAfterMs },
          });
        }
      }),
    {
      timeoutMs: discoverTimeoutMs,
      yields: (result) => (result as Discovered | undefined)?.found ?? 0,
    },
  );
}
