import { expect, test } from "vitest";
import { createSeededRandom } from "../base/random.ts";
import { createTestClock } from "../base/testing/test-clock.ts";
import { createMemoryBucket } from "../bucket/adapters/memory/memory-bucket.ts";
import { openTestLedger } from "../ledger/testing/test-ledger.ts";
import { parseAssignment } from "./assignments.ts";
import { openDesiredObject } from "./desired-object.ts";
import { giveCommand, readDesired } from "./give-command.ts";
import { commanded, nothingDesired } from "./desired-state.ts";

const node = "0000000000001";

async function createPlace() {
  const clock = createTestClock();
  const random = createSeededRandom(5);
  const bucket = createMemoryBucket({ clock });
  const ledger = await openTestLedger({ clock });
  const desired = openDesiredObject({ bucket, session: "operator", clock, random });
  const commandOf = (word: string, by = "hand:anna") => ({
    scopes: [node],
    assignments: [parseAssignment(word, () => undefined)],
    by,
    atMs: clock.nowMs(),
  });
  const audited = async () => {
    const { fields } = await ledger.read(`fleet/${node}`);
    return fields.map(({ field, value, source }) => [field, value, source]);
  };
  return { ledger, desired, nodes: [node], commandOf, audited };
}

test("B11: a command stands in the ledger before anybody can follow it", async () => {
  const { commandOf, audited, ...place } = await createPlace();
  const seen: unknown[] = [];
  const desired: typeof place.desired = {
    ...place.desired,
    change: async (change) => {
      seen.push(...(await audited()));
      return place.desired.change(change);
    },
  };
  const state = await giveCommand({ ...place, desired }, commandOf("pause"));
  expect(state.revision).toBe(1);
  expect(seen).toMatchObject([["state", { value: "paused", revision: 1 }, "hand:anna"]]);
  expect(await place.desired.read()).toEqual(state);
});

test("where another transaction was faster, the ledger has the number that counts", async () => {
  const { commandOf, audited, ...place } = await createPlace();
  const desired: typeof place.desired = {
    ...place.desired,
    async change(change) {
      await place.desired.change((now = nothingDesired) =>
        commanded(now, commandOf("workers.enrich=2", "hand:bob")),
      );
      return place.desired.change(change);
    },
  };
  const { revision } = await giveCommand({ ...place, desired }, commandOf("pause"));
  expect(revision).toBe(2);
  expect(await audited()).toMatchObject([["state", { revision: 2 }, "hand:anna"]]);
  const both = await readDesired(place);
  expect(Object.keys(both.scopes[node]!)).toEqual(["state", "workers.enrich"]);
});

test("what was commanded without the bucket comes into it with the next command", async () => {
  const { commandOf, ...place } = await createPlace();
  await giveCommand({ ...place, desired: undefined }, commandOf("pause"));
  expect(await place.desired.read()).toBeUndefined();
  const state = await giveCommand(place, commandOf("workers.enrich=4"));
  expect(state.revision).toBe(2);
  expect(state.scopes[node]).toMatchObject({
    state: { value: "paused", revision: 1 },
    "workers.enrich": { value: "4", revision: 2 },
  });
});
