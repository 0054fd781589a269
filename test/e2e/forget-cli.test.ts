// inputs: src/** package.json tsconfig.json tsconfig.build.json
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createRecordsSandbox } from "../support/records-sandbox.ts";

/** Files below a folder that contain a text, whatever sort of file they are. */
const filesWith = (folder: string, text: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => {
    const path = join(folder, name);
    return statSync(path).isFile() && readFileSync(path).includes(text);
  });

test("B8: a forgotten company is readable in no file of any node, and its domain in no journal", async () => {
  const sandbox = await createRecordsSandbox();
  onTestFinished(() => sandbox.remove());
  const good = (...words: string[]) => sandbox.good(...words);
  const bucket = ["--bucket", "dir:fleet"];
  const domain = "acmefloors.example";
  const line = `--website https://${domain} --email info@${domain} --phone +15124740143`;
  await good("company", "add", "Acme Floors", ...line.split(" "));
  await good("company", "note", "acme-floors", `they told us about ${domain}`);
  await good("company", "add", "Bolt", "--domain", "bolt.example");
  await good("person", "add", "Pia Pan", "--company", "acme-floors");
  await good("ledger", "sync", ...bucket);
  const other = async (...words: string[]) => {
    const result = await sandbox.forager([...words, "--data", "other"]);
    expect(result.exitCode, result.stderr).toBe(0);
    return result.stdout;
  };
  await other("node", "join", ...bucket);
  expect(await other("company", "list")).toContain("acme-floors");
  // What was done on a machine is in its audit log, by each of the names that a command takes.
  await other("company", "tag", "acme-floors", "first");
  await other("company", "tag", `https://www.${domain}/about`, "second");
  await good("company", "tag", domain, "third");
  const folders = [join(sandbox.folder, "data"), join(sandbox.folder, "other")];
  for (const folder of folders) expect(filesWith(folder, domain)).not.toEqual([]);

  expect(await good("company", "forget", "acme-floors", "--yes")).toContain("no copy remains here");
  await good("ledger", "sync", ...bucket);
  await other("ledger", "sync", ...bucket);
  expect(await other("company", "list")).not.toContain("acme-floors");
  for (const folder of folders) {
    expect(filesWith(folder, domain)).toEqual([]);
    expect(filesWith(folder, "Acme Floors")).toEqual([]);
  }
  expect(await good("person", "show", "pia-pan")).not.toMatch(/company/);
  await good("records", "check");
  expect(await good("company", "forget", domain, "--status")).toContain("no copy remains here");
  const again = await sandbox.onData(["company", "add", "Acme", "--website", domain]);
  expect(again.stderr).toContain("is suppressed");
  // Repeated by its domain: nothing is left to do.
  await good("company", "forget", domain, "--yes");
  await good("company", "forget", domain, "--undo");
  await good("company", "add", "Acme", "--website", domain);
  expect(await sandbox.json("company", "show", "acme")).toMatchObject({ texts: { domain } });
});
