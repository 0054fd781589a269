import { describe, expect, test } from "vitest";
import { AppError } from "../../base/app-error.ts";
import { silentLogger } from "../../base/log/logger.ts";
import { createSeededRandom } from "../../base/random.ts";
import { createTestClock } from "../../base/testing/test-clock.ts";
import { createMemoryDisk } from "../testing/memory-disk.ts";
import { openLedger } from "../ledger.ts";
import type { Datagram } from "../datagram/datagram.ts";
import type { LedgerDisk } from "./disk.ts";
import { openJournal } from "./journal.ts";
import { openTestLedger, valuesOf } from "../testing/test-ledger.ts";

const target = "company/a";
const source = "site:https://a.b";

async function filled(files: Map<string, Uint8Array>, commits: number) {
  await using ledger = await openTestLedger({ files });
  for (let index = 1; index <= commits; index++) {
    const value = `v${index} ␟ü`;
    const changes = ["a", "b"].map((field) => ({ target, field, value }));
    await ledger.write({ source, changes });
  }
}
async function openAll(disk: LedgerDisk) {
  const datagrams: Datagram[] = [];
  const onDatagrams = (some: readonly Datagram[]) => void datagrams.push(...some);
  return { ...(await openJournal(disk, { onDatagrams }))!, datagrams };
}
const journalOf = (files: Map<string, Uint8Array>) =>
  [...files].find(([name]) => name.startsWith("wal/"))!;

/** The first of six datagrams, in three commits, has another byte. */
async function withDamage() {
  const files = new Map<string, Uint8Array>();
  await filled(files, 3);
  const [name, bytes] = journalOf(files);
  const damaged = bytes.slice();
  damaged[Buffer.from(bytes).indexOf("v1")] = 0x77;
  return { broken: new Map(files).set(name, damaged), name, damaged };
}

describe("a journal", () => {
  test("cut at any byte, it opens with whole commits and continues from there", async () => {
    const files = new Map<string, Uint8Array>();
    await filled(files, 3);
    const [name, bytes] = journalOf(files);
    const seen = new Set<unknown>();
    for (let length = 0; length <= bytes.length; length++) {
      const torn = new Map(files).set(name, bytes.slice(0, length));
      await using ledger = await openTestLedger({ files: torn });
      const values = await valuesOf(ledger, target);
      expect(values["a"]).toBe(values["b"]);
      seen.add(values["a"]);
      const cut = ledger.status().cuts.reduce((sum, one) => sum + one.bytes, 0);
      expect(torn.get(name)!.length).toBe(length - cut);
    }
    expect([...seen]).toEqual([undefined, "v1 ␟ü", "v2 ␟ü", "v3 ␟ü"]);
  });

  test("damage in front of good datagrams is not an incomplete last record: a reader refuses it, nothing is cut", async () => {
    const { broken, name, damaged } = await withDamage();
    await expect(openTestLedger({ files: broken, isReader: true })).rejects.toMatchObject({
      kind: "corrupt",
      code: "ledger_journal_damaged",
    });
    expect(broken.get(name)).toEqual(damaged);
  });

  test("a damaged file is moved away unchanged, and all that can be read stays in its place", async () => {
    const { broken, name, damaged } = await withDamage();
    const opened = await openAll(createMemoryDisk({ files: broken }));
    expect(opened.datagrams.map(({ number }) => number)).toEqual([2, 3, 4, 5, 6]);
    const [{ file, keptAs } = { file: "", keptAs: "" }, ...rest] = opened.damaged;
    expect(rest).toEqual([]);
    expect(file).toBe(name);
    expect(broken.get(keptAs)).toEqual(damaged);
    const again = await openAll(createMemoryDisk({ files: broken }));
    expect(again).toMatchObject({ cuts: [], damaged: [], datagrams: opened.datagrams });
  });

  test("a damaged header is damage too; a file without a datagram of ours is left alone", async () => {
    const files = new Map<string, Uint8Array>();
    await filled(files, 2);
    const [name, bytes] = journalOf(files);
    const damaged = bytes.slice();
    damaged[2] = 0x77;
    const opened = await openAll(createMemoryDisk({ files: new Map([[name, damaged]]) }));
    expect(opened.datagrams).toHaveLength(4);
    const foreign = Buffer.from("something\u001felse\u001e\n");
    const other = createMemoryDisk({ files: new Map([[name, foreign]]) });
    await expect(openAll(other)).rejects.toMatchObject({ code: "ledger_not_ours" });
  });

  test("of a newer version: a clear error, and nothing is changed", async () => {
    const files = new Map<string, Uint8Array>();
    await filled(files, 1);
    const [name, bytes] = journalOf(files);
    const text = Buffer.from(bytes)
      .toString()
      .replace("forager-journal\u001f1", "forager-journal\u001f2");
    files.set(name, Buffer.from(text));
    const before = new Map(files);
    await expect(openTestLedger({ files })).rejects.toMatchObject({ code: "ledger_newer" });
    expect(files).toEqual(before);
  });

  test("group commit: what one moment writes is one append, and all of it is durable", async () => {
    const files = new Map<string, Uint8Array>();
    const disk = createMemoryDisk({ files });
    let appends = 0;
    const counting = {
      ...disk,
      append: (name: string, bytes: Uint8Array) => ((appends += 1), disk.append(name, bytes)),
    };
    const options = { clock: createTestClock(), random: createSeededRandom(9), log: silentLogger };
    await using ledger = await openLedger({ ...options, disk: counting, label: "t" });
    await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        ledger.write({ source, changes: [{ target: `company/${index}`, field: "f", value: 1 }] }),
      ),
    );
    expect(appends).toBeLessThanOrEqual(2);
    await using again = await openTestLedger({ files });
    expect(again.status().datagramsSinceCheckpoint).toBe(100);
  });

  test("prune removes a file only when all of it is covered", async () => {
    const files = new Map<string, Uint8Array>();
    await filled(files, 2);
    await filled(files, 2); // another session, in the same file
    const { journal, datagrams } = await openAll(createMemoryDisk({ files }));
    const [first] = datagrams;
    expect(await journal.prune(({ session }) => session === first!.session)).toEqual([]);
    expect(await journal.prune(({ number }) => number <= 3)).toEqual([]);
    expect(await journal.prune(() => true)).toHaveLength(1);
    expect([...files.keys()].filter((name) => name.startsWith("wal/"))).toEqual([]);
  });

  test("a failed append fails all that follow on it, and leaves no gap behind", async () => {
    const files = new Map<string, Uint8Array>();
    const disk = createMemoryDisk({ files });
    let isFull = false;
    const failing = {
      ...disk,
      async append(name: string, bytes: Uint8Array) {
        if (!isFull) return disk.append(name, bytes);
        await disk.append(name, bytes.slice(0, bytes.length / 2)); // as a full disk does
        throw new AppError("unavailable", "disk_full", "full");
      },
    };
    const options = { clock: createTestClock(), random: createSeededRandom(8), log: silentLogger };
    await using ledger = await openLedger({ ...options, disk: failing, label: "t" });
    const write = (value: number) =>
      ledger.write({ source, changes: [{ target, field: "f", value }] });
    await write(1);
    isFull = true;
    const failed = await Promise.allSettled([write(2), write(3)]);
    expect(failed.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(await valuesOf(ledger, target)).toEqual({ f: 1 });
    isFull = false;
    expect((await write(4)).datagrams).toMatchObject([{ number: 2 }]);
    await using next = await openTestLedger({ files });
    expect(await valuesOf(next, target)).toEqual({ f: 4 });
  });
});
