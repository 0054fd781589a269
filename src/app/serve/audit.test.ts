import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { apiUrl } from "../../api/client/api-client.ts";
import { contract, isAudited, type RouteName, type RouteSpec } from "../../api/index.ts";
import { openAudit } from "../open-audit.ts";
import { systemClock } from "../../base/clock.ts";
import { goodValues, type Schema } from "./testing/arbitrary-json.ts";
import { openTestServe, signIn, type TestServe } from "./testing/open-test-serve.ts";

const names = (Object.keys(contract) as RouteName[]).filter((name) => isAudited(contract[name]));

describe("the audit log", () => {
  let server: TestServe;
  beforeAll(async () => {
    server = await openTestServe({ owner: "file" });
    await server.client.send("POST", "/api/campaigns", { body: { campaign: "austin" } });
  });
  const entries = async () => {
    const { settings, paths } = server;
    return (await openAudit({ settings, paths, clock: systemClock }).list({ limit: 10_000 }))
      .entries;
  };
  const sample = (schema: z.ZodType | undefined) =>
    schema &&
    fc.sample(goodValues(z.toJSONSchema(schema, { io: "input" }) as Schema), {
      numRuns: 1,
      seed: 31,
    })[0];

  test("every route that can change something, and every export, leaves an entry", async () => {
    expect(names.length).toBeGreaterThan(40);
    const asked = new Map<string, RouteName>();
    for (const name of names) {
      const spec: RouteSpec = contract[name];
      const params = (sample(spec.params) ?? {}) as Record<string, unknown>;
      const response = await fetch(`${server.origin}${apiUrl(spec.path, params, {})}`, {
        method: spec.method,
        headers: {
          authorization: `Bearer ${server.token}`,
          ...(spec.body && { "content-type": "application/json" }),
        },
        ...(spec.body && { body: JSON.stringify(sample(spec.body) ?? null) }),
      });
      await response.text();
      asked.set(response.headers.get("x-request-id") ?? "", name);
    }
    const found = new Map((await entries()).map(({ requestId, what }) => [requestId, what]));
    expect([...asked].filter(([id, name]) => found.get(id) !== name)).toEqual([]);
  });

  test("who, what, before and after, result and where from; no secret", async () => {
    const body = { name: "Acme", fields: { city: "Austin" } };
    await server.client.send("POST", "/api/companies", { body });
    const url = "https://hooks.example/t0ken";
    await server.client.send("POST", "/api/webhooks", { body: { url, events: [] } });
    const all = await entries();
    const created = all.find(({ what, result }) => what.includes("Company") && result === "ok");
    expect(created).toMatchObject({ by: "folder", from: "127.0.0.1", result: "ok" });
    expect(created?.who).not.toBe("");
    expect(created?.asked).toContain("Austin");
    expect(created?.after).toContain("company/");
    expect(all.find(({ what }) => what === "addWebhook")?.asked).toContain("***");
    expect(JSON.stringify(all)).not.toMatch(/t0ken|whsec_/);
    const { rows } = await server.client.get("/api/audit-log", { query: { what: "addWebhook" } });
    expect(rows.length).toBeGreaterThan(0);
  });

  test("refusals and sign-ins are recorded, and a flood of refusals is bounded", async () => {
    const wrong = { headers: { authorization: "Bearer wrong" } };
    for (let at = 0; at < 250; at++)
      await (await fetch(`${server.origin}/api/status`, wrong)).text();
    await (await fetch(`${server.origin}/login?code=nope`)).text();
    await (await fetch(server.serve.firstLink(), { redirect: "manual" })).text();
    const all = await entries();
    const denied = all.filter(({ result, what }) => result === "denied" && what === "request");
    expect(denied.length).toBeGreaterThan(0);
    expect(denied.length).toBeLessThan(250);
    expect(denied[0]).toMatchObject({ who: "", target: "GET /api/status" });
    expect(all.filter(({ what, result }) => what === "login" && result === "ok")).toHaveLength(1);
  });
  test("a user who floods the log with wrong requests fills no disk, and hides nobody else's", async () => {
    const { token } = await server.client.send("POST", "/api/tokens", {
      body: { name: "noisy", scopes: ["campaigns:write"] },
    });
    const json = { "content-type": "application/json" };
    const send = async (headers: object, body: object) =>
      (await fetch(`${server.origin}/api/campaigns`, { method: "POST", headers: { ...json, ...headers }, body: JSON.stringify(body) })).text(); // prettier-ignore
    for (let at = 0; at < 250; at++) await send({ authorization: `Bearer ${token}` }, {});
    const owner = { authorization: `Bearer ${server.token}` };
    await send(owner, { campaign: "austin" });
    await send({ authorization: `Bearer ${token}` }, { campaign: "noisy-did-this" });
    const all = await entries();
    const noisy = all.filter(({ who }) => who === "token:noisy");
    // The minute may have changed meanwhile.
    expect(noisy.filter(({ result }) => result === "failed").length).toBeLessThan(250);
    expect(noisy[0]).toMatchObject({ result: "ok", asked: '{"campaign":"noisy-did-this"}' });
    expect(all.find(({ by, result }) => by === "folder" && result === "failed")).toBeDefined();
  });

  test("the log of the process, which every viewer may read, does not say who signs in from where", async () => {
    const lines: string[] = [];
    const { origin } = await openTestServe({
      users: { anna: "admin" },
      onLog: (...line) => lines.push(JSON.stringify(line)),
    });
    expect((await signIn(origin, "anna")).status).toBe(200);
    // People type their password where their name belongs.
    expect((await signIn(origin, "typed in the wrong field")).status).toBe(401);
    expect(lines.join()).not.toMatch(/anna|typed in|127\.0\.0\.1/);
  });
  test("by the API it is read in pages and by filters, and exported as a file", async () => {
    for (const name of ["one", "two", "three"]) {
      await server.client.send("POST", "/api/campaigns", { body: { campaign: `page-${name}` } });
    }
    const seen: string[] = [];
    let after: string | undefined;
    do {
      const query = { what: "createCampaign", result: "ok", limit: 1, ...(after !== undefined && { after }) } as const; // prettier-ignore
      const { rows, next } = await server.client.get("/api/audit-log", { query });
      seen.push(...rows.map((row) => row.asked ?? ""));
      after = next ?? undefined;
    } while (after !== undefined);
    expect(seen.slice(0, 3).join("\n")).toMatch(/page-three[^]*page-two[^]*page-one/);
    const future = new Date(Date.now() + 3_600_000).toISOString();
    expect((await server.client.get("/api/audit-log", { query: { since: future } })).rows).toEqual([]); // prettier-ignore
    expect((await server.client.get("/api/audit-log", { query: { until: "2020-01-01T00:00:00Z" } })).rows).toEqual([]); // prettier-ignore
    const headers = { authorization: `Bearer ${server.token}` };
    const file = await fetch(`${server.origin}/api/audit-log/export?what=createCampaign`, { headers }); // prettier-ignore
    expect(file.headers.get("content-disposition")).toBe('attachment; filename="audit-log.jsonl"');
    const lines = (await file.text()).trimEnd().split("\n");
    expect(lines.length).toBeGreaterThanOrEqual(seen.length);
    for (const line of lines) expect(JSON.parse(line)).toMatchObject({ what: "createCampaign" });
    const wrong = await fetch(`${server.origin}/api/audit-log?after=../../x`, { headers });
    expect([wrong.status, await wrong.json()]).toMatchObject([400, { code: "bad_cursor" }]);
  });
});
