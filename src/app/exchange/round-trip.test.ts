import { expect, test } from "vitest";
import { createSeededRandom, type Random } from "../../base/random.ts";
import type { NodeApi } from "../../node/index.ts";
import { companyCsvHeader, companyCsvLine, companyObject } from "../../records/index.ts";
import { openTestRecords, type TestRecords } from "../../records/testing/test-records.ts";
import { importFile } from "./import-file.ts";

const pick = <Value>(random: Random, values: readonly Value[]): Value =>
  values[random.below(values.length)]!;
/** Texts that a spreadsheet, a separator or a number parser could damage. */
const texts = [
  "Köln",
  "=1+1",
  "a; b",
  'say "hi"',
  "x, y",
  "007",
  "+5",
  "two\nlines",
  "a|b",
  "c\\d;",
];

/** Companies with and without a domain, each with some of the fields of an export. */
async function fill(at: TestRecords, random: Random, count: number): Promise<readonly string[]> {
  const targets: string[] = [];
  for (let number = 0; number < count; number++) {
    const some = (field: string, value: unknown) =>
      random.next() < 0.5 ? { [field]: value } : ({} as Record<string, unknown>);
    const fields = {
      name: pick(random, ["Acme", "Böden & Söhne", "Call Me", "=Formula Ltd"]),
      ...some("domain", `d${number}.example`),
      ...some("website", `https://w${number}.example/`),
      ...some("city", pick(random, texts)),
      ...some("zip", "01067"),
      ...some("rating", 4.5),
      ...some("latitude", -30.123456),
      ...some("hours", pick(random, texts)),
      ...some("description", `# Head\n\n${pick(random, texts)}`),
      ...some("callback", "2031-01-01T09:00:00.000Z"),
      ...some(`email/a${number}@x.example`, { label: "office", url: "https://x.example/c" }),
      ...some(`email/b${number}@x.example`, true),
      ...some("phone/+15125550100", { label: "desk" }),
      ...some(`tag/${pick(random, ["vip", "a, b", "c;d"])}`, true),
      ...some(`category/${pick(random, ["Plumbing, heating", "a; b", "x|y", "c\\"])}`, true),
      ...some("category/second", true),
      ...some("social/facebook", `https://facebook.com/${number}`),
      ...some("x/colour", "blue"),
      ...some("note/n1", { at: "2026-01-01T00:00:00.000Z", text: "hello" }),
    };
    const source = pick(random, ["hand:anna", "site:https://x.example"]);
    targets.push((await at.records.create({ source, fields })).target);
  }
  return targets;
}

async function exported(at: TestRecords, targets: readonly string[], format: "csv" | "jsonl") {
  const companies = await Promise.all(targets.map((target) => at.records.company(target)));
  const lines = companies.map((company) =>
    format === "csv" ? companyCsvLine(company!) : `${JSON.stringify(companyObject(company!))}\n`,
  );
  return (format === "csv" ? companyCsvHeader() : "") + lines.join("");
}

const importText = (at: TestRecords, text: string, format: "csv" | "jsonl") =>
  importFile({
    records: {
      createAll: (all: Parameters<typeof at.records.createAll>[0]) => at.records.createAll(all),
      similar: async (all: readonly string[]) => all.map(() => []),
    } as unknown as NodeApi["records"],
    chunks: (async function* () {
      yield Buffer.from(text);
    })(),
    format: { format, encoding: "utf-8", at: "2026-11-18T00:00:00.000Z", keepsOthers: true },
    source: "place:file/o.csv",
    isDryRun: false,
    signal: new AbortController().signal,
    onLines: () => {},
  });

const factCount = async (at: TestRecords) =>
  (await at.ledger.log({ from: 0, limit: Infinity })).length;

test.each(["csv", "jsonl"] as const)(
  "an export as %s that is imported again changes nothing, and makes the same companies elsewhere",
  async (format) => {
    for (let seed = 1; seed <= 4; seed++) {
      const random = createSeededRandom(seed);
      await using at = await openTestRecords();
      const targets = await fill(at, random, 12);
      const text = await exported(at, targets, format);
      const before = await factCount(at);
      const again = await importText(at, text, format);
      expect(again, `seed ${seed}`).toMatchObject({
        created: 0,
        faulty: 0,
        unread: 0,
        leftOut: [],
      });
      expect(await factCount(at), `seed ${seed}`).toBe(before);

      await using other = await openTestRecords();
      expect(await importText(other, text, format)).toMatchObject({ created: targets.length });
      const withoutTime = (lines: string) =>
        lines.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z(?=,company)|"changed":"[^"]*"/g, "");
      const there = await exported(other, targets, format);
      expect(withoutTime(there), `seed ${seed}`).toBe(withoutTime(text));
      const facts = await factCount(other);
      expect(await importText(other, text, format)).toMatchObject({ created: 0 });
      expect(await factCount(other), `seed ${seed}`).toBe(facts);
    }
  },
);
