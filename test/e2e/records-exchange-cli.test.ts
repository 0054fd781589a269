// inputs: src/** package.json tsconfig.json tsconfig.build.json
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { RunOptions } from "../support/built-cli.ts";
import { createRecordsSandbox, type RecordsSandbox } from "../support/records-sandbox.ts";

let sandbox: RecordsSandbox;
beforeEach(async () => {
  sandbox = await createRecordsSandbox();
});
afterEach(() => sandbox.remove());

const run = (args: readonly string[], options?: RunOptions) => sandbox.onData(args, options);
const good = (...args: readonly string[]) => sandbox.good(...args);
const json = (...args: readonly string[]) => sandbox.json<never>(...args);
const write = (name: string, text: string | Buffer) =>
  writeFileSync(join(sandbox.folder, name), text);

const leads = [
  "Firma,Website,E-Mail,Telefon,Stadt,Land,Umsatz",
  '"Müller, Söhne",www.mueller.example,info@mueller.example,089 123456,München,DE,5',
  "=Formula Ltd,formula.example,x@formula.example; y@formula.example,,Austin,US,6",
  "Nameless Mail,,nobody,,,,",
  ",,only@mail.example,,,,",
  "Same Domain,https://mueller.example/de,,,,,",
  "",
].join("\r\n");
const mapping = ["--map", "Firma=name", "--map", "Telefon=phone", "--map", "Stadt=city", "--map", "Land=country"]; // prettier-ignore

describe("forager import companies", () => {
  test("B24: dry run, columns by hand, duplicates and problems told; again changes nothing", async () => {
    write("leads.csv", leads);
    const args = ["import", "companies", "leads.csv", ...mapping];
    const dry = await run([...args, "--dry-run", "--json"]);
    expect(dry.exitCode, dry.stderr).toBe(3);
    const counts = { lines: 5, created: 3, known: 1, suppressed: 0, faulty: 1, unread: 1 };
    expect(JSON.parse(dry.stdout)).toMatchObject({
      ...counts,
      mapped: { Firma: "name", "E-Mail": "email", Telefon: "phone" },
      leftOut: ["Umsatz"],
    });
    expect(existsSync(sandbox.inData("companies"))).toBe(false);

    const done = await run(args);
    expect(done.exitCode).toBe(3);
    expect(done.stdout).toBe(
      [
        "leads.csv: 5 lines, 3 new, 1 known, 1 left out, 1 value not readable",
        "  line 4: E-Mail: 'nobody' is not an e-mail address",
        "  line 5: it has no name, no domain and no place",
        "",
      ].join("\n"),
    );
    expect(done.stderr).toContain("not imported: Umsatz; --map COLUMN=FIELD or --keep-other");
    expect(await json("company", "show", "muller-sohne")).toMatchObject({
      name: "Same Domain",
      phones: [{ value: "+4989123456" }],
      texts: { city: "München" },
    });
    const digest = await good("ledger", "verify");
    const again = await run([...args, "--json"]);
    expect(JSON.parse(again.stdout)).toMatchObject({ created: 0, known: 4 });
    expect(await json("company", "list")).toMatchObject({ rows: [{}, {}, {}] });
    expect(digest).toContain("are sound");
  });

  test("killed with -9 and run again, every line is one company", async () => {
    const count = 2_500;
    const rows = Array.from({ length: count }, (_, at) => {
      return JSON.stringify({
        name: `Company ${at % 2_000}`,
        street: `Street ${at}`,
        rating: at % 5,
      });
    });
    write("all.jsonl", `${rows.join("\n")}\n`);
    const args = ["import", "companies", "all.jsonl"];
    const killed = await run(args, {
      onStart: (kill) => {
        const looking = setInterval(() => {
          if (!existsSync(sandbox.inData("companies"))) return;
          clearInterval(looking);
          setTimeout(() => kill("SIGKILL"), 300);
        }, 20);
      },
    });
    expect(killed.exitCode).toBeNull();
    const report = JSON.parse(await good(...args, "--json")) as { created: number; known: number };
    expect(report.created + report.known).toBe(count);
    expect(report.known).toBeGreaterThan(0);
    expect(await json("records", "check")).toMatchObject({ companies: count, problems: [] });
  });

  test("what is not CSV, not UTF-8, not a file or of an unknown format is reported, and nothing is written", async () => {
    write("latin.csv", Buffer.from("name,city\nM\xfcller,K\xf6ln\n", "latin1"));
    write("quote.csv", 'name,city\n"Acme,Austin\n');
    write("data.xlsx", "PK");
    const wrong = async (args: readonly string[], message: string) => {
      const result = await run(["import", "companies", ...args]);
      expect(result.stderr).toContain(message);
      expect(result.exitCode).toBe(2);
    };
    await wrong(["latin.csv"], "--encoding windows-1252");
    await wrong(["quote.csv"], 'line 2: a quoted cell begins here and has no closing "');
    await wrong(["none.csv"], "there is no such file");
    await wrong(["data.xlsx"], "the format of data.xlsx is not known from its name");
    await wrong(["quote.csv", "--map", "Firma=name"], "there is no column 'Firma'");
    await wrong(["quote.csv", "--map", "name=emial"], "the nearest is email");
    expect(await good("import", "companies", "latin.csv", "--encoding", "windows-1252")).toContain(
      "1 new",
    );
    expect(await good("company", "search", "köln")).toContain("Müller");
  });
});

describe("forager export", () => {
  const fill = async () => {
    write("leads.csv", leads);
    await run(["import", "companies", "leads.csv", ...mapping]);
    await good("company", "exclude", "nameless-mail", "no mail");
  };

  test("B7: CSV that no spreadsheet runs, JSON lines and cards; filters, and into a file", async () => {
    await fill();
    const csv = await good("export", "companies");
    const [header, ...rows] = csv.split("\r\n");
    expect(header).toMatch(/^name,slug,domain,website,type,emails,phones,/);
    expect(rows[0]).toMatch(
      /^'=Formula Ltd,formula-ltd,formula\.example,https:\/\/formula\.example\/,,"x@formula\.example; y@/,
    );
    expect(rows).toHaveLength(3); // with the empty one; excluded ones are not among them
    const lines = (await good("export", "companies", "--format", "jsonl", "--city", "munchen"))
      .trim()
      .split("\n");
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      { name: "Same Domain", phones: [{ value: "+4989123456" }] },
    ]);
    expect(await json("export", "companies", "--with-excluded")).toHaveLength(3);
    const reported = await good("export", "companies", "--format", "vcf", "--to", "all.vcf");
    expect(reported).toContain("2 companies written to all.vcf");
    const cards = readFileSync(join(sandbox.folder, "all.vcf"), "utf8");
    expect(cards.match(/^BEGIN:VCARD\r$/gm)).toHaveLength(2);
    expect(existsSync(join(sandbox.folder, "all.vcf.part"))).toBe(false);
    const about = readFileSync(join(sandbox.folder, "all.vcf.about.json"), "utf8");
    expect(JSON.parse(about)).toMatchObject({ rows: 2, fileFormat: "vcf", licences: [] });
    const chosen = await good("export", "companies", "--columns", "name,missingEmail", "--bom");
    expect(chosen.split("\r\n")[0]).toBe("\ufeffname,missingEmail");
    const map = await good("export", "companies", "--format", "geojson");
    expect(JSON.parse(map)).toEqual({ type: "FeatureCollection", features: [] });
    const typo = await run(["export", "companies", "--columns", "emial"]);
    expect(typo).toMatchObject({ exitCode: 2, stdout: "" });
    expect(typo.stderr).toContain("there is no column 'emial': the nearest is email");
    const refused = await run(["export", "companies", "--to", "none/all.csv"]);
    expect(refused.stderr).toContain("is not a folder; create it first");
  });

  test("addresses come once each, without those on a suppress list; one that is not understood stops it", async () => {
    await fill();
    write("no.txt", "X@formula.example\n");
    const emails = await good("export", "emails", "--suppress", "no.txt");
    expect(emails.split("\r\n").map((line) => line.split(",")[0])).toEqual(
      "email y@formula.example info@mueller.example ".split(" "),
    );
    write("no.txt", "formula.example\n");
    expect(await good("export", "companies", "--suppress", "no.txt")).not.toContain("formula");
    write("no.txt", "x@formula.example\ny at formula\n");
    const stopped = await run(["export", "emails", "--suppress", "no.txt"]);
    expect(stopped).toMatchObject({ exitCode: 2, stdout: "" });
    expect(stopped.stderr).toContain("line 2: 'y at formula' is neither an address nor a domain");
  });

  test("a reader that goes away early ends it quietly", async () => {
    const rows = Array.from({ length: 3_000 }, (_, at) => `{"name":"Company ${at}"}`);
    write("all.jsonl", rows.join("\n"));
    await good("import", "companies", "all.jsonl");
    const main = '"$FORAGER_TEST_MAIN"';
    const line = `node ${main} export companies --data data | head -1`;
    const { stdout, stderr, exitCode } = await sandbox.run("bash", ["-c", line]);
    expect(stdout).toMatch(/^name,slug/);
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
  });
});
