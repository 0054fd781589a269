import { rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { mountSmallDisk } from "../../queue/adapters/sqlite/testing/small-disk.ts";
import { openTestServe, sendAs, signIn, testPassword } from "./testing/open-test-serve.ts";

test("10,000 wrong sign-ins from as many addresses: most are refused without work, and the user gets in from a new one", async () => {
  const errors: string[] = [];
  const { origin } = await openTestServe({ users: { anna: "viewer" }, env: { FORAGER_SERVE_PROXIES: "127.0.0.1" }, onLog: (level, message) => level === "error" && errors.push(message) }); // prettier-ignore
  const agent = new Agent({ keepAlive: true, maxSockets: 20 });
  onTestFinished(() => agent.destroy());
  const login = (address: string, password: string) =>
    new Promise<number>((resolve, reject) => {
      const headers = { "content-type": "application/json", "x-forwarded-for": address };
      const sent = request(`${origin}/api/login`, { method: "POST", agent, headers }, (answer) => {
        answer.resume();
        answer.once("end", () => resolve(answer.statusCode!));
      });
      sent.once("error", (error: NodeJS.ErrnoException) => {
        // The server closed an idle connection just when it was reused.
        if (sent.reusedSocket && error.code === "ECONNRESET") resolve(login(address, password));
        else reject(error);
      });
      sent.end(JSON.stringify({ user: "anna", password }));
    });
  expect(await login("192.0.2.7", testPassword)).toBe(200);
  const session = sendAs(origin, (await signIn(origin, "anna")).cookie);
  const counts = new Map<number, number>();
  const attempts = Array.from(
    { length: 10_000 },
    (_, index) => `10.0.${index >> 8}.${index & 255}`,
  );
  const startMs = performance.now();
  await Promise.all(
    attempts.map(async (address) => {
      const status = await login(address, "guess");
      counts.set(status, (counts.get(status) ?? 0) + 1);
    }),
  );
  expect([...counts.values()].reduce((sum, count) => sum + count, 0)).toBe(10_000);
  expect([...counts.keys()].filter((status) => ![401, 429, 503].includes(status))).toEqual([]);
  // An account accepts a hundred attempts, then four per second.
  const seconds = (performance.now() - startMs) / 1_000;
  expect(counts.get(401)!).toBeLessThan(130 + 4 * seconds);
  // Unknown callers must not be able to fill the disk with the log.
  expect(errors).toEqual([]);
  expect((await session("GET", "/api/session")).status).toBe(200);
  expect(await login("192.0.2.7", testPassword)).toBe(200);
  expect(await login("203.0.113.9", testPassword)).toBe(200);
});

test("clients that send their request slowly hold no one up and are cut off", async () => {
  const { origin, client } = await openTestServe();
  const { hostname, port } = new URL(origin);
  const sockets: Socket[] = [];
  onTestFinished(() => sockets.forEach((socket) => socket.destroy()));
  let closed = 0;
  for (let count = 0; count < 100; count++) {
    const socket = connect({ host: hostname, port: Number(port) });
    socket.on("error", () => {});
    socket.once("close", () => (closed += 1));
    socket.resume();
    await new Promise((resolve) => socket.once("connect", resolve));
    socket.write("GET /api/session HTTP/1.1\r\nhost: 127.0.0.1\r\n");
    sockets.push(socket);
  }
  expect(await client.get("/api/session")).toMatchObject({ by: "token" });
  await expect.poll(() => closed, { timeout: 180_000, interval: 500 }).toBe(100);
});

test("a client that does not read what it has asked for is cut off, and others are served meanwhile", async () => {
  // Longer than a busy machine holds up the answer to others, which would be cut off too.
  const { origin, token, client } = await openTestServe({ stillMsMax: 15_000 });
  const { hostname, port } = new URL(origin);
  const socket = connect({ host: hostname, port: Number(port) });
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => {});
  let isClosed = false;
  socket.once("close", () => (isClosed = true));
  await new Promise((resolve) => socket.once("connect", resolve));
  const one = `GET /api/openapi.json HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${token}\r\n\r\n`;
  for (let count = 0; count < 300; count++) socket.write(one); // more than the system buffers for a socket
  expect(await client.get("/api/session")).toMatchObject({ by: "token" });
  // Without reading, a closed connection is noticed only by a write.
  const write = () => (socket.write(one), isClosed);
  await expect.poll(write, { timeout: 180_000, interval: 500 }).toBe(true);
});

test("on a full disk people sign in and read, a write says why not, and works when there is room", async () => {
  const disk = mountSmallDisk(24);
  if (!disk) return expect(process.getuid?.()).not.toBe(0); // only root can mount one
  onTestFinished(() => disk[Symbol.dispose]());
  const env = { FORAGER_DATA: join(disk.path, "data") };
  const { origin } = await openTestServe({ users: { anna: "editor" }, env });
  const add = async (name: string) =>
    sendAs(origin, (await signIn(origin, "anna")).cookie)("POST", "/api/companies", { name, fields: {} }); // prettier-ignore
  expect((await add("Acme")).status).toBe(201);
  const filler = join(disk.path, "filler");
  for (let size = 2 ** 20; size >= 1; size = Math.floor(size / 2)) {
    try {
      for (;;) writeFileSync(filler, "x".repeat(size), { flag: "a" });
    } catch {
      // full for writes of this size
    }
  }
  // Neither the audit log nor anything else can be written.
  const { status, cookie } = await signIn(origin, "anna");
  expect(status).toBe(200);
  const anna = sendAs(origin, cookie);
  expect((await anna("GET", "/api/companies")).body["rows"]).toHaveLength(1);
  const refused = await anna("POST", "/api/companies", { name: "Bolt", fields: {} });
  expect(refused.status).toBeGreaterThanOrEqual(500);
  expect(String(refused.body["detail"])).toContain("is full");
  rmSync(filler);
  await expect.poll(async () => (await add("Bolt")).status).toBe(201);
});
