import { expect } from "vitest";
import { statusesOf, work, works, type QueueClause } from "../suite-fixture.ts";

export function closingClauses(clause: QueueClause): void {
  clause("closing waits for writes that were asked for before it", async ({ another, queue }) => {
    const second = await another();
    const added = second.add([work("a"), work("b")]);
    const claimed = second.claim({ worker: "w2", kinds: ["work"], limit: 1 });
    const closing = second.close();
    expect(statusesOf(await added)).toEqual(["added", "added"]);
    expect((await claimed).leases).toHaveLength(1);
    await closing;
    const states = (await queue.browse({ limit: 10 })).map(({ state }) => state);
    expect(states.sort()).toEqual(["pending", "running"]);
  });

  clause(
    "closing waits for reads that were asked for before it",
    async ({ add, another, find }) => {
      await add(...works("a", 20, { gate: "g", job: "j" }));
      const { id } = await find("a0");
      const second = await another();
      const asked = Promise.all([
        second.show(id),
        second.stats(),
        second.now(),
        second.browse({ limit: 100 }),
        second.ended(),
        second.log(),
        second.logStats(),
        second.jobs(),
        second.job("j"),
        second.gates(),
        second.gate("g"),
        second.wakeInMs(["work"]),
        second.reconcile(),
      ]);
      const closing = second.close();
      const [shown, stats, , browsed] = await asked;
      expect(shown?.task.key).toBe("a0");
      expect(stats.states.pending).toBe(20);
      expect(browsed).toHaveLength(20);
      await closing;
    },
  );

  clause("a closed queue refuses every call and changes nothing", async ({ another, queue }) => {
    const second = await another();
    const closing = second.close();
    const refused = { kind: "invalid", code: "queue_closed" };
    await expect(second.add([work("late")])).rejects.toMatchObject(refused);
    await expect(second.stats()).rejects.toMatchObject(refused);
    await closing;
    await expect(second.add([work("late")])).rejects.toMatchObject(refused);
    await expect(second.jobs()).rejects.toMatchObject(refused);
    expect(await queue.browse({ limit: 1 })).toEqual([]);
  });

  clause("a queue is closed once, however often and by whichever name", async ({ another }) => {
    const second = await another();
    await Promise.all([second.close(), second.close(), second[Symbol.asyncDispose]()]);
    await second.close();
  });
}
