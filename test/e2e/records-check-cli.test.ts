// inputs: src/** package.json tsconfig.json tsconfig.build.json
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createRecordsSandbox, type RecordsSandbox } from "../support/records-sandbox.ts";
import { targetOfKey } from "../../src/records/testing/company-targets.ts";

let sandbox: RecordsSandbox;
beforeEach(async () => {
  sandbox = await createRecordsSandbox();
});
afterEach(() => sandbox.remove());

interface FindingShown {
  readonly kind: string;
  readonly path: string;
  readonly field?: string;
  readonly repair?: { readonly kind: string };
}
interface CheckShown {
  readonly edited: readonly string[];
  readonly missing: readonly string[];
  readonly problems: readonly FindingShown[];
}
interface EntryShown {
  readonly id: string;
  readonly kind: string;
  readonly path: string;
  readonly field?: string;
  readonly file?: string;
}

const file = (path: string) => sandbox.inData(path);
const textAt = (path: string) => readFileSync(file(path), "utf8");

async function check(): Promise<CheckShown & { readonly exitCode: number | null }> {
  const { exitCode, stdout } = await sandbox.onData(["records", "check", "--json"]);
  return { ...(JSON.parse(stdout) as CheckShown), exitCode };
}
const entries = () => sandbox.json<readonly EntryShown[]>("records", "quarantine");

test("B22: files that are broken, copied, missing or outdated are found, rebuilt or quarantined, and come back", async () => {
  for (const name of ["Acme", "Berg", "Cole", "Dorn"]) await sandbox.good("company", "add", name);
  expect(await check()).toMatchObject({ exitCode: 0, problems: [], missing: [], edited: [] });
  const old = textAt("companies/dorn/_index.md");
  await sandbox.good("company", "set", "dorn", "city=Ulm");
  writeFileSync(file("companies/dorn/_index.md"), old);
  const broken = textAt("companies/acme/_index.md").replace("name:", "city: Bonn\nnotes: [\nname:");
  writeFileSync(file("companies/acme/_index.md"), broken);
  mkdirSync(file("companies/acme/notes"));
  writeFileSync(file("companies/acme/notes/a.md"), Buffer.from([0xff, 0xfe, 0x41]));
  cpSync(file("companies/berg"), file("companies/berg-copy"), { recursive: true });
  rmSync(file("companies/cole"), { recursive: true });

  const found = await check();
  expect(found.exitCode).toBe(3);
  expect([...found.missing].sort()).toEqual([
    "companies/cole/_index.md",
    "companies/dorn/_index.md",
  ]);
  expect(found.problems.map(({ path }) => path).sort()).toEqual([
    "companies/acme/_index.md",
    "companies/acme/notes/a.md",
    "companies/berg-copy/_index.md",
  ]);
  const asked = await sandbox.onData(["records", "repair"]);
  expect([asked.exitCode, asked.stderr]).toEqual([2, expect.stringContaining("--yes")]);
  await sandbox.good("records", "repair", "--dry-run");
  expect(textAt("companies/acme/_index.md")).toBe(broken);

  await sandbox.good("records", "repair", "--yes");
  expect(await check()).toMatchObject({ exitCode: 0, problems: [], missing: [], edited: [] });
  expect(textAt("companies/dorn/_index.md")).toContain("city: Ulm");
  expect(textAt("companies/acme/_index.md")).toContain("name: Acme");
  expect(existsSync(file("companies/berg-copy"))).toBe(false);
  const kept = await entries();
  expect(kept).toHaveLength(3);

  const acme = kept.find(({ path }) => path === "companies/acme/_index.md")!;
  const shown = await sandbox.json<{ text: string }>("records", "quarantine", "show", acme.id);
  expect(shown.text).toBe(broken);
  const refused = await sandbox.onData(["records", "quarantine", "restore", acme.id]);
  expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining(acme.file!)]);
  writeFileSync(file(acme.file!), broken.replace("notes: [\n", ""));
  await sandbox.good("records", "quarantine", "restore", acme.id);
  expect(await sandbox.json("company", "show", "acme")).toMatchObject({ texts: { city: "Bonn" } });
  const copy = kept.find(({ path }) => path === "companies/berg-copy/_index.md")!;
  await sandbox.good("records", "quarantine", "discard", copy.id, "--yes");
  expect((await entries()).map(({ path }) => path)).toEqual(["companies/acme/notes/a.md"]);
  await sandbox.good("company", "forget", "acme", "--yes");
  expect(await entries()).toEqual([]);
  const unknown = await sandbox.onData(["records", "quarantine", "show", copy.id]);
  expect([unknown.exitCode, unknown.stderr]).toEqual([2, expect.stringContaining("no entry")]);
});

test("values of a wrong type, name or character set are corrected; what cannot be is quarantined", async () => {
  await sandbox.good("company", "add", "Acme", "--website", "acme.example", "--country", "DE");
  await sandbox.good("person", "add", "Anna", "--company", "acme");
  const target = targetOfKey("acme.example");
  // As an earlier version stored what people wrote into files by hand, and what imports decoded wrongly.
  await sandbox.good(
    ..."ledger set".split(" "),
    target,
    "x/email=Old@Acme.example",
    "x/phone=0228 5550100",
    'x/tags:=["vip","new"]',
    "x/website_url=https://other.example",
    "x/mine=stays",
    "rating=4.5",
    "city=KÃ¶ln",
    "tag/MÃ¼he:=true",
    'person/nobody:={"role":"owner"}',
  );
  const found = await check();
  expect(found.problems.map(({ kind, field, repair }) => [kind, field, repair?.kind])).toEqual([
    ["encoding", "city", "write"],
    ["schema", "rating", "write"],
    ["encoding", "tag/MÃ¼he", "write"],
    ["schema", "x/email", "write"],
    ["schema", "x/phone", "write"],
    ["schema", "x/tags", "write"],
    ["schema", "x/website_url", "move value"],
    ["reference", "person/nobody", "move value"],
  ]);
  await sandbox.good("records", "repair", "--yes");
  expect(await check()).toMatchObject({ exitCode: 0, problems: [] });
  expect(await sandbox.json("company", "show", "acme")).toMatchObject({
    texts: { city: "Köln", website: "https://acme.example/" },
    numbers: { rating: 4.5 },
    emails: [{ value: "old@acme.example" }],
    phones: [{ value: "+492285550100" }],
    tags: ["Mühe", "new", "vip"],
    people: [{}],
    extra: { mine: "stays" },
  });
  expect(await sandbox.good("company", "list", "--has", "email")).toContain("acme");
  const kept = await entries();
  // In the order of their moments, which may be the same.
  expect(kept).toHaveLength(2);
  expect(new Set(kept.map(({ field }) => field))).toEqual(new Set(["x/website_url", "person/nobody"])); // prettier-ignore
  const { id } = kept.find(({ field }) => field === "person/nobody")!;
  await sandbox.good("records", "quarantine", "restore", id);
  expect((await check()).problems).toMatchObject([{ kind: "reference", field: "person/nobody" }]);
});
