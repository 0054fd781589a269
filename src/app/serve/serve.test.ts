import { statSync } from "node:fs";
import { expect, test } from "vitest";
import { openQueue } from "../queue/open-queue.ts";
import { apiTokenFile } from "./server-files.ts";
import { openTestServe } from "./testing/open-test-serve.ts";

test("the first routes answer what the modules know", async () => {
  const { client, paths } = await openTestServe();
  await using queue = await openQueue(`sqlite:${paths.resolve("queue.db")}`);
  await queue.add([
    { kind: "page", job: "nightly", gate: "example.org", key: "a", payload: { n: 1 } },
    { kind: "page", job: "nightly", gate: "example.org", key: "b" },
  ]);
  const stats = await client.get("/api/queue/stats");
  expect(stats.states).toMatchObject({ pending: 2, running: 0 });
  const first = await client.get("/api/queue/tasks", { query: { job: "nightly", limit: 1 } });
  expect(first.rows.map(({ key }) => key)).toEqual(["a"]);
  const second = await client.get("/api/queue/tasks", { query: { after: first.next!, limit: 5 } });
  expect(second).toMatchObject({ rows: [{ key: "b" }], next: null });
  const { id } = first.rows[0]!;
  const shown = await client.get("/api/queue/tasks/{id}", { params: { id } });
  expect(shown).toMatchObject({ payload: '{"n":1}', waiting: { reason: "worker_capacity" } });
  expect((await client.get("/api/queue/jobs")).rows).toMatchObject([{ name: "nightly" }]);
  expect((await client.get("/api/queue/gates")).rows).toMatchObject([{ name: "example.org" }]);
  expect(await client.get("/api/companies", { query: { hasEmail: true } })).toEqual({
    rows: [],
    next: null,
  });
  expect(await client.get("/api/campaigns")).toEqual({ rows: [] });
  const status = await client.get("/api/status");
  expect(status).toMatchObject({ nodes: [{ isSelf: true }], queue: { states: { pending: 2 } } });
});

test("loopback is not a user: only the folder's secret or a session opens the API", async () => {
  const { origin, token, paths, serve } = await openTestServe();
  expect(statSync(apiTokenFile(paths)).mode & 0o777).toBe(0o600);
  const status = async (headers: Record<string, string>) =>
    (await fetch(`${origin}/api/session`, { headers })).status;
  expect(await status({})).toBe(401);
  expect(await status({ authorization: "Bearer wrong" })).toBe(401);
  expect(await status({ authorization: `Bearer ${token}` })).toBe(200);
  const port = new URL(origin).port;
  expect(await status({ cookie: `forager_${port}=${token}` })).toBe(401);

  const link = serve.firstLink();
  expect((await fetch(link, { method: "HEAD", redirect: "manual" })).headers.get("set-cookie")).toBeNull(); // prettier-ignore
  const opened = await fetch(link, { redirect: "manual" });
  expect(opened.status).toBe(303);
  const cookie = opened.headers.get("set-cookie")!;
  expect(cookie).toMatch(/; HttpOnly; SameSite=Lax;/);
  expect(await status({ cookie: cookie.split(";")[0]! })).toBe(200);
  expect((await fetch(link, { redirect: "manual" })).status).toBe(403);
});

test("--open-loopback lets everybody of this machine in, but no web page", async () => {
  const { origin } = await openTestServe({ isOpen: true });
  expect((await fetch(`${origin}/api/session`)).status).toBe(200);
  const post = (headers: Record<string, string>) =>
    fetch(`${origin}/api/session/links`, { method: "POST", headers });
  expect((await post({})).status).toBe(201);
  const crossSite = await post({
    "sec-fetch-site": "cross-site",
    "content-type": "application/json",
  });
  expect(crossSite.status).toBe(403);
  expect((await post({ origin: "http://evil.example" })).status).toBe(403);
});

test("an address of the network is refused until there are users, and says what to do", async () => {
  await expect(openTestServe({ env: { FORAGER_SERVE_LISTEN: "0.0.0.0:0" } })).rejects.toMatchObject(
    { message: expect.stringContaining("ssh -L") as string },
  );
});
