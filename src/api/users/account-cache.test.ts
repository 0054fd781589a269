import { expect, test } from "vitest";
import { AppError } from "../../base/app-error.ts";
import { silentLogger } from "../../base/log/logger.ts";
import { createSeededRandom } from "../../base/random.ts";
import { createTestClock } from "../../base/testing/test-clock.ts";
import { createMemoryBucket } from "../../bucket/adapters/memory/memory-bucket.ts";
import type { Bucket } from "../../bucket/index.ts";
import { createAccountCache } from "./account-cache.ts";
import { createAccountStore } from "./account-store.ts";
import { addUser, removeUser } from "./manage-users.ts";
import { createPasswords } from "./passwords.ts";

function setup() {
  const clock = createTestClock();
  const random = createSeededRandom(31);
  const inner = createMemoryBucket({ clock });
  let isAway = false;
  let held: Promise<void> | undefined;
  const away = () => new AppError("unavailable", "bucket_away", "the bucket does not answer");
  const get: Bucket["get"] = async (...args) => {
    if (isAway) throw away();
    const got = await inner.get(...args);
    await held;
    return got;
  };
  const bucket: Bucket = { ...inner, get };
  const store = createAccountStore({ bucket, clock, random });
  const other = createAccountStore({ bucket: inner, clock, random });
  const cache = createAccountCache({ store, maxAgeMs: 1_000, clock, log: silentLogger, onRead: () => {} }); // prettier-ignore
  const tools = { store: other, passwords: createPasswords({ clock, random }), clock, random };
  const names = async () => (await cache.current()).users.map(({ name }) => name);
  return { clock, cache, names, tools, setAway: (next: boolean) => (isAway = next), hold: (until: Promise<void> | undefined) => (held = until) }; // prettier-ignore
}

test("while the bucket is unavailable, the last known users apply; afterwards the newest do", async () => {
  const { clock, names, tools, setAway } = setup();
  await addUser(tools, { name: "anna", role: "admin", by: "test" });
  expect(await names()).toEqual(["anna"]);
  setAway(true);
  await addUser(tools, { name: "bob", role: "viewer", by: "test" });
  await removeUser(tools, "anna");
  await clock.advance(60_000);
  expect(await names()).toEqual(["anna"]);
  setAway(false);
  await clock.advance(1_001);
  expect(await names()).toEqual(["bob"]);
});

test("an answer that was on its way while this server changed the users does not bring the former ones back", async () => {
  const { clock, cache, names, tools, hold } = setup();
  await addUser(tools, { name: "anna", role: "admin", by: "test" });
  await names();
  await clock.advance(1_001);
  let arrive = () => {};
  void hold(new Promise<void>((resolve) => (arrive = resolve)));
  const early = names();
  await Promise.resolve();
  void hold(undefined);
  await removeUser({ ...tools, store: cache }, "anna");
  arrive();
  expect(await early).toEqual([]);
  expect(await names()).toEqual([]);
});

test("before the first answer of the bucket nobody can sign in", async () => {
  const { names, setAway } = setup();
  setAway(true);
  await expect(names()).rejects.toMatchObject({ kind: "unavailable" });
  setAway(false);
  expect(await names()).toEqual([]);
});
