// inputs: src/** test/support/** package.json tsconfig.json tsconfig.build.json
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createSandbox, type Sandbox } from "../support/built-cli.ts";
import { expectWrittenOnce, ownerPid, startNodeWriter } from "../support/node-writers.ts";

let sandbox: Sandbox;
let folder = "";
beforeEach(async () => {
  sandbox = await createSandbox();
  folder = join(sandbox.folder, "a");
});
afterEach(() => sandbox.remove());

const forager = async (line: string) => {
  const result = await sandbox.forager([...line.split(" "), "--data", "a"]);
  expect(result.exitCode, result.stderr).toBe(0);
  return result.stdout;
};

test("commands write and sync as clients of the owner; killed, it leaves all of it sound", async () => {
  const owner = await startNodeWriter({ folder, name: "long", fields: 300 });
  await owner.opened;
  expect(ownerPid(folder)).toBe(owner.child.pid);
  const names = ["one", "two", "three"];
  const reported = await Promise.all(
    names.map((name) => forager(`ledger set company/x ${name}=1`)),
  );
  expect(reported).toEqual(names.map(() => "1 of 1 fields of company/x changed\n"));
  expect(await forager("ledger sync --bucket dir:fleet")).toMatch(/datagrams published/u);
  // The owner was started in another folder.
  expect(existsSync(join(sandbox.folder, "fleet"))).toBe(true);
  expect(await forager("ledger show company/x")).toContain("three");
  expect(ownerPid(folder)).toBe(owner.child.pid);
  expect(await owner.done).toBe(true);
  await owner.kill();
  expect(await forager("ledger set company/x four=1")).toContain("1 of 1 fields");
  expect(await expectWrittenOnce(sandbox, folder, [owner])).toBe(304);
});

test("an owner that ends in good order answers what clients asked, and another one takes over", async () => {
  const first = await startNodeWriter({ folder, name: "a", fields: 100 });
  await first.opened;
  const others = await Promise.all(
    ["b", "c"].map((name) => startNodeWriter({ folder, name, fields: 3_000 })),
  );
  await Promise.all([first.done, ...others.map(({ opened }) => opened)]);
  expect(ownerPid(folder)).toBe(first.child.pid);
  expect(await first.end(), first.errors()).toBe(0);
  expect(await Promise.all(others.map(({ done }) => done))).toEqual([true, true]);
  const pids = others.map(({ child }) => child.pid);
  expect(pids).toContain(ownerPid(folder));
  expect(await Promise.all(others.map(({ end }) => end()))).toEqual([0, 0]);
  expect(existsSync(join(folder, "node/owner.json"))).toBe(false);
  expect(await expectWrittenOnce(sandbox, folder, [first, ...others])).toBe(6_100);
});
