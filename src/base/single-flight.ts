import { assert } from "./app-error.ts";
import type { Clock } from "./clock.ts";

export interface SingleFlightCacheOptions<Key, Value> {
  /** Loads the value of a key. It should have a deadline, because all callers wait for it. */
  readonly load: (key: Key) => Promise<Value>;
  readonly clock: Clock;
  /** How long a value may be used, counted from the end of its load. */
  readonly ttlMs: number;
  readonly entriesMax: number;
  /** Whether to remember a loaded value. Default: always. */
  readonly keeps?: (value: Value) => boolean;
}

/**
 * Remembers loaded values. Invariants:
 * - at most one load per key runs at a time, and concurrent callers share its outcome;
 * - at most `entriesMax` values are kept, each at most `ttlMs`. Expired values are evicted first,
 *   then the least recently used one;
 * - a failed load is not kept: its callers get the error, and the next `get` loads again;
 * - after `invalidate`, a new `get` never returns older data. A load that was already running still
 *   answers its own callers, but its value is not kept, and new callers get a load that starts
 *   later.
 */
export interface SingleFlightCache<Key, Value> {
  get(key: Key): Promise<Value>;
  /**
   * Replaces the value of a key by a value that is known to be current. `reason`: see `invalidate`.
   */
  put(key: Key, value: Value, reason: string): void;
  /** Removes a key. `reason` becomes the label of a metric: use one of a few constants. */
  invalidate(key: Key, reason: string): void;
  /** Removes all keys; each is counted under `reason`. */
  clear(reason: string): void;
  metrics(): SingleFlightMetrics;
}

export interface SingleFlightMetrics {
  /** Answered from memory. `hits` + `misses` is the number of calls of `get`. */
  readonly hits: number;
  /** Had to wait for a load, including a load that was already running. */
  readonly misses: number;
  readonly loads: number;
  readonly loadsFailed: number;
  /**
   * Removed values and discarded loads, by reason: `expired`, `evicted`, and the reasons of
   * callers.
   */
  readonly invalidationsByReason: Readonly<Record<string, number>>;
  readonly size: number;
}

interface Flight<Value> {
  readonly result: Promise<Value>;
  isStale: boolean;
  /** The load that replaces this invalidated one; all later callers share it. */
  next?: Promise<Value>;
}

export function createSingleFlightCache<Key, Value>({
  load,
  clock,
  ttlMs,
  entriesMax,
  keeps = () => true,
}: SingleFlightCacheOptions<Key, Value>): SingleFlightCache<Key, Value> {
  assert(ttlMs > 0, `ttlMs is ${ttlMs}, not above 0`);
  assert(Number.isInteger(entriesMax) && entriesMax >= 1, `entriesMax is ${entriesMax}, below 1`);

  const values = new Map<Key, Value>(); // least recently used first
  const expiriesMs = new Map<Key, number>(); // the same keys, oldest first: all live equally long
  const flights = new Map<Key, Flight<Value>>(); // a key has a value, a load, or a value and a stale load
  const invalidations = new Map([
    ["expired", 0],
    ["evicted", 0],
  ]);
  const counts = { hits: 0, misses: 0, loads: 0, loadsFailed: 0 };

  const count = (reason: string) => invalidations.set(reason, (invalidations.get(reason) ?? 0) + 1);

  const drop = (key: Key, reason: string) => {
    const hadValue = values.delete(key);
    expiriesMs.delete(key);
    const flight = flights.get(key);
    if (hadValue || flight?.isStale === false) count(reason);
    if (flight) flight.isStale = true;
  };

  const dropExpired = () => {
    const nowMs = clock.monotonicMs();
    for (const [key, expiryMs] of expiriesMs) {
      if (expiryMs > nowMs) return;
      drop(key, "expired");
    }
  };

  const keep = (key: Key, value: Value) => {
    dropExpired();
    for (const leastRecent of values.keys()) {
      if (values.size < entriesMax) break;
      drop(leastRecent, "evicted");
    }
    values.set(key, value);
    expiriesMs.set(key, clock.monotonicMs() + ttlMs);
  };

  const startFlight = (key: Key): Promise<Value> => {
    // Deferred until the load is registered, because `load` may call the cache.
    const result = Promise.resolve()
      .then(() => load(key))
      .then(
        (value) => {
          flights.delete(key);
          if (!flight.isStale && keeps(value)) keep(key, value);
          return value;
        },
        (error: unknown) => {
          flights.delete(key);
          counts.loadsFailed++;
          throw error;
        },
      );
    const flight: Flight<Value> = { result, isStale: false };
    flights.set(key, flight);
    counts.loads++;
    return result;
  };

  const fetch = (key: Key): Promise<Value> => {
    const flight = flights.get(key);
    if (!flight) return startFlight(key);
    if (!flight.isStale) return flight.result;
    const again = () => (values.has(key) ? Promise.resolve(values.get(key)!) : fetch(key));
    return (flight.next ??= flight.result.then(again, again));
  };

  return {
    async get(key) {
      dropExpired();
      if (!values.has(key)) {
        counts.misses++;
        return fetch(key);
      }
      counts.hits++;
      const value = values.get(key)!;
      values.delete(key);
      values.set(key, value);
      return value;
    },
    put(key, value, reason) {
      dropExpired();
      drop(key, reason);
      keep(key, value);
    },
    invalidate(key, reason) {
      dropExpired();
      drop(key, reason);
    },
    clear(reason) {
      dropExpired();
      for (const key of [...values.keys(), ...flights.keys()]) drop(key, reason);
    },
    metrics() {
      dropExpired();
      const invalidationsByReason = Object.fromEntries(invalidations);
      return { ...counts, invalidationsByReason, size: values.size };
    },
  };
}
