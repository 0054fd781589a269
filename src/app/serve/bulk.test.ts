import { mkdirSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { openQueue } from "../queue/open-queue.ts";
import { openTestServe, type TestServe } from "./testing/open-test-serve.ts";

const addCompany = (client: TestServe["client"], name: string, fields = {}) =>
  client.send("POST", "/api/companies", { body: { name, fields, isSeparate: true } });

const timeout = 180_000;

test("a bulk action works on what was selected, with count and progress, and can be undone", async () => {
  const { client } = await openTestServe();
  for (const name of ["Acme", "Brook", "Cole"]) await addCompany(client, name, { city: "Austin" });
  await addCompany(client, "Other", { city: "Dallas" });
  const body = { city: "Austin" };
  const frozen = await client.send("POST", "/api/selections/companies", { body });
  expect(frozen).toMatchObject({ count: 3, isComplete: true, samples: ["Acme", "Brook", "Cole"] });
  // It matches, but did not exist when the user made the selection.
  await addCompany(client, "Late", { city: "Austin" });
  await client.send("POST", "/api/companies/{name}/tags", { params: { name: "acme" }, body: { add: ["vip"], remove: [] } }); // prettier-ignore

  const params = { id: frozen.id };
  const tag = (count: number) =>
    client.send("POST", "/api/selections/companies/{id}/tag", { params, body: { count, add: ["vip"] } }); // prettier-ignore
  await expect(tag(4)).rejects.toMatchObject({ problem: { code: "not_confirmed" } });
  await tag(3);
  const last = async () =>
    (await client.get("/api/selections/companies/{id}", { params })).actions.at(-1);
  await expect.poll(last, { timeout }).toMatchObject({ action: "tag", state: "done", done: 3, changed: 2, canUndo: true }); // prettier-ignore
  const tagged = async () => {
    const { rows } = await client.get("/api/companies", { query: { tag: ["vip"] } });
    return rows.map(({ name }) => name).sort();
  };
  expect(await tagged()).toEqual(["Acme", "Brook", "Cole"]);

  await client.send("POST", "/api/selections/companies/{id}/undo", { params, body: {} });
  await expect.poll(last, { timeout }).toMatchObject({ action: "undo tag", state: "done", changed: 2 }); // prettier-ignore
  expect(await tagged()).toEqual(["Acme"]);
  await expect(
    client.send("POST", "/api/selections/companies/{id}/undo", { params, body: {} }),
  ).rejects.toMatchObject({ problem: { code: "nothing_to_undo", status: 409 } });

  const exclude = { count: 3, reason: "not a customer" };
  await client.send("POST", "/api/selections/companies/{id}/exclude", { params, body: exclude });
  await expect.poll(last, { timeout }).toMatchObject({ action: "exclude", state: "done" });
  const { count } = await client.get("/api/companies/count", { query: { isExcluded: true } });
  expect(count).toBe(3);
  await expect(
    client.get("/api/selections/companies/{id}", { params: { id: "gone" } }),
  ).rejects.toMatchObject({ problem: { status: 404 } });
});

test("tasks of a selection are tried again, and no others", async () => {
  const { client, paths } = await openTestServe();
  await using queue = await openQueue(`sqlite:${paths.resolve("queue.db")}`);
  const fail = async (keys: readonly string[]) => {
    await queue.add(keys.map((key) => ({ kind: "page", key })));
    const { leases } = await queue.claim({ worker: "w", kinds: ["page"], limit: 1_000 });
    const outcome = { kind: "fail", reason: "gone" } as const;
    await queue.finish(leases.map(({ id, token }) => ({ id, token, outcome })));
  };
  // More than one batch of the action.
  await fail(Array.from({ length: 250 }, (_, at) => `k${at}`));
  const filter = { state: ["failed" as const], kind: "page" };
  const frozen = await client.send("POST", "/api/selections/tasks", { body: filter });
  expect(frozen).toMatchObject({ count: 250, isComplete: true });
  await fail(["late"]);
  const params = { id: frozen.id };
  await client.send("POST", "/api/selections/tasks/{id}/retry", { params, body: { count: 250 } });
  const last = async () =>
    (await client.get("/api/selections/tasks/{id}", { params })).actions.at(-1);
  await expect.poll(last, { timeout }).toMatchObject({ fault: null, state: "done", done: 250, changed: 250, canUndo: false }); // prettier-ignore
  expect((await client.get("/api/queue/stats")).states).toMatchObject({ pending: 250, failed: 1 });
});

test("a campaign is planned, dispatched, paused, resumed and removed; phrases are explained", async () => {
  const { client, paths } = await openTestServe();
  mkdirSync(paths.resolve("campaigns", "austin"), { recursive: true });
  const place = {
    id: "p1",
    name: "Best Plumber",
    lat: 30.27,
    lon: -97.74,
    categories: ["plumber"],
  };
  writeFileSync(paths.resolve("campaigns", "austin", "places.jsonl"), `${JSON.stringify(place)}\n`);
  writeFileSync(
    paths.resolve("campaigns", "austin", "config.toml"),
    `phrases = ["plumber"]\nproximityKm = 10\n[[locations]]\nname = "Austin"\nlat = 30.27\nlon = -97.74\n[sources]\nfile = "places.jsonl"\n`,
  );
  const params = { campaign: "austin" };
  const post = "POST" as const;
  await expect(client.send(post, "/api/campaigns/{campaign}/pause", { params })).rejects.toMatchObject({ problem: { code: "not_dispatched" } }); // prettier-ignore
  const job = async () => (await client.get("/api/campaigns/{campaign}/job", { params })).job;
  expect(await job()).toBeNull();
  const plan = await client.send(post, "/api/campaigns/{campaign}/plan", { params, body: { isDryRun: true } }); // prettier-ignore
  expect(plan).toMatchObject({ campaign: "austin", isWritten: false, requests: null });
  expect(plan.sources).toMatchObject([{ places: 1, outside: 0 }]);
  expect(plan.targets).toBe(plan.tiles);

  const dispatch = (body: object) =>
    client.send(post, "/api/campaigns/{campaign}/dispatch", { params, body });
  const due = await dispatch({ isDryRun: true });
  expect(due).toMatchObject({ due: 1, added: 0 });
  expect(await dispatch({})).toMatchObject({ due: 1, added: 1, refused: 0 });
  expect(await dispatch({})).toMatchObject({ added: 0, duplicate: 1 });
  expect(await job()).toMatchObject({ name: "austin", pending: 1, isPaused: false });
  await expect(dispatch({ batch: 1, canary: 1 })).rejects.toMatchObject({ problem: { status: 400 } }); // prettier-ignore

  expect(await client.send(post, "/api/campaigns/{campaign}/pause", { params })).toMatchObject({ isPaused: true }); // prettier-ignore
  expect(await client.send(post, "/api/campaigns/{campaign}/resume", { params })).toMatchObject({ isPaused: false }); // prettier-ignore
  const remove = (confirm: string) =>
    client.send(post, "/api/campaigns/{campaign}/remove", { params, body: { confirm } });
  await expect(remove("dallas")).rejects.toMatchObject({ problem: { code: "not_confirmed" } });
  await expect(remove("austin")).rejects.toMatchObject({ problem: { code: "campaign_has_tasks" } });
  await client.send(post, "/api/queue/jobs/{job}/cancel", { params: { job: "austin" }, body: { confirm: "austin" } }); // prettier-ignore
  expect((await remove("austin")).keptAs).toContain(".removed-austin-1");

  const { rows } = await client.get("/api/phrases", { query: { phrase: ["plumber", "Bodenleger"], language: ["de"] } }); // prettier-ignore
  expect(rows.map(({ phrase }) => phrase)).toEqual(["plumber", "Bodenleger"]);
  expect(rows[0]!.matches.map(({ tag }) => tag)).toContain("craft=plumber");
});

test("a download has the companies of the present filter, safe for a spreadsheet", async () => {
  const { client, origin, token } = await openTestServe();
  await addCompany(client, "=cmd()", { city: "Austin", email: "a@acme.example" });
  await addCompany(client, "Brook", { city: "Dallas" });
  const download = async (path: string) => {
    const response = await fetch(`${origin}${path}`, { headers: { authorization: `Bearer ${token}` } }); // prettier-ignore
    return { response, text: await response.text() };
  };
  const { response, text } = await download("/api/exports/companies?city=Austin&column=name&column=city"); // prettier-ignore
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("text/csv; charset=utf-8");
  expect(response.headers.get("content-disposition")).toMatch(/^attachment; filename="companies-\d{4}-\d\d-\d\d\.csv"$/); // prettier-ignore
  expect(text).toBe("name,city\r\n'=cmd(),Austin\r\n");
  expect((await download("/api/exports/emails?format=jsonl")).text).toContain("a@acme.example");
  expect((await download("/api/exports/companies?column=nonsense")).response.status).toBe(400);
  expect((await fetch(`${origin}/api/exports/companies`)).status).toBe(401);
});

test("B28: a named download has what no earlier one of that name had; a wrong name is refused", async () => {
  const { client, origin, token } = await openTestServe();
  const post = async (path: string) => {
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(`${origin}/api/exports/${path}`, { method: "POST", headers });
    return { status: response.status, text: await response.text() };
  };
  const names = async () =>
    (await post("companies/new?name=crm&column=name")).text.split("\r\n").slice(1, -1);
  await addCompany(client, "Acme", { email: "a@acme.example" });
  expect(await names()).toEqual(["Acme"]);
  await addCompany(client, "Brook");
  expect(await names()).toEqual(["Brook"]);
  expect(await names()).toEqual([]);
  expect((await post("emails/new?format=jsonl")).text).toContain("a@acme.example");
  expect((await post("emails/new?format=jsonl")).text).not.toContain("a@acme.example");
  const again = await post("companies/new?name=crm&column=name&isRestarted=true");
  expect(again.text).toBe("name\r\nAcme\r\nBrook\r\n");
  expect((await post("companies/new?name=..%2Fx")).status).toBe(400);
  expect((await post("changes?name=crm")).text.match(/"change":"new"/g)).toHaveLength(2);
  expect(await post("changes?name=crm")).toEqual({ status: 200, text: "" });
  expect((await post("changes?name=..%2Fx")).status).toBe(400);
});
