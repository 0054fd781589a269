import { describe, expect, test } from "vitest";
import { AppError } from "../base/app-error.ts";
import { createGroupCommit } from "./group-commit.ts";
import type { Operation, Outcomes } from "./operation.ts";
import type { QueueStore } from "./queue-store.ts";

const pause = (job: string): Operation & { op: "pause" } => ({ op: "pause", job });

describe("the group commit", () => {
  test("joins what one turn asks for into one commit, in order", async () => {
    const { submit, commits } = setUp();
    const answers = await Promise.all(["a", "b", "c"].map((job) => submit(pause(job))));
    expect(commits).toEqual([["a", "b", "c"]]);
    expect(answers).toEqual(["ok", "ok", "ok"]);
  });

  test("joins also what promises of the same turn ask for", async () => {
    const { submit, commits } = setUp();
    const later = Promise.resolve().then(() => submit(pause("b")));
    await Promise.all([submit(pause("a")), later]);
    expect(commits).toEqual([["a", "b"]]);
  });

  test("gives each caller its own answer", async () => {
    const { submit } = setUp({ answer: (job) => (job === "b" ? "closed" : "ok") });
    const answers = await Promise.all(["a", "b", "c"].map((job) => submit(pause(job))));
    expect(answers).toEqual(["ok", "closed", "ok"]);
  });

  test("has one commit under way at a time; what comes meanwhile goes together into the next", async () => {
    const gate = deferred();
    const { submit, commits } = setUp({
      before: (count) => (count === 1 ? gate.promise : undefined),
    });
    const first = submit(pause("a"));
    await turn();
    const rest = [submit(pause("b"))];
    await turn();
    rest.push(submit(pause("c")));
    await turn();
    expect(commits).toEqual([["a"]]);
    gate.resolve();
    await Promise.all([first, ...rest]);
    expect(commits).toEqual([["a"], ["b", "c"]]);
  });

  test("a commit that fails fails its group and nothing else", async () => {
    const down = new AppError("unavailable", "queue_down", "for the test");
    const { submit, commits } = setUp({
      before: (count) => (count === 1 ? Promise.reject(down) : undefined),
    });
    const group = await Promise.allSettled([submit(pause("a")), submit(pause("b"))]);
    expect(group).toEqual([
      { status: "rejected", reason: down },
      { status: "rejected", reason: down },
    ]);
    expect(await submit(pause("a"))).toBe("ok");
    expect(commits).toEqual([["a", "b"], ["a"]]);
  });

  test("what waits behind a failing commit is still tried", async () => {
    const gate = deferred();
    const { submit } = setUp({ before: (count) => (count === 1 ? gate.promise : undefined) });
    const failing = submit(pause("a"));
    const failed = expect(failing).rejects.toThrow("for the test");
    await turn();
    const next = submit(pause("b"));
    gate.reject(new AppError("unavailable", "queue_down", "for the test"));
    await failed;
    expect(await next).toBe("ok");
  });

  test("an operation that is refused is rejected alone", async () => {
    const refusal = new AppError("invalid", "no", "for the test");
    const { submit } = setUp({ answer: (job) => (job === "b" ? refusal : "ok") });
    const answers = await Promise.allSettled(["a", "b", "c"].map((job) => submit(pause(job))));
    expect(answers).toEqual([
      { status: "fulfilled", value: "ok" },
      { status: "rejected", reason: refusal },
      { status: "fulfilled", value: "ok" },
    ]);
  });

  test("a group is bounded; the rest follows in the next", async () => {
    const { submit, commits } = setUp();
    await Promise.all(Array.from({ length: 600 }, (_, index) => submit(pause(`${index}`))));
    expect(commits.map((commit) => commit.length)).toEqual([256, 256, 88]);
    expect(commits.flat()).toEqual(Array.from({ length: 600 }, (_, index) => `${index}`));
  });

  test("is idle when all that was asked for has been answered", async () => {
    const { submit, idle, commits } = setUp();
    await idle();
    let answered = 0;
    for (const job of ["a", "b"]) void submit(pause(job)).then(() => (answered += 1));
    await idle();
    await turn();
    expect(answered).toBe(2);
    expect(commits).toHaveLength(1);
  });

  test("what the store lets overlap goes beside others of its sort, claims one by one", async () => {
    const gate = deferred();
    const { submit, commits } = setUp({ before: () => gate.promise, overlaps: () => true });
    const claim = (worker: string) => submit({ op: "claim", worker } as never);
    const all = [claim("c1"), submit(pause("a")), claim("c2"), submit(pause("b"))];
    await turn();
    all.push(...["c", "d"].map((job) => submit(pause(job))));
    await turn();
    expect(commits).toEqual([["a", "b"], ["c1"], ["c2"], ["c", "d"]]);
    all.push(submit(pause("e")));
    await turn();
    all.push(submit(pause("f")));
    await turn();
    expect(commits).toHaveLength(4);
    gate.resolve();
    await Promise.all(all);
    expect(commits.at(-1)).toEqual(["e", "f"]);
  });

  test("what may not overlap waits for all before it, and keeps back all after it", async () => {
    const gate = deferred();
    const { submit, commits } = setUp({
      before: (count) => (count === 1 ? gate.promise : undefined),
      overlaps: (job) => job !== "alone",
    });
    const all = [submit(pause("a"))];
    await turn();
    all.push(submit(pause("alone")), submit(pause("b")));
    await turn();
    expect(commits).toEqual([["a"]]);
    gate.resolve();
    await Promise.all(all);
    expect(commits).toEqual([["a"], ["alone", "b"]]);
  });

  test("a store that forgets an answer is a bug that every caller gets as an error", async () => {
    const { submit } = setUp({ forget: true });
    await expect(submit(pause("a"))).rejects.toThrow(/bug/);
  });
});

interface Behaviour {
  readonly before?: (commit: number) => Promise<void> | undefined;
  readonly answer?: (job: string) => Outcomes[number];
  readonly forget?: boolean;
  readonly overlaps?: (job: string) => boolean;
}

/** A store that only records commits, to test which calls are joined. */
function setUp({ before, answer = () => "ok", forget = false, overlaps }: Behaviour = {}) {
  const commits: string[][] = [];
  const nameOf = (operation: Operation) =>
    operation.op === "claim" ? operation.worker : "job" in operation ? operation.job : "";
  const commit = async (operations: readonly Operation[]): Promise<Outcomes> => {
    const jobs = operations.map(nameOf);
    commits.push(jobs);
    await before?.(commits.length);
    return forget ? [] : jobs.map(answer);
  };
  const store = {
    commit,
    ...(overlaps ? { overlaps: (operation: Operation) => overlaps(nameOf(operation)) } : {}),
  };
  return { commits, ...createGroupCommit(store as unknown as QueueStore) };
}

function deferred() {
  let resolve!: () => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise<void>((whenDone, whenFailed) => {
    resolve = whenDone;
    reject = whenFailed;
  });
  return { promise, resolve, reject };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));
