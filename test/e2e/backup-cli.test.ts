// long: chaos
import { cpSync, existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createRecordsSandbox, type RecordsSandbox } from "../support/records-sandbox.ts";
import { until } from "../support/until.ts";

/** More backups, and more moments at which something is killed. */
const isLong = process.env["FORAGER_TEST_LONG"] === "1";

let sandbox: RecordsSandbox;
beforeAll(async () => void (sandbox = await createRecordsSandbox()));
afterAll(() => sandbox.remove());

const inFolder = (name: string) => join(sandbox.folder, name);
const linesOf = (count: number, from = 0) =>
  Array.from({ length: count }, (_, at) => JSON.stringify({ name: `Company ${from + at}`, domain: `c${from + at}.example` })).join("\n"); // prettier-ignore

async function on(data: string, ...args: readonly string[]): Promise<string> {
  const result = await sandbox.forager([...args, "--data", data]);
  expect(result.exitCode, result.stderr).toBe(0);
  return result.stdout;
}

describe("backup and undo", () => {
  test("B22: a backup that is taken while another process writes is consistent", async () => {
    writeFileSync(inFolder("first.jsonl"), `${linesOf(50)}\n`);
    await sandbox.good("import", "companies", "first.jsonl");
    await sandbox.good("queue", "add", "fetch", '{"a":1}');
    writeFileSync(inFolder("more.jsonl"), `${linesOf(1_500, 50)}\n`);
    const importing = sandbox.onData(["import", "companies", "more.jsonl"], { onStart: () => {} });
    await until(() => readdirSync(inFolder("data/companies")).length > 50, "the import has begun");
    const backups = Array.from({ length: isLong ? 8 : 2 }, (_, at) => `backup-${at}.tar.gz`);
    for (const name of backups) await sandbox.good("backup", "create", name);
    expect((await importing).exitCode).toBe(0);
    let before = 50;
    for (const name of backups) {
      await on("restored", "backup", "restore", name);
      await on("restored", "ledger", "verify");
      const status = JSON.parse(await on("restored", "records", "check", "--json")) as {
        companies: number;
      };
      expect(status).toMatchObject({ edited: [], missing: [], problems: [] });
      expect(status.companies).toBeGreaterThanOrEqual(before);
      before = status.companies;
      expect(await on("restored", "queue", "list")).toContain("fetch");
      await on("restored", "company", "set", "company-0", "city=Austin");
      rmSync(inFolder("restored"), { recursive: true });
    }
    for (const name of backups.slice(1)) rmSync(inFolder(name));
  });

  test("killed with -9, a backup is there whole or not at all", async () => {
    for (const killMs of isLong ? [150, 400, 700] : [400]) {
      const name = `killed-${killMs}.tar.gz`;
      await sandbox.onData(["backup", "create", name], {
        onStart: (kill) => void setTimeout(() => kill("SIGKILL"), killMs),
      });
      if (existsSync(inFolder(name))) await on("data", "backup", "verify", name);
      await sandbox.onData(["backup", "create", "dir:killed"], {
        onStart: (kill) => void setTimeout(() => kill("SIGKILL"), killMs),
      });
      if (!existsSync(inFolder("killed"))) continue; // killed before it had begun
      const listed = await on("data", "backup", "list", "dir:killed", "--json");
      for (let at = (JSON.parse(listed) as unknown[]).length; at > 0; at -= 1) {
        await on("data", "backup", "verify", "dir:killed");
      }
    }
  });

  test("killed with -9, a restore leaves the old or the new content", async () => {
    await on("target", "company", "add", "Only Here", "--website", "only.example");
    const seen = new Set<string>();
    const kills: ((done: () => void) => void)[] = [
      ...(isLong ? [(kill: () => void) => void setTimeout(kill, 200)] : []),
      (kill) => when("restoring/new.unpacked", kill),
      (kill) => when("restoring/ready.json", kill),
      (kill) => when("before-restore", kill),
      () => {},
    ];
    for (const arrange of kills) {
      cpSync(inFolder("target"), inFolder("victim"), { recursive: true });
      await sandbox.forager(["backup", "restore", "backup-0.tar.gz", "--yes", "--data", "victim"], {
        onStart: (kill) => arrange(() => kill("SIGKILL")),
      });
      // A command that writes brings the index up to date as well.
      await on("victim", "company", "add", "Afterwards", "--website", "after.example");
      const names = await on("victim", "company", "list", "--all", "--json");
      const isOld = names.includes("Only Here");
      expect(names.includes("Company 49")).toBe(!isOld);
      expect(await on("victim", "records", "check")).toContain("all files are as they should be");
      expect(existsSync(inFolder("victim/restoring/ready.json"))).toBe(false);
      seen.add(isOld ? "old" : "new");
      rmSync(inFolder("victim"), { recursive: true });
    }
    expect(seen).toContain("new");

    function when(name: string, kill: () => void): void {
      const looking = setInterval(() => {
        if (!existsSync(inFolder(`victim/${name}`))) return;
        clearInterval(looking);
        kill();
      }, 1);
      looking.unref();
      setTimeout(() => clearInterval(looking), 120_000).unref();
    }
  });

  test("killed with -9, an undo is done whole or not at all", async () => {
    await sandbox.good("company", "set", "company-0", "city=Old", "state=Old", "street=Old");
    for (const killMs of isLong ? [250, 450, 700] : [450]) {
      await sandbox.good("company", "set", "company-0", "city=New", "state=New", "street=New");
      await sandbox.onData(["undo", "--yes"], {
        onStart: (kill) => void setTimeout(() => kill("SIGKILL"), killMs),
      });
      await sandbox.good("records", "ingest");
      const shown = await sandbox.good("export", "companies", "--words", "company 0", "--format", "jsonl"); // prettier-ignore
      const { city, state, street } = JSON.parse(shown.split("\n")[0]!) as Record<string, string>;
      expect(["Old,Old,Old", "New,New,New"]).toContain(`${city},${state},${street}`);
    }
    await sandbox.good("company", "set", "company-0", "city=New");
    await sandbox.good("undo", "--yes");
    expect(await sandbox.good("company", "show", "company-0")).not.toContain("city     New");
  });

  test("a folder in use, or with content, is not replaced without being asked", async () => {
    await on("target", "company", "list");
    const before = readdirSync(inFolder("target"));
    const refused = await sandbox.forager([
      "backup",
      "restore",
      "backup-0.tar.gz",
      "--data",
      "target",
    ]);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain("pass --yes to confirm");
    expect(readdirSync(inFolder("target"))).toEqual(before);
    const missing = await sandbox.forager([
      "backup",
      "restore",
      "none.tar.gz",
      "--data",
      "nowhere",
    ]);
    expect(missing.stderr).toContain("there is no file");
    expect(existsSync(inFolder("nowhere"))).toBe(false);
  });
});
