// inputs: src/** package.json tsconfig.json tsconfig.build.json
import { afterAll, beforeAll, expect, test } from "vitest";
import { createRecordsSandbox, type RecordsSandbox } from "../support/records-sandbox.ts";

let sandbox: RecordsSandbox;
beforeAll(async () => void (sandbox = await createRecordsSandbox()));
afterAll(() => sandbox.remove());

test("people read names, not ids: show, list, history, undo and repairs", async () => {
  await sandbox.good("company", "add", "Acme Floors");
  await sandbox.good("company", "add", "Dup Floors");
  await sandbox.good("person", "add", "Anna Boss", "--company", "acme-floors", "--role", "owner");
  await sandbox.good("person", "add", "Bob Two", "--company", "dup-floors");
  expect(await sandbox.good("company", "show", "acme-floors")).toMatch(
    /person +Anna Boss \(owner\)/,
  );
  expect(await sandbox.good("person", "show", "bob-two")).toMatch(/company +Dup Floors/);
  expect(await sandbox.good("person", "list")).toMatch(/^anna-boss .* Acme Floors$/m);

  await sandbox.good("company", "merge", "dup-floors", "acme-floors", "--yes");
  const history = await sandbox.good("company", "history", "acme-floors");
  expect(history).toMatch(/person\/\S+ \(Anna Boss\)/);
  expect(history).toMatch(/merged\/company\/\S+ \(Dup Floors\)/);
  expect(history).toMatch(/mergedInto +"company\/\S+" \(Acme Floors\)/);
  expect(await sandbox.good("person", "list")).toMatch(/^bob-two .* Acme Floors$/m);
  const recent = await sandbox.good("undo", "--recent");
  expect(recent).toContain("Acme Floors");
  expect(recent).toMatch(/company\/\S+ \(Dup Floors\), alias\/dup-floors/);
  await sandbox.good("company", "delete", "acme-floors", "--yes");
  const undone = await sandbox.onData(["undo", "--yes"]);
  expect(undone.stderr).toContain('Acme Floors: name: (none) → "Acme Floors"');
  expect(undone.stderr).not.toMatch(/^company\/\w{16}: /m);
});
