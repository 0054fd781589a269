import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createReplica } from "../replica/create-replica.ts";
import { dotOf, type Datagram } from "../datagram/datagram.ts";
import { encodePart } from "../fold/part-file.ts";
import { foldInto, partCount, partOf, type PartState } from "../fold/part-state.ts";
import { sessionKey } from "../fold/vector.ts";
import { emptyHead, noBase } from "../replica/replica.ts";
import type { StateStore } from "../state/state-store.ts";
import { anyHistory } from "./histories.ts";

/** A store that a test opens and closes; the content survives in between. */
export interface StateUnderTest {
  open(): StateStore;
  dispose(): void;
}

const row = (target: string, text: string, isConflicted = false) => ({
  target,
  text,
  isConflicted,
});
/** In the order of their UTF-8 bytes. In UTF-16 the last two have the opposite order. */
const names = ["a/1", "a/10", "a/2", "a/ü", "a/\uff5e", "a/😀"];

export function describeStateStore(name: string, create: () => StateUnderTest): void {
  const withStore = (use: (at: StateUnderTest) => void | Promise<void>) => async () => {
    const at = create();
    try {
      await use(at);
    } finally {
      at.dispose();
    }
  };

  describe(`StateStore: ${name}`, () => {
    test(
      "what a batch says is there in the next life, and all of it",
      withStore((at) => {
        const run = { key: "n/s", first: 1, last: 9, file: "wal/n/1.usv", start: 20, end: 900 };
        const file = { name: "wal/n/1.usv", bytes: 900, mark: "m", changed: "7", last: { s: 9 } };
        {
          using store = at.open();
          expect(store.head()).toBeUndefined();
          store.apply({ head: emptyHead });
          store.apply({
            targets: [row("a/1", "one")],
            head: { vector: { "n/s": 9 } },
            files: [file],
            runs: [{ ...run, stamp: "t" }],
          });
          store.apply({ targets: [row("a/1", "two")], runs: [{ ...run, last: 12, stamp: "t" }] });
        }
        using store = at.open();
        expect(store.head()).toEqual({ ...emptyHead, vector: { "n/s": 9 } });
        expect(store.read("a/1")).toBe("two");
        expect(store.read("a/2")).toBeUndefined();
        expect(store.files()).toEqual([file]);
        expect(store.runs()).toEqual([{ ...run, last: 12, stamp: "t" }]);
        store.apply({ dropFiles: [file.name] });
        expect([store.files(), store.runs()]).toEqual([[], []]);
        store.clear();
        expect([store.head(), store.read("a/1")]).toEqual([undefined, undefined]);
      }),
    );

    test(
      "pages go by the bytes of names, and through all of a part",
      withStore((at) => {
        using store = at.open();
        store.apply({ targets: names.map((target) => row(target, target, true)) });
        for (let part = 0; part < partCount; part++) {
          const wanted = names.filter((target) => partOf(target) === part);
          const found: string[] = [];
          for (let after: string | undefined; ;) {
            const page = store.list(part, { ...(after !== undefined && { after }), limit: 1 });
            if (page.length === 0) break;
            found.push((after = page[0]!.target));
          }
          expect(found).toEqual(wanted);
        }
        const first = store.listConflicted({ limit: 4 });
        const rest = store.listConflicted({ after: first.at(-1)!.target, limit: 4 });
        expect([...first, ...rest].map(({ target }) => target)).toEqual(names);
        store.apply({ targets: [row("a/2", "settled")] });
        expect(store.listConflicted({ limit: 9 })).toHaveLength(names.length - 1);
      }),
    );

    test(
      "a part is replaced at once, when it is promoted; the others stay",
      withStore((at) => {
        const [mine, other] = ["a/1", names.find((one) => partOf(one) !== partOf("a/1"))!];
        {
          using store = at.open();
          store.apply({ targets: [row(mine, "old"), row(other, "old")] });
          store.apply({ staged: [row(mine, "forgotten by the crash")] });
        }
        using store = at.open();
        store.apply({ dropStaged: true });
        expect(store.readStaged(mine)).toBeUndefined();
        store.apply({ staged: [row(mine, "new")] });
        expect([store.read(mine), store.readStaged(mine)]).toEqual(["old", "new"]);
        store.apply({ promote: [partOf(mine)] });
        expect([store.read(mine), store.readStaged(mine)]).toEqual(["new", undefined]);
        expect(store.read(other)).toBe("old");
        store.apply({ promote: [partOf(mine)] });
        expect(store.read(mine)).toBeUndefined();
      }),
    );

    test("saved at any moments, a replica is the pure fold of any history", async () => {
      await fc.assert(
        fc.asyncProperty(anyHistory, fc.infiniteStream(fc.boolean()), async (history, saves) => {
          const at = create();
          try {
            await expectPureFold(at, history, saves);
          } finally {
            at.dispose();
          }
        }),
        { numRuns: 25 },
      );
    }, 60_000);
  });
}

async function expectPureFold(
  at: StateUnderTest,
  history: readonly Datagram[],
  saves: Iterator<boolean>,
): Promise<void> {
  let store = at.open();
  store.apply({ head: emptyHead });
  const foldAgain = async () => new Map();
  const stand = () => createReplica({ base: noBase, store, head: store.head()!, foldAgain });
  let replica = stand();
  const journal: Datagram[] = [];
  for (const datagram of history) {
    journal.push(datagram);
    replica.take([datagram], { nowMs: undefined });
    if (!saves.next().value) continue;
    const durable = new Map(journal.map((one) => [sessionKey(one), one.number]));
    replica.save((key) => durable.get(key) ?? 0, { files: [], runs: [], dropFiles: [] });
    if (!saves.next().value) continue;
    // Open again from what was saved.
    store[Symbol.dispose]();
    store = at.open();
    replica = stand();
  }
  const known = new Set(history.map(dotOf));
  const parts = new Map<number, PartState>();
  for (const datagram of history) {
    const part = partOf(datagram.target);
    if (!parts.has(part)) parts.set(part, new Map());
    foldInto(parts.get(part)!, datagram);
  }
  for (let part = 0; part < partCount; part++) {
    const pure = encodePart(parts.get(part) ?? new Map(), (dot) => known.has(dot));
    expect(await replica.partText(part)).toBe(pure);
  }
  const conflicted = [...parts.values()].flatMap((part) =>
    [...part].filter(([, fields]) => [...fields.values()].some((one) => one.conflicts.length > 0)),
  );
  const listed: string[] = [];
  for (let after: string | undefined; ;) {
    const page = await replica.conflicted({ ...(after !== undefined && { after }), limit: 2 });
    listed.push(...page.targets);
    if (page.next === undefined) break;
    after = page.next;
  }
  expect(new Set(listed).size).toBe(listed.length);
  expect(listed).toEqual(expect.arrayContaining(conflicted.map(([target]) => target)));
  store[Symbol.dispose]();
}
