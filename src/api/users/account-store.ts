import { AppError } from "../../base/app-error.ts";
import type { Clock } from "../../base/clock.ts";
import { createId } from "../../base/ids.ts";
import type { Random } from "../../base/random.ts";
import { createSharedObject, type Bucket } from "../../bucket/index.ts";
import { checkAccounts, noAccounts, type Accounts } from "./accounts.ts";

export const accountsKey = "fleet/users.json";

/** Users and tokens of a fleet: one object that every server and command changes by compare-and-swap. */
export interface AccountStore {
  /** An object that has not changed is not sent again. */
  read(): Promise<Accounts>;
  /** Applied exactly once, to the newest value; it may be called several times. */
  change(change: (accounts: Accounts) => Accounts): Promise<Accounts>;
}

export interface AccountStoreOptions {
  readonly bucket: Bucket;
  readonly clock: Clock;
  readonly random: Random;
  /** What this machine remembers: users were stored here, so without their object nobody may be let in. */
  readonly memory?: AccountMemory | undefined;
}

export interface AccountMemory {
  /** They were read from this store before. */
  isKnown(): boolean;
  note(): void;
  /** For messages: the file in which it is remembered. */
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
        // What is not changed is not written.
        return next === before && value !== undefined ? value : checkAccounts(next, accountsKey);
      });
      return check(after);
    },
  };
}

/** Unavailable, as if the bucket did not answer: servers go on with the users that they last read. */
const accountsMissing = (file: string) =>
  new AppError(
    "unavailable",
    "accounts_missing",
    `the bucket has no ${accountsKey}, which this machine has read from it before: mount its disk, or correct ` +
      `bucket.url. If you deleted all users, delete ${file} too`,
  );
