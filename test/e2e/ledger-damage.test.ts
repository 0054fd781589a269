// inputs: src/** package.json tsconfig.json tsconfig.build.json
import { readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createSandbox, type Sandbox } from "../support/built-cli.ts";
import { damages, expectSafeAdvice } from "../support/damaged-journal.ts";

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await createSandbox({ hasSharedProcess: true });
});
afterEach(() => sandbox.remove());

describe.each(Object.entries(damages))("%s", (_name, damage) => {
  test.each([false, true])(
    "the advice is safe, and the node has its history again; with a checkpoint: %s",
    (hasCheckpoint) =>
      expectSafeAdvice({ sandbox, damage, hasCheckpoint, bucket: `dir:${sandbox.folder}/fleet` }),
  );
});

test("files of companies stay as they are until the journal is back", async () => {
  const env = { FORAGER_DATA: "data", FORAGER_BUCKET_URL: "dir:fleet" };
  const run = (line: string) => sandbox.forager(line.split(" "), { env });
  await run("company add Acme --domain acme.example");
  await run("ledger sync --bucket dir:fleet");
  const file = `${sandbox.folder}/data/companies/acme/_index.md`;
  const before = readFileSync(file, "utf8");
  damages["the folder is deleted"].do(`${sandbox.folder}/data/wal`);
  const refused = await run("records rebuild");
  expect(refused.exitCode).toBe(1);
  expect(refused.stderr).toContain("files and index stay as they are");
  expect(readFileSync(file, "utf8")).toBe(before);
  expect((await run("company show acme.example")).stdout).toContain("Acme");
  expect(await run("ledger sync --bucket dir:fleet")).toMatchObject({ exitCode: 0 });
  expect(await run("records rebuild")).toMatchObject({ exitCode: 0 });
  expect(readFileSync(file, "utf8")).toBe(before);
});

test("without a bucket: a lost journal is noticed, and --accept-loss continues without it", async () => {
  const run = (line: string) => sandbox.forager([...line.split(" "), "--data", "alone"]);
  await run("ledger set company/1 phone=1");
  damages["the folder is deleted"].do(`${sandbox.folder}/alone/wal`);
  const refused = await run("ledger set company/1 phone=2");
  expect(refused.exitCode).toBe(1);
  expect(refused.stderr).toContain("forager --data alone ledger verify --accept-loss");
  expect((await run("status")).stdout).toContain("2 datagrams of this node missing here");
  const accepted = await run("ledger verify --accept-loss");
  expect(accepted, accepted.stderr).toMatchObject({ exitCode: 0 });
  expect(accepted.stderr).toContain("2 datagrams given up");
  expect((await run("ledger set company/1 phone=2")).exitCode).toBe(0);
  expect((await run("ledger verify")).exitCode).toBe(0);
});
