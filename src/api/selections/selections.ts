import type * as z from "zod";
import { AppError } from "../../base/app-error.ts";
import type { Clock } from "../../base/clock.ts";
import { createId } from "../../base/ids.ts";
import type { Logger } from "../../base/log/logger.ts";
import type { Random } from "../../base/random.ts";
import type { selectionRoutes } from "../contract/records/selection-routes.ts";
import { notFound, ProblemError } from "../problems.ts";

export type SelectionValue = z.output<(typeof selectionRoutes)["showCompanySelection"]["answer"]>;
type ActionValue = SelectionValue["actions"][number];

/** The result of one batch of an action: how many items were changed, and how to undo it. */
export interface BatchResult<Undo> {
  readonly changed: number;
  readonly undo?: readonly Undo[];
}

export interface BulkWork<Item, Undo> {
  readonly action: string;
  readonly by: string;
  /** The number of items that the caller expects. */
  readonly count: number;
  readonly run: (batch: readonly Item[]) => Promise<BatchResult<Undo>>;
}

/**
 * Selections with a fixed set of items: an action changes what matched when the selection was made,
 * whatever the caller's page shows later. They are kept in memory by the server.
 */
export interface Selections<Item, Undo = never> {
  freeze(found: Found<Item>, by: string): SelectionValue;
  show(id: string): SelectionValue;
  /** Newest first. */
  list(): readonly SelectionValue[];
  /** Starts the action and returns immediately. */
  begin(id: string, work: BulkWork<Item, Undo>): SelectionValue;
  /** Undoes the last action. */
  undo(id: string, how: { readonly by: string; readonly run: (undo: readonly Undo[]) => Promise<number> }): SelectionValue; // prettier-ignore
  stop(id: string): SelectionValue;
}

export interface Found<Item> {
  readonly items: readonly Item[];
  readonly isComplete: boolean;
  readonly samples: readonly string[];
}

export interface SelectionsOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

export const selectionMax = 100_000;
const keptMax = 10;
const actionsMax = 20;
const lifeMs = 3_600_000;
const batchSize = 200;

interface Running<Undo> {
  readonly action: string;
  readonly by: string;
  readonly atMs: number;
  state: ActionValue["state"];
  done: number;
  changed: number;
  fault: string | null;
  undo: readonly Undo[];
  isStopped: boolean;
}

interface Kept<Item, Undo> extends Found<Item> {
  readonly id: string;
  readonly by: string;
  readonly atMs: number;
  usedMs: number;
  readonly actions: Running<Undo>[];
}

export function createSelections<Item, Undo = never>(
  options: SelectionsOptions,
): Selections<Item, Undo> {
  const { clock, random, log } = options;
  const kept = new Map<string, Kept<Item, Undo>>();

  const isRunning = ({ actions }: Kept<Item, Undo>) => actions.at(-1)?.state === "running";
  const dropOld = () => {
    const nowMs = clock.nowMs();
    for (const [id, one] of kept) {
      if (nowMs - one.usedMs > lifeMs && !isRunning(one)) kept.delete(id);
    }
    while (kept.size > keptMax) {
      const oldest = oldestOfGreediest([...kept.values()].filter((one) => !isRunning(one)));
      if (!oldest) return;
      kept.delete(oldest.id);
    }
  };
  const find = (id: string): Kept<Item, Undo> => {
    const one = kept.get(id);
    if (!one || clock.nowMs() - one.usedMs > lifeMs) {
      throw notFound(`selection '${id}': it is too old, or the server was restarted; select again`);
    }
    one.usedMs = clock.nowMs();
    return one;
  };

  const start = <T>(
    one: Kept<Item, Undo>,
    how: { readonly action: string; readonly by: string },
    items: readonly T[],
    run: (batch: readonly T[]) => Promise<BatchResult<Undo>>,
  ) => {
    if (isRunning(one)) {
      const message = "an action of this selection runs: wait for it, or stop it";
      throw new AppError("conflict", "selection_busy", message);
    }
    const action: Running<Undo> = {
      ...how,
      atMs: clock.nowMs(),
      state: "running",
      done: 0,
      changed: 0,
      fault: null,
      undo: [],
      isStopped: false,
    };
    one.actions.push(action);
    if (one.actions.length > actionsMax) one.actions.shift();
    void runAll(action, items, run, log);
    return valueOf(one);
  };

  return {
    freeze(found, by) {
      const nowMs = clock.nowMs();
      const id = createId(random, 20);
      const one: Kept<Item, Undo> = { ...found, by, id, atMs: nowMs, usedMs: nowMs, actions: [] };
      kept.set(id, one);
      dropOld();
      return valueOf(one);
    },
    show: (id) => valueOf(find(id)),
    list: () => [...kept.values()].map(valueOf).toReversed(),
    begin(id, { count, run, ...how }) {
      const one = find(id);
      if (count !== one.items.length) {
        const detail = `body.count: the selection has ${one.items.length}, and the request says ${count}`;
        throw new ProblemError(400, "not_confirmed", detail);
      }
      return start(one, how, one.items, run);
    },
    undo(id, { by, run }) {
      const one = find(id);
      const last = one.actions.at(-1);
      if (!last || last.state === "running" || last.undo.length === 0) {
        const message =
          "there is nothing to undo: no action has changed anything, or one still runs";
        throw new AppError("conflict", "nothing_to_undo", message);
      }
      const { undo } = last;
      last.undo = [];
      const back = async (batch: readonly Undo[]) => ({ changed: await run(batch) });
      return start(one, { action: `undo ${last.action}`, by }, undo, back);
    },
    stop(id) {
      const one = find(id);
      const last = one.actions.at(-1);
      if (last) last.isStopped = true;
      return valueOf(one);
    },
  };
}

/** The oldest selection of the user with the most selections, so that nobody displaces those of others. */
function oldestOfGreediest<T extends { readonly by: string }>(idle: readonly T[]): T | undefined {
  const countOf = (user: string) => idle.filter(({ by }) => by === user).length;
  const most = Math.max(...idle.map(({ by }) => countOf(by)));
  return idle.find(({ by }) => countOf(by) === most);
}

async function runAll<T, Undo>(
  action: Running<Undo>,
  items: readonly T[],
  run: (batch: readonly T[]) => Promise<BatchResult<Undo>>,
  log: Logger,
): Promise<void> {
  const back: Undo[] = [];
  try {
    for (let at = 0; at < items.length && !action.isStopped; at += batchSize) {
      const batch = items.slice(at, at + batchSize);
      const { changed, undo = [] } = await run(batch);
      action.done += batch.length;
      action.changed += changed;
      back.push(...undo);
    }
    action.state = action.done < items.length ? "stopped" : "done";
  } catch (error) {
    const isKnown = error instanceof AppError && error.kind !== "internal";
    if (!isKnown) log.error("a bulk action failed", { action: action.action, error });
    action.fault = isKnown ? error.message : "something went wrong here; the log says what";
    action.state = "failed";
  }
  action.undo = back;
}

function valueOf<Item, Undo>(one: Kept<Item, Undo>): SelectionValue {
  const { id, items, isComplete, samples, atMs, usedMs, actions } = one;
  return {
    id,
    count: items.length,
    isComplete,
    samples: [...samples],
    atMs,
    expiresAtMs: usedMs + lifeMs,
    actions: actions.map(({ undo, isStopped: _isStopped, ...action }) => ({
      ...action,
      canUndo: undo.length > 0,
    })),
  };
}
