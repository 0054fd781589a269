import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { createPaths, loadSettings } from "../../config/index.ts";
import { openAccountService, openAccounts } from "../open-accounts.ts";
import { openTestServe, sendAs, signIn, testPassword } from "./testing/open-test-serve.ts";

const signal = new AbortController().signal;

/** The real clock, whose wall time a test can advance. */
function createSteppedClock() {
  let offsetMs = 0;
  const advance = (ms: number) => (offsetMs += ms);
  return { ...systemClock, nowMs: () => Date.now() + offsetMs, advance };
}

async function openFolder(env: Readonly<Record<string, string>> = {}) {
  const folder = mkdtempSync(join(tmpdir(), "forager-users-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const { settings } = await loadSettings({ cwd: folder, home: folder, env: { FORAGER_DATA: join(folder, "data"), ...env } }); // prettier-ignore
  return { folder, place: { settings, paths: createPaths(settings.data), clock: systemClock, signal } }; // prettier-ignore
}

test("users of a folder without a bucket are in one file that only its owner can read", async () => {
  const { place } = await openFolder();
  const umask = process.umask(0);
  try {
    await using accounts = await openAccountService(place);
    const { link } = await accounts.addUser("anna", "admin");
    expect(link).toMatch(/^http:\/\/127\.0\.0\.1:4870\/welcome#anna\/[0-9a-z]{40}$/);
  } finally {
    process.umask(umask);
  }
  const file = place.paths.resolve("node", "users", "fleet", "users.json");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, "utf8")).toContain('"anna"');
});

test("with a bucket all nodes of the fleet have the same users, and changes at once are all kept", async () => {
  const bucket = mkdtempSync(join(tmpdir(), "forager-users-bucket-"));
  onTestFinished(() => rmSync(bucket, { recursive: true, force: true }));
  const nodes = await Promise.all([1, 2, 3].map(() => openFolder({ FORAGER_BUCKET_URL: `dir:${bucket}` }))); // prettier-ignore
  const services = await Promise.all(nodes.map(({ place }) => openAccountService(place)));
  await Promise.all(services.flatMap((accounts, at) => [1, 2, 3].map((n) => accounts.addUser(`u${at}-${n}`, "viewer")))); // prettier-ignore
  expect(await services[0]!.listUsers()).toHaveLength(9);
  expect(readdirSync(join(bucket, "fleet"))).toEqual(["users.json"]);
  await expect(services[1]!.addUser("u0-1", "viewer")).rejects.toMatchObject({
    code: "user_exists",
  });
  for (const accounts of services) await accounts[Symbol.asyncDispose]();
});

test("a bucket that is gone is not one without users, also after a restart", async () => {
  const bucket = mkdtempSync(join(tmpdir(), "forager-users-bucket-"));
  onTestFinished(() => rmSync(bucket, { recursive: true, force: true }));
  const env = { FORAGER_BUCKET_URL: `dir:${bucket}` };
  const { place, folder } = await openFolder(env);
  {
    await using accounts = await openAccountService(place);
    await accounts.addUser("anna", "admin");
  }
  // The disk is not mounted: the folder exists and is empty.
  rmSync(bucket, { recursive: true });
  mkdirSync(bucket);
  {
    await using accounts = await openAccounts(place);
    await expect(accounts.store.read()).rejects.toMatchObject({ code: "accounts_missing" });
  }
  {
    await using accounts = await openAccountService(place);
    await expect(accounts.addUser("eve", "admin")).rejects.toMatchObject({
      code: "accounts_missing",
    });
  }
  rmSync(join(folder, "data", "node", "users.seen"));
  await using accounts = await openAccounts(place);
  expect((await accounts.store.read()).users).toEqual([]);
});

test("a damaged store lets nobody in, and says so", async () => {
  const { place } = await openFolder();
  await using accounts = await openAccounts(place);
  await accounts.store.change((now) => now);
  const file = place.paths.resolve("node", "users", "fleet", "users.json");
  const value = { users: [{ name: "UPPER" }], tokens: [] };
  writeFileSync(file, JSON.stringify({ format: 1, commits: {}, value }));
  await expect(accounts.store.read()).rejects.toMatchObject({ code: "accounts_corrupt" });
});

test("a user chooses the first password with a link that works once", async () => {
  const { origin, client } = await openTestServe();
  const { link } = await client.send("POST", "/api/users", {
    body: { name: "bob", role: "viewer" },
  });
  const [, user, code] = /#([^/]+)\/(.+)$/.exec(link)!;
  const accept = (password: string, given = code) =>
    sendAs(origin, "")("POST", "/api/login/link", { user, code: given, password });
  expect((await accept("too short")).body).toMatchObject({ code: "weak_password" });
  expect((await accept("another fine phrase", "wrong")).body).toMatchObject({ code: "bad_link" });
  const accepted = await accept("another fine phrase");
  expect(accepted.status).toBe(200);
  expect((await accept("another fine phrase")).body).toMatchObject({ code: "bad_link" });
  const session = await sendAs(origin, accepted.cookie!)("GET", "/api/session");
  expect(session.body).toMatchObject({ user: "bob", role: "viewer", by: "session" });
  expect((await signIn(origin, "bob", "another fine phrase")).status).toBe(200);
});

test("a link is too old after a day", async () => {
  const clock = createSteppedClock();
  const { origin, client } = await openTestServe({ clock });
  const { link } = await client.send("POST", "/api/users", {
    body: { name: "bob", role: "viewer" },
  });
  const [, user, code] = /#([^/]+)\/(.+)$/.exec(link)!;
  clock.advance(24 * 3_600_000 + 1);
  const late = await sendAs(origin, "")("POST", "/api/login/link", { user, code, password: "another fine phrase" }); // prettier-ignore
  expect(late.body).toMatchObject({ status: 400, code: "bad_link" });
});

test("a wrong name and a wrong password get the same answer, and a right one a session cookie", async () => {
  const { origin } = await openTestServe({ users: { anna: "viewer" } });
  const [unknown, wrong] = [await signIn(origin, "nobody"), await signIn(origin, "anna", "wrong")];
  const plain = ({ status, body }: typeof wrong) => ({ status, ...body, requestId: "" });
  expect(plain(unknown)).toEqual(plain(wrong));
  expect(wrong).toMatchObject({ status: 401, body: { code: "wrong_password" } });
  const right = await signIn(origin, "anna");
  const port = new URL(origin).port;
  const [session, browser] = right.headers.getSetCookie();
  expect(session).toMatch(
    new RegExp(`^forager_${port}=[0-9a-z]{52}; Path=/; HttpOnly; SameSite=Lax; Max-Age=604800$`),
  );
  // The other cookie identifies the browser at the next sign-in; it grants no access.
  expect(browser).toMatch(
    new RegExp(
      `^forager_${port}-browser=[^;]+; Path=/; HttpOnly; SameSite=Strict; Max-Age=15552000$`,
    ),
  );
  const cookie = browser!.split(";")[0]!;
  expect((await sendAs(origin, cookie)("GET", "/api/session")).status).toBe(401);
});

test("each sign-in gives a new session id, whatever cookie came with it", async () => {
  const { origin } = await openTestServe({ users: { anna: "viewer" } });
  const first = await signIn(origin, "anna");
  const again = await sendAs(origin, first.cookie)("POST", "/api/login", { user: "anna", password: testPassword }); // prettier-ignore
  expect(again.cookie).not.toBe(first.cookie);
  // The browser has lost the cookie of the first session, so that session must have ended.
  expect((await sendAs(origin, first.cookie)("GET", "/api/session")).status).toBe(401);
  expect((await sendAs(origin, again.cookie!)("GET", "/api/session")).status).toBe(200);
});

test("a session ends when it is idle for 12 hours, and after 7 days in any case", async () => {
  const clock = createSteppedClock();
  const { origin } = await openTestServe({ users: { anna: "viewer" }, clock });
  const hour = 3_600_000;
  const status = async (cookie: string) => (await sendAs(origin, cookie)("GET", "/api/session")).status; // prettier-ignore
  const idle = await signIn(origin, "anna");
  clock.advance(12 * hour + 1);
  expect(await status(idle.cookie)).toBe(401);
  const used = await signIn(origin, "anna");
  for (let count = 0; count < 16; count++) {
    clock.advance(10 * hour);
    expect(await status(used.cookie)).toBe(200);
  }
  clock.advance(8 * hour + 1);
  expect(await status(used.cookie)).toBe(401);
});

test("the limits of sessions are settings", async () => {
  const clock = createSteppedClock();
  const env = { FORAGER_SERVE_SESSION_IDLE_MINUTES: "5", FORAGER_SERVE_SESSION_HOURS: "1" };
  const { origin } = await openTestServe({ users: { anna: "viewer" }, clock, env });
  const status = async (cookie: string) => (await sendAs(origin, cookie)("GET", "/api/session")).status; // prettier-ignore
  const idle = await signIn(origin, "anna");
  expect(idle.headers.get("set-cookie")).toContain("Max-Age=3600");
  clock.advance(5 * 60_000 + 1);
  expect(await status(idle.cookie)).toBe(401);
  const used = await signIn(origin, "anna");
  for (let count = 0; count < 14; count++) {
    clock.advance(4 * 60_000);
    expect(await status(used.cookie)).toBe(200);
  }
  clock.advance(4 * 60_000 + 1);
  expect(await status(used.cookie)).toBe(401);
});

test("logout ends the session at the server, and everywhere ends all of one's own", async () => {
  const { origin } = await openTestServe({ users: { anna: "viewer", bob: "viewer" } });
  const cookies: string[] = [];
  for (const user of ["anna", "anna", "anna", "bob"]) cookies.push((await signIn(origin, user)).cookie); // prettier-ignore
  const statuses = () =>
    Promise.all(cookies.map(async (cookie) => (await sendAs(origin, cookie)("GET", "/api/session")).status)); // prettier-ignore
  const left = await sendAs(origin, cookies[0]!)("POST", "/api/session/logout", {});
  expect(left.headers.get("set-cookie")).toContain("Max-Age=0");
  expect(await statuses()).toEqual([401, 200, 200, 200]);
  await sendAs(origin, cookies[1]!)("POST", "/api/session/logout", { everywhere: true });
  expect(await statuses()).toEqual([401, 401, 401, 200]);
});

test("a user who signs in very often ends their own oldest sessions, not those of others", async () => {
  const { origin, client } = await openTestServe({ users: { anna: "viewer", eve: "viewer" } });
  const anna = await signIn(origin, "anna");
  for (let count = 0; count < 60; count++) expect((await signIn(origin, "eve")).status).toBe(200);
  expect((await sendAs(origin, anna.cookie)("GET", "/api/session")).status).toBe(200);
  const { rows } = await client.get("/api/sessions");
  expect(rows.filter(({ user }) => user === "eve")).toHaveLength(50);
});

test("one's own sessions are listed and ended; an administrator sees and ends all", async () => {
  const { origin } = await openTestServe({ users: { anna: "viewer", root: "admin" } });
  const anna = sendAs(origin, (await signIn(origin, "anna")).cookie);
  const root = sendAs(origin, (await signIn(origin, "root")).cookie);
  const rowsOf = async (send: typeof anna) => (await send("GET", "/api/sessions")).body["rows"] as unknown as readonly { id: string; user: string; isOwn: boolean }[]; // prettier-ignore
  expect((await rowsOf(anna)).map(({ user }) => user)).toEqual(["anna"]);
  const all = await rowsOf(root);
  expect(all.map(({ user, isOwn }) => [user, isOwn])).toEqual([["anna", false], ["root", true]]); // prettier-ignore
  const [ofAnna, ofRoot] = all;
  expect((await anna("DELETE", `/api/sessions/${ofRoot!.id}`)).status).toBe(404);
  expect((await root("DELETE", `/api/sessions/${ofAnna!.id}`)).status).toBe(200);
  expect((await anna("GET", "/api/session")).status).toBe(401);
});

test("another role, another password and removal end sessions at once", async () => {
  const users = { anna: "editor", bob: "viewer", carl: "viewer" } as const;
  const { origin, client } = await openTestServe({ users });
  const open = async (user: string) => sendAs(origin, (await signIn(origin, user)).cookie);
  const [anna, bob, carl, carlToo] = [await open("anna"), await open("bob"), await open("carl"), await open("carl")]; // prettier-ignore
  await client.send("PATCH", "/api/users/{user}", { params: { user: "anna" }, body: { role: "viewer" } }); // prettier-ignore
  await client.send("DELETE", "/api/users/{user}", { params: { user: "bob" } });
  const changed = await carl("PUT", "/api/session/password", { old: testPassword, password: "another fine phrase" }); // prettier-ignore
  expect(changed.status).toBe(200);
  for (const send of [anna, bob, carlToo]) expect((await send("GET", "/api/session")).status).toBe(401); // prettier-ignore
  expect((await sendAs(origin, changed.cookie!)("GET", "/api/session")).status).toBe(200);
  expect((await signIn(origin, "carl")).status).toBe(401);
  expect((await signIn(origin, "bob")).status).toBe(401);
});

test("changing a password needs the old one", async () => {
  const { origin } = await openTestServe({ users: { anna: "viewer" } });
  const anna = sendAs(origin, (await signIn(origin, "anna")).cookie);
  const change = await anna("PUT", "/api/session/password", { old: "wrong", password: "another fine phrase" }); // prettier-ignore
  expect(change).toMatchObject({ status: 401, body: { code: "wrong_password" } });
});

test("users, tokens and forgetting need a sign-in within 15 minutes", async () => {
  const clock = createSteppedClock();
  const { origin } = await openTestServe({ users: { root: "admin" }, clock });
  let root = sendAs(origin, (await signIn(origin, "root")).cookie);
  const tries = () =>
    Promise.all([
      root("POST", "/api/users", { name: "bob", role: "viewer" }),
      root("POST", "/api/tokens", { name: "x", scopes: ["queue:read"] }),
      root("POST", "/api/companies/acme/forget", { confirm: "acme" }),
    ]);
  clock.advance(15 * 60_000 + 1);
  for (const { status, body } of await tries()) expect([status, body["code"]]).toEqual([403, "fresh_login_needed"]); // prettier-ignore
  expect((await root("GET", "/api/users")).status).toBe(200);
  expect((await root("POST", "/api/session/confirm", { password: "wrong" })).status).toBe(401);
  const confirmed = await root("POST", "/api/session/confirm", { password: testPassword });
  const before = root;
  root = sendAs(origin, confirmed.cookie!);
  expect((await tries()).map(({ status }) => status)).toEqual([201, 201, 404]);
  expect((await before("GET", "/api/session")).status).toBe(401);
});

test("guesses are slowed down with 429 and Retry-After, and the user at another address gets in", async () => {
  const { origin } = await openTestServe({ users: { anna: "viewer" }, env: { FORAGER_SERVE_PROXIES: "127.0.0.1" } }); // prettier-ignore
  const tryFrom = async (address: string, password: string) =>
    fetch(`${origin}/api/login`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-forwarded-for": address },
      body: JSON.stringify({ user: "anna", password }),
    });
  const statuses: number[] = [];
  for (let count = 0; count < 30; count++) statuses.push((await tryFrom("203.0.113.5", "guess")).status); // prettier-ignore
  expect(statuses.slice(0, 5)).toEqual([401, 401, 401, 401, 401]);
  const refused = await tryFrom("203.0.113.5", testPassword);
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect((await tryFrom("198.51.100.7", testPassword)).status).toBe(200);
});
