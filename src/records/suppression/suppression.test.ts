import { describe, expect, test } from "vitest";
import { createSeededRandom } from "../../base/random.ts";
import { createTestClock } from "../../base/testing/test-clock.ts";
import { openTestLedger } from "../../ledger/testing/test-ledger.ts";
import { sampleCompany } from "../testing/sample-records.ts";
import { openTestRecords } from "../testing/test-records.ts";
import { importOptOuts, type OptOutOptions } from "./import-optouts.ts";
import { readKey } from "./keys.ts";
import { readSuppressFile } from "./read-suppress-file.ts";
import {
  addSuppressed,
  joinSuppressions,
  ledgerSuppression,
  newestSuppressed,
  suppressionRows,
  removeSuppressed,
  suppressionKeysOf,
  withoutListed,
} from "./suppression.ts";

const source = "hand:anna";
const random = createSeededRandom(3);

test.each([
  ["Anna@A.Example", "email:anna@a.example"],
  ["mailto:anna@a.example", "email:anna@a.example"],
  ["@b.example", "domain:b.example"],
  ["https://www.B.example/contact", "domain:b.example"],
  ["+49 89 123456", "phone:+4989123456"],
  ["0049 89 123456", "phone:+4989123456"],
  ["osm/node/1", "place:osm/node/1"],
  ["place:ChIJabc", "place:ChIJabc"],
  ["nobody", undefined],
  ["089 123456", undefined],
  ["", undefined],
])("%j is %s", (text, key) => expect(readKey(text)).toBe(key));

describe("the list", () => {
  test("adds what is new, keeps the first reason, lists by kind without values, removes", async () => {
    await using ledger = await openTestLedger();
    const keys = ["email:a@a.example", "domain:b.example", "email:a@a.example"] as const;
    const first = await addSuppressed(ledger, { keys, source, random, reason: "asked" });
    expect(first).toEqual({ added: 2, known: 0 });
    const again = await addSuppressed(ledger, { keys, source: "hand:bob", random, reason: "x" });
    expect(again).toEqual({ added: 0, known: 2 });
    const rows = await newestSuppressed(ledger, { limit: 9 });
    expect(rows.map(({ kind }) => kind).sort()).toEqual(["domain", "email"]);
    expect(rows.every((row) => row.reason === "asked" && row.source === source)).toBe(true);
    expect(JSON.stringify(rows)).not.toContain("example");
    expect(await removeSuppressed(ledger, { keys: ["domain:b.example"], source })).toBe(1);
    expect(await removeSuppressed(ledger, { keys: ["domain:b.example"], source })).toBe(0);
    expect(await newestSuppressed(ledger, { limit: 9 })).toHaveLength(1);
  });

  test("is read page by page, newest first, or as a whole", async () => {
    const clock = createTestClock();
    await using ledger = await openTestLedger({ clock });
    for (let at = 0; at < 9; at++) {
      const key = at % 3 === 0 ? (`domain:d${at}.example` as const) : (`phone:+4989${at}` as const);
      await addSuppressed(ledger, { keys: [key], source, random });
      await clock.advance(1_000);
    }
    const all = await newestSuppressed(ledger, { limit: 99 });
    expect(all.map(({ at }) => at)).toEqual(
      all
        .map(({ at }) => at)
        .sort()
        .toReversed(),
    );
    const paged: (typeof all)[number][] = [];
    for (let after = paged.at(-1); paged.length < 9; after = paged.at(-1))
      paged.push(...(await newestSuppressed(ledger, { limit: 2, after })));
    expect(paged).toEqual(all);
    expect(await newestSuppressed(ledger, { limit: 2, kind: "domain" })).toEqual(
      all.filter(({ kind }) => kind === "domain").slice(0, 2),
    );
    const ids: string[] = [];
    for await (const { id } of suppressionRows(ledger)) ids.push(id);
    expect(ids).toEqual(all.map(({ id }) => id).sort());
  });

  test("a listed domain or place leaves a company out, a listed address or number only itself", async () => {
    const company = sampleCompany("acme.example", {
      texts: { domain: "acme.example", place: "osm/node/1" },
      emails: [{ value: "anna@acme.example" }, { value: "info@acme.example" }],
      phones: [{ value: "+15125550100" }],
    });
    await using ledger = await openTestLedger();
    const left = async () =>
      withoutListed(company, await ledgerSuppression(ledger).among(suppressionKeysOf(company)));
    expect(await left()).toEqual({ company, emails: 0, phones: 0 });
    await addSuppressed(ledger, { keys: ["email:anna@acme.example", "phone:+15125550100"], source, random }); // prettier-ignore
    expect(await left()).toEqual({
      company: { ...company, emails: [{ value: "info@acme.example" }], phones: [] },
      emails: 1,
      phones: 1,
    });
    await addSuppressed(ledger, { keys: ["place:osm/node/1"], source, random });
    expect((await left()).company).toBeUndefined();
  });

  test("imports and creates leave out what is listed", async () => {
    await using at = await openTestRecords();
    const keys = ["email:anna@acme.example", "phone:+4989123456", "domain:gone.example"] as const;
    await addSuppressed(at.ledger, { keys, source, random });
    const fields = { name: "Acme", domain: "acme.example", "email/anna@acme.example": true };
    const made = await at.records.create({
      source,
      fields: { ...fields, "email/info@acme.example": true, "phone/+4989123456": true },
    });
    expect([...made.leftOut].sort()).toEqual(["email/anna@acme.example", "phone/+4989123456"]);
    const company = await at.records.company("acme");
    expect(company?.emails.map(({ value }) => value)).toEqual(["info@acme.example"]);
    expect(company?.phones).toEqual([]);
    const gone = { name: "Gone", domain: "shop.gone.example" };
    expect((await at.records.create({ source, fields: gone })).outcome).toBe("suppressed");
  });
});

describe("an opt-out file", () => {
  const read = async (
    ledger: OptOutOptions["ledger"],
    text: string,
    more: Partial<OptOutOptions> = {},
  ) => {
    async function* pieces() {
      for (let at = 0; at < text.length; at += 7) yield text.slice(at, at + 7);
    }
    const { signal } = new AbortController();
    return importOptOuts({ ledger, text: pieces(), source, random, signal, isDryRun: false, ...more }); // prettier-ignore
  };

  test("has its columns guessed; domains are not taken where there are addresses; no means no", async () => {
    await using ledger = await openTestLedger();
    const text =
      "\ufeffFirst Name;Work E-Mail;Mobile phone number;Company domain name;Unsubscribed from all email\r\n" +
      "Anna;anna@a.example;'+49 89 123456;a.example;TRUE\r\n" +
      "Bob;bob@b.example;;b.example;false\r\n" +
      "Carl;;;c.example;\r\n" +
      "Dora;dora@d.example;;;\r\n";
    const dry = await read(ledger, text, { isDryRun: true });
    expect(dry).toMatchObject({ lines: 4, added: 3, known: 0, notOptedOut: 1, faulty: 1 });
    expect(await newestSuppressed(ledger, { limit: 9 })).toEqual([]);
    const done = await read(ledger, text);
    expect(done).toMatchObject({
      added: 3,
      problems: [{ line: 4, text: "no value found in 'Carl, , , c.example, '" }],
      columns: {
        "Work E-Mail": "email",
        "Mobile phone number": "phone",
        "Unsubscribed from all email": "opted out?",
      },
      unused: ["First Name", "Company domain name"],
    });
    expect(await read(ledger, text)).toMatchObject({ added: 0, known: 3 });
    const keys = ["email:anna@a.example", "phone:+4989123456", "email:bob@b.example", "domain:a.example"]; // prettier-ignore
    expect(await ledger.suppressed(keys)).toEqual(keys.slice(0, 2));
  });

  test("stopped half-way it is repeated; of domains alone, of a plain list, of nothing known", async () => {
    await using ledger = await openTestLedger();
    const many = ["Domain", ...Array.from({ length: 21_000 }, (_, at) => `d${at}.example`)];
    const stop = new AbortController();
    const onLines = () => stop.abort();
    const half = await read(ledger, many.join("\n"), { signal: stop.signal, onLines });
    expect(half).toMatchObject({ isStopped: true, added: 20_000 });
    expect(await read(ledger, many.join("\n"))).toMatchObject({ added: 1_000, known: 20_000 });
    expect(await ledger.suppressed(["email:x@d4999.example"])).toHaveLength(1);
    const plain = await read(ledger, "x@y.example\n+4989123456\nosm/node/7\n");
    expect(plain).toMatchObject({ lines: 3, added: 3, faulty: 0 });
    await expect(read(ledger, "Name,City\nAcme,Austin\n")).rejects.toMatchObject({
      code: "suppress_columns",
    });
  });
});

describe("a suppress file of one export", () => {
  test("has addresses, whole domains and what is below them, whatever case", async () => {
    const { list, problems } = readSuppressFile(
      "\ufeffEmail,reason\r\nAnna@A.example,asked\r\n@b.example # all of it\n*@c.example\n\n# x\n",
    );
    expect(problems).toEqual([]);
    const listed = ["email:anna@a.example", "email:x@b.example", "email:x@mail.b.example", "email:y@c.example", "domain:shop.b.example"]; // prettier-ignore
    const others = ["email:bob@a.example", "email:x@notb.example", "email:b.example@d.example", "phone:+4989123456"]; // prettier-ignore
    expect([...(await list.among([...listed, ...others]))]).toEqual(listed);
    const both = joinSuppressions([list, readSuppressFile("bob@a.example").list]);
    expect([...(await both.among([...listed, ...others]))]).toEqual([...listed, others[0]]);
  });

  test("a line that is neither is reported, so that a typing error does not lead to a mail", () => {
    expect(readSuppressFile("anna@a.example\nanna at b\n").problems).toEqual([
      "line 2: 'anna at b' is neither an address nor a domain",
    ]);
  });
});
