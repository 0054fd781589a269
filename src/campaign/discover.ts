import { assert } from "../base/app-error.ts";
import type { LeaseRef } from "../queue/index.ts";
import { defineHandler, done, skip, type Handler } from "../worker/index.ts";
import { companyFacts } from "./company-fields.ts";
import { exclusionOf } from "./exclusions.ts";
import { boxOf, parseTileId } from "./grid.ts";
import type { Place } from "./place.ts";
import type { CampaignServices } from "./services.ts";
import { detailsTask, discoverKind, discoverSchema, type DiscoverPayload } from "./tasks.ts";
import { readWitnessesOf, standingOf, witnessChange } from "./witness.ts";

export interface Discovered {
  readonly found: number;
  readonly excluded: number;
}

/** Stored as they are found, so that a tile with many places needs little memory. */
const tasksAtOnce = 500;

/**
 * Looks one tile through for one phrase. In this order: every place becomes a task, then the
 * witness is written, then this task ends. So a witness means that nothing of the tile was lost,
 * whenever a worker dies; what is done again finds its tasks there already. Whatever fails throws,
 * and then there is no witness (lesson 42).
 */
export async function discover(
  services: CampaignServices,
  payload: DiscoverPayload,
  { by, signal }: { readonly by: LeaseRef; readonly signal: AbortSignal },
): Promise<Discovered | "witnessed"> {
  const { ledger, clock, addTasks } = services;
  const tile = parseTileId(payload.tile);
  assert(tile, `${payload.tile} is no tile`);
  const { phrase, since } = payload;
  const campaign = await services.campaign(payload.campaign);
  const witness = (await readWitnessesOf(ledger, tile)).get(phrase);
  const standing = standingOf(witness, campaign.freshness, clock.nowMs());
  // Another campaign with this tile and phrase was faster: its work is everybody's.
  if (witness?.at !== since && (standing === "fresh" || standing === "empty")) return "witnessed";

  const finder = await services.places(campaign);
  const at = new Date(clock.nowMs()).toISOString();
  const ids = new Set<string>();
  let excluded = 0;
  let waiting: Place[] = [];
  const flush = async () => {
    const places = waiting;
    waiting = [];
    await addTasks(
      places.map((place) => detailsTask({ ...payload, at, place })),
      by,
    );
  };
  for await (const place of finder.find({ box: boxOf(tile), phrase, signal })) {
    signal.throwIfAborted();
    if (ids.has(place.id)) continue;
    ids.add(place.id);
    const { domain } = companyFacts(place);
    if (exclusionOf(campaign.exclusions, { id: place.id, name: place.name, domain })) excluded += 1;
    else if (waiting.push(place) >= tasksAtOnce) await flush();
  }
  if (waiting.length > 0) await flush();
  const found = ids.size;
  const change = witnessChange(tile, phrase, { at, found, source: finder.name });
  await ledger.write({ source: "system", changes: [change] });
  return { found, excluded };
}

export function createDiscoverHandler(): Handler<CampaignServices> {
  return defineHandler<DiscoverPayload, CampaignServices>(
    discoverKind,
    discoverSchema,
    async ({ task, services, signal, progress }) => {
      progress(`${task.payload.tile} ${task.payload.phrase}`);
      const { id, token } = task;
      const result = await discover(services, task.payload, { by: { id, token }, signal });
      return result === "witnessed" ? skip("looked through by another task") : done(result);
    },
    { yields: (result) => (result as Discovered | undefined)?.found ?? 0 },
  );
}
