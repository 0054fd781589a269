import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { systemClock } from "../base/clock.ts";
import { createSeededRandom } from "../base/random.ts";
import { createTestClock } from "../base/testing/test-clock.ts";
import { createMemoryBucket } from "../bucket/adapters/memory/memory-bucket.ts";
import type { Bucket } from "../bucket/index.ts";
import { createKeySealing, makeSiteKey } from "./write/seal.ts";
import { publishSite, type PublishOptions } from "./write/publish-site.ts";
import { readSite, testCompany, testSource } from "./testing/test-site.ts";

const open = () => createMemoryBucket({ clock: systemClock });
const companies = (count: number, name = (n: number) => `Company ${n}`) =>
  Array.from({ length: count }, (_, n) => testCompany({ name: name(n), city: n % 2 ? "Austin" : "Waco", slug: `company-${n}` }, n)); // prettier-ignore

const publish = (store: Bucket, given: Partial<PublishOptions> = {}) =>
  publishSite({
    store,
    source: testSource(companies(3)),
    clock: systemClock,
    mode: "private",
    shown: [],
    signal: new AbortController().signal,
    ...given,
  });

/** The same store; each call of a name is noted, and may fail. */
function watched(store: Bucket, onCall: (call: string) => void): Bucket {
  const names = ["get", "put", "putIfAbsent", "putIfMatch", "delete", "list"] as const;
  const calls = names.map((name) => [
    name,
    async (...args: readonly [string]) => {
      onCall(`${name} ${args[0]}`);
      return (store[name] as (...given: readonly unknown[]) => Promise<unknown>)(...args);
    },
  ]);
  return { ...store, ...Object.fromEntries(calls) } as Bucket;
}

test("a second publish of the same data writes nothing, though its report was computed again", async () => {
  const store = open();
  expect((await publish(store)).status).toBe("published");
  const calls: string[] = [];
  const again = await publish(watched(store, (call) => calls.push(call)));
  expect(again).toMatchObject({ status: "unchanged", generation: 1, written: 0 });
  expect(calls).toEqual(["get manifest.json"]);
});

test("only changed parts are written, and parts of the old site stay for the grace time", async () => {
  const store = open();
  const clock = createTestClock();
  const many = companies(300);
  const given = { clock, graceMs: 1_000 };
  await publish(store, { ...given, source: testSource(many) });
  const before = await readSite(store);
  const changed = many.map((one, n) => (n === 5 ? testCompany({ name: "Company 5", city: "Waco", phone: "+15125550100", slug: "company-5" }, 5) : one)); // prettier-ignore
  const second = await publish(store, { ...given, source: testSource(changed) });
  expect(second).toMatchObject({ status: "published", generation: 2, removed: 0 });
  const all = (await store.list("data/")).length;
  expect(second.written).toBeLessThan(all / 2);
  // A page that is open still has the site that it began with.
  expect((await before.json("/api/companies/company-5")).phones).toEqual([]);
  expect((await (await readSite(store)).json("/api/companies/company-5")).phones).toHaveLength(1);
  await clock.advance(1_001);
  const third = await publish(store, { ...given, source: testSource(changed) });
  expect(third.removed).toBe(second.written);
  expect((await publish(store, { ...given, source: testSource(changed) })).status).toBe(
    "unchanged",
  );
  const site = await readSite(store);
  for (let n = 0; n < 300; n += 7)
    expect((await site.json(`/api/companies/company-${n}`)).slug).toBe(`company-${n}`);
});

test("a publish that is interrupted anywhere leaves the old site whole, and the next one succeeds", async () => {
  const total: string[] = [];
  const trial = open();
  await publish(trial);
  await publish(watched(trial, (call) => total.push(call)), { source: testSource(companies(90, (n) => `Other ${n}`)) }); // prettier-ignore
  for (let stop = 0; stop < total.length; stop += 3) {
    const store = open();
    await publish(store);
    let calls = 0;
    const dying = watched(store, () => {
      if (calls++ >= stop) throw new Error("killed");
    });
    const source = testSource(companies(90, (n) => `Other ${n}`));
    await expect(publish(dying, { source })).rejects.toThrow("killed");
    const site = await readSite(store);
    expect(site.manifest.generation).toBe(1);
    expect((await site.json("/api/companies")).rows.map(({ name }: { name: string }) => name)).toEqual(["Company 0", "Company 1", "Company 2"]); // prettier-ignore
    expect((await publish(store, { source })).status).toBe("published");
    expect((await (await readSite(store)).json("/api/companies?words=other")).rows).not.toEqual([]);
  }
});

test("of two publishers at once one wins, and the site is all of that one", async () => {
  const store = open();
  await publish(store);
  const outcomes = await Promise.allSettled(
    ["First", "Second"].map((name) =>
      publish(store, { source: testSource(companies(200, (n) => `${name} ${n}`)) }),
    ),
  );
  expect(outcomes.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  expect(outcomes.find(({ status }) => status === "rejected")).toMatchObject({ reason: { code: "site_published_meanwhile" } }); // prettier-ignore
  const site = await readSite(store);
  const winner = (await site.json("/api/companies/company-0")).name.split(" ")[0];
  for (let n = 0; n < 200; n += 9) expect((await site.json(`/api/companies/company-${n}`)).name).toBe(`${winner} ${n}`); // prettier-ignore
});

test("a folder or prefix with other files is left alone", async () => {
  const store = open();
  await store.put("notes.txt", Buffer.from("mine"));
  await expect(publish(store)).rejects.toMatchObject({ code: "site_target_used" });
  const other = open();
  await other.put("manifest.json", Buffer.from('{"name":"a web app"}'));
  await expect(publish(other)).rejects.toMatchObject({ code: "site_unknown" });
});

test("what is to be hidden is in no file afterwards, also if that publish stops before its end", async () => {
  const secret = testCompany({ name: "Acme", email: "joe@acme.example", slug: "company-0" });
  const leftOut = { suppressed: 0, excluded: 0, forgotten: 1, mark: "1" };
  const without = { ...testSource(companies(2)), leftOut: async () => leftOut };
  const sealing = createKeySealing(makeSiteKey(createSeededRandom(3)), createSeededRandom(4));
  for (const next of [
    { source: without },
    { source: testSource([secret]), mode: "public" },
    { source: testSource([secret]), mode: "sealed", sealing },
  ] as const) {
    const calls: string[] = [];
    const trial = open();
    await publish(trial, { source: testSource([secret]) });
    await publish(
      watched(trial, (call) => calls.push(call)),
      next,
    );
    expect(await allTexts(trial)).not.toMatch(/joe@acme/);
    const again: string[] = [];
    expect((await publish(watched(trial, (call) => again.push(call)), next)).status).toBe("unchanged"); // prettier-ignore
    expect(again).toEqual(["get manifest.json"]);
    for (let stop = calls.indexOf("putIfMatch manifest.json") + 1; stop < calls.length; stop += 1) {
      const store = open();
      await publish(store, { source: testSource([secret]) });
      let count = 0;
      const dying = watched(store, () => {
        if (count++ >= stop) throw new Error("killed");
      });
      await expect(publish(dying, next)).rejects.toThrow("killed");
      await publish(store, next);
      expect(await allTexts(store), `stopped after ${stop}`).not.toMatch(/joe@acme/);
    }
  }
});

/** What the files of a store say, as far as they are not encrypted. */
async function allTexts(store: Bucket): Promise<string> {
  const texts: string[] = [];
  for (const { key } of await store.list("")) {
    const got = await store.get(key);
    if (got.status !== "found") continue;
    const isPacked = got.body[0] === 0x1f && got.body[1] === 0x8b;
    texts.push(Buffer.from(isPacked ? gunzipSync(got.body) : got.body).toString("latin1"));
  }
  return texts.join("\n");
}

test("addresses and numbers in the texts of a company are left out of a public site too", async () => {
  const store = open();
  const texting = testCompany({ name: "Call +1 512 555 0177", city: "ask joe@acme.example", category: "Tel. +15125550177", slug: "company-0" }); // prettier-ignore
  await publish(store, { mode: "public", source: testSource([texting]) });
  expect(await allTexts(store)).not.toMatch(/joe@|555.?0177/);
  const shown = open();
  await publish(shown, { mode: "public", source: testSource([texting]), shown: ["phones"] });
  expect(await allTexts(shown)).toContain("555 0177");
  expect(await allTexts(shown)).not.toContain("joe@");
});

test("a public site has no emails, phones, people, notes or costs in any of its files, unless they are named", async () => {
  const secret = testCompany({ name: "Acme", email: "joe@acme.example", phone: "+15125550177", note: "owes us money", slug: "company-0" }); // prettier-ignore
  const everything = async (store: Bucket) => {
    const site = await readSite(store);
    const parts = (await store.list("data/")).map(({ key }) => key.slice("data/".length));
    return (await Promise.all(parts.map((part) => site.readPart(part)))).join("\n");
  };
  const hidden = open();
  const source = testSource([secret]);
  const { body } = await publish(hidden, { mode: "public", source });
  expect(body.leftOut).toEqual({ suppressed: 2, excluded: 1, mark: "", values: ["emails", "phones", "people", "notes"] }); // prettier-ignore
  const text = await everything(hidden);
  expect(text).toContain("Acme");
  expect(text).not.toMatch(
    /joe@|acme\.example|15125550177|owes us|anna|bucketDollars|excluded-one|an alarm|node-1/,
  );
  const shown = open();
  await publish(shown, { mode: "public", source, shown: ["phones"] });
  expect(await everything(shown)).toContain("+15125550177");
  expect(await everything(shown)).not.toContain("joe@");
  const whole = open();
  await publish(whole, { source });
  expect(await everything(whole)).toMatch(/joe@acme\.example[\s\S]*owes us money/);
});

test("a sealed site opens with its key alone, its files reveal nothing, and a new key revokes the old one", async () => {
  const random = createSeededRandom(7);
  const [first, second] = [makeSiteKey(random), makeSiteKey(random)];
  const store = open();
  const sealing = createKeySealing(first, random);
  const source = testSource([testCompany({ name: "Acme Flooring", slug: "company-0" })]);
  await publish(store, { mode: "sealed", source, sealing });
  expect((await publish(store, { mode: "sealed", source, sealing })).status).toBe("unchanged");
  for (const { key } of await store.list("")) {
    if (key.startsWith("assets/") || key === "index.html") continue;
    const got = await store.get(key);
    const text = Buffer.from(got.status === "found" ? got.body : []).toString("latin1");
    expect(text).not.toMatch(/Acme|austin|company-0/);
    expect(key).not.toMatch(/acme|austin/);
  }
  expect(
    (await (await readSite(store, first)).json("/api/companies?words=acme")).rows,
  ).toHaveLength(1);
  await expect(readSite(store)).rejects.toMatchObject({ reason: "no-key" });
  await expect(readSite(store, second)).rejects.toMatchObject({ reason: "wrong-key" });
  await expect(readSite(store, "%%")).rejects.toMatchObject({ reason: "wrong-key" });
  const old = (await store.list("data/")).map(({ key }) => key);
  const next = createKeySealing(second, random);
  await publish(store, { mode: "sealed", source, sealing: next, oldKeys: [sealing] });
  expect((await (await readSite(store, second)).json("/api/companies")).rows).toHaveLength(1);
  await expect(readSite(store, first)).rejects.toMatchObject({ reason: "wrong-key" });
  const left = (await store.list("data/")).map(({ key }) => key);
  expect(left.filter((key) => old.includes(key))).toEqual([]);
});
