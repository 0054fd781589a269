import { isIPv6 } from "node:net";
import type { Clock } from "../../base/clock.ts";
import { createWaitingLine, type Asker } from "./waiting-line.ts";

/**
 * Slows guessing down without ever locking a user out:
 * - an address that fails for one account waits longer each time, up to 15 minutes;
 * - the same holds for one address over all accounts, after more failures;
 * - if many addresses guess the password of one account, four attempts per second are accepted from
 *   addresses and browsers from which its user has not signed in before. The address that has asked for
 *   the longest time (repeating at least every three seconds) is next; after its attempt it is last again.
 *   So a user who keeps trying waits at most one turn per other address that keeps trying.
 * Accounts that do not exist are treated the same.
 */
export interface LoginThrottle {
  /**
   * Resolves within about two seconds, with the number of milliseconds after which the attempt may
   * be repeated; 0: it may proceed now; `busy`: other attempts are first, and its turn will come if
   * it is repeated every second. It counts as failed until `succeeded` is called, so that many
   * concurrent attempts are not all admitted.
   */
  admit(attempt: LoginAttempt): Promise<number | "busy">;
  succeeded(attempt: LoginAttempt): void;
  /** The password was compared, with any result. */
  tried(attempt: LoginAttempt): void;
  /** The attempt was admitted but not executed, because the server is busy: it has not failed. */
  notTried(attempt: LoginAttempt): void;
  /**
   * Identifies the caller for other waiting lines. Undefined if the user has signed in from this
   * address or browser before.
   */
  strangerOf(attempt: LoginAttempt): Asker | undefined;
}

export interface LoginAttempt {
  readonly user: string;
  readonly address: string;
  /**
   * The id of a browser in which this user has signed in before; failures count for this browser
   * only.
   */
  readonly browser?: string | undefined;
}

interface Limit {
  /** The number of failures before the first wait. */
  readonly free: number;
  readonly waitMsMax: number;
}

const pairLimit: Limit = { free: 5, waitMsMax: 900_000 };
const addressLimit: Limit = { free: 30, waitMsMax: 900_000 };
/** After this many failures, unknown callers take turns. */
const accountFree = 100;
/** The time between the turns of two unknown callers. */
const turnMs = 250;
/** The maximum number of unknown callers that wait for a turn, each for at most two seconds. */
const strangersMax = 8;
/** A caller that does not ask for this long loses its position. */
const stillAsksMs = 3_000;
const firstWaitMs = 1_000;
/** After this long without a failure, counting starts again. */
const forgetMs = 24 * 3_600_000;
const entriesMax = 10_000;

export function createLoginThrottle({ clock }: LoginThrottleOptions): LoginThrottle {
  const pairs = createFailures(pairLimit, clock);
  const addresses = createFailures(addressLimit, clock);
  const accounts = createFailures({ free: accountFree, waitMsMax: 0 }, clock);
  const turns = new Map<string, Turns>();
  const known = new Map<string, true>();
  const asking = new Map<string, { readonly sinceMs: number; readonly seenMs: number }>();
  const placeOf = ({ address, browser }: LoginAttempt) => browser ?? networkOf(address);
  const pairOf = (attempt: LoginAttempt) => `${placeOf(attempt)} ${attempt.user}`;
  const isKnown = (attempt: LoginAttempt) =>
    attempt.browser !== undefined || known.has(pairOf(attempt));

  const turnsOf = (user: string): Turns => {
    const found = turns.get(user) ?? createTurns({ clock });
    turns.set(user, found);
    dropOldest(turns);
    return found;
  };
  const asks = (id: string): Asker => {
    const nowMs = clock.monotonicMs();
    const before = asking.get(id);
    const sinceMs = before && nowMs - before.seenMs <= stillAsksMs ? before.sinceMs : nowMs;
    asking.delete(id); // re-inserted at the end, as the newest
    asking.set(id, { sinceMs, seenMs: nowMs });
    dropOldest(asking);
    return { id, sinceMs };
  };
  const notTried = (attempt: LoginAttempt) => {
    pairs.takeBack(pairOf(attempt));
    addresses.takeBack(placeOf(attempt));
  };
  return {
    async admit(attempt) {
      const { user } = attempt;
      const pair = pairOf(attempt);
      const place = placeOf(attempt);
      const waitMs = Math.max(pairs.waitMs(pair), addresses.waitMs(place));
      if (waitMs > 0) return waitMs;
      pairs.add(pair);
      addresses.add(place);
      if (isKnown(attempt)) return 0;
      const stranger = asks(place);
      if (accounts.count(user) < accountFree || (await turnsOf(user).take(stranger))) {
        accounts.add(user);
        return 0;
      }
      notTried(attempt);
      asks(place); // it may have waited in the line
      return "busy";
    },
    tried: (attempt) => void asking.delete(placeOf(attempt)),
    notTried(attempt) {
      notTried(attempt);
      accounts.takeBack(attempt.user);
    },
    succeeded(attempt) {
      const pair = pairOf(attempt);
      pairs.forget(pair);
      addresses.takeBack(placeOf(attempt));
      accounts.takeBack(attempt.user);
      known.delete(pair);
      known.set(pair, true);
      dropOldest(known);
    },
    strangerOf: (attempt) => (isKnown(attempt) ? undefined : asks(placeOf(attempt))),
  };
}

export interface LoginThrottleOptions {
  readonly clock: Pick<Clock, "monotonicMs" | "setTimer">;
}

interface Turns {
  /** False if others asked earlier. */
  take(asker: Asker): Promise<boolean>;
}

/** Grants one turn per interval. Unused turns are not saved. */
function createTurns({ clock }: LoginThrottleOptions): Turns {
  const line = createWaitingLine(strangersMax);
  let isBusy = false;
  const next = () => {
    isBusy = line.size() > 0;
    if (!isBusy) return;
    line.next();
    clock.setTimer(turnMs, next, { background: true });
  };
  return {
    async take(asker) {
      if (isBusy) return line.join(asker);
      isBusy = true;
      clock.setTimer(turnMs, next, { background: true });
      return true;
    },
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
    count: (key: string): number => find(key)?.count ?? 0,
    waitMs(key: string): number {
      const found = find(key);
      if (!found || found.count < free) return 0;
      const waitMs = Math.min(waitMsMax, firstWaitMs * 2 ** Math.min(30, found.count - free));
      return Math.max(0, found.lastMs + waitMs - clock.monotonicMs());
    },
    add(key: string): void {
      const count = (find(key)?.count ?? 0) + 1;
      entries.delete(key); // re-inserted at the end, as the newest
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

/** A household has 2^64 IPv6 addresses, so they count as one. */
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
