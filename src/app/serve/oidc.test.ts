import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { until } from "../../../test/support/until.ts";
import { systemClock, type Clock } from "../../base/clock.ts";
import { openAudit } from "../open-audit.ts";
import {
  oidcEnv,
  openOidcProvider,
  openTestBrowser,
  type TestBrowser,
  type TestProvider,
} from "./testing/open-oidc-provider.ts";
import { openTestServe, sendAs, signIn, type TestServe } from "./testing/open-test-serve.ts";

describe("signing in with an identity provider", () => {
  let server: TestServe;
  let provider: TestProvider;
  let offsetMs = 0;
  let daysLater = 0;
  const clock: Clock = {
    ...systemClock,
    nowMs: () => Date.now() + offsetMs,
    monotonicMs: () => systemClock.monotonicMs() + daysLater * 86_400_000,
  };

  beforeAll(async () => {
    provider = await openOidcProvider();
    server = await openTestServe({
      owner: "file",
      clock,
      users: { anna: "admin" },
      env: oidcEnv(provider),
    });
    provider.register(`${server.origin}/login/callback`);
    return () => provider.stop();
  });
  beforeEach(() => {
    provider.tamper = {};
    provider.groups.clear();
    provider.groups.set("sam-0", ["staff"]);
    offsetMs = 0;
    daysLater += 2; // failures before this test do not slow it down
  });

  /** Goes to the provider and back, and returns the response of the last step. */
  const enter = async (browser: TestBrowser, subject: string, way = "") => {
    const back = await browser.signInAtProvider(`${server.origin}/login/provider${way}`, subject);
    return { back, answer: await browser.visit(back) };
  };
  const sessionOf = async (browser: TestBrowser) =>
    sendAs(server.origin, browser.cookies(server.origin))("GET", "/api/session");
  const expectRefused = async (browser: TestBrowser, answer: { status: number; text: string }) => {
    expect(answer.status).toBe(403);
    expect(answer.text).toContain("You are not signed in");
    expect((await sessionOf(browser)).status).toBe(401);
  };
  const tampered = async (tamper: TestProvider["tamper"]) => {
    provider.groups.set("tom-1", ["staff"]);
    provider.tamper = tamper;
    const browser = openTestBrowser();
    await expectRefused(browser, (await enter(browser, "tom-1")).answer);
  };

  test("a group gives the role, in a session of the same kind as with a password", async () => {
    provider.groups.set("bea-7", ["others", "staff"]);
    const browser = openTestBrowser();
    const { answer } = await enter(browser, "bea-7");
    expect([answer.status, answer.location]).toEqual([303, `${server.origin}/`]);
    const port = new URL(server.origin).port;
    expect(answer.headers["set-cookie"]?.[0]).toMatch(
      new RegExp(`^forager_${port}=[0-9a-z]{52}; Path=/; HttpOnly; SameSite=Lax; Max-Age=604800$`),
    );
    const user = "bea (oidc:bea-7)";
    const { body } = await sessionOf(browser);
    expect(body).toMatchObject({ by: "session", user, role: "viewer", confirmBy: "provider" });
    const { rows } = await server.client.get("/api/sessions");
    expect(rows.find((row) => row.user === user)).toMatchObject({ by: "oidc", role: "viewer" });
    const audit = openAudit({ settings: server.settings, paths: server.paths, clock });
    const [entry] = (await audit.list({ who: user, limit: 1 })).entries;
    expect(entry).toMatchObject({ what: "login", result: "ok", from: "127.0.0.1" });
    expect((await fetch(`${server.origin}/api/login`).then((one) => one.json())) as unknown).toEqual({ password: true, provider: true }); // prettier-ignore
  });

  test("the highest role of all groups counts, and each sign-in reads the groups again", async () => {
    const browser = openTestBrowser();
    const roleWith = async (groups: readonly string[]) => {
      provider.groups.set("carl-2", groups);
      await enter(browser, "carl-2");
      return (await sessionOf(browser)).body["role"];
    };
    expect(await roleWith(["staff", "admins"])).toBe("admin");
    expect(await roleWith(["staff"])).toBe("viewer");
    expect(await roleWith(["cn=leads", "staff"])).toBe("operator");
  });

  test("somebody in no group with a role is refused with a page that says so", async () => {
    provider.groups.set("dora-3", ["guests"]);
    const browser = openTestBrowser();
    const { answer } = await enter(browser, "dora-3");
    await expectRefused(browser, answer);
    expect(answer.text).toContain("dora (oidc:dora-3)");
    expect(answer.text).toContain("none of your groups");
    expect(answer.text).toContain('href="/sign-in"');
  });

  test("a wrong state is refused", async () => {
    const browser = openTestBrowser();
    const back = await browser.signInAtProvider(`${server.origin}/login/provider`, "sam-0");
    const url = new URL(back);
    url.searchParams.set("state", "another");
    await expectRefused(browser, await browser.visit(url.href));
  });

  test("a callback that was begun in another browser is refused", async () => {
    const attacker = openTestBrowser();
    const back = await attacker.signInAtProvider(`${server.origin}/login/provider`, "sam-0");
    const victim = openTestBrowser();
    await expectRefused(victim, await victim.visit(back));
    // It is refused even if the victim has started a sign-in of their own.
    await victim.visit(`${server.origin}/login/provider`);
    await expectRefused(victim, await victim.visit(back));
  });

  test("a cookie of a sign-in that this server has not signed is refused", async () => {
    const browser = openTestBrowser();
    const back = await browser.signInAtProvider(`${server.origin}/login/provider`, "sam-0");
    const [pair = ""] = browser.cookies(server.origin).split("; ");
    const [name, text] = [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)];
    const [payload = "", mac = ""] = text.split(".");
    const value = JSON.parse(Buffer.from(payload, "base64url").toString()) as Record<string, unknown>; // prettier-ignore
    const forged = Buffer.from(JSON.stringify({ ...value, untilMs: 9e15 })).toString("base64url");
    browser.setCookies(server.origin, `${name}=${forged}.${mac}`);
    await expectRefused(browser, await browser.visit(back));
  });

  test("a sign-in that takes longer than ten minutes has to begin again", async () => {
    const browser = openTestBrowser();
    const back = await browser.signInAtProvider(`${server.origin}/login/provider`, "sam-0");
    offsetMs = 10 * 60_000 + 1;
    await expectRefused(browser, await browser.visit(back));
  });

  test("a wrong nonce is refused", () => tampered({ claims: { nonce: "another" } }));

  test("a wrong audience is refused", () => tampered({ claims: { aud: "another-client" } }));

  test("a wrong issuer in the ID token is refused", () =>
    tampered({ claims: { iss: "http://127.0.0.1:9" } }));

  test("an expired ID token is refused", () =>
    tampered({ claims: { exp: Math.floor(Date.now() / 1_000) - 3_600 } }));

  test("an ID token that another key has signed is refused", () => tampered({ isOtherKey: true }));

  test("an ID token without a signature is refused", () => tampered({ isUnsigned: true }));

  test("groups of another subject are refused", () => tampered({ userInfoSubject: "root-0" }));

  test("a wrong issuer in the callback is refused", async () => {
    const browser = openTestBrowser();
    const back = await browser.signInAtProvider(`${server.origin}/login/provider`, "sam-0");
    const url = new URL(back);
    expect(url.searchParams.get("iss")).toBe(provider.issuer);
    url.searchParams.set("iss", "https://evil.example");
    await expectRefused(browser, await browser.visit(url.href));
  });

  test("an expired code is refused", async () => {
    provider.codeSeconds = 1;
    onTestFinished(() => void (provider.codeSeconds = 600));
    const browser = openTestBrowser();
    const back = await browser.signInAtProvider(`${server.origin}/login/provider`, "sam-0");
    const madeMs = Date.now();
    await until(() => Date.now() > madeMs + 2_500, "the end of the code's life");
    await expectRefused(browser, await browser.visit(back));
  });

  test("a code that was used is refused, with the same cookie too", async () => {
    const browser = openTestBrowser();
    const back = await browser.signInAtProvider(`${server.origin}/login/provider`, "sam-0");
    const cookies = browser.cookies(server.origin);
    expect((await browser.visit(back)).status).toBe(303);
    const thief = openTestBrowser();
    thief.setCookies(server.origin, cookies);
    await expectRefused(thief, await thief.visit(back));
  });

  test("a code of another sign-in is refused, because of PKCE", async () => {
    provider.groups.set("root-9", ["admins"]);
    const [attacker, victim] = [openTestBrowser(), openTestBrowser()];
    const start = `${server.origin}/login/provider`;
    const stolen = await victim.signInAtProvider(start, "root-9");
    const own = await attacker.signInAtProvider(start, "sam-0");
    const url = new URL(own);
    url.searchParams.set("code", new URL(stolen).searchParams.get("code")!);
    await expectRefused(attacker, await attacker.visit(url.href));
  });

  test("what the provider refuses is said on a page", async () => {
    const browser = openTestBrowser();
    const { location } = await browser.visit(`${server.origin}/login/provider`);
    const state = new URL(location!).searchParams.get("state")!;
    const query = new URLSearchParams({ error: "access_denied", state, iss: provider.issuer });
    await expectRefused(
      browser,
      await browser.visit(`${server.origin}/login/callback?${query.toString()}`),
    );
  });

  test("nobody gets the rights of a user with a password by choosing their name", async () => {
    provider.groups.set("anna-66", ["staff"]);
    await signIn(server.origin, "anna");
    const browser = openTestBrowser();
    await enter(browser, "anna-66");
    const send = sendAs(server.origin, browser.cookies(server.origin));
    const { rows } = (await send("GET", "/api/sessions")).body as unknown as { rows: { user: string }[] }; // prettier-ignore
    expect(rows.map(({ user }) => user)).toEqual(["anna (oidc:anna-66)"]);
  });

  test("before users are changed the provider must ask for the password again", async () => {
    provider.groups.set("rita-5", ["admins"]);
    const browser = openTestBrowser();
    await enter(browser, "rita-5");
    const add = (name: string) =>
      sendAs(server.origin, browser.cookies(server.origin))("POST", "/api/users", { name, role: "viewer" }); // prettier-ignore
    // The provider did not report when it last asked for the password.
    const refused = await add("u1");
    expect([refused.status, refused.body["code"]]).toEqual([403, "fresh_login_needed"]);
    expect(refused.body["detail"]).toContain("/login/provider?fresh=1");
    await enter(browser, "rita-5", "?fresh=1");
    expect((await add("u2")).status).toBe(201);
    offsetMs = 15 * 60_000 + 1;
    expect((await add("u3")).status).toBe(403);
    const token = await sendAs(server.origin, browser.cookies(server.origin))("POST", "/api/tokens", { name: "x", scopes: ["queue:read"] }); // prettier-ignore
    expect(token.status).toBe(403);
  });

  test("a fresh sign-in asks the provider for a password of the last minute, and takes no older one", async () => {
    provider.groups.set("rita-6", ["admins"]);
    const maxAge = async (query: string) => {
      const answer = await fetch(`${server.origin}/login/provider${query}`, { redirect: "manual" });
      return new URL(answer.headers.get("location")!).searchParams.get("max_age");
    };
    expect([await maxAge(""), await maxAge("?fresh=1")]).toEqual([null, "60"]);
    const enteredAfter = async (seconds: number) => {
      provider.tamper = { claims: { auth_time: Math.floor(Date.now() / 1_000) - seconds } };
      return (await enter(openTestBrowser(), "rita-6", "?fresh=1")).answer.status;
    };
    expect([await enteredAfter(10), await enteredAfter(300)]).toEqual([303, 403]);
  });

  test("codes that were made up are slowed down, and cost the provider little", async () => {
    const browser = openTestBrowser();
    const statuses: number[] = [];
    for (let count = 0; count < 12; count++) {
      const { location } = await browser.visit(`${server.origin}/login/provider`);
      const state = new URL(location!).searchParams.get("state")!;
      const query = new URLSearchParams({ code: "guess", state, iss: provider.issuer });
      statuses.push(
        (await browser.visit(`${server.origin}/login/callback?${query.toString()}`)).status,
      );
    }
    expect(statuses.slice(0, 3)).toEqual([403, 403, 403]);
    expect(statuses).toContain(429);
  });

  test("while the provider is away a page says so, and afterwards people get in", async () => {
    const browser = openTestBrowser();
    // The configuration of the provider is read at the first sign-in.
    const other = await openTestServe({ users: { anna: "admin" }, env: oidcEnv(provider) });
    provider.isAway = true;
    onTestFinished(() => void (provider.isAway = false));
    const { status, text } = await browser.visit(`${other.origin}/login/provider`);
    expect(status).toBe(503);
    expect(text).toContain("does not answer");
    expect((await signIn(other.origin, "anna")).status).toBe(200);
    provider.isAway = false;
    expect((await browser.visit(`${other.origin}/login/provider`)).status).toBe(303);
  });

  test("people who come by another name of the machine are led to the one that works", async () => {
    const { hostname, port } = new URL(server.origin);
    expect(hostname).toBe("127.0.0.1");
    const { status, location } = await openTestBrowser().visit(`http://localhost:${port}/login/provider`); // prettier-ignore
    expect([status, location]).toEqual([303, `${server.origin}/login/provider`]);
  });
});

test("a description of the provider that leads elsewhere is not followed", async () => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    response.writeHead(302, { location: "/inner/secret" }).end();
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { origin } = await openTestServe({ env: oidcEnv({ issuer }) });
  expect((await openTestBrowser().visit(`${origin}/login/provider`)).status).toBe(503);
  expect(asked).toEqual(["/.well-known/openid-configuration"]);
});

test("settings that cannot work are refused at the start", async () => {
  const issuer = { FORAGER_OIDC_ISSUER: "http://127.0.0.1:9" };
  const id = { FORAGER_OIDC_CLIENT_ID: "x" };
  const roles = { FORAGER_OIDC_ROLES: "staff=viewer" };
  const open = (env: Record<string, string>) => openTestServe({ env });
  const says = (text: string) => ({ message: expect.stringContaining(text) as string });
  await expect(open(issuer)).rejects.toMatchObject(says("oidc.clientId"));
  await expect(open({ ...issuer, ...id })).rejects.toMatchObject(says("oidc.roles"));
  await expect(open({ ...issuer, ...id, FORAGER_OIDC_ROLES: "staff=king" })).rejects.toMatchObject(says("oidc.roles must be")); // prettier-ignore
  await expect(open({ FORAGER_OIDC_ISSUER: "http://login.example" })).rejects.toMatchObject(says("https://")); // prettier-ignore
  const everywhere = { ...issuer, ...id, ...roles, FORAGER_SERVE_LISTEN: "0.0.0.0:0" };
  await expect(open(everywhere)).rejects.toMatchObject(says("serve.publicUrl"));
  const reached = await open({
    ...everywhere,
    FORAGER_SERVE_PUBLIC_URL: "https://forager.example",
  });
  expect(reached.serve.isExposed).toBe(true);
});
