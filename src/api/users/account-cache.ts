import { AppError } from "../../base/app-error.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log/logger.ts";
import type { AccountStore } from "./account-store.ts";
import type { Accounts } from "./accounts.ts";

export interface AccountCacheOptions {
  readonly store: AccountStore;
  /** After this time the accounts are read again before they are used. */
  readonly maxAgeMs: number;
  readonly clock: Clock;
  readonly log: Logger;
  /** Called after each read; the accounts may have changed. */
  readonly onRead: (accounts: Accounts) => void;
}

/**
 * The accounts as this server knows them. If the bucket does not answer, the accounts that were
 * last read are used, so people who are signed in can continue. Before the first read nobody is
 * admitted.
 */
export interface AccountCache extends AccountStore {
  /**
   * At most `maxAgeMs` old if the bucket answers, otherwise those last read. Throws `unavailable`
   * if there are none.
   */
  current(): Promise<Accounts>;
}

/** A request waits at most this long for the bucket. */
const patienceMs = 3_000;

export function createAccountCache(options: AccountCacheOptions): AccountCache {
  const { store, maxAgeMs, clock, log, onRead } = options;
  let last: Accounts | undefined;
  let readAtMs = -Infinity;
  let reading: Promise<Accounts> | undefined;
  let isCut = false;
  let changes = 0;

  const keep = (accounts: Accounts): Accounts => {
    last = accounts;
    readAtMs = clock.monotonicMs();
    onRead(accounts);
    return accounts;
  };
  const read = (): Promise<Accounts> => {
    const before = changes;
    reading ??= store
      .read()
      .then((accounts) => {
        isCut = false;
        // If this server changed the accounts during the read, the value read may be older than the
        // change.
        return changes === before ? keep(accounts) : last!;
      })
      .finally(() => (reading = undefined));
    return reading;
  };
  return {
    read,
    async change(change) {
      const accounts = await store.change(change);
      changes += 1;
      return keep(accounts);
    },
    async current() {
      if (last && clock.monotonicMs() - readAtMs <= maxAgeMs) return last;
      try {
        return await withinPatience(read(), clock);
      } catch (error) {
        const isAway = error instanceof AppError && error.kind === "unavailable";
        if (!last || !isAway) throw error;
        if (!isCut) log.warn("users cannot be read: the last known ones are used until they can be", { error }); // prettier-ignore
        isCut = true;
        readAtMs = clock.monotonicMs(); // prevents every request from waiting
        return last;
      }
    },
  };
}

function withinPatience<T>(work: Promise<T>, clock: Clock): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = clock.setTimer(patienceMs, () => {
      reject(new AppError("unavailable", "users_unreachable", "the users cannot be read now: the bucket does not answer")); // prettier-ignore
    });
    work.then(resolve, reject).finally(() => timer.cancel());
  });
}
