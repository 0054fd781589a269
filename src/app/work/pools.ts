import { AppError } from "../../base/app-error.ts";
import type { Concurrency, ProcessSlot } from "../../worker/index.ts";

/** Processes that do the same kinds. */
export interface Pool {
  /** Absent: all that there are handlers for. */
  readonly kinds?: readonly string[];
  /** But not these, if it does all. */
  readonly except?: readonly string[];
  /** Asked for by a command to the fleet, see ProcessSlot. */
  readonly isWanted?: true;
  readonly processes: number;
  readonly concurrency: Concurrency;
}

const processesMax = 64;
const concurrencyMax = 10_000;
const shape = /^([^=\s]+)=(\d+)x(\d+)(?:-(\d+))?$/;

/** `page+map=2x5-20 *=1x10`: kinds, processes, and how many tasks at once in each of them. */
export function parsePools(text: string): readonly Pool[] {
  const parts = text.split(/[\s,]+/).filter(Boolean);
  if (parts.length === 0) throw wrong(text, "it names no pool");
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

/** Whether a node with these pools does tasks of a kind. */
export const takesKind = (pools: string, kind: string): boolean =>
  parsePools(pools).some(({ kinds }) => kinds?.includes(kind) ?? true);

/** `10`, or `5-20` for one that follows the load. */
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

/** One slot for each process. `version`: see ProcessSlot. */
export function toSlots(pools: readonly Pool[], version: string): readonly ProcessSlot[] {
  return pools.flatMap(({ kinds, except, isWanted, processes, concurrency }) =>
    Array.from({ length: processes }, (_, at) => ({
      name: `${kinds?.join("+") ?? "all"}-${at + 1}`,
      ...(kinds && { kinds }),
      ...(except && { except }),
      ...(isWanted && { isWanted }),
      concurrency,
      // A process learns when it starts which kinds it leaves to others.
      version: except ? JSON.stringify([version, except]) : version,
    })),
  );
}

/**
 * The pools with the worker counts that a command to the fleet set, by kind. Such a kind gets a pool
 * of its own (none if its count is 0), and no other pool does it: the count is that of the whole
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
