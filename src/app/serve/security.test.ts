// inputs: src/dashboard/**
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { contract, type RouteSpec } from "../../api/index.ts";
import { packageFile } from "../../base/files/package-files.ts";
import { openTestServe, sendAs, signIn, type TestServe } from "./testing/open-test-serve.ts";

/** Sends the request like another program: `fetch` adds headers. */
function ask(
  url: string,
  headers: Readonly<Record<string, string>>,
  method = "GET",
  body?: string,
) {
  return new Promise<{ status: number; headers: Readonly<Record<string, unknown>>; text: string }>(
    (resolve, reject) => {
      const sent = request(url, { method, headers, agent: false }, (answer) => {
        let text = "";
        const end = () => resolve({ status: answer.statusCode!, headers: answer.headers, text });
        answer.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
        answer.once("end", end);
        // A stream does not end by itself.
        if (/event-stream/.test(answer.headers["content-type"] ?? "")) answer.once("data", () => (end(), sent.destroy())); // prettier-ignore
      });
      sent.on("error", reject);
      sent.end(body);
    },
  );
}

describe("every answer", () => {
  let server: TestServe;
  let own: Readonly<Record<string, string>>;
  beforeAll(async () => {
    server = await openTestServe({ owner: "file", users: { anna: "viewer" } });
    own = { authorization: `Bearer ${server.token}` };
  });

  /** Routes, a refusal, a file, events, the page, a missing asset, health, the sign-in pages. */
  const answers = async () => {
    const paths = ["/api/status", "/api/companies", "/api/nothing", "/api/exports/companies", "/api/events?topic=queue", "/", "/no.js", "/healthz", "/metrics", "/login?code=x"]; // prettier-ignore
    const origins = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };
    return [
      ...(await Promise.all(paths.map((path) => ask(`${server.origin}${path}`, own)))),
      await ask(`${server.origin}/api/status`, {}),
      await ask(`${server.origin}/api/status`, { ...own, ...origins }),
      await ask(`${server.origin}/api/queue/tasks`, { ...own, ...origins }, "OPTIONS"),
      await ask(`${server.origin}/api/login`, { "content-type": "application/json" }, "POST", "{"),
      await ask(`${server.origin}/api/status`, { ...own, host: "evil.example" }),
    ];
  };

  test("has no CORS header, whoever asks", async () => {
    for (const { headers } of await answers()) {
      expect(Object.keys(headers).filter((name) => name.startsWith("access-control-"))).toEqual([]);
    }
  });

  test("has a content policy that allows nothing from elsewhere, and nobody frames it", async () => {
    for (const { headers } of await answers()) {
      const policy = String(headers["content-security-policy"]).split("; ");
      expect(policy).toEqual(expect.arrayContaining(["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'"])); // prettier-ignore
      expect(policy.join()).not.toMatch(/unsafe|\*|https?:/);
      expect(headers["x-frame-options"]).toBe("DENY");
    }
  });

  test("forbids guessing its type, and sends other sites no referrer", async () => {
    for (const { headers } of await answers()) {
      expect(headers).toMatchObject({
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
      });
    }
  });

  test("says its type, with the character set", async () => {
    for (const { headers, status } of await answers()) {
      expect(headers["content-type"], String(status)).toMatch(/^(?:application\/(?:problem\+)?json|text\/(?:html|csv|plain|event-stream|javascript))(?:; version=[\d.]+)?; charset=utf-8/i); // prettier-ignore
    }
  });

  test("of a download is an attachment, and no other page can cause one", async () => {
    const path = `${server.origin}/api/exports/companies`;
    const mine = await ask(path, { ...own, "sec-fetch-site": "same-origin" });
    expect(mine.headers["content-disposition"]).toMatch(/^attachment; filename="[\w.-]+"$/);
    for (const mode of ["navigate", "no-cors", "cors"]) {
      const theirs = await ask(path, { ...own, "sec-fetch-site": "cross-site", "sec-fetch-mode": mode, "sec-fetch-dest": "document" }); // prettier-ignore
      expect(theirs.status).toBe(403);
    }
  });

  test("to a bug or a damaged file says no more than a request id", async () => {
    const broken = await openTestServe({ users: { anna: "viewer" } });
    const file = broken.paths.resolve("node", "users", "fleet", "users.json");
    writeFileSync(file, "{ not json: /secret/path");
    const login = await signIn(broken.origin, "anna");
    // No user is admitted while it is damaged.
    expect(login.status).toBe(500);
    expect(login.cookie).toBe("");
    expect(JSON.stringify(login.body)).not.toMatch(/secret|node\/users|at .*\.ts/);
    expect(login.body.detail).toMatch(/^something went wrong here; the log names it by \w+$/);
  });
});

test("no route changes something by GET", () => {
  const gets = Object.values(contract as Readonly<Record<string, RouteSpec>>).filter(({ method }) => method === "GET"); // prettier-ignore
  expect(gets.length).toBeGreaterThan(40);
  for (const { path, scope, body, needsFreshLogin } of gets) {
    const isRead =
      /:read$|^(?:self|public)$/.test(scope) ||
      /^\/api\/(?:users|webhooks|deliveries)\b/.test(path);
    expect([path, isRead, body, needsFreshLogin]).toEqual([path, true, undefined, undefined]);
  }
});

test("there is no account before one is added, and no usual one works", async () => {
  const { origin, client } = await openTestServe();
  expect(await client.get("/api/login")).toEqual({ password: false, provider: false });
  expect((await client.get("/api/users")).rows).toEqual([]);
  for (const user of ["admin", "root", "forager", "operator", ""]) {
    for (const password of ["admin", "forager", "password", "x"]) {
      expect((await signIn(origin, user, password)).cookie).toBe("");
    }
  }
});

test("secrets of sessions, links and tokens have at least 200 random bits, and none comes twice", async () => {
  const { origin, client, serve } = await openTestServe({ users: { anna: "admin" } });
  const made = new Set<string>();
  for (let count = 0; count < 5; count++) {
    const { token } = await client.send("POST", "/api/tokens", { body: { name: "x", scopes: ["queue:read"] } }); // prettier-ignore
    expect(token).toMatch(/^fgr_[0-9a-z]{10}_[\w-]{43}/); // 43 × 6 bits
    const { link } = await client.send("POST", "/api/users/{user}/link", { params: { user: "anna" } }); // prettier-ignore
    expect(link).toMatch(/\/[0-9a-z]{40}$/); // 40 × 5 bits
    const { cookie } = await signIn(origin, "anna");
    expect(cookie).toMatch(/=[0-9a-z]{52}$/); // 52 × 5 bits
    for (const secret of [token, link, cookie, serve.firstLink()]) made.add(secret);
  }
  expect(made.size).toBe(20);
});

test("what one may see and change is decided by the server: others' sessions and tokens do not exist", async () => {
  const { origin } = await openTestServe({ users: { anna: "viewer", bob: "viewer", root: "admin" } }); // prettier-ignore
  const open = async (user: string) => sendAs(origin, (await signIn(origin, user)).cookie);
  const [anna, bob, root] = [await open("anna"), await open("bob"), await open("root")];
  const token = (await bob("POST", "/api/tokens", { name: "mine", scopes: ["queue:read"] })).body["id"]; // prettier-ignore
  const [session] = (await bob("GET", "/api/sessions")).body["rows"] as unknown as { id: string }[];
  expect((await anna("GET", "/api/tokens")).body).toEqual({ rows: [] });
  expect((await anna("DELETE", `/api/tokens/${String(token)}`)).status).toBe(404);
  expect((await anna("DELETE", `/api/sessions/${session!.id}`)).status).toBe(404);
  expect((await bob("GET", "/api/session")).status).toBe(200);
  // Secret fields are never sent, also not to administrators.
  const users = JSON.stringify((await root("GET", "/api/users")).body);
  expect(users).toContain("anna");
  expect(users).not.toMatch(/scrypt|"password"|"hash"|"version"/);
});

test("the dashboard inserts no HTML and runs no text", () => {
  const folder = packageFile("src/dashboard");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => /\.tsx?$/.test(name)); // prettier-ignore
  expect(files.length).toBeGreaterThan(40);
  const forbidden = /innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|document\.write|createContextualFragment|DOMParser|\beval\(|new Function|srcdoc/; // prettier-ignore
  const found = files.filter((name) => forbidden.test(readFileSync(join(folder, name), "utf8")));
  expect(found).toEqual([]);
});
