import { expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { userName } from "../../config/index.ts";
import { openAccountService } from "../open-accounts.ts";
import { openTestServe, sendAs, signIn, type TestServe } from "./testing/open-test-serve.ts";

const openService = ({ settings, paths }: TestServe) =>
  openAccountService({ settings, paths, clock: systemClock, signal: new AbortController().signal });

/** The cookie of the session that the link opens. */
const openLink = async (link: string) =>
  (await fetch(link, { redirect: "manual" })).headers.get("set-cookie")!.split(";")[0]!;

const askWith = async ({ origin }: TestServe, token: string, path: string, init: RequestInit = {}) =>
  (await fetch(`${origin}${path}`, { ...init, headers: { authorization: `Bearer ${token}` } })).status; // prettier-ignore

test("a token does what its scopes say and no more, is shown once and stored as a hash", async () => {
  const server = await openTestServe();
  await using accounts = await openService(server);
  const made = await accounts.addToken({ name: "crm", scopes: ["companies:read"] });
  expect(made.token).toMatch(/^fgr_[0-9a-z]{10}_[\w-]{43}[0-9a-z]{7}$/);
  expect(await askWith(server, made.token, "/api/companies")).toBe(200);
  expect(await askWith(server, made.token, "/api/queue/stats")).toBe(403);
  expect(
    await askWith(
      server,
      `${made.token.slice(0, -1)}${made.token.endsWith("x") ? "y" : "x"}`,
      "/api/companies",
    ),
  ).toBe(401);
  const more = await fetch(`${server.origin}/api/tokens`, {
    method: "POST",
    headers: { authorization: `Bearer ${made.token}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "another", scopes: ["companies:read"] }),
  });
  expect(more.status).toBe(403);
  expect(JSON.stringify(await accounts.listTokens())).not.toContain(made.token.slice(15));
  await expect.poll(async () => (await accounts.listTokens())[0]!.usedAt).not.toBeNull();
});

test("a token of a user never does more than the user's role, and ends with the user", async () => {
  const server = await openTestServe({ users: { anna: "operator" } });
  await using accounts = await openService(server);
  const { token } = await accounts.addToken({ name: "a", user: "anna", scopes: ["queue:read", "queue:write"] }); // prettier-ignore
  const add = { method: "POST" };
  expect(await askWith(server, token, "/api/queue/tasks", add)).toBe(415);
  await server.client.send("PATCH", "/api/users/{user}", { params: { user: "anna" }, body: { role: "viewer" } }); // prettier-ignore
  expect(await askWith(server, token, "/api/queue/tasks", add)).toBe(403);
  expect(await askWith(server, token, "/api/queue/stats")).toBe(200);
  await server.client.send("DELETE", "/api/users/{user}", { params: { user: "anna" } });
  expect(await askWith(server, token, "/api/queue/stats")).toBe(401);
});

test("no token changes users, and none has scopes beyond its user", async () => {
  const server = await openTestServe({ users: { anna: "viewer" } });
  await using accounts = await openService(server);
  await expect(accounts.addToken({ name: "x", scopes: ["users:admin"] })).rejects.toMatchObject({ code: "scope_not_for_tokens" }); // prettier-ignore
  await expect(accounts.addToken({ name: "x", user: "anna", scopes: ["queue:write"] })).rejects.toMatchObject({ code: "scope_beyond_role" }); // prettier-ignore
  await expect(accounts.addToken({ name: "x", scopes: ["everything"] })).rejects.toMatchObject({ code: "usage" }); // prettier-ignore
  const anna = sendAs(server.origin, (await signIn(server.origin, "anna")).cookie);
  const beyond = await anna("POST", "/api/tokens", { name: "x", scopes: ["queue:write"] });
  expect(beyond).toMatchObject({ status: 400, body: { code: "scope_beyond_role" } });
});

test("only the person who runs the server makes a link that gives all rights", async () => {
  const server = await openTestServe({ users: { root: "admin" } });
  await using accounts = await openService(server);
  const { token } = await accounts.addToken({ name: "x", scopes: ["fleet:command"] });
  expect(await askWith(server, token, "/api/session/links", { method: "POST" })).toBe(403);
  // Their role may end before the session that the link opens.
  const admin = sendAs(server.origin, (await signIn(server.origin, "root")).cookie);
  expect(await admin("POST", "/api/session/links")).toMatchObject({ status: 403 });
  expect(await askWith(server, server.token, "/api/session/links", { method: "POST" })).toBe(201);
});

test("a token does nothing that needs a person: no sessions, no tokens, no forgetting", async () => {
  const server = await openTestServe({ users: { anna: "admin" } });
  await using accounts = await openService(server);
  const { token } = await accounts.addToken({
    name: "x",
    user: "anna",
    scopes: ["companies:write"],
  });
  const anna = await signIn(server.origin, "anna");
  const [session] = (await server.client.get("/api/sessions")).rows;
  const refused = [
    ["GET", "/api/sessions"],
    ["DELETE", `/api/sessions/${session!.id}`],
    ["POST", "/api/session/logout", { everywhere: true }],
    ["GET", "/api/tokens"],
    ["POST", "/api/tokens", { name: "y", scopes: ["companies:write"] }],
    ["POST", "/api/companies/acme/forget", { confirm: "acme" }],
    ["POST", "/api/people/jo/forget", { confirm: "jo" }],
  ] as const;
  for (const [method, path, body] of refused) {
    const headers = { authorization: `Bearer ${token}`, ...(body && { "content-type": "application/json" }) }; // prettier-ignore
    const answer = await fetch(`${server.origin}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) }); // prettier-ignore
    const { code } = (await answer.json()) as { readonly code: string };
    expect([method, path, answer.status, code]).toEqual([method, path, 403, "needs_session"]);
  }
  expect((await sendAs(server.origin, anna.cookie)("GET", "/api/session")).status).toBe(200);
});

test("a user with the name of the person who runs the server is somebody else", async () => {
  const name = userName();
  const server = await openTestServe({ users: { [name]: "viewer" } });
  const owner = sendAs(server.origin, await openLink(server.serve.firstLink()));
  const user = sendAs(server.origin, (await signIn(server.origin, name)).cookie);
  expect((await user("GET", "/api/sessions")).body["rows"]).toHaveLength(1);
  const sessions = (await owner("GET", "/api/sessions")).body["rows"] as unknown as readonly { id: string; by: string }[]; // prettier-ignore
  const { id } = sessions.find(({ by }) => by === "link")!;
  expect((await user("DELETE", `/api/sessions/${id}`)).status).toBe(404);
  await user("POST", "/api/session/logout", { everywhere: true });
  expect((await user("GET", "/api/session")).status).toBe(401);
  expect((await owner("GET", "/api/session")).status).toBe(200);
  const { rows } = await server.client.get("/api/audit-log", { query: { what: "logout" } });
  expect(rows).toMatchObject([{ who: name, by: "session" }]);
  await owner("POST", "/api/session/logout", {});
  const after = await server.client.get("/api/audit-log", { query: { what: "logout" } });
  expect(after.rows[0]).toMatchObject({ who: name, by: "link" });
});

test("a secret is shown once, also to who repeats the request with its Idempotency-Key", async () => {
  const { origin, token, client } = await openTestServe();
  const make = async (body: unknown, path: string) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json", "idempotency-key": "k" }; // prettier-ignore
    const answer = await fetch(`${origin}${path}`, { method: "POST", headers, body: JSON.stringify(body) }); // prettier-ignore
    return { status: answer.status, text: await answer.text() };
  };
  const ask = () => make({ name: "x", scopes: ["queue:read"] }, "/api/tokens");
  const answers = await Promise.all([ask(), ask(), ask()]);
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409, 409]);
  expect(answers.filter(({ text }) => text.includes("fgr_"))).toHaveLength(1);
  expect((await client.get("/api/tokens")).rows).toHaveLength(1);
  await make({ name: "bob", role: "viewer" }, "/api/users");
  expect((await make({ name: "bob", role: "viewer" }, "/api/users")).text).toContain("shown_once");
});

test("a token watches only the topics that it may read", async () => {
  const server = await openTestServe();
  await using accounts = await openService(server);
  const { token } = await accounts.addToken({ name: "x", scopes: ["status:read"] });
  for (const topic of ["queue", "records", "campaigns", "fleet"]) {
    expect(await askWith(server, token, `/api/events?topic=status&topic=${topic}`), topic).toBe(403); // prettier-ignore
  }
  expect(await askWith(server, token, "/api/events?topic=status")).toBe(200);
});

test("a task of a schedule or a signed delivery needs the scope of what it does", async () => {
  const server = await openTestServe({ users: { opi: "operator" } });
  await using accounts = await openService(server);
  const add = async (token: string, kind: string) => {
    const answer = await fetch(`${server.origin}/api/queue/tasks`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ tasks: [{ kind }] }),
    });
    return answer.status;
  };
  const narrow = await accounts.addToken({ name: "x", scopes: ["queue:write"] });
  const withScope = async (scope: "webhooks:write" | "campaigns:write") =>
    (await accounts.addToken({ name: "y", scopes: ["queue:write", scope] })).token;
  const [signing, planning] = [await withScope("webhooks:write"), await withScope("campaigns:write")]; // prettier-ignore
  expect(await add(narrow.token, "fetch")).toBe(201);
  expect(await add(narrow.token, "webhook")).toBe(403);
  expect(await add(planning, "webhook")).toBe(403);
  expect(await add(signing, "webhook")).toBe(201);
  expect(await add(narrow.token, "schedule")).toBe(403);
  expect(await add(signing, "schedule")).toBe(403);
  expect(await add(planning, "schedule")).toBe(201);
});

test("an editor's campaign reads no file of the server outside of its folder, and asks no server", async () => {
  const server = await openTestServe({ users: { eve: "editor", anna: "admin" } });
  const eve = sendAs(server.origin, (await signIn(server.origin, "eve")).cookie);
  const anna = sendAs(server.origin, (await signIn(server.origin, "anna")).cookie);
  expect((await eve("POST", "/api/campaigns", { campaign: "spy" })).status).toBe(201);
  const text = (sources: string) =>
    `phrases = ["plumber"]\nproximityKm = 10\n[[locations]]\nname = "A"\nlat = 30.27\nlon = -97.74\n${sources}`;
  const save = async (as: typeof eve, sources: string) => {
    const answer = await as("PUT", "/api/campaigns/spy/config", { text: text(sources) });
    return answer.body["code"] ?? answer.status;
  };
  const outside = [
    `[sources]\nfile = "../../node/api.token"\n`,
    `[sources]\nfile = "/proc/self/environ"\n`,
    `[sources]\nfile = "http://127.0.0.1:9/x.parquet"\n`,
    `[sources.overpass]\nurl = "http://127.0.0.1:9/api/interpreter"\n`,
    // Nodes of another environment have the same configuration.
    `[env.test.sources]\nfile = "/proc/self/environ"\n`,
    `[env.prod.sources.overpass]\nurl = "http://127.0.0.1:9/api/interpreter"\n`,
  ];
  for (const sources of outside) expect(await save(eve, sources), sources).toBe("campaign_source_outside"); // prettier-ignore
  expect(await save(eve, `[sources]\nfile = "places.jsonl"\n`)).toBe(200);
  expect(await save(anna, outside[1]!)).toBe(200);
  expect(await save(eve, `${outside[1]!}[politeness]\ndelayMs = 100\n`)).toBe(200);
  expect(await save(eve, outside[0]!)).toBe("campaign_source_outside");
});

test("an operator's command for the fleet sets no source outside of a campaign's folder", async () => {
  const server = await openTestServe({ users: { oleg: "operator", anna: "admin" } });
  const oleg = sendAs(server.origin, (await signIn(server.origin, "oleg")).cookie);
  const anna = sendAs(server.origin, (await signIn(server.origin, "anna")).cookie);
  const set = async (as: typeof oleg, field: string) => {
    const what = [`campaign.spy.${field}`];
    const answer = await as("POST", "/api/fleet/commands", { node: "all", what });
    return answer.body["code"] ?? answer.status;
  };
  for (const field of [
    "sources.file=/proc/self/environ",
    "sources.file=../../node/api.token",
    'sources={"file":"/proc/self/environ"}',
    "sources.overpass.url=http://127.0.0.1:9/api/interpreter",
    'sources.overpass={"url":"http://127.0.0.1:9/api/interpreter"}',
  ]) {
    expect(await set(oleg, field), field).toBe("campaign_source_outside");
    expect(await set(anna, field), field).toBe(202);
  }
  expect(await set(oleg, "sources.file=places.jsonl")).toBe(202);
  expect(await set(oleg, "sources.file=default")).toBe(202);
});

test("an expired or revoked token is refused", async () => {
  let offsetMs = 0;
  const clock = { ...systemClock, nowMs: () => Date.now() + offsetMs };
  const server = await openTestServe({ clock });
  const make = (days: number) =>
    server.client.send("POST", "/api/tokens", {
      body: { name: "x", scopes: ["queue:read"], days },
    });
  const [short, long] = [await make(1), await make(2)];
  offsetMs = 86_400_000 + 1;
  expect(await askWith(server, short.token, "/api/queue/stats")).toBe(401);
  expect(await askWith(server, long.token, "/api/queue/stats")).toBe(200);
  await server.client.send("DELETE", "/api/tokens/{id}", { params: { id: long.id } });
  expect(await askWith(server, long.token, "/api/queue/stats")).toBe(401);
});

test("live streams end at once with their token, role or session", async () => {
  const server = await openTestServe({ users: { anna: "viewer", bob: "viewer" } });
  const { origin, client } = server;
  const { id, token } = await client.send("POST", "/api/tokens", { body: { name: "x", scopes: ["status:read", "queue:read"] } }); // prettier-ignore
  const [anna, bob] = [await signIn(origin, "anna"), await signIn(origin, "bob")];
  const ends = [{ authorization: `Bearer ${token}` }, { cookie: anna.cookie }, { cookie: bob.cookie }].map((headers) => watchUntilEnd(origin, headers)); // prettier-ignore
  for (const { opened } of ends) await opened;
  await client.send("DELETE", "/api/tokens/{id}", { params: { id } });
  await ends[0]!.ended;
  await client.send("PATCH", "/api/users/{user}", { params: { user: "anna" }, body: { role: "editor" } }); // prettier-ignore
  await ends[1]!.ended;
  await sendAs(origin, bob.cookie)("POST", "/api/session/logout", {});
  await ends[2]!.ended;
});

test("a stream ends soon after another process has removed its user", async () => {
  const server = await openTestServe({ users: { anna: "viewer" } });
  const anna = await signIn(server.origin, "anna");
  const { opened, ended } = watchUntilEnd(server.origin, { cookie: anna.cookie });
  await opened;
  await using accounts = await openService(server);
  await accounts.removeUser("anna");
  await ended;
});

/** `opened` at the first event, `ended` when the server closed the stream in good order. */
function watchUntilEnd(origin: string, headers: Record<string, string>) {
  let onOpen!: () => void;
  const opened = new Promise<void>((resolve) => (onOpen = resolve));
  const ended = (async () => {
    const answer = await fetch(`${origin}/api/events?topic=queue`, { headers });
    expect(answer.status).toBe(200);
    for await (const _ of answer.body!) onOpen();
  })();
  return { opened: Promise.race([opened, ended]), ended };
}
