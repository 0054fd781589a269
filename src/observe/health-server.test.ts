import { request } from "node:http";
import { expect, test } from "vitest";
import { createHealthServer } from "./health-server.ts";
import { isOwnHost } from "./is-own-host.ts";

const own = { listenHost: "10.0.0.5", localAddress: "192.168.1.7", names: ["pi-3", "Pi-3.lan"] };

test.each([
  "localhost",
  "localhost:9464",
  "LOCALHOST.:9464",
  "node.localhost",
  "127.0.0.1:9464",
  "127.9.9.9",
  "[::1]:9464",
  "[0:0:0:0:0:0:0:1]",
  "10.0.0.5:9464",
  "192.168.1.7:9464",
  "[::ffff:192.168.1.7]:9464",
  "pi-3:9464",
  "pi-3.LAN.",
  undefined,
])("Host %s means us", (host) => {
  expect(isOwnHost(host, own)).toBe(true);
});

test.each([
  "evil.example",
  "evil.example:9464",
  "localhost.evil.example",
  "notlocalhost",
  "127.0.0.1.evil.example",
  "10.0.0.6",
  "128.0.0.1",
  "[::2]",
  "pi-3.lan.evil.example",
  "pi",
  "",
  ":9464",
  "[",
  "a b",
  "user@127.0.0.1",
  "evil.example,127.0.0.1",
])("Host %j does not", (host) => {
  expect(isOwnHost(host, own)).toBe(false);
});

test("an address of IPv6 is known in every spelling", () => {
  const listening = { listenHost: "fd00::5", localAddress: undefined, names: [] };
  expect(isOwnHost("[fd00:0::0:5]:9464", listening)).toBe(true);
  expect(isOwnHost("[FD00::5]", listening)).toBe(true);
  expect(isOwnHost("[fd00::6]", listening)).toBe(false);
});

test("a page whose own name resolves to our address gets no answer", async () => {
  let names: readonly string[] = [];
  const server = createHealthServer({
    listen: "0.0.0.0:0",
    names: () => names,
    readToken: async () => "token",
    source: { metrics: () => [], troubles: () => ["a secret trouble"], unready: () => [] },
  });
  await server.start();
  const port = Number(server.address().split(":").at(-1));
  const get = (path: string, host: string) =>
    new Promise<{ readonly status: number; readonly body: string }>((resolve, reject) => {
      const asked = request(
        {
          port,
          host: "127.0.0.1",
          path,
          headers: { host, authorization: "Bearer token" },
          agent: false, // an idle connection may end at the moment it is used again
        },
        (answer) => {
          let body = "";
          answer.setEncoding("utf8").on("data", (text: string) => (body += text));
          answer.once("end", () => resolve({ status: answer.statusCode!, body }));
        },
      );
      asked.once("error", reject).end();
    });
  try {
    for (const path of ["/metrics", "/healthz", "/readyz", "/nothing"]) {
      const { status, body } = await get(path, "evil.example");
      expect([path, status]).toEqual([path, 421]);
      expect(body).toContain("work.listenNames");
      expect(body).not.toContain("secret");
    }
    expect((await get("/metrics", `127.0.0.1:${port}`)).status).toBe(200);
    expect((await get("/healthz", `localhost:${port}`)).status).toBe(503);
    expect((await get("/readyz", "pi-3")).status).toBe(421);
    names = ["pi-3"];
    expect((await get("/readyz", "pi-3")).status).toBe(200);
  } finally {
    await server.stop();
  }
});
