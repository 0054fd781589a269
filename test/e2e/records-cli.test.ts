// inputs: src/** package.json tsconfig.json tsconfig.build.json
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createSandbox, type RunOptions, type Sandbox } from "../support/built-cli.ts";

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await createSandbox();
});
afterEach(() => sandbox.remove());

const run = (args: readonly string[], options?: RunOptions) =>
  sandbox.forager([...args, "--data", "data"], options);
const good = async (...args: readonly string[]) => {
  const result = await run(args);
  expect(result.exitCode, result.stderr).toBe(0);
  return result.stdout;
};
const json = async (...args: readonly string[]) =>
  JSON.parse(await good(...args, "--json")) as never;
const inData = (path: string) => join(sandbox.folder, "data", path);
const page = "companies/acme-flooring/_index.md";

describe("forager company", () => {
  test("B14: add, show, set, unset, tag, exclude: a file that anyone can read", async () => {
    const added = await good(
      ...["company", "add", "Acme Flooring", "--website", "www.acme.example", "--city", "Austin"],
      ...["--phone", "(512) 555-0100", "--country", "US", "--email", "Info@Acme.example"],
    );
    expect(added).toBe(`${page}\n`);
    expect(readFileSync(inData(page), "utf8")).toMatch(/^---\nname: Acme Flooring\n/);
    expect(await json("company", "show", "acme-flooring")).toMatchObject({
      target: "company/acme.example",
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
    const again = await run(["company", "add", "Acme", "--domain", "acme.example"]);
    expect(again.stdout).toContain("was known; what is new was added");
  });

  test("wrong usage says what to write instead, and writes nothing", async () => {
    await good("company", "add", "Acme Flooring");
    const wrong = async (args: readonly string[], message: string, exitCode = 2) => {
      const result = await run(["company", ...args]);
      expect(result.stderr).toContain(message);
      expect(result.exitCode).toBe(exitCode);
    };
    await wrong(["set", "acme-flooring", "emial=a@b.example"], "the nearest is email");
    await wrong(["set", "acme-flooring", "email=nobody"], "'nobody' is no e-mail address");
    await wrong(["set", "acme-flooring", "rating:=x"], "is not JSON");
    await wrong(["unset", "acme-flooring", "tag"], "acme-flooring has no tag");
    await wrong(["show", "acme"], "there is no company 'acme': did you mean acme-flooring?", 1);
    await wrong(["call", "acme-flooring", "x", "--callback", "soon"], "--callback takes a moment");
    await wrong(["note", "acme-flooring"], "there is no text");
    await wrong(["exclude", "acme-flooring"], "why? write the reason");
    await wrong(["forget", "acme-flooring"], "pass --yes to go on");
    await wrong(["list", "--has", "email", "--missing", "email"], "nothing both has and misses");
    await wrong(["list", "--after", "x"], "begin without it");
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
    expect(await good(...call)).toMatch(/^call of .* kept in due-ltd; call again 20/);
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

  test("search finds words in any order, without accents; pages go on; nothing found exits 1", async () => {
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
    const none = await run(["company", "search", "nowhere"]);
    expect(none).toMatchObject({ exitCode: 1, stderr: "nothing was found\n" });
    expect((await good("company", "search", "a@m.example")).split("\n")[1]).toContain("Müller");
    // A fact that came by another way than these commands is found all the same.
    await good("ledger", "set", "company/other", "name=Quite Other", "--source", "system");
    expect((await slugs("search", "quite")).found).toEqual(["quite-other"]);
  });

  test("E7: what an editor changed is taken in; a file that is no YAML is told and left alone", async () => {
    await good("company", "add", "Acme Flooring");
    const script = join(sandbox.folder, "edit.sh");
    writeFileSync(script, '#!/bin/sh\nsed -i "s/^name: .*/name: Acme Edited/" "$1"\n');
    const env = { EDITOR: `sh ${script}` };
    const opened = await run(["company", "open", "acme-flooring", "--json"], { env });
    expect(JSON.parse(opened.stdout)).toMatchObject({ fields: ["name"], problems: [] });
    const [first] = (await json("company", "history", "acme-flooring", "--field", "name")) as {
      value: string;
      source: string;
    }[];
    expect(first).toMatchObject({ value: "Acme Edited", isShown: true });
    expect(first!.source).toMatch(/^hand:/);

    const slug = ((await json("company", "list")) as { rows: { slug: string }[] }).rows[0]!.slug;
    const file = inData(`companies/${slug}/_index.md`);
    const broken = `---\nname: [\n${readFileSync(file, "utf8")}`;
    writeFileSync(file, broken);
    const ingested = await run(["records", "ingest"]);
    expect(ingested.exitCode).toBe(1);
    expect(ingested.stdout).toContain(`companies/${slug}/_index.md`);
    const status = await run(["records", "status", "--json"]);
    expect(status.exitCode).toBe(1);
    expect(JSON.parse(status.stdout)).toMatchObject({ companies: 1, problems: [{}] });
    await good("company", "set", slug, "city=Austin");
    expect(readFileSync(file, "utf8")).toBe(broken);
    writeFileSync(file, broken.slice("---\nname: [\n".length));
    expect(await good("records", "ingest")).toContain("looked at");
    expect(await good("records", "status")).toContain("all files are as they should be");
  });

  test("merge, history, restore and forget: nothing is lost, but what is to be", async () => {
    await good("company", "add", "Acme", "--domain", "a.example", "--city", "Austin");
    await good("company", "add", "Acme Two", "--domain", "b.example", "--email", "x@b.example");
    await good("company", "set", "acme", "city=Boston", "--source", "hand:anna");
    const before = new Date(Date.now() - 1).toISOString();
    await good("company", "set", "acme", "city=Chicago");
    const restore = ["company", "restore", "acme", "--field", "city", "--at", before, "--yes"];
    expect(await good(...restore)).toContain("city of acme as of");
    expect(await good("company", "merge", "acme-two", "acme", "--yes")).toContain("is acme now");
    expect(await json("company", "show", "acme-two")).toMatchObject({
      slug: "acme",
      texts: { city: "Boston" },
      emails: [{ value: "x@b.example" }],
    });
    expect(await good("company", "who", "x@b.example")).toMatch(/^1 company, 0 people, on 1 unre/);
    expect(await good("company", "history", "acme", "--field", "city")).toMatch(
      /\* +2.* city +"Boston"/,
    );
    const forgotten = await good("company", "forget", "acme", "--yes");
    expect(forgotten).toContain("company/a.example is forgotten; no copy remains here");
    expect(existsSync(inData("companies/acme"))).toBe(false);
    expect((await run(["company", "show", "acme"])).exitCode).toBe(1);
    const refused = await run(["company", "add", "Acme", "--domain", "a.example"]);
    expect(refused.stderr).toContain("was forgotten, and is left alone");
    expect(await good("company", "forget", "a.example", "--status")).toContain("is forgotten");
  });
});

describe("forager person and forager records", () => {
  test("people belong to companies, and have notes, calls and a history too", async () => {
    await good("company", "add", "Acme");
    const added = await good(
      ...["person", "add", "Anna Berg", "--company", "acme", "--role", "owner"],
      ...["--email", "anna@acme.example"],
    );
    expect(added).toBe("people/anna-berg/_index.md\n");
    await good("person", "set", "anna-berg", "role=boss", "tag=vip");
    await good("person", "call", "anna-berg", "nice talk");
    expect(await json("person", "search", "berg")).toMatchObject({
      rows: [{ slug: "anna-berg", texts: { role: "boss" }, tags: ["vip"], entries: [{}] }],
    });
    const { people } = (await json("company", "show", "acme")) as { people: object[] };
    expect(people).toMatchObject([{ role: "owner" }]);
    expect(await good("company", "who", "anna@acme.example")).toContain("anna-berg");
    await good("person", "forget", "anna-berg", "--yes");
    expect(await json("person", "list")).toEqual({ rows: [], next: null });
  });

  test("B23: the index is rebuilt at will, and by itself where it is damaged", async () => {
    await good("company", "add", "Acme");
    writeFileSync(inData("index/records.db"), "no index at all, but some other text\n");
    const found = await run(["company", "search", "acme"]);
    expect(found.stdout).toContain("acme");
    expect(found.stderr).toContain("the index is damaged and is made anew");
    appendFileSync(inData("companies/acme/_index.md"), "A description.\n");
    const rebuilt = await run(["records", "rebuild"]);
    expect(rebuilt.stdout).toMatch(/^1 record in /);
    expect(rebuilt.stderr).toContain("rebuild [####################]");
    expect(await json("company", "show", "acme")).toMatchObject({ description: "A description." });
  });

  test("watch takes in what is saved, until it is stopped", async () => {
    await good("company", "add", "Acme");
    const file = inData("companies/acme/_index.md");
    const watching = await run(["records", "watch", "--json"], {
      onStart: () => {
        setTimeout(() => {
          writeFileSync(file, readFileSync(file, "utf8").replace("name: Acme", "name: Acme Saved"));
        }, 1_500);
      },
      onStdout: (text, kill) => (text.includes("\n") ? kill("SIGINT") : undefined),
    });
    expect(watching.exitCode).toBe(130);
    expect(JSON.parse(watching.stdout.split("\n")[0]!)).toMatchObject({
      edited: [{ fields: ["name"] }],
    });
    expect(await good("company", "search", "saved")).toContain("Acme Saved");
  });
});
