import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { reachOf } from "../../gossip/index.ts";
import { openAccountService } from "../open-accounts.ts";
import { readServerAddress, serverAddressFile } from "./server-files.ts";
import { openTestServe, sendAs, signIn, testPassword } from "./testing/open-test-serve.ts";

test("with users the server listens on every address, and the folder's token works on this machine only", async () => {
  const server = await openTestServe({ users: { anna: "viewer" }, env: { FORAGER_SERVE_LISTEN: "0.0.0.0:0" } }); // prettier-ignore
  const { paths, serve, token } = server;
  expect(serve.isExposed).toBe(true);
  const port = new URL(server.origin).port;
  const origin = `http://127.0.0.1:${port}`;
  expect((await signIn(origin, "anna")).status).toBe(200);
  const { origin: local } = (await readServerAddress(paths))!;
  expect(local).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  const authorization = `Bearer ${token}`;
  expect((await fetch(`${local}/api/session`, { headers: { authorization } })).status).toBe(200);
  // A forwarded request did not come from this machine.
  const forwarded = { authorization, "x-forwarded-for": "203.0.113.5" };
  expect((await fetch(`${local}/api/session`, { headers: forwarded })).status).toBe(401);
  const link = serve.firstLink();
  const far = await fetch(link, { redirect: "manual", headers: { "x-forwarded-for": "203.0.113.5" } }); // prettier-ignore
  expect(far.status).toBe(403);
  expect((await fetch(link, { redirect: "manual" })).status).toBe(303);
});

test("behind a proxy that does not say who asks, the folder's token and one-time links do not work", async () => {
  const server = await openTestServe({ env: { FORAGER_SERVE_PROXIES: "127.0.0.1" } });
  const headers = { authorization: `Bearer ${server.token}` };
  const behind = async (path: string) => (await fetch(`${server.origin}${path}`, { headers, redirect: "manual" })).status; // prettier-ignore
  expect(await behind("/api/session")).toBe(401);
  const { pathname, search } = new URL(server.serve.firstLink());
  expect(await behind(`${pathname}${search}`)).toBe(403);
  expect(await server.client.get("/api/session")).toMatchObject({ by: "token", role: null });
});

test("on all addresses a link to choose a password names the one that the administrator came by", async () => {
  const { origin } = await openTestServe({ users: { root: "admin" }, env: { FORAGER_SERVE_LISTEN: "0.0.0.0:0" } }); // prettier-ignore
  const own = `http://127.0.0.1:${new URL(origin).port}`;
  const root = sendAs(own, (await signIn(own, "root")).cookie);
  const { body } = await root("POST", "/api/users", { name: "bob", role: "viewer" });
  expect(body["link"]).toMatch(`${own}/welcome#bob/`);
});

test("on all addresses `forager user add` names an address of this machine that others reach", async () => {
  const env = { FORAGER_SERVE_LISTEN: "0.0.0.0:0" };
  const { origin, paths, settings } = await openTestServe({ users: { root: "admin" }, env });
  const place = { paths, clock: systemClock, signal: new AbortController().signal };
  const linkFor = async (name: string, listen: string) => {
    await using accounts = await openAccountService({ ...place, settings: { ...settings, serve: { ...settings.serve, listen } } }); // prettier-ignore
    return new URL((await accounts.addUser(name, "viewer")).link);
  };
  // The server was started with `--listen`, so the settings of the command do not contain its
  // address.
  const running = await linkFor("bob", "127.0.0.1:4870");
  expect(running.port).toBe(new URL(origin).port);
  const [reachable] = reachOf({ bound: `0.0.0.0:${running.port}` }).own;
  expect(running.host).toBe(reachable ?? `127.0.0.1:${running.port}`);
  rmSync(serverAddressFile(paths));
  const later = await linkFor("carl", "0.0.0.0:4870");
  expect([later.port, later.hostname]).toEqual(["4870", running.hostname]);
});

test("--open-loopback is refused where others reach the server", async () => {
  const users = { anna: "admin" } as const;
  const open = (env: Record<string, string>) => openTestServe({ users, isOpen: true, env });
  await expect(open({ FORAGER_SERVE_LISTEN: "0.0.0.0:0" })).rejects.toMatchObject({ message: expect.stringContaining("--open-loopback") as string }); // prettier-ignore
  await expect(open({ FORAGER_SERVE_PROXIES: "127.0.0.1" })).rejects.toMatchObject({ code: "usage" }); // prettier-ignore
});

test("with a certificate the server speaks https, with HSTS and __Host- cookies", async () => {
  const folder = mkdtempSync(join(tmpdir(), "forager-tls-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  execFileSync("openssl", ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", key, "-out", cert, "-days", "2", "-subj", "/CN=localhost"], { stdio: "ignore" }); // prettier-ignore
  const env = { FORAGER_SERVE_CERT_FILE: cert, FORAGER_SERVE_KEY_FILE: key };
  const { origin, serve } = await openTestServe({ users: { anna: "viewer" }, env });
  expect(origin).toMatch(/^https:/);
  expect(serve.isExposed).toBe(false);
  const answer = await post(`${origin}/api/login`, { user: "anna", password: testPassword });
  expect(answer.headers["strict-transport-security"]).toBe("max-age=31536000");
  expect(answer.headers["set-cookie"]![0]).toMatch(/^__Host-forager_\d+=\w{52}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=604800; Secure$/); // prettier-ignore
  await expect(openTestServe({ env: { FORAGER_SERVE_CERT_FILE: cert } })).rejects.toMatchObject({ message: expect.stringContaining("go together") as string }); // prettier-ignore
});

test("forwarded headers count from a named proxy only", async () => {
  const named = await openTestServe({ users: { anna: "viewer" }, env: { FORAGER_SERVE_PROXIES: "127.0.0.0/8", FORAGER_SERVE_PUBLIC_URL: "https://forager.example" } }); // prettier-ignore
  const other = await openTestServe({ users: { anna: "viewer" } });
  const login = async (origin: string, headers: Record<string, string> = {}) =>
    fetch(`${origin}/api/login`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-forwarded-proto": "https", "x-forwarded-for": "203.0.113.5", ...headers }, // prettier-ignore
      body: JSON.stringify({ user: "anna", password: testPassword }),
    });
  const page = { origin: "https://forager.example", "sec-fetch-site": "same-origin" };
  const through = await login(named.origin, page);
  expect(through.status).toBe(200);
  expect(through.headers.get("set-cookie")).toMatch(/^__Host-.*; Secure$/);
  expect(through.headers.get("strict-transport-security")).not.toBeNull();
  const direct = await login(other.origin);
  expect(direct.headers.get("set-cookie")).not.toContain("Secure");
  expect(direct.headers.get("strict-transport-security")).toBeNull();
  expect((await login(other.origin, page)).status).toBe(403);
  const { rows } = await named.client.get("/api/sessions");
  expect(rows.map(({ address }) => address)).toEqual(["203.0.113.5"]);
  expect((await other.client.get("/api/sessions")).rows[0]!.address).toBe("127.0.0.1");
});

interface Answered {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** The certificate is self-signed. */
function post(url: string, body: unknown): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const options = { method: "POST", rejectUnauthorized: false, headers: { "content-type": "application/json" } }; // prettier-ignore
    const sent = request(url, options, (answer) => {
      answer.resume();
      answer.once("end", () => resolve({ headers: answer.headers }));
    });
    sent.once("error", reject);
    sent.end(JSON.stringify(body));
  });
}
