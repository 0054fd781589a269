import { expect } from "vitest";
import {
  keysOf,
  leaseMs,
  work,
  works,
  type QueueClause,
  type QueueFixture,
} from "../suite-fixture.ts";

export function leaseClauses(clause: QueueClause): void {
  clause("lesson 3: a late worker can no longer finish, extend or release", async (at) => {
    const { late, stored } = await takenOver(at);
    expect(await at.finish(late)).toBe("lost");
    expect(await at.finish(late, { kind: "fail", reason: "late" })).toBe("lost");
    expect(await at.release(late)).toBe("lost");
    expect(await at.extend(late, 999_999)).toBe("lost");
    expect(await at.find("a")).toEqual(stored);
  });

  clause("lesson 4: a late extend does not relabel another's lease", async (at) => {
    const { late, current } = await takenOver(at);
    await at.extend(late);
    expect(await at.queue.show(current.id)).toMatchObject({ worker: "w2" });
    expect(await at.finish(current)).toBe("done");
  });

  clause("lesson 5: an extended lease ends when it says, to the millisecond", async (at) => {
    await at.add(work("a"));
    const lease = await at.claimOne({ leaseMs: 1_000 });
    await at.time.advance(900);
    expect(await at.extend(lease, 1_000)).toBe("held");
    expect(await at.find("a")).toMatchObject({ expiresAtMs: at.time.now().ms + 1_000 });
    await at.time.advance(999);
    expect(await at.queue.sweep()).toMatchObject({ requeued: 0 });
    await at.time.advance(1);
    expect(await at.queue.sweep()).toMatchObject({ requeued: 1 });
  });

  clause("an extension may also shorten a lease", async (at) => {
    await at.add(work("a"));
    const lease = await at.claimOne({ leaseMs: 60_000 });
    await at.extend(lease, 100);
    await at.time.advance(100);
    expect(await at.queue.sweep()).toMatchObject({ requeued: 1 });
  });

  clause("until it is swept an expired lease can be extended", async (at) => {
    await at.add(work("a"));
    const lease = await at.claimOne({ leaseMs: 1_000 });
    await at.time.advance(5_000);
    expect(await at.find("a")).toMatchObject({ state: "running" });
    expect(await at.extend(lease, 1_000)).toBe("held");
    expect(await at.queue.sweep()).toMatchObject({ requeued: 0 });
    expect(await at.finish(lease)).toBe("done");
  });

  clause("until it is swept an expired lease can be finished and released", async (at) => {
    await at.add(...works("a", 2));
    const [first, second] = await at.claim({ leaseMs: 1_000 });
    await at.time.advance(5_000);
    expect(await at.finish(first!)).toBe("done");
    expect(await at.release(second!)).toBe("held");
    expect(await at.find("a0")).toMatchObject({ state: "done", attempts: [] });
    expect(await at.find("a1")).toMatchObject({ state: "pending", used: 0, isSuspect: false });
  });

  clause("reading does not sweep", async (at) => {
    await at.add(work("a"));
    const lease = await at.claimOne({ leaseMs: 1_000 });
    await at.time.advance(1_000);
    await at.queue.stats();
    await at.queue.show(lease.id);
    await at.queue.browse();
    await at.queue.wakeInMs(["work"]);
    expect(await at.finish(lease)).toBe("done");
  });

  clause("a sweep takes back what expired and nothing else", async (at) => {
    await at.add(work("short"), work("long"), work("waiting", { delayMs: 90_000 }));
    const [short, long] = await at.claim();
    await at.extend(short!, 1_000);
    await at.time.advance(1_000);
    expect(await at.queue.sweep()).toEqual({
      requeued: 1,
      failed: 0,
      cancelled: 0,
      hasMore: false,
    });
    expect(await at.find("short")).toMatchObject({
      state: "pending",
      used: 1,
      isSuspect: true,
      expiresAtMs: 0,
      attempts: [{ token: short!.token, atMs: at.time.now().ms, outcome: "expired" }],
    });
    expect((await at.find("short")).attempts[0]!.reason).toMatch(/lease expired/);
    expect(await at.finish(short!)).toBe("lost");
    expect(await at.finish(long!)).toBe("done");
  });

  clause("a sweep is bounded and says when there is more", async (at) => {
    await at.add(...works("a", 1_001));
    await at.claim({ limit: 1_001, leaseMs: 1_000 });
    await at.time.advance(1_000);
    expect(await at.queue.sweep()).toMatchObject({ requeued: 1_000, hasMore: true });
    expect(await at.queue.sweep()).toMatchObject({ requeued: 1, hasMore: false });
  });

  clause("lesson 2: a swept lease has exactly one new owner", async (at) => {
    await at.add(work("a"));
    await at.claimOne({ worker: "dead", leaseMs: 1_000 });
    await at.time.advance(1_000);
    const other = await at.another();
    const claims = Array.from({ length: 8 }, (_, index) =>
      (index % 2 === 0 ? at.queue : other).claim({ worker: `w${index}`, kinds: ["work"] }),
    );
    const leases = (await Promise.all(claims)).flatMap((claimed) => claimed.leases);
    expect(keysOf(leases)).toEqual(["a"]);
    expect(await at.find("a")).toMatchObject({ used: 2, token: leases[0]!.token });
    expect((await at.find("a")).attempts).toHaveLength(1);
  });

  clause("lesson 18: a process that starts leaves the leases of others alone", async (at) => {
    await at.add(...works("a", 2));
    const [expired, alive] = await at.claim({ worker: "w1" });
    await at.extend(expired!, 1_000);
    await at.time.advance(1_000);
    const other = await at.another();
    const { leases } = await other.claim({ worker: "w2", kinds: ["work"], limit: 10 });
    expect(keysOf(leases)).toEqual(["a0"]);
    expect(await at.finish(alive!)).toBe("done");
  });

  clause("lesson 23: a lease that is not extended ends, whatever its neighbours do", async (at) => {
    await at.add(...works("a", 3), ...works("run", 3, { gate: "g" }));
    const leases = await at.claim({ leaseMs: 1_000 });
    expect(leases).toHaveLength(6);
    const hung = leases.filter(({ key }) => key === "a1" || key === "run1");
    const alive = leases.filter((lease) => !hung.includes(lease));
    for (let round = 0; round < 3; round++) {
      await at.time.advance(500);
      await at.queue.extend(alive, 1_000);
    }
    expect(await at.queue.sweep()).toMatchObject({ requeued: 2 });
    for (const lease of hung) expect(await at.finish(lease)).toBe("lost");
    for (const lease of alive) expect(await at.finish(lease)).toBe("done");
  });

  clause("leases of one claim that end one after the other are swept one by one", async (at) => {
    await at.add(...works("a", 3));
    const [, second, third] = await at.claim({ leaseMs: 1_000 });
    await at.queue.extend([second!], 2_000);
    await at.queue.extend([third!], 3_000);
    for (let round = 0; round < 3; round++) {
      await at.time.advance(round === 0 ? 1_001 : 1_000);
      expect(await at.queue.sweep()).toMatchObject({ requeued: 1, hasMore: false });
    }
  });

  clause("lesson 19: a released task is free at once, unharmed", async (at) => {
    await at.add(work("a", { attemptsMax: 1 }));
    const before = await at.find("a");
    const lease = await at.claimOne();
    expect(await at.release(lease)).toBe("held");
    expect(await at.find("a")).toEqual({ ...before, token: lease.token });
    expect(await at.claimOne({ worker: "w2" })).toMatchObject({ key: "a", used: 1 });
  });

  clause("a lease is released once", async (at) => {
    await at.add(work("a"));
    const lease = await at.claimOne();
    expect(await at.release(lease)).toBe("held");
    expect(await at.release(lease)).toBe("lost");
    expect(await at.finish(lease)).toBe("lost");
    expect(await at.extend(lease)).toBe("lost");
    expect(await at.find("a")).toMatchObject({ state: "pending", used: 0 });
  });

  clause("lesson 22: a task keeps its age and its attempts when it comes back", async (at) => {
    await at.add(work("a"));
    const { createdAtMs } = await at.find("a");
    await at.time.advance(100);
    await at.finish(await at.claimOne(), { kind: "retry", delayMs: 0, reason: "r" });
    await at.time.advance(100);
    await at.claimOne({ leaseMs: 100 });
    await at.time.advance(100);
    await at.queue.sweep();
    await at.release(await at.claimOne());
    expect(await at.find("a")).toMatchObject({ state: "pending", createdAtMs, used: 2 });
    expect((await at.find("a")).attempts.map(({ outcome }) => outcome)).toEqual([
      "retry",
      "expired",
    ]);
    expect(await at.claimOne()).toMatchObject({ createdAtMs, used: 3 });
  });

  clause("leases nobody ever gave out are lost", async (at) => {
    await at.add(...works("a", 2));
    const lease = await at.claimOne({ limit: 1 });
    const { id: pendingId } = await at.find("a1");
    const fakes = [
      { id: lease.id, token: lease.token + 1 },
      { id: lease.id, token: 0 },
      { id: lease.id + 1_000, token: lease.token },
      { id: pendingId, token: 0 },
    ];
    for (const fake of fakes) {
      expect(await at.extend(fake)).toBe("lost");
      expect(await at.finish(fake)).toBe("lost");
      expect(await at.release(fake)).toBe("lost");
    }
    expect(await at.finish(lease)).toBe("done");
  });

  clause("a batch is answered lease by lease, in order", async (at) => {
    await at.add(...works("a", 4, { gate: "g" }), work("free"));
    await at.queue.setGate("g", { limit: 4 });
    const leases = await at.claim();
    const gone = leases.filter((_, index) => index % 2 === 0);
    await at.queue.release(gone);
    const expected = (status: string) =>
      leases.map((lease) => (gone.includes(lease) ? "lost" : status));
    const statuses = (answers: readonly { readonly status: string }[]) =>
      answers.map(({ status }) => status);
    expect(statuses(await at.queue.extend(leases, leaseMs))).toEqual(expected("held"));
    const finishes = leases.map((lease) => ({ ...lease, outcome: { kind: "done" } as const }));
    expect(statuses(await at.queue.finish(finishes))).toEqual(expected("done"));
  });
}

/** A worker hangs until its lease has ended; w2 now has the task. */
async function takenOver(at: QueueFixture) {
  await at.add(work("a"));
  const late = await at.claimOne({ worker: "w1", leaseMs: 1_000 });
  await at.time.advance(1_000);
  const current = await at.claimOne({ worker: "w2" });
  return { late, current, stored: await at.find("a") };
}
