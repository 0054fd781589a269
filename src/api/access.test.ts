import { expect, test } from "vitest";
import { AppError } from "../base/app-error.ts";
import { silentLogger } from "../base/log/logger.ts";
import { createSeededRandom } from "../base/random.ts";
import { createTestClock } from "../base/testing/test-clock.ts";
import { createMemoryBucket } from "../bucket/adapters/memory/memory-bucket.ts";
import type { Bucket } from "../bucket/index.ts";
import { createAccess, type Access, type Client } from "./access.ts";
import { createAccountStore } from "./users/account-store.ts";
import { addToken } from "./users/manage-tokens.ts";
import { addUser, setPassword, setRole } from "./users/manage-users.ts";

const client: Client = { address: "192.0.2.7", isLocal: false, agent: "test" };
const password = "correct horse battery";

function setup() {
  const clock = createTestClock(1_790_000_000_000);
  const random = createSeededRandom(31);
  const inner = createMemoryBucket({ clock });
  let isAway = false;
  const get: Bucket["get"] = (...args) =>
    isAway
      ? Promise.reject(new AppError("unavailable", "bucket_away", "the bucket does not answer"))
      : inner.get(...args);
  const access = createAccess({
    token: "t".repeat(52),
    isOpen: false,
    user: "owner",
    accounts: createAccountStore({ bucket: { ...inner, get }, clock, random }),
    accountsMaxAgeMs: 5_000,
    passwordCost: { N: 2 ** 4, r: 8, p: 1 },
    sessionLimits: { idleMs: 3_600_000, lifeMs: 86_400_000 },
    isWatched: () => true,
    clock,
    random,
    log: silentLogger,
  });
  return { access, clock, setAway: (next: boolean) => (isAway = next) };
}

const callBy = (access: Access, proof: { readonly cookie?: string; readonly authorization?: string }) =>
  access.callerOf({ ...client, cookie: proof.cookie, authorization: proof.authorization }); // prettier-ignore

test("a sign-in under way while the user gets another role opens no session with the former one", async () => {
  const { access } = setup();
  await addUser(access.tools, { name: "anna", role: "admin", by: "test" });
  await setPassword(access.tools, "anna", password);
  const signingIn = access.signIn.login({ user: "anna", password }, client);
  await setRole(access.tools, "anna", "viewer");
  const { secret } = await signingIn;
  await expect(callBy(access, { cookie: secret })).rejects.toMatchObject({ status: 401 });
});

test("a token that expires while the bucket is away ends what it watches", async () => {
  const { access, clock, setAway } = setup();
  const added = await addToken(access.tools, { name: "x", scopes: ["queue:read"], days: 1, by: "test" }); // prettier-ignore
  const caller = await callBy(access, { authorization: `Bearer ${added.secret}` });
  setAway(true);
  await clock.advance(3_600_000);
  expect(caller.ended.aborted).toBe(false);
  await clock.advance(24 * 3_600_000);
  expect(caller.ended.aborted).toBe(true);
});

test("attempts to sign in while the users cannot be read are no failures of the user", async () => {
  const { access, setAway } = setup();
  setAway(true);
  for (let attempt = 0; attempt < 10; attempt++) {
    const signingIn = access.signIn.login({ user: "anna", password }, client);
    await expect(signingIn).rejects.toMatchObject({ kind: "unavailable" });
  }
});
