import { isIPv6 } from "node:net";
import type { Clock } from "../../base/clock.ts";
import { createWaitingLine, type Asker } from "./waiting-line.ts";

/**
 * Slows guessing down without ever locking a person out:
 * - one address that fails for one account waits longer each time, up to 15 minutes;
 * - so does one address over all accounts, after more failures;
 * - if many addresses guess the password of one account, four attempts per second are accepted from
 *   addresses and browsers that its user has not signed in from before. Next is the address that has
 *   asked for the longest time, at least every three seconds; after its attempt it is the last again.
 *   So a person who goes on trying waits for as many turns as other addresses do the same.
 * Accounts that do not exist are treated the same.
 */
export interface LoginThrottle {
  /**
   * Resolves within about two seconds. How many milliseconds the attempt has to wait before it is
   * made again; 0: it may be made now; `busy`: others are before it, and its turn comes if it is made
   * again every second. It counts as failed until `succeeded` says otherwise, so that many at once are
   * not all let through.
   */
  admit(attempt: LoginAttempt): Promise<number | "busy">;
  succeeded(attempt: LoginAttempt): void;
  /** The password was compared, whether it was right or not. */
  tried(attempt: LoginAttempt): void;
  /** It was admitted, but there was no time for it: it has not failed. */
  notTried(attempt: LoginAttempt): void;
  /** Who asks, for other lines. Undefined: the user has signed in from this address or browser. */
  strangerOf(attempt: LoginAttempt): Asker | undefined;
}

export interface LoginAttempt {
  readonly user: string;
  readonly address: string;
  /** The id of a browser in which this user has signed in before; its failures count for it alone. */
  readonly browser?: string | undefined;
}

interface Limit {
  /** Failures before the first wait. */
  readonly free: number;
  readonly waitMsMax: number;
}

const pairLimit: Limit = { free: 5, waitMsMax: 900_000 };
const addressLimit: Limit = { free: 30, waitMsMax: 900_000 };
/** After so many failures strangers take turns. */
const accountFree = 100;
/** Between two strangers. */
const turnMs = 250;
/** Strangers who wait for a turn, each for two seconds at most. */
const strangersMax = 8;
/** Who does not ask for so long begins again at the end. */
const stillAsksMs = 3_000;
const firstWaitMs = 1_000;
/** After so long without a failure counting starts again. */
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
    asking.delete(id); // the newest is the last
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
  /** False: others asked before. */
  take(asker: Asker): Promise<boolean>;
}

/** One turn every so often. A turn that nobody wanted is not kept. */
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
