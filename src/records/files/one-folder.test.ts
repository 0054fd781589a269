import { describe, expect, test } from "vitest";
import { AppError } from "../../base/app-error.ts";
import { createSeededRandom } from "../../base/random.ts";
import { createTestClock } from "../../base/testing/test-clock.ts";
import type { Ledger } from "../../ledger/index.ts";
import { openTestLedger } from "../../ledger/testing/test-ledger.ts";
import { idPiece } from "./slug.ts";
import { openTestRecords, type TestRecords } from "../testing/test-records.ts";

/** Both prefer the folder `acme`, and the smaller id gets it. */
const [first, second] = ["company/a.example", "company/b.example"] as const;
const longer = `acme-${idPiece("b.example", 4)}`;

const idIn = (at: TestRecords, folder: string) =>
  /^id: (.+)$/m.exec(at.read(`companies/${folder}/_index.md`))?.[1];
const ids = (at: TestRecords) =>
  Object.fromEntries(at.list("companies").map((folder) => [folder, idIn(at, folder)]));
const bothInTheirFolders = { acme: "a.example", [longer]: "b.example" };

/** `onRead` is called whenever a record is read from the ledger. */
async function openListening(onRead: (target: string) => void): Promise<TestRecords> {
  const ledger = await openTestLedger({ clock: createTestClock(), random: createSeededRandom(1) });
  const listening: Ledger = {
    ...ledger,
    read: (target) => {
      onRead(target);
      return ledger.read(target);
    },
  };
  return openTestRecords({ ledger: listening });
}

describe("a record has one folder", () => {
  test("also if its file is saved again whenever it is read, while another takes its name", async () => {
    let saves = 0;
    let at: TestRecords | undefined;
    await using opened = await openListening((target) => {
      const folder = [longer, "acme"].find((name) => at && idIn(at, name) === "b.example");
      if (target !== second || folder === undefined) return;
      const file = `companies/${folder}/_index.md`;
      at!.edit(file, (text) => text.replace("---\n", `---\nhand${(saves += 1)}: here\n`));
    });
    await opened.say(second, { name: "Acme" });
    at = opened;
    await at.say(first, { name: "Acme" });
    expect(saves).toBeGreaterThan(4);
    at = undefined;
    expect((await opened.records.ingest()).problems).toEqual([]);
    expect(ids(opened)).toEqual(bothInTheirFolders);
    const company = await opened.records.company(second);
    expect(Object.keys(company?.extra ?? {})).toHaveLength(saves);
  });

  test("a new record whose file is saved all the time is known by its folder", async () => {
    const file = "companies/acme/_index.md";
    let [at, saves]: [TestRecords | undefined, number] = [undefined, 0];
    await using opened = await openListening((target) => {
      if (target !== first || !at?.has(file)) return;
      at.edit(file, (text) => text.replace("---\n", `---\nhand${(saves += 1)}: here\n`));
    });
    // As after a crash: the file exists, and the index is older.
    await opened.say(first, { name: "Acme" });
    opened.index.update({ drop: [first], unrendered: [first] });
    at = opened;
    await opened.say(first, { city: "Bonn" });
    expect(saves).toBeGreaterThan(4);
    at = undefined;
    expect((await opened.records.ingest()).problems).toEqual([]);
    expect(Object.keys((await opened.records.company(first))?.extra ?? {})).toHaveLength(saves);
  });

  test("a record that could not leave its folder is not overwritten by the next one there", async () => {
    let isFailing = false;
    await using at = await openListening((target) => {
      if (isFailing && target === second) throw new AppError("unavailable", "test", "no answer");
    });
    await at.say(second, { name: "Acme" });
    isFailing = true;
    await expect(at.say(first, { name: "Acme" })).rejects.toThrow("not their files: no answer");
    isFailing = false;
    await at.records.catchUp();
    expect((await at.records.ingest()).problems).toEqual([]);
    expect(ids(at)).toEqual(bothInTheirFolders);
  });

  test("a mark that names the folder of another record is put right, and both folders stay", async () => {
    for (const heal of ["ingest", "write"] as const) {
      await using at = await openTestRecords();
      await at.say(second, { name: "Acme" });
      await at.say(first, { name: "Acme" });
      at.save(`companies/acme/notes/lunch.md`, "We met.\n");
      at.index.update({ renders: [{ target: second, folder: "companies/acme", rev: "" }] });
      if (heal === "write") await at.say(second, { city: "Bonn" });
      expect((await at.records.ingest()).problems).toEqual([]);
      expect(ids(at)).toEqual(bothInTheirFolders);
      expect((await at.records.company(first))?.entries).toHaveLength(1);
    }
  });

  test("a second folder with a render of ours in it, under a name of ours, is removed", async () => {
    await using at = await openTestRecords();
    await at.say(second, { name: "Acme" });
    await at.say(first, { name: "Acme" });
    const [render, leftover] = [at.read("companies/acme/_index.md"), idPiece("a.example", 4)];
    at.save(`companies/acme-${leftover}/_index.md`, render);
    at.save("companies/by-hand/_index.md", render);
    const { problems } = await at.records.ingest();
    expect(problems.map(({ path }) => path)).toEqual(["companies/by-hand/_index.md"]);
    expect(ids(at)).toEqual({ ...bothInTheirFolders, "by-hand": "a.example" });
  });

  test("a leftover that somebody has edited stays, and is shown", async () => {
    await using at = await openTestRecords();
    await at.say(first, { name: "Acme" });
    const path = `companies/acme-${idPiece("a.example", 4)}/_index.md`;
    at.save(path, at.read("companies/acme/_index.md").replace("name: Acme", "name: Acme Ltd"));
    const { problems } = await at.records.ingest();
    expect(problems).toMatchObject([{ path, reason: expect.stringContaining("it is a copy of") }]);
    expect(at.has(path)).toBe(true);
  });
});
