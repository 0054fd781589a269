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
}

export function createAccountStore({ bucket, clock, random }: AccountStoreOptions): AccountStore {
  const object = createSharedObject<unknown>({
    bucket,
    key: accountsKey,
    session: createId(random),
    clock,
    random,
    isSticky: true,
  });
  const check = (value: unknown) =>
    value === undefined ? noAccounts : checkAccounts(value, accountsKey);
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
