import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { contract } from "../../api/index.ts";
import { openTestServe, type TestServe } from "./testing/open-test-serve.ts";

const add = (client: TestServe["client"], name: string, fields = {}) =>
  client.send("POST", "/api/companies", { body: { name, fields, isSeparate: true } });
const show = (client: TestServe["client"], name: string) =>
  client.get("/api/companies/{name}", { params: { name } });

test("companies are merged, made two again, and called distinct", async () => {
  const { client } = await openTestServe();
  const shared = { domain: "acme.example", city: "Austin" };
  await add(client, "Acme", shared);
  await add(client, "Acme Flooring", { ...shared, phone: "+15125550142" });
  expect((await show(client, "acme")).duplicates).toMatchObject([{ slug: "acme-flooring" }]);

  const params = { name: "acme-flooring" };
  const merged = await client.send("POST", "/api/companies/{name}/merge", { params, body: { into: "acme" } }); // prettier-ignore
  const one = await show(client, "acme");
  expect(one.phones.map(({ value }) => value)).toEqual(["+15125550142"]);
  expect(one.merged).toEqual([
    { target: merged.from, slug: "acme-flooring", name: "Acme Flooring" },
  ]);

  const apart = await client.send("POST", "/api/companies/{name}/unmerge", { params });
  expect(apart).toEqual({ from: merged.from, into: merged.into, slug: "acme-flooring" });
  const again = await show(client, "acme");
  expect([again.phones, again.merged, again.duplicates]).toEqual([[], [], []]);
  await expect(
    client.send("POST", "/api/companies/{name}/unmerge", { params }),
  ).rejects.toMatchObject({ problem: { status: 400, code: "records_not_merged" } });

  await add(client, "Acme Two", shared);
  expect((await show(client, "acme-two")).duplicates).toHaveLength(2);
  const distinct = (other: string) =>
    client.send("POST", "/api/companies/{name}/distinct", { params: { name: "acme-two" }, body: { other } }); // prettier-ignore
  await distinct("acme");
  await distinct("acme-flooring");
  const two = await show(client, "acme-two");
  expect(two.duplicates).toEqual([]);
  expect(contract.showCompany.answer.safeParse(two).error).toBeUndefined();
  await expect(distinct("acme-two")).rejects.toMatchObject({ problem: { code: "same_company" } });
});

test("companies that are certainly the same are merged together, and counted before", async () => {
  const { client } = await openTestServe();
  const shown = () => client.get("/api/records/resolve");
  expect(await shown()).toMatchObject({ state: "none" });
  const where = { latitude: 30.2672, longitude: -97.7431, domain: "acme.example", country: "US" };
  await add(client, "Acme Flooring", { ...where, place: "osm/node/1", phone: "+15125550142" });
  await add(client, "Acme Flooring", { ...where, place: "overture/abc", phone: "+15125550142" });
  const resolve = async (isDryRun: boolean) => {
    const begun = await client.send("POST", "/api/records/resolve", { body: { isDryRun } });
    expect(begun).toMatchObject({ state: "running", isDryRun, left: null });
    await expect.poll(async () => (await shown()).state).toBe("done");
    const { merged, left } = await shown();
    return { merged, left };
  };
  const pairs = await client.get("/api/records/duplicates");
  expect(pairs.rows).toMatchObject([{ verdict: "same" }]);
  expect(await resolve(true)).toEqual({ merged: 1, left: 0 });
  expect((await client.get("/api/companies/count")).count).toBe(2);
  expect(await resolve(false)).toEqual({ merged: 1, left: 0 });
  expect((await client.get("/api/companies/count")).count).toBe(1);
  const { rows } = await client.get("/api/audit-log", { query: { what: "resolveCompanies" } });
  expect(rows[0]).toMatchObject({
    by: "folder",
    after: JSON.stringify({ isDryRun: false, merged: 1, left: 0 }),
  });
});

test("a company and a person are deleted when their slug is repeated, and restored", async () => {
  const { client, paths } = await openTestServe();
  await add(client, "Acme", { city: "Austin", email: "info@acme.example" });
  const file = paths.resolve("companies", "acme", "_index.md");
  expect(existsSync(file)).toBe(true);
  const remove = (confirm: string) =>
    client.send("POST", "/api/companies/{name}/delete", { params: { name: "acme" }, body: { confirm } }); // prettier-ignore
  await expect(remove("acm")).rejects.toMatchObject({ problem: { code: "not_confirmed" } });
  const { target, before } = await remove("acme");
  expect(existsSync(file)).toBe(false);
  await expect(show(client, "acme")).rejects.toMatchObject({ problem: { status: 404 } });
  await client.send("POST", "/api/companies/{name}/restore", { params: { name: target }, body: { at: before } }); // prettier-ignore
  expect(await show(client, "acme")).toMatchObject({ target, emails: [{ value: "info@acme.example" }] }); // prettier-ignore
  await expect.poll(() => existsSync(file)).toBe(true);

  await client.send("POST", "/api/people", { body: { name: "Anna Berg" } });
  const params = { name: "anna-berg" };
  const body = { confirm: "anna-berg" };
  const person = await client.send("POST", "/api/people/{name}/delete", { params, body });
  expect((await client.get("/api/people")).rows).toEqual([]);
  await client.send("POST", "/api/people/{name}/restore", { params: { name: person.target }, body: { at: person.before } }); // prettier-ignore
  expect((await client.get("/api/people")).rows).toMatchObject([{ name: "Anna Berg" }]);
});
