// needs: postgres
import { expect, test } from "vitest";
import { needs } from "../../../../test/support/services.ts";
import { systemClock } from "../../../base/clock.ts";
import { systemRandom } from "../../../base/random.ts";
import { createQueue } from "../../create-queue.ts";
import { openPostgresQueueStore } from "./postgres-queue-store.ts";
import { createTestSchema } from "./testing/test-schema.ts";

needs(["postgres"], ({ postgres }) => {
  async function openQueue(schema: string) {
    const store = await openPostgresQueueStore({ url: postgres.url, schema });
    return createQueue({ store, clock: systemClock, random: systemRandom });
  }

  test("a job whose last worker died before the look after its finish is completed", async () => {
    await using schema = await createTestSchema(postgres.url);
    await using queue = await openQueue(schema.name);
    await queue.openJob("j");
    // As if the seal had been committed, and the process had died before it looked.
    await schema.query(`update ${schema.quoted}.job set is_sealed = true`);
    for (let claims = 0; claims < 20; claims++) await queue.claim({ worker: "w", kinds: ["x"] });
    expect(await queue.job("j")).toMatchObject({ ended: "completed", completions: 1 });
  });

  test("lesson 16: a recount says what each counter said, and puts it right", async () => {
    await using schema = await createTestSchema(postgres.url);
    await using queue = await openQueue(schema.name);
    await queue.add([
      { kind: "x", key: "a" },
      { kind: "x", key: "b", gate: "g" },
      { kind: "x", key: "c", gate: "g" },
    ]);
    await queue.claim({ worker: "w", kinds: ["x"], limit: 2, burst: 1 });
    await schema.query(`update ${schema.quoted}.lane_counter set running = running + 2`);
    await schema.query(`update ${schema.quoted}.gate set running = 0, has_room = true`);
    await schema.query(`update ${schema.quoted}.job_counter set pending = 7`);
    const { drift } = await queue.reconcile({ repair: true });
    expect(drift).toContainEqual({ counter: "lane x/default/ running", counted: 3, actual: 1 });
    expect(drift).toContainEqual({ counter: "gate g running", counted: 0, actual: 1 });
    expect(drift.map(({ counter }) => counter)).toContain("job default pending");
    expect(await queue.reconcile()).toEqual({ drift: [], orphans: 0, repaired: false });
    expect(await queue.job("default")).toMatchObject({ pending: 1, running: 2, slots: 2 });
  });

  test("tasks without a claim or a lane are found, and put where they can be seen", async () => {
    await using schema = await createTestSchema(postgres.url);
    await using queue = await openQueue(schema.name);
    await queue.add([
      { kind: "x", key: "a" },
      { kind: "y", key: "b", job: "gone", gate: "g" },
    ]);
    await queue.claim({ worker: "w", kinds: ["x"] });
    await schema.query(`delete from ${schema.quoted}.claim`);
    await schema.query(`delete from ${schema.quoted}.lane where kind = 'y'`);
    expect(await queue.reconcile()).toMatchObject({ orphans: 2 });
    expect(await queue.reconcile({ repair: true })).toMatchObject({ repaired: true });
    expect(await queue.reconcile()).toMatchObject({ drift: [], orphans: 0 });
    expect(await queue.browse({ states: ["failed"] })).toMatchObject([{ job: "orphans" }]);
  });
});
