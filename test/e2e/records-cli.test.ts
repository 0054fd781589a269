// inputs: src/** package.json tsconfig.json tsconfig.build.json
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { RunOptions } from "../support/built-cli.ts";
import { createRecordsSandbox, type RecordsSandbox } from "../support/records-sandbox.ts";
import { targetOfKey } from "../../src/records/testing/company-targets.ts";

let sandbox: RecordsSandbox;
beforeEach(async () => {
  sandbox = await createRecordsSandbox();
});
afterEach(() => sandbox.remove());

const run = (args: readonly string[], options?: RunOptions) => sandbox.onData(args, options);
const good = (...args: readonly string[]) => sandbox.good(...args);
const json = (...args: readonly string[]) => sandbox.json<never>(...args);
const words = (line: string) => line.split(" ");
const inData = (path: string) => sandbox.inData(path);
const page = "companies/acme-flooring/_index.md";

describe("forager company", () => {
  test("B14: add, show, set, unset, tag, exclude: a file that anyone can read", async () => {
    const added = await good(
      "company",
      "add",
      "Acme Flooring",
      ...words("--website www.acme.example --city Austin --country US"),
      ...words("--phone 512-555-0100 --email Info@Acme.example"),
    );
    expect(added).toBe(`${page}\n`);
    expect(readFileSync(inData(page), "utf8")).toMatch(/^---\nname: Acme Flooring\n/);
    expect(await json("company", "show", "acme-flooring")).toMatchObject({
      target: targetOfKey("acme.example"),
      name: "Acme Flooring",
      texts: { domain: "acme.example", website: "https://www.acme.example/", city: "Austin" },
      emails: [{ value: "info@acme.example" }],
      phones: [{ value: "+15125550100" }],
      file: page,
    });
    const set = ["company", "set", "acme-flooring", "rating:=4.5", "tag=vip", "x/revenue:=12"];
    expect(await good(...set)).toBe("rating, tag/vip, x/revenue of acme-flooring changed\n");
    expect(await good(...set)).toContain("nothing changed");
    await good("company", "tag", "acme-flooring", "fair 2026");
    expect(await good("company", "unset", "acme-flooring", "rating")).toContain("rating of acme");
    await good("company", "exclude", "acme-flooring", "a", "competitor");
    expect(await json("company", "show", "acme-flooring")).toMatchObject({
      tags: ["fair 2026", "vip"],
      numbers: {},
      extra: { revenue: 12 },
      excluded: "a competitor",
    });
    const nameless = await run(["company", "add", "domain=bolt.example", "name=Bolt"]);
    expect(nameless.exitCode).toBe(2);
    expect(nameless.stderr).toContain(
      "is the name, not a field: write `forager --data data company add NAME 'domain=bolt.example'`",
    );
    // What is known is not overwritten: that it differs is told.
    const again = await run(["company", "add", "Acme", "--domain", "acme.example", "--tag", "new"]);
    expect(again.stdout).toContain("was known; 1 field added");
    expect(again.stderr).toContain('name stays "Acme Flooring", not "Acme": `forager --data data company set acme-flooring \'name=Acme\'` changes it'); // prettier-ignore
    expect(await json("company", "show", "acme-flooring")).toMatchObject({ name: "Acme Flooring" });
    // The last change by hand is undone, and the one before.
    const undone = await run(["undo", "--yes"]);
    expect(undone.stderr).toContain("Acme Flooring: tag/new: (there) → (none)");
    expect(undone.stdout).toMatch(/^undid the change of .*: 1 field\n$/);
    expect(await json("company", "show", "acme-flooring")).toMatchObject({
      tags: ["fair 2026", "vip"],
    });
    await good("company", "call", "acme-flooring", "--outcome", "voicemail", "--callback", "1s");
    await good("company", "call", "acme-flooring", "--done");
    expect(await json("company", "show", "acme-flooring")).not.toHaveProperty("callback");
  });

  test("wrong usage says what to write instead, and writes nothing", async () => {
    await good("company", "add", "Acme Flooring");
    const wrong = async (args: readonly string[], message: string, exitCode = 2) => {
      const result = await run(["company", ...args]);
      expect(result.stderr).toContain(message);
      expect(result.exitCode).toBe(exitCode);
    };
    await wrong(["set", "acme-flooring", "emial=a@b.example"], "the nearest is email");
    await wrong(["set", "acme-flooring", "email=nobody"], "'nobody' is not an e-mail address");
    await wrong(["set", "acme-flooring", "rating:=x"], "is not JSON");
    await wrong(["unset", "acme-flooring", "tag"], "acme-flooring has no tag");
    await wrong(["show", "acme"], "there is no company 'acme': did you mean acme-flooring?", 1);
    await wrong(["call", "acme-flooring", "x", "--callback", "soon"], "--callback takes a moment");
    await wrong(["note", "acme-flooring"], "there is no text");
    await wrong(["exclude", "acme-flooring"], "why? write the reason");
    await wrong(["forget", "acme-flooring"], "pass --yes to confirm");
    await wrong(["add", "  "], "name has no value");
    await wrong(
      ["list", "--has", "email", "--missing", "email"],
      "--has and --missing email exclude each other",
    );
    await wrong(["list", "--after", "x"], "start without it");
    expect(await json("company", "list")).toMatchObject({ rows: [{ emails: [] }], next: null });
  });

  test("notes, meetings and calls are kept; to-call has what is due, then the best new ones", async () => {
    const add = (name: string, ...more: readonly string[]) =>
      good("company", "add", name, "--phone", "+15125550100", ...more);
    await add("Due Ltd");
    await add("New Ltd", "rating:=4");
    await add("Best Ltd", "rating:=5");
    await good("company", "note", "due-ltd", "wants an offer");
    const piped = await run(["company", "meeting", "due-ltd", "-", "--title", "Kick-off"], {
      input: "first line\nsecond line\n",
    });
    expect(piped.exitCode, piped.stderr).toBe(0);
    const call = ["company", "call", "due-ltd", "--outcome", "voicemail", "--callback", "2d"];
    expect(await good(...call)).toMatch(/^call of .* added to due-ltd; call again 20/);
    const shown = await json("company", "show", "due-ltd");
    expect((shown as { entries: object[] }).entries).toMatchObject([
      { kind: "note", text: "wants an offer" },
      { kind: "meeting", title: "Kick-off", text: "first line\nsecond line" },
      { kind: "call", outcome: "voicemail" },
    ]);
    const names = async (...more: readonly string[]) =>
      ((await json("company", "to-call", ...more)) as { slug: string }[]).map(({ slug }) => slug);
    expect(await names()).toEqual(["best-ltd", "new-ltd"]);
    expect(await names("--until", "3d")).toEqual(["due-ltd", "best-ltd", "new-ltd"]);
    expect(await names("--until", "3d", "--due")).toEqual(["due-ltd"]);
  });

  test("search finds words in any order, without accents; pages continue; nothing found exits 1", async () => {
    writeFileSync(
      join(sandbox.folder, "in.csv"),
      "name,city,tags,email\nMüller Böden,Köln,vip,a@m.example\nBoden Meyer,Bonn,,b@b.example\nZeta,Köln,vip,\n",
    );
    await good("import", "companies", "in.csv");
    const slugs = async (...args: readonly string[]) => {
      const { rows, next } = (await json("company", ...args)) as {
        rows: { slug: string }[];
        next: string | null;
      };
      return { found: rows.map(({ slug }) => slug), next };
    };
    expect((await slugs("search", "koln", "mull")).found).toEqual(["muller-boden"]);
    expect((await slugs("search", "boden", "--has", "email")).found).toHaveLength(2);
    expect((await slugs("list", "--tag", "VIP", "--missing", "email")).found).toEqual(["zeta"]);
    const first = await slugs("list", "--limit", "2");
    expect(first.found).toEqual(["boden-meyer", "muller-boden"]);
    expect(await slugs("list", "--after", first.next!)).toEqual({ found: ["zeta"], next: null });
    const all = (await json("company", "list", "--all", "--limit", "1")) as { slug: string }[];
    expect(all.map(({ slug }) => slug)).toEqual(["boden-meyer", "muller-boden", "zeta"]);
    const none = await run(["company", "search", "nowhere"]);
    expect(none).toMatchObject({ exitCode: 1, stdout: "no companies match\n" });
    expect((await good("company", "search", "a@m.example")).split("\n")[1]).toContain("Müller");
    // A fact that came by another way than these commands is found all the same.
    await good("ledger", "set", "company/other", "name=Quite Other", "--source", "system");
    expect((await slugs("search", "quite")).found).toEqual(["quite-other"]);
  });
});
