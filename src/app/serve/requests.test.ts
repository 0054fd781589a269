import { request } from "node:http";
import { connect } from "node:net";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { openTestServe, type TestServe } from "./testing/open-test-serve.ts";

interface Got {
  readonly status: number;
  readonly text: string;
}

describe("requests that are wrong, slow or repeated", () => {
  let server: TestServe;
  let port = 0;
  beforeAll(async () => {
    server = await openTestServe({ owner: "file" });
    port = Number(new URL(server.origin).port);
  });

  /** Uses `node:http`, because `fetch` would normalize the path. */
  const send = (
    method: string,
    path: string,
    { headers = {}, body }: { headers?: Record<string, string>; body?: string | Buffer } = {},
  ) =>
    new Promise<Got>((resolve, reject) => {
      const own = { host: `127.0.0.1:${port}`, authorization: `Bearer ${server.token}` };
      const options = { host: "127.0.0.1", port, method, path, agent: false };
      const asked = request({ ...options, headers: { ...own, ...headers } }, (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
        response.on("end", () => resolve({ status: response.statusCode!, text }));
      });
      asked.on("error", reject);
      asked.end(body);
    });
  const json = { "content-type": "application/json" };
  const codeOf = ({ status, text }: Got) => [status, (JSON.parse(text) as { code: string }).code];

  test.each<[string, string | Buffer, Record<string, string>, number, string]>([
    ["JSON that ends early", '{"tasks":[', json, 400, "bad_json"],
    ["what is not UTF-8", Buffer.from([0x22, 0xff, 0x22]), json, 400, "bad_json"],
    ["a form", "a=b", { "content-type": "application/x-www-form-urlencoded" }, 415, "not_json"],
    ["no content type", "{}", {}, 415, "not_json"],
    ["more bytes than are taken", `"${"x".repeat(1_200_000)}"`, json, 413, "too_large"],
    ["more bytes, with no length told", `"${"x".repeat(1_200_000)}"`, { ...json, "transfer-encoding": "chunked" }, 413, "too_large"], // prettier-ignore
    ["a field that nobody knows", '{"tasks":[{"kind":"a"}],"x":1}', json, 400, "bad_request"],
    ["a list nested ten thousand times", `{"tasks":${"[".repeat(10_000)}${"]".repeat(10_000)}}`, json, 400, "bad_request"], // prettier-ignore
  ])("a body that is %s", async (_, body, headers, status, code) => {
    expect(codeOf(await send("POST", "/api/queue/tasks", { headers, body }))).toEqual([status, code]); // prettier-ignore
  });

  test("headers that are too large, and what is not HTTP, are refused and nothing breaks", async () => {
    expect((await send("GET", "/api/status", { headers: { "x-a": "x".repeat(20_000) } })).status).toBe(431); // prettier-ignore
    expect(await rawAnswer("GET / HTTP/9.9 nonsense\r\n\r\n")).toMatch(/^HTTP\/1\.1 400 /);
    expect(await rawAnswer("\u0016\u0003\u0001 hello\r\n\r\n")).toMatch(/^HTTP\/1\.1 400 /);
    const twice = "POST /api/queue/tasks HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n"; // prettier-ignore
    expect(await rawAnswer(twice)).toMatch(/^HTTP\/1\.1 400 /);
    const toProxy = "GET http://evil.example/api/session HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n"; // prettier-ignore
    expect(await rawAnswer(toProxy)).toMatch(/^HTTP\/1\.1 421 /);
    expect((await send("GET", "/api/session")).status).toBe(200);
  });

  const rawAnswer = (text: string) =>
    new Promise<string>((resolve, reject) => {
      const socket = connect({ port, host: "127.0.0.1" }, () => socket.write(text));
      onTestFinished(() => void socket.destroy());
      let got = "";
      socket.setEncoding("utf8").on("data", (chunk: string) => (got += chunk));
      socket.on("error", reject).on("close", () => resolve(got));
    });

  test.each([
    "/../../../../etc/passwd",
    "/%2e%2e/%2e%2e/%2e%2e/etc/passwd",
    "/assets/..%2f..%2f..%2fetc%2fpasswd",
    "/assets/%00/../../package.json",
    "/..\\..\\package.json",
    "//etc/passwd",
    "/api/../node/api.token",
    "/api/companies/..%2f..%2fnode%2fapi.token",
    "/api/companies/%ff",
    "/api/campaigns/..%2f..%2fnode/config",
  ])("the path %s leads to no file", async (path) => {
    const { status, text } = await send("GET", path);
    // Every path that is not a file gets the page of the dashboard.
    const isPage = status === 200 && text.startsWith("<!doctype html>");
    expect(isPage || [400, 404, 503].includes(status), `${status} ${text.slice(0, 200)}`).toBe(true); // prettier-ignore
    expect(text).not.toContain(server.token);
    expect(text).not.toContain("root:");
    expect(text).not.toContain('"dependencies"');
  });

  test("a client that sends its request too slowly is cut off, and holds up nobody", async () => {
    const slow = connect({ port, host: "127.0.0.1" });
    onTestFinished(() => void slow.destroy());
    const ended = new Promise<void>((resolve) => slow.once("close", () => resolve()));
    slow.on("error", () => {}); // connection closed
    slow.on("data", () => {});
    slow.write("GET /api/status HTTP/1.1\r\nhost: 127");
    expect((await send("GET", "/api/session")).status).toBe(200);
    await ended;
  });

  test("a write with the same Idempotency-Key has one effect, also at the same time", async () => {
    const body = JSON.stringify({ tasks: [{ kind: "once" }] });
    const headers = { ...json, "idempotency-key": "key-1" };
    const add = () => send("POST", "/api/queue/tasks", { headers, body });
    const [first, second] = await Promise.all([add(), add()]);
    expect(second).toEqual(first);
    expect(await add()).toEqual(first);
    const { rows } = await server.client.get("/api/queue/tasks", { query: { kind: "once" } });
    expect(rows).toHaveLength(1);
    const other = JSON.stringify({ tasks: [{ kind: "other" }] });
    expect(codeOf(await send("POST", "/api/queue/tasks", { headers, body: other }))).toEqual([422, "key_reused"]); // prettier-ignore
    const bad = { ...json, "idempotency-key": "a b" };
    expect(codeOf(await send("POST", "/api/queue/tasks", { headers: bad, body }))).toEqual([400, "bad_request"]); // prettier-ignore
  });

  test("an edit with If-Match is refused if somebody else has edited meanwhile", async () => {
    await server.client.send("POST", "/api/companies", { body: { name: "Edited", fields: {} } });
    const path = "/api/companies/edited";
    const own = { authorization: `Bearer ${server.token}` };
    const seen = await fetch(`${server.origin}${path}`, { headers: own });
    const etag = seen.headers.get("etag")!;
    const same = await fetch(`${server.origin}${path}`, { headers: { ...own, "if-none-match": etag } }); // prettier-ignore
    expect(same.status).toBe(304);
    const edit = (city: string) =>
      send("PATCH", path, {
        headers: { ...json, "if-match": etag },
        body: JSON.stringify({ set: { city } }),
      });
    expect((await edit("Austin")).status).toBe(200);
    expect(codeOf(await edit("Dallas"))).toEqual([412, "changed_meanwhile"]);
    const { texts } = await server.client.get("/api/companies/{name}", { params: { name: "edited" } }); // prettier-ignore
    expect(texts["city"]).toBe("Austin");
  });
});
