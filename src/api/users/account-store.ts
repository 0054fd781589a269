import { AppError } from "../../base/app-error.ts";
import type { Clock } from "../../base/clock.ts";
import { createId } from "../../base/ids.ts";
import type { Random } from "../../base/random.ts";
import { createSharedObject, type Bucket } from "../../bucket/index.ts";
import { checkAccounts, noAccounts, type Accounts } from "./accounts.ts";

export const accountsKey = "fleet/users.json";

/**
 * The users and tokens of a fleet: one object that servers and commands change by compare-and-swap.
 */
export interface AccountStore {
  /** An unchanged object is not downloaded again. */
  read(): Promise<Accounts>;
  /**
   * The change is applied exactly once, to the newest value; the function may be called several
   * times.
   */
  change(change: (accounts: Accounts) => Accounts): Promise<Accounts>;
}

export interface AccountStoreOptions {
  readonly bucket: Bucket;
  readonly clock: Clock;
  readonly random: Random;
  /** Remembers that users were stored here: if their object is missing, nobody may be admitted. */
  readonly memory?: AccountMemory | undefined;
}

export interface AccountMemory {
  /** True if accounts were read from this store before. */
  isKnown(): boolean;
  note(): void;
  /** The file with the memory, for messages. */
  readonly file: string;
}

export function createAccountStore(options: AccountStoreOptions): AccountStore {
  const { bucket, clock, random, memory } = options;
  const object = createSharedObject<unknown>({
    bucket,
    key: accountsKey,
    session: createId(random),
    clock,
    random,
    isSticky: true,
  });
  const check = (value: unknown) => {
    if (value === undefined) {
      if (memory?.isKnown()) throw accountsMissing(memory.file);
      return noAccounts;
    }
    memory?.note();
    return checkAccounts(value, accountsKey);
  };
  return {
    read: async () => check(await object.read()),
    async change(change) {
      const after = await object.change((value) => {
        const before = check(value);
        const next = change(before);
        // An unchanged value is not written.
        return next === before && value !== undefined ? value : checkAccounts(next, accountsKey);
      });
      return check(after);
    },
  };
}

/**
 * `unavailable`, as if the bucket did not answer: servers continue with the users that they last
 * read.
 */
const accountsMissing = (file: string) =>
  new AppError(
    "unavailable",
    "accounts_missing",
    `the bucket has no ${accountsKey}, which this machine has read from it before: mount its disk, or correct ` +
      `bucket.url. If you deleted all users, delete ${file} too`,
  );
