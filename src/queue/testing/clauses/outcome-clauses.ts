import { expect } from "vitest";
import type { Finished } from "../../operation.ts";
import type { FinishInput } from "../../queue.ts";
import { attemptsKeptMax, stacksKeptMax } from "../../task.ts";
import { work, works, type QueueClause } from "../suite-fixture.ts";

/** Outcomes, and what the queue decides about each. */
const decisions: readonly (readonly [FinishInput["outcome"], Finished["status"]])[] = [
  [{ kind: "done" }, "done"],
  [{ kind: "done", result: { pages: 3 } }, "done"],
  [{ kind: "skip", reason: "robots.txt" }, "skipped"],
  [{ kind: "retry", delayMs: 1_000, reason: "timeout" }, "retried"],
  [{ kind: "fail", reason: "404" }, "failed"],
  [{ kind: "fail", reason: "gone" }, "failed"],
  [{ kind: "crash", reason: "gone", attemptsMax: 1 }, "failed"],
  [{ kind: "crash", reason: "SIGKILL", attemptsMax: 1 }, "failed"],
];
const outcomes = decisions.map(([outcome]) => outcome);

export function outcomeClauses(clause: QueueClause): void {
  clause("a finish repeated is answered the same, with another outcome it is lost", async (at) => {
    for (const [index, [outcome, status]] of decisions.entries()) {
      await at.add(work(`a${index}`));
      const lease = await at.claimOne();
      expect(await at.finish(lease, outcome)).toBe(status);
      const stored = await at.find(`a${index}`);
      await at.time.advance(1);
      expect(await at.finish(lease, outcome)).toBe(status);
      for (const other of outcomes) {
        if (other !== outcome) expect(await at.finish(lease, other)).toBe("lost");
      }
      expect(await at.find(`a${index}`)).toEqual(stored);
    }
  });

  clause("finishes of one batch may repeat each other", async (at) => {
    await at.add(work("a"));
    const lease = await at.claimOne();
    const finish = { ...lease, outcome: { kind: "done", result: 1 } as const };
    const other = { ...lease, outcome: { kind: "done", result: 2 } as const };
    const answers = await at.queue.finish([finish, finish, other]);
    expect(answers.map(({ status }) => status)).toEqual(["done", "done", "lost"]);
    expect(await at.queue.job("default")).toMatchObject({ done: 1 });
  });

  clause("a retry without an attempt left is answered as failed", async (at) => {
    await at.add(work("plain", { attemptsMax: 1 }), work("gated", { attemptsMax: 1, gate: "g" }));
    const outcome = { kind: "retry", delayMs: 1_000, reason: "timeout" } as const;
    const leases = await at.claim();
    const answers = await at.queue.finish(leases.map((lease) => ({ ...lease, outcome })));
    const view = { gate: { delayMs: 0, limit: 1, blockedForMs: 0 } };
    expect(answers).toEqual(
      leases.map(({ gate }) => ({ status: "failed", ...(gate === "g" && view) })),
    );
  });

  clause("a finish of many is answered one by one, in order", async (at) => {
    await at.add(...works("a", decisions.length * 3));
    const leases = await at.claim();
    const chosen = leases.map((_, index) => decisions[index % decisions.length]!);
    const answers = await at.queue.finish(
      leases.map((lease, index) => ({ ...lease, outcome: chosen[index]![0] })),
    );
    expect(answers.map(({ status }) => status)).toEqual(chosen.map(([, status]) => status));
  });

  clause("an attempt keeps where its error was thrown; old attempts lose it", async (at) => {
    const rounds = stacksKeptMax + 2;
    await at.add(work("a", { attemptsMax: rounds }));
    for (let round = 1; round <= rounds; round++) {
      const lease = await at.claimOne();
      const stack = `Error: ${round}\n    at visit (crawl.ts:${round}:1) \u0000🦔`;
      const outcome = { kind: "retry", delayMs: 0, reason: `Error: ${round}`, stack } as const;
      expect(await at.finish(lease, outcome)).toBe(round < rounds ? "retried" : "failed");
      // As after a lost answer. The stack is not compared.
      const { stack: _stack, ...again } = outcome;
      expect(await at.finish(lease, again)).toBe(round < rounds ? "retried" : "failed");
      await at.time.advance(1);
    }
    const { attempts } = await at.find("a");
    const first = rounds - stacksKeptMax;
    expect(attempts.map(({ stack }) => stack?.split("\n")[0])).toEqual(
      Array.from({ length: rounds }, (_, at) => (at < first ? undefined : `Error: ${at + 1}`)),
    );
    expect(attempts.at(-1)!.stack).toContain(`crawl.ts:${rounds}:1`);
    expect("stack" in attempts[0]!).toBe(false);
  });

  clause("a stack of any length is cut, never refused", async (at) => {
    await at.add(work("a"));
    const lease = await at.claimOne();
    const stack = "Error: x\n    at y".repeat(10_000);
    expect(await at.finish(lease, { kind: "fail", reason: "x", stack })).toBe("failed");
    const [attempt] = (await at.find("a")).attempts;
    expect(attempt!.stack!.length).toBeLessThanOrEqual(4_096);
    expect(stack.startsWith(attempt!.stack!)).toBe(true);
    await at.queue.archive({ states: ["failed"] });
    expect(await at.queue.log()).toMatchObject([{ key: "a", attempts: [attempt!] }]);
  });

  clause("a reason with unusual characters is still recognised when repeated", async (at) => {
    for (const reason of ["\u0000 \ud83e", "🦔".repeat(3_000), "", "'\"\\\n\t%_"]) {
      await at.add({ kind: "work" });
      const lease = await at.claimOne();
      expect(await at.finish(lease, { kind: "fail", reason })).toBe("failed");
      expect(await at.finish(lease, { kind: "fail", reason })).toBe("failed");
      expect(await at.finish(lease, { kind: "fail", reason: `${reason}!`.slice(-9) })).toBe("lost");
    }
  });

  clause("a finish that is lost wrote nothing, nor did its adds and raises", async (at) => {
    await at.add(work("a"), work("low", { priority: 1, delayMs: 600_000 }));
    const late = await at.claimOne({ leaseMs: 1_000 });
    await at.time.advance(1_000);
    const current = await at.claimOne({ worker: "w2" });
    const before = await at.queue.browse();
    const { raises } = await at.queue.stats();
    const more = { add: [work("b")], raise: [{ key: "low", priority: 999 }], sinceStartMs: 0 };
    for (const outcome of outcomes) expect(await at.finish(late, outcome, more)).toBe("lost");
    expect(await at.queue.browse()).toEqual(before);
    expect((await at.queue.stats()).raises).toEqual(raises);
    expect(await at.finish(current)).toBe("done");
  });

  clause("a finish that is lost does not move its gate", async (at) => {
    await at.queue.setGate("g", { delayMs: 1_000 });
    await at.add(work("a", { gate: "g" }));
    const lease = await at.claimOne();
    await at.finish(lease, undefined, { sinceStartMs: 1_000 });
    const gate = await at.queue.gate("g");
    await at.time.advance(500);
    expect(await at.finish(lease, { kind: "fail", reason: "no" })).toBe("lost");
    expect(await at.finish(lease)).toBe("done");
    expect(await at.queue.gate("g")).toEqual(gate);
  });

  clause("done keeps its result, its moment and no attempt", async (at) => {
    await at.add(...works("a", 2));
    const [first, second] = await at.claim();
    await at.time.advance(250);
    const result = { text: "🦔", n: 1.5, list: [null, true] };
    await at.finish(first!, { kind: "done", result });
    await at.finish(second!);
    expect(await at.find("a0")).toMatchObject({
      state: "done",
      result: JSON.stringify(result),
      finishedAtMs: at.time.now().ms,
      expiresAtMs: 0,
      attempts: [],
    });
    expect(await at.find("a1")).toMatchObject({ state: "done", result: null });
  });

  clause("lesson 9: a retry is pending again, due later, with its reason", async (at) => {
    await at.add(work("a"));
    const lease = await at.claimOne();
    const outcome = { kind: "retry", delayMs: 1_000, reason: "timeout" } as const;
    const { ms, wallMs } = at.time.now();
    expect(await at.queue.finish([{ ...lease, outcome }])).toEqual([
      { status: "retried", dueAtMs: wallMs + 1_000 },
    ]);
    expect(await at.find("a")).toMatchObject({
      state: "pending",
      used: 1,
      dueAtMs: wallMs + 1_000,
      isSuspect: false,
      finishedAtMs: 0,
      attempts: [{ token: lease.token, atMs: ms, outcome: "retry", reason: "timeout" }],
    });
    await at.time.advance(999);
    expect(await at.claim()).toEqual([]);
    await at.time.advance(1);
    expect(await at.claimOne()).toMatchObject({ key: "a", used: 2 });
  });

  clause("lesson 10: a task that always fails ends as a dead letter", async (at) => {
    await at.add(work("a", { attemptsMax: 3 }));
    for (const reason of ["first", "second", "third"]) {
      await at.finish(await at.claimOne(), { kind: "retry", delayMs: 0, reason });
    }
    const dead = await at.find("a");
    expect(dead).toMatchObject({ state: "failed", used: 3, finishedAtMs: at.time.now().ms });
    expect(dead.attempts.map(({ reason }) => reason)).toEqual(["first", "second", "third"]);
    expect(await at.claim()).toEqual([]);
  });

  clause("lesson 10: a task that kills its worker ends as a dead letter", async (at) => {
    await at.add(work("poison", { attemptsMax: 3 }));
    for (let crash = 0; crash < 3; crash++) {
      await at.claimOne({ worker: `w${crash}`, leaseMs: 1_000 });
      await at.time.advance(1_000);
    }
    expect(await at.queue.sweep()).toMatchObject({ requeued: 0, failed: 1 });
    const dead = await at.find("poison");
    expect(dead).toMatchObject({ state: "failed", used: 3, finishedAtMs: at.time.now().ms });
    expect(dead.attempts.map(({ outcome }) => outcome)).toEqual(["expired", "expired", "expired"]);
    expect(new Set(dead.attempts.map(({ token }) => token)).size).toBe(3);
  });

  clause("lesson 11: every way to end badly keeps its reason", async (at) => {
    await at.add(work("a", { attemptsMax: 9 }));
    await at.finish(await at.claimOne(), { kind: "retry", delayMs: 0, reason: "dns" });
    await at.claimOne({ leaseMs: 100 });
    await at.time.advance(100);
    await at.queue.sweep();
    await at.release(await at.claimOne());
    await at.finish(await at.claimOne(), { kind: "fail", reason: "gone for ever" });
    const failed = await at.find("a");
    expect(failed.state).toBe("failed");
    expect(failed.result).toBeNull();
    expect(failed.attempts.map(({ outcome }) => outcome)).toEqual(["retry", "expired", "fail"]);
    expect(failed.attempts.at(-1)).toMatchObject({ reason: "gone for ever" });

    await at.add(work("b"));
    await at.finish(await at.claimOne(), { kind: "skip", reason: "robots.txt" });
    expect(await at.find("b")).toMatchObject({
      state: "skipped",
      attempts: [{ outcome: "skip", reason: "robots.txt" }],
    });
    expect((await at.queue.stats()).states).toMatchObject({ done: 0, skipped: 1, failed: 1 });
  });

  clause("fail ends a task whatever attempts it has left", async (at) => {
    await at.add(work("a", { attemptsMax: 9 }));
    await at.finish(await at.claimOne(), { kind: "fail", reason: "404" });
    expect(await at.find("a")).toMatchObject({ state: "failed", used: 1 });
  });

  clause("the number of attempts kept is bounded, the newest stay", async (at) => {
    const rounds = attemptsKeptMax + 5;
    await at.add(work("a", { attemptsMax: 1_000 }));
    for (let round = 0; round < rounds; round++) {
      await at.finish(await at.claimOne(), { kind: "retry", delayMs: 0, reason: `r${round}` });
    }
    const { attempts, used } = await at.find("a");
    expect(used).toBe(rounds);
    expect(attempts).toHaveLength(attemptsKeptMax);
    expect(attempts[0]!.reason).toBe("r5");
    expect(attempts.at(-1)!.reason).toBe(`r${rounds - 1}`);
  });

  clause("lesson 29: every way of counting finished tasks agrees", async (at) => {
    await at.add(...works("a", 6, { job: "j", attemptsMax: 1 }));
    const leases = await at.claim();
    await at.finish(leases[0]!);
    await at.finish(leases[1]!, { kind: "done", result: 1 });
    await at.finish(leases[2]!, { kind: "skip", reason: "s" });
    await at.finish(leases[3]!, { kind: "fail", reason: "f" });
    await at.finish(leases[4]!, { kind: "retry", delayMs: 0, reason: "last" });
    await at.extend(leases[5]!, 100);
    await at.time.advance(100);
    await at.queue.sweep();
    const counts = { done: 2, skipped: 1, failed: 3 };
    const stats = await at.queue.stats();
    expect(stats.states).toEqual({ pending: 0, running: 0, ...counts });
    expect(stats.kinds).toMatchObject([{ kind: "work", ...counts }]);
    expect(await at.queue.job("j")).toMatchObject({ added: 6, ...counts });
    const { kinds } = await at.store.counts();
    for (const [name, count] of Object.entries(counts)) {
      const state = name as keyof typeof counts;
      expect(kinds.reduce((total, kind) => total + kind[state], 0)).toBe(count);
      expect(await at.queue.browse({ states: [state] })).toHaveLength(count);
      expect(await at.queue.ended({ states: [state] })).toHaveLength(count);
    }
  });
}
