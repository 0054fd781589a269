import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { watchLive, type LiveConnection } from "../../api/client/live-client.ts";
import { contract, liveTopics } from "../../api/index.ts";
import { processMeter } from "../bucket/open-bucket.ts";
import { openTestServe, type TestServe } from "./testing/open-test-serve.ts";

function watch({ origin, token }: TestServe) {
  const values = new Map<string, object>();
  const states: LiveConnection[] = [];
  const live = watchLive({
    topics: liveTopics,
    origin,
    token,
    fetch: (url, init) => fetch(url, init),
    wait: (ms, signal) => wait(ms, undefined, { signal }),
    onValue: (topic, value) => void values.set(topic, value),
    onState: (state) => void states.push(state),
  });
  onTestFinished(() => live.stop());
  return { values, states, stop: () => live.stop() };
}

const timeout = 180_000;

test("every topic arrives as its contract says, and changes follow by themselves", async () => {
  const server = await openTestServe();
  const { values } = watch(server);
  await expect.poll(() => [...values.keys()].sort(), { timeout }).toEqual([...liveTopics].sort());
  await server.client.send("POST", "/api/companies", { body: { name: "Acme", fields: {} } });
  await server.client.send("POST", "/api/queue/tasks", { body: { tasks: [{ kind: "page" }] } });
  await expect.poll(() => values.get("records"), { timeout }).toMatchObject({ companies: 1 });
  await expect.poll(() => values.get("queue"), { timeout }).toMatchObject({ states: { pending: 1 } }); // prettier-ignore
});

test("events are valid by their schema, and an id resumes", async () => {
  const { origin, token } = await openTestServe();
  const read = async (lastEventId?: string) => {
    const stop = new AbortController();
    const response = await fetch(`${origin}/api/events?topic=records`, {
      signal: stop.signal,
      headers: {
        authorization: `Bearer ${token}`,
        ...(lastEventId !== undefined && { "last-event-id": lastEventId }),
      },
    });
    expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    const { value } = await response.body!.getReader().read();
    stop.abort();
    const text = new TextDecoder().decode(value);
    const event: unknown = JSON.parse(/^data: (.*)$/m.exec(text)![1]!);
    expect(contract.watch.answer.safeParse(event).error?.issues ?? []).toEqual([]);
    return { id: /^id: (.*)$/m.exec(text)?.[1], event };
  };
  const { id, event } = await read();
  expect(event).toMatchObject({ kind: "snapshot" });
  await createCompany(origin, token);
  expect((await read(id)).event).toMatchObject({ kind: "delta", fields: { companies: 1 } });
  expect((await read("elsewhere.1.4")).event).toMatchObject({ kind: "reset" });
});

const createCompany = (origin: string, token: string) =>
  fetch(`${origin}/api/companies`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "Acme", fields: {} }),
  });

test("300 viewers get an event each, and one that does not read holds up nobody", async () => {
  const { origin, token, client } = await openTestServe();
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const silent = connect({ port: Number(new URL(origin).port), host: "127.0.0.1" });
  onTestFinished(() => void silent.destroy());
  silent.pause();
  silent.write(`GET /api/events?topic=queue HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${token}\r\n\r\n`); // prettier-ignore
  const readers = await Promise.all(
    Array.from({ length: 300 }, async () => {
      const response = await fetch(`${origin}/api/events?topic=records`, {
        headers: { authorization: `Bearer ${token}` },
        signal: stop.signal,
      });
      expect(response.status).toBe(200);
      return response.body!.getReader();
    }),
  );
  const textOf = async (reader: (typeof readers)[number]) =>
    new TextDecoder().decode((await reader.read()).value);
  for (const reader of readers) expect(await textOf(reader)).toContain('"snapshot"');
  await client.send("POST", "/api/companies", { body: { name: "Acme", fields: {} } });
  for (const reader of readers) expect(await textOf(reader)).toContain('"companies":1');
});

test("HEAD watches nothing and exports nothing: nobody would read it", async () => {
  const { origin, token } = await openTestServe();
  const authorization = `Bearer ${token}`;
  const send = async (method: string, path: string) => {
    const signal = AbortSignal.timeout(timeout);
    return fetch(`${origin}/api/${path}`, { method, headers: { authorization }, signal });
  };
  for (let at = 0; at < 501; at++) await send("HEAD", "events?topic=queue");
  const watching = await send("GET", "events?topic=queue");
  expect(watching.status).toBe(200);
  await watching.body!.cancel();
  const file = await send("HEAD", "exports/companies?format=csv");
  expect(file.headers.get("content-disposition")).toMatch(/^attachment; filename="companies/);
  expect(await file.text()).toBe("");
});

test("without viewers the bucket gets no request; with many it gets those of one", async () => {
  const folder = mkdtempSync(join(tmpdir(), "forager-live-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const server = await openTestServe({ env: { FORAGER_BUCKET_URL: `dir:${join(folder, "b")}` } });
  const requests = () =>
    Object.values(processMeter.usage("command")).reduce((sum, { requests: one }) => sum + one, 0);
  const before = requests();
  await wait(1_500);
  expect(requests()).toBe(before);
  const views = [watch(server), watch(server), watch(server)];
  for (const { values } of views) await expect.poll(() => values.has("status"), { timeout }).toBe(true); // prettier-ignore
  expect(requests()).toBeGreaterThan(before);
  for (const { stop } of views) stop();
  await expect.poll(async () => {
    const seen = requests();
    await wait(4_000);
    return requests() - seen;
  }, { timeout }).toBe(0); // prettier-ignore
});
