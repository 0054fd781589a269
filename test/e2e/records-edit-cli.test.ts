// inputs: src/** package.json tsconfig.json tsconfig.build.json
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
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

describe("files, history and people", () => {
  test("E7: what an editor changed is imported; a file that is not YAML is reported and not changed", async () => {
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
    const status = await run(["records", "check", "--json"]);
    expect(status.exitCode).toBe(3);
    expect(JSON.parse(status.stdout)).toMatchObject({ companies: 1, problems: [{}] });
    const { exitCode, stderr } = await run(["company", "set", slug, "city=Austin"]);
    expect(exitCode).toBe(0);
    expect(stderr.split("with errors until it is fixed")).toHaveLength(2);
    expect(readFileSync(file, "utf8")).toBe(broken);
    writeFileSync(file, broken.slice("---\nname: [\n".length));
    expect(await good("records", "ingest")).toContain("looked at");
    expect(await good("records", "check")).toContain("all files are as they should be");
  });

  test("merge, history, restore and forget: nothing is lost, but what is to be", async () => {
    await good("company", "add", "Acme", "--domain", "a.example", "--city", "Austin");
    await good("company", "add", "Acme Two", "--domain", "b.example", "--email", "x@b.example");
    await good("company", "set", "acme", "city=Boston", "--source", "hand:anna");
    const before = new Date(Date.now() - 1).toISOString();
    await good("company", "set", "acme", "city=Chicago");
    const restore = ["company", "restore", "acme", "--field", "city", "--at", before, "--yes"];
    expect(await good(...restore)).toContain("city of acme as of");
    expect(await good("company", "merge", "acme-two", "acme", "--yes")).toContain(
      "was merged into acme",
    );
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
    expect(forgotten).toContain(`${targetOfKey("a.example")} is forgotten; no copy remains here`);
    expect(existsSync(inData("companies/acme"))).toBe(false);
    expect((await run(["company", "show", "acme"])).exitCode).toBe(1);
    const refused = await run(["company", "add", "Acme", "--domain", "a.example"]);
    expect(refused.stderr).toContain("is suppressed: nothing was written");
    expect(await good("company", "forget", "a.example", "--status")).toContain("is forgotten");
    const unknown = await run(["company", "forget", "acme", "--status"]);
    expect(unknown).toMatchObject({ exitCode: 2, stdout: "" });
    expect(unknown.stderr).toContain("--status takes the id that `forget` printed");
  });
});

describe("forager person and forager records", () => {
  test("people belong to companies, and have notes, calls and a history too", async () => {
    await good("company", "add", "Acme");
    const added = await good(
      ...words("person add Anna --company acme --role owner --email anna@acme.example"),
    );
    expect(added).toBe("people/anna/_index.md\n");
    await good("person", "set", "anna", "role=boss", "tag=vip");
    await good("person", "call", "anna", "nice talk");
    expect(await json("person", "search", "ann")).toMatchObject({
      rows: [{ slug: "anna", texts: { role: "boss" }, tags: ["vip"], entries: [{}] }],
    });
    const { people } = (await json("company", "show", "acme")) as { people: object[] };
    expect(people).toMatchObject([{ role: "owner" }]);
    expect(await good("company", "who", "anna@acme.example")).toContain("anna");
    await good("person", "forget", "anna", "--yes");
    expect(await json("person", "list")).toEqual({ rows: [], next: null });
  });

  test("B23: the index is rebuilt at will, and by itself where it is damaged", async () => {
    await good("company", "add", "Acme");
    writeFileSync(inData("index/records.db"), "no index at all, but some other text\n");
    // A command that only reads changes nothing, and says what does.
    const search = await run(["company", "search", "acme"]);
    expect(search).toMatchObject({ exitCode: 1, stdout: "" });
    expect(search.stderr).toContain(
      "is damaged: `forager --data data records rebuild` rebuilds it",
    );
    const set = await run(["company", "set", "acme", "city=Bonn"]);
    expect(set.stdout).toContain("city of acme changed");
    expect(set.stderr).toContain("the index is damaged and is rebuilt");
    expect(await good("company", "search", "acme")).toContain("Bonn");
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
