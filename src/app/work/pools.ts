import { AppError } from "../../base/app-error.ts";
import type { Concurrency, ProcessSlot } from "../../worker/index.ts";

/** A group of processes with the same kinds. */
export interface Pool {
  /** Absent: all kinds that have a handler. */
  readonly kinds?: readonly string[];
  /** Kinds to leave out, if the pool runs all kinds. */
  readonly except?: readonly string[];
  /** Requested by a command to the fleet, see ProcessSlot. */
  readonly isWanted?: true;
  readonly processes: number;
  readonly concurrency: Concurrency;
}

const processesMax = 64;
const concurrencyMax = 10_000;
const shape = /^([^=\s]+)=(\d+)x(\d+)(?:-(\d+))?$/;

/** Parses `page+map=2x5-20 *=1x10`: kinds, number of processes, concurrent tasks per process. */
export function parsePools(text: string): readonly Pool[] {
  const parts = text.split(/[\s,]+/).filter(Boolean);
  if (parts.length === 0) throw wrong(text, "it has no pool");
  return parts.map((part) => {
    const [, kinds, processes, min, max] = shape.exec(part) ?? [];
    if (kinds === undefined) throw wrong(part, "it must be KINDS=PROCESSESxCONCURRENCY");
    return {
      ...(kinds === "*" ? {} : { kinds: kinds.split("+") }),
      processes: inRange(part, Number(processes), processesMax),
      concurrency: bounds(part, Number(min), max === undefined ? undefined : Number(max)),
    };
  });
}

/** True if a node with these pools runs tasks of a kind. */
export const takesKind = (pools: string, kind: string): boolean =>
  parsePools(pools).some(({ kinds }) => kinds?.includes(kind) ?? true);

/** Parses `10`, or `5-20` for a concurrency that adapts to the load. */
export function parseConcurrency(text: string): Concurrency {
  const [, min, max] = /^(\d+)(?:-(\d+))?$/.exec(text) ?? [];
  if (min === undefined) throw wrong(text, "concurrency is a number, or two such as 5-20");
  return bounds(text, Number(min), max === undefined ? undefined : Number(max));
}

function bounds(part: string, min: number, max: number | undefined): Concurrency {
  inRange(part, min, concurrencyMax);
  if (max === undefined || max === min) return min;
  inRange(part, max, concurrencyMax);
  if (max < min) throw wrong(part, `${min} is more than ${max}`);
  return { min, max };
}

function inRange(part: string, value: number, max: number): number {
  if (value >= 1 && value <= max) return value;
  throw wrong(part, `${value} is not within 1 to ${max}`);
}

const wrong = (text: string, why: string) =>
  new AppError("invalid", "bad_pools", `work.pools: "${text}" is wrong: ${why}`);

/** One slot per process. `version`: see ProcessSlot. */
export function toSlots(pools: readonly Pool[], version: string): readonly ProcessSlot[] {
  return pools.flatMap(({ kinds, except, isWanted, processes, concurrency }) =>
    Array.from({ length: processes }, (_, at) => ({
      name: `${kinds?.join("+") ?? "all"}-${at + 1}`,
      ...(kinds && { kinds }),
      ...(except && { except }),
      ...(isWanted && { isWanted }),
      concurrency,
      // A process gets the kinds that other slots run when it starts, so a change needs a new
      // process.
      version: except ? JSON.stringify([version, except]) : version,
    })),
  );
}

/**
 * Applies the worker counts per kind that a command to the fleet has set. Such a kind gets a
 * separate pool (none if its count is 0), and no other pool runs it: the count applies to the whole
 * node, whatever the settings say.
 */
export function withWorkers(
  pools: readonly Pool[],
  workers: ReadonlyMap<string, string>,
): readonly Pool[] {
  if (workers.size === 0) return pools;
  const rest = pools.flatMap((pool): readonly Pool[] => {
    if (!pool.kinds) return [{ ...pool, except: [...workers.keys()].sort() }];
    const kinds = pool.kinds.filter((kind) => !workers.has(kind));
    return kinds.length > 0 ? [{ ...pool, kinds }] : [];
  });
  const own = [...workers].flatMap(([kind, count]): readonly Pool[] => {
    if (count === "0") return [];
    const [pool] = parsePools(`${kind}=${count.includes("x") ? count : `1x${count}`}`);
    return pool ? [{ ...pool, isWanted: true }] : [];
  });
  return [...rest, ...own];
}
