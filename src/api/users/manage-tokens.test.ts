import { expect, test } from "vitest";
import { AppError } from "../../base/app-error.ts";
import { silentLogger } from "../../base/log/logger.ts";
import { createSeededRandom } from "../../base/random.ts";
import { createTestClock } from "../../base/testing/test-clock.ts";
import { createMemoryBucket } from "../../bucket/adapters/memory/memory-bucket.ts";
import { createAccountStore, type AccountStore } from "./account-store.ts";
import { addToken, createUseNotes } from "./manage-tokens.ts";
import { createPasswords } from "./passwords.ts";

const hourMs = 3_600_000;

test("the use of a token is noted once an hour, and while the store is away requests do not queue up", async () => {
  const clock = createTestClock();
  const random = createSeededRandom(7);
  const inner = createAccountStore({ bucket: createMemoryBucket({ clock }), clock, random });
  let changes = 0;
  let isAway = false;
  const store: AccountStore = {
    read: () => inner.read(),
    async change(change) {
      changes += 1;
      if (isAway) throw new AppError("unavailable", "away", "the bucket does not answer");
      return inner.change(change);
    },
  };
  const tools = { store, passwords: createPasswords({ clock, random }), clock, random };
  const { token } = await addToken(tools, { name: "crm", scopes: ["status:read"], days: 90, by: "test" }); // prettier-ignore
  const noteUse = createUseNotes(tools, silentLogger);
  const use = async (count: number) => {
    const { tokens } = await inner.read();
    changes = 0;
    for (let at = 0; at < count; at++) noteUse(tokens[0]!);
    await clock.advance(1_000);
    return changes;
  };
  expect(await use(100)).toBe(1);
  expect((await inner.read()).tokens[0]).toMatchObject({
    id: token.id,
    usedAt: expect.any(String),
  });
  expect(await use(100)).toBe(0);
  await clock.advance(hourMs);
  isAway = true;
  expect(await use(100)).toBe(1);
  isAway = false;
  expect(await use(100)).toBe(0);
  await clock.advance(hourMs / 6);
  expect(await use(100)).toBe(1);
  expect(await use(100)).toBe(0);
});
