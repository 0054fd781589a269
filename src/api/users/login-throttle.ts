import { isIPv6 } from "node:net";
import type { Clock } from "../../base/clock.ts";

/**
 * Slows guessing down without ever locking a person out:
 * - one address that fails for one account waits longer each time, up to 15 minutes;
 * - so does one address over all accounts, after more failures;
 * - an account that is guessed at from many addresses answers each new address at most every 30
 *   seconds. Addresses from which its user has signed in before are not slowed by that.
 * Accounts that do not exist are treated the same.
 */
export interface LoginThrottle {
  /**
   * How many milliseconds the attempt has to wait; 0: it may be made now. It counts as failed until
   * `succeeded` says otherwise, so that many at once are not all let through.
   */
  begin(attempt: LoginAttempt): number;
  succeeded(attempt: LoginAttempt): void;
  /** Whether the user has signed in from this address. */
  isKnown(attempt: LoginAttempt): boolean;
}

export interface LoginAttempt {
  readonly user: string;
  readonly address: string;
}

interface Limit {
  /** Failures before the first wait. */
  readonly free: number;
  readonly waitMsMax: number;
}

const pairLimit: Limit = { free: 5, waitMsMax: 900_000 };
const addressLimit: Limit = { free: 30, waitMsMax: 900_000 };
const accountLimit: Limit = { free: 100, waitMsMax: 30_000 };
const firstWaitMs = 1_000;
/** After so long without a failure counting starts again. */
const forgetMs = 24 * 3_600_000;
const entriesMax = 10_000;

export function createLoginThrottle(clock: Pick<Clock, "monotonicMs">): LoginThrottle {
  const pairs = createFailures(pairLimit, clock);
  const addresses = createFailures(addressLimit, clock);
  const accounts = createFailures(accountLimit, clock);
  const known = new Map<string, true>();
  const pairOf = ({ user, address }: LoginAttempt) => `${networkOf(address)} ${user}`;
  return {
    begin(attempt) {
      const pair = pairOf(attempt);
      const network = networkOf(attempt.address);
      const isKnown = known.has(pair);
      const waitMs = Math.max(
        pairs.waitMs(pair),
        addresses.waitMs(network),
        isKnown ? 0 : accounts.waitMs(attempt.user),
      );
      if (waitMs > 0) return waitMs;
      pairs.add(pair);
      addresses.add(network);
      if (!isKnown) accounts.add(attempt.user);
      return 0;
    },
    succeeded(attempt) {
      const pair = pairOf(attempt);
      pairs.forget(pair);
      addresses.takeBack(networkOf(attempt.address));
      accounts.takeBack(attempt.user);
      known.delete(pair);
      known.set(pair, true);
      dropOldest(known);
    },
    isKnown: (attempt) => known.has(pairOf(attempt)),
  };
}

function createFailures({ free, waitMsMax }: Limit, clock: Pick<Clock, "monotonicMs">) {
  const entries = new Map<string, { count: number; lastMs: number }>();
  const find = (key: string) => {
    const found = entries.get(key);
    if (!found || clock.monotonicMs() - found.lastMs < forgetMs) return found;
    entries.delete(key);
    return undefined;
  };
  return {
    waitMs(key: string): number {
      const found = find(key);
      if (!found || found.count < free) return 0;
      const waitMs = Math.min(waitMsMax, firstWaitMs * 2 ** Math.min(30, found.count - free));
      return Math.max(0, found.lastMs + waitMs - clock.monotonicMs());
    },
    add(key: string): void {
      const count = (find(key)?.count ?? 0) + 1;
      entries.delete(key); // the newest is the last
      entries.set(key, { count, lastMs: clock.monotonicMs() });
      dropOldest(entries);
    },
    takeBack(key: string): void {
      const found = find(key);
      if (found && found.count > 0) found.count -= 1;
    },
    forget: (key: string) => void entries.delete(key),
  };
}

/** A household has 2^64 addresses of version 6, which count as one. */
function networkOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/, "");
  if (!isIPv6(plain)) return plain;
  const [head = "", tail] = plain.split("%")[0]!.split("::");
  const first = head === "" ? [] : head.split(":");
  const last = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? [] : Array<string>(Math.max(0, 8 - first.length - last.length)).fill("0"); // prettier-ignore
  return [...first, ...zeros, ...last].slice(0, 4).join(":");
}

function dropOldest(map: Map<string, unknown>): void {
  for (const key of map.keys()) {
    if (map.size <= entriesMax) return;
    map.delete(key);
  }
}
