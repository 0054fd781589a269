import { describe, expect, test } from "vitest";
import { silentLogger } from "../../base/log/logger.ts";
import { createSeededRandom } from "../../base/random.ts";
import { createTestClock } from "../../base/testing/test-clock.ts";
import { createMemoryDisk } from "../testing/memory-disk.ts";
import { createMemoryState, emptyStateContent } from "./memory-state.ts";
import { dotOf } from "../datagram/datagram.ts";
import { openLedger, type Ledger } from "../ledger.ts";
import { createTestFleet } from "../testing/test-fleet.ts";
import { openTestLedger, valuesOf } from "../testing/test-ledger.ts";

const source = "site:https://a.b";
const set = (ledger: Ledger, target: string, value: unknown, field = "f") =>
  ledger.write({ source, changes: [{ target, field, value }] });
const createNode = () => ({ files: new Map<string, Uint8Array>(), state: emptyStateContent() });
const journalOf = (files: ReadonlyMap<string, Uint8Array>) =>
  [...files.keys()].find((name) => name.startsWith("wal/"))!;
/** The same from the journals alone. */
const rebuilt = async (files: ReadonlyMap<string, Uint8Array>) => {
  await using ledger = await openTestLedger({ files: new Map(files) });
  return await ledger.digest();
};
const textsIn = ({ state }: ReturnType<typeof createNode>) =>
  [...state.targets.values()]
    .flatMap((part) => [...part.values()].map(({ text }) => text))
    .join("");

describe("a ledger that was saved", () => {
  test("is opened without reading its journals again: only what is behind the saved place", async () => {
    const node = createNode();
    {
      await using ledger = await openTestLedger(node);
      for (let at = 0; at < 200; at++) await set(ledger, `company/${at}`, "x".repeat(500));
    }
    const disk = createMemoryDisk({ files: node.files });
    let bytes = 0;
    const counting = {
      ...disk,
      async readAt(name: string, from: number, length: number) {
        const found = await disk.readAt(name, from, length);
        bytes += found?.byteLength ?? 0;
        return found;
      },
    };
    const [clock, random, log] = [createTestClock(), createSeededRandom(1), silentLogger];
    const openState = () => createMemoryState(node.state);
    const options = { disk: counting, clock, random, log, label: "t", openState };
    await using ledger = await openLedger(options);
    expect(bytes).toBeLessThan(100);
    expect(node.files.get(journalOf(node.files))!.byteLength).toBeGreaterThan(100_000);
    expect(await valuesOf(ledger, "company/77")).toEqual({ f: "x".repeat(500) });
    expect(ledger.status()).toMatchObject({ datagramsSinceCheckpoint: 200, unpublished: 200 });
  });

  test("B23: witnesses of any number of tiles are read from the state: no file is opened", async () => {
    const node = createNode();
    const targets = Array.from({ length: 3_000 }, (_, at) => `tile/30.${at}_-97.7`);
    {
      await using ledger = await openTestLedger(node);
      for (let at = 0; at < targets.length; at += 100) {
        const some = targets.slice(at, at + 100);
        const changes = some.map((target) => ({ target, field: "flooring@file", value: { at } }));
        await ledger.write({ source, changes });
      }
    }
    const disk = createMemoryDisk({ files: node.files });
    let opened = 0;
    const counting: typeof disk = {
      ...disk,
      read: (name) => ((opened += 1), disk.read(name)),
      readAt: (...given) => ((opened += 1), disk.readAt(...given)),
    };
    const [clock, random, log] = [createTestClock(), createSeededRandom(1), silentLogger];
    const openState = () => createMemoryState(node.state);
    const options = { disk: counting, clock, random, log, label: "t", openState };
    await using ledger = await openLedger(options);
    opened = 0;
    const views = await ledger.readAll(targets);
    expect(views.filter(({ fields }) => fields.length === 1)).toHaveLength(targets.length);
    expect(opened).toBe(0);
  });

  test("what was saved may be lost or older: the journals have the rest", async () => {
    const node = createNode();
    const older = createNode().state;
    for (let life = 0; life < 4; life++) {
      await using ledger = await openTestLedger(node);
      await set(ledger, "company/a", life);
      await set(ledger, `company/${life}`, life, "g");
      if (life === 1) Object.assign(older, structuredClone(node.state));
    }
    const digest = await rebuilt(node.files);
    for (const state of [node.state, older, emptyStateContent()]) {
      await using ledger = await openTestLedger({ files: new Map(node.files), state });
      expect(await ledger.digest()).toBe(digest);
      expect(await valuesOf(ledger, "company/a")).toEqual({ f: 3 });
    }
  });

  test("a journal with other content than was folded: all is read again", async () => {
    const node = createNode();
    {
      await using ledger = await openTestLedger(node);
      for (const value of ["first", "other", "third"]) await set(ledger, "company/a", value);
    }
    const name = journalOf(node.files);
    const bytes = Buffer.from(node.files.get(name)!);
    const flipped = Buffer.from(bytes);
    flipped[bytes.indexOf("first")] = 0x67;
    const cut = bytes.subarray(0, bytes.indexOf("third"));
    for (const [content, lost] of [
      [flipped, 1],
      [cut, 1],
      [undefined, 3],
    ] as const) {
      const files = new Map(node.files);
      if (content) files.set(name, Uint8Array.from(content));
      else files.delete(name);
      await using ledger = await openTestLedger({ files, state: structuredClone(node.state) });
      expect(ledger.status().lost).toBe(lost);
      await expect(set(ledger, "company/b", 1)).rejects.toMatchObject({
        code: "ledger_history_missing",
      });
    }
  });

  test("a checkpoint is folded into what was saved, with what is known beyond it", async () => {
    const { clock, sync, fold } = createTestFleet();
    const [here, there] = [createNode(), createNode()];
    await using mine = await openTestLedger({ ...here, clock, label: "mine" });
    await using other = await openTestLedger({ ...there, clock, label: "other" });
    for (let at = 0; at < 40; at++) {
      await set(mine, `company/${at}`, "mine");
      await set(other, `company/${at}`, "other", "g");
    }
    await sync(other);
    await fold();
    await sync(mine);
    expect(mine.status()).toMatchObject({ checkpoint: 1, unpublished: 0 });
    for (const at of [0, 13, 39]) {
      expect(await valuesOf(mine, `company/${at}`)).toEqual({ f: "mine", g: "other" });
    }
    await sync(other);
    expect(await mine.digest()).toBe(await other.digest());
    await mine.close();
    expect(await rebuilt(here.files)).toBe(await other.digest());
    await using again = await openTestLedger({ ...here, clock });
    expect(await again.digest()).toBe(await other.digest());
  });

  test("what is forgotten is in no text of the state, and the rest need not be folded again", async () => {
    const node = createNode();
    {
      await using before = await openTestLedger(node);
      await set(before, "company/a", "a secret");
      await set(before, "company/b", "something else");
    }
    expect(textsIn(node)).toContain("a secret");
    await using ledger = await openTestLedger(node);
    await ledger.forget({ target: "company/a", source: "hand:anna" });
    await ledger.close();
    expect(textsIn(node)).not.toContain("a secret");
    await using next = await openTestLedger(node);
    expect(await valuesOf(next, "company/b")).toEqual({ f: "something else" });
    expect(await next.digest()).toBe(await rebuilt(node.files));
  });

  test("what is dropped after it was saved does not count any more, in no life", async () => {
    const { clock, sync } = createTestFleet();
    const node = createNode();
    const ahead = createTestClock();
    ahead.step(clock.nowMs() - ahead.nowMs() + 120_000);
    await using future = await openTestLedger({ clock: ahead, label: "future" });
    await set(future, "company/a", "from the future");
    await using early = await openTestLedger({ clock, label: "early" });
    const first = await openTestLedger({ ...node, clock, label: "late" });
    const range = (await future.exchange.read({
      origin: [...future.vector().keys()][0]!,
      from: 1,
      to: 1,
      bytesMax: 10_000,
    }))!;
    for (const ledger of [early, first]) await ledger.exchange.receive(range);
    const [dot] = early.quarantine().map(dotOf);
    await early.restamp(dot!);
    // Its time has come here, and it was folded and saved, before the drop is heard of.
    await clock.advance(180_000);
    expect(first.quarantine()).toEqual([]);
    await first.close();
    expect(textsIn(node)).toContain("from the future");
    await using late = await openTestLedger({ ...node, clock, label: "late" });
    await sync(early);
    await sync(late);
    const winner = (await late.read("company/a")).fields[0]!;
    expect(winner).toMatchObject({ value: "from the future", node: early.node() });
    await sync(early);
    expect(await late.digest()).toBe(await early.digest());
    await late.close();
    await using again = await openTestLedger({ ...node, clock });
    expect(await again.digest()).toBe(await early.digest());
  });
});
