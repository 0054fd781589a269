import { Webhook } from "standardwebhooks";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { systemClock } from "../base/clock.ts";
import { silentLogger } from "../base/log/logger.ts";
import { createSeededRandom, systemRandom } from "../base/random.ts";
import { createMemoryBucket } from "../bucket/adapters/memory/memory-bucket.ts";
import { createMemoryQueueStore } from "../queue/adapters/memory/memory-queue-store.ts";
import { createQueue, type Queue } from "../queue/index.ts";
import { createHttpPoster, type HttpPosterOptions } from "../crawl/adapters/http/http-poster.ts";
import {
  createDeliveryHandler,
  createEventPublisher,
  createJobWatcher,
  deliveryKind,
  listDeliveries,
  openEndpoints,
  replayDelivery,
  type Endpoint,
  type Endpoints,
} from "./index.ts";
import { deliveryTask } from "./delivery.ts";
import { openReceiver, signedHeaders } from "./testing/receiver.ts";

const clock = systemClock;
const loopback = { allowPrivateNetworks: ["127.0.0.1"] };

function openPoster(options: Partial<HttpPosterOptions> = loopback) {
  const poster = createHttpPoster({ allowPrivateNetworks: [], clock, ...options });
  onTestFinished(() => poster[Symbol.asyncDispose]());
  return poster;
}

describe("a post", () => {
  const post = (url: string, options?: Partial<HttpPosterOptions>) =>
    openPoster(options).post({ url, headers: { "x-a": "b" }, body: "{}" });

  test("gives the status, and what Retry-After says", async () => {
    const { url, got } = await openReceiver([[503, { "retry-after": "7" }]]);
    expect(await post(url)).toEqual({ status: 503, retryAfterMs: 7_000 });
    expect(got).toMatchObject([{ path: "/hook", body: "{}", headers: { "x-a": "b" } }]);
  });
  test("sends user and password of the URL as basic authentication", async () => {
    const { port, got } = await openReceiver();
    await post(`http://ann:p%40ss@127.0.0.1:${port}/`);
    expect(got[0]?.headers.authorization).toBe(`Basic ${Buffer.from("ann:p@ss").toString("base64")}`); // prettier-ignore
  });
  test("follows no redirect", async () => {
    const other = await openReceiver();
    const { url } = await openReceiver([[302, { location: other.url }]]);
    expect(await post(url)).toMatchObject({ status: 302 });
    expect(other.got).toEqual([]);
  });
  test("refuses private addresses, as a number and behind a name", async () => {
    const { url, port, got } = await openReceiver();
    const isRefused = { code: "private_address" };
    await expect(post(url, {})).rejects.toMatchObject(isRefused);
    await expect(post("http://[::ffff:7f00:1]/", {})).rejects.toMatchObject(isRefused);
    await expect(post("http://169.254.169.254/latest/", {})).rejects.toMatchObject(isRefused);
    const named = `http://hooks.example:${port}/`;
    const inside = { resolve: async () => ["127.0.0.1"] };
    await expect(post(named, inside)).rejects.toMatchObject(isRefused);
    expect(got).toEqual([]);
    expect(await post(named, { ...inside, ...loopback })).toMatchObject({ status: 200 });
  });
  test("connects to the address that was checked: a name that changes is not asked again", async () => {
    const { port, got } = await openReceiver();
    let asked = 0;
    const resolve = async () => [++asked === 1 ? "127.0.0.2" : "127.0.0.1"];
    const answer = post(`http://hooks.example:${port}/`, {
      allowPrivateNetworks: ["127.0.0.2"],
      resolve,
    });
    await expect(answer).rejects.toMatchObject({ kind: "unavailable" });
    expect(asked).toBe(1);
    expect(got).toEqual([]);
  });
  test("is unavailable if nobody answers", async () => {
    await expect(post("http://127.0.0.1:9/")).rejects.toMatchObject({ kind: "unavailable" });
    await expect(post("ftp://127.0.0.1/")).rejects.toMatchObject({ code: "bad_url" });
  });
});

describe("deliveries", () => {
  let queue: Queue;
  let endpoints: Endpoints;

  beforeEach(() => {
    const store = createMemoryQueueStore({ now: () => ({ ms: clock.nowMs() - 5_000, wallMs: clock.nowMs() }) }); // prettier-ignore
    queue = createQueue({ store, clock, random: createSeededRandom(1) });
    endpoints = openEndpoints({ bucket: createMemoryBucket({ clock }), clock, random: systemRandom }); // prettier-ignore
  });

  const secretsOf = ({ secrets }: Endpoint) =>
    secrets.map(({ secret }) => ("text" in secret ? secret.text : ""));
  const publish = (key = "nightly 1") =>
    createEventPublisher({ endpoints, queue }).publish({
      type: "job.completed",
      key,
      atMs: clock.nowMs(),
      data: { job: "nightly", done: 3 },
    });

  /** Does what waits, as a worker would, and returns the outcomes. */
  async function work(attempt?: number) {
    const handler = createDeliveryHandler();
    const poster = openPoster();
    const reveal = async (secret: object) => ("text" in secret ? String(secret.text) : "");
    const webhooks = { endpoints, poster, reveal, clock, random: createSeededRandom(2) };
    const outcomes: Record<string, unknown>[] = [];
    for (;;) {
      // All at once: the gate would space out claims.
      const { leases } = await queue.claim({ worker: "w", kinds: [deliveryKind], limit: 50 });
      if (leases.length === 0) return outcomes;
      for (const task of leases) {
        const payload = handler.schema.parse(task.payload);
        const run = handler.run as (context: unknown) => Promise<Record<string, unknown>>;
        const outcome = await run({
          task: { ...task, payload, ...(attempt !== undefined && { used: attempt }) },
          services: { webhooks },
          signal: new AbortController().signal,
          markStart() {},
        });
        outcomes.push(outcome);
        await queue.finish([{ id: task.id, token: task.token, outcome: outcome as never }]);
      }
    }
  }

  test("D17: are accepted by the Standard Webhooks library, and tampering is noticed", async () => {
    const { url, got } = await openReceiver();
    const endpoint = await endpoints.add({ url, events: ["job.completed"] });
    expect(await publish()).toBe(1);
    expect(await work()).toMatchObject([{ kind: "done", result: { status: 200 } }]);
    const verifier = new Webhook(secretsOf(endpoint)[0]!);
    const event = { type: "job.completed", data: { job: "nightly", done: 3 } };
    expect(verifier.verify(got[0]!.body, signedHeaders(got[0]!))).toMatchObject(event);
    const changed = got[0]!.body.replace("3", "4");
    expect(() => verifier.verify(changed, signedHeaders(got[0]!))).toThrow("signature");
    expect(await listDeliveries(queue, { limit: 10 })).toMatchObject([
      { endpoint: endpoint.id, type: "job.completed", state: "done", answer: "it answered 200" },
    ]);
  });

  test("of very many deliveries those that ended last and those that wait are listed, newest first", async () => {
    const { url } = await openReceiver();
    const endpoint = await endpoints.add({ url, events: [] });
    const event = { id: "msg_0", type: "test", timestamp: "", data: {} };
    const [waiting] = await queue.add([deliveryTask(endpoint, event)]);
    const old = Array.from({ length: 30_000 }, (_, at) => ({ id: 1_000_000 + at }));
    const task = (await queue.show(waiting!.id!))!.task;
    const ended: typeof queue.ended = async ({ after, limit = 0 } = {}) =>
      old
        .toReversed()
        .filter(({ id }) => after === undefined || id < after.id)
        .slice(0, limit)
        .map(({ id }) => ({ ...task, id, state: "done", finishedAtMs: id, result: '{"status":200}' })); // prettier-ignore
    const many = { now: () => queue.now(), browse: queue.browse.bind(queue), ended };
    const listed = await listDeliveries(many, { limit: 600 });
    expect(listed.map(({ id }) => id)).toEqual(Array.from({ length: 600 }, (_, at) => 1_029_999 - at)); // prettier-ignore
    expect(await listDeliveries(many, { states: ["pending"], limit: 600 })).toMatchObject([
      { id: waiting!.id, state: "pending" },
    ]);
  });

  test("an event is delivered once, whichever nodes publish it", async () => {
    const { url, got } = await openReceiver();
    await endpoints.add({ url, events: [] });
    expect([await publish(), await publish(), await publish("nightly 2")]).toEqual([1, 0, 1]);
    await work();
    expect(got).toHaveLength(2);
  });

  test("only what an endpoint asked for, and what happened since it was added", async () => {
    const { url } = await openReceiver();
    await endpoints.add({ url, events: ["export.ready"] });
    expect(await publish()).toBe(0);
    await endpoints.add({ url: `${url}2`, events: [] });
    const publisher = createEventPublisher({ endpoints, queue });
    const old = {
      type: "job.completed",
      key: "x",
      atMs: clock.nowMs() - 60_000,
      data: {},
    } as const;
    expect(await publisher.publish(old)).toBe(0);
  });

  test("while a secret is rotated both sign; afterwards the new one alone", async () => {
    const { url, got } = await openReceiver();
    const before = await endpoints.add({ url, events: [] });
    const during = await endpoints.rotate(before.id, { overlapMs: 60_000 });
    const [newest, earlier] = secretsOf(during);
    expect(earlier).toBe(secretsOf(before)[0]);
    await publish();
    await work();
    for (const secret of [newest!, earlier!]) {
      new Webhook(secret).verify(got[0]!.body, signedHeaders(got[0]!));
    }
    const after = await endpoints.rotate(before.id, { overlapMs: 0 });
    await publish("later");
    await work();
    new Webhook(secretsOf(after)[0]!).verify(got[1]!.body, signedHeaders(got[1]!));
    for (const secret of [newest!, earlier!]) {
      expect(() => new Webhook(secret).verify(got[1]!.body, signedHeaders(got[1]!))).toThrow();
    }
  });

  test("410 disables the endpoint; it can be enabled, and the delivery replayed with its id", async () => {
    const { url, got } = await openReceiver([[410], [200]]);
    const { id } = await endpoints.add({ url, events: [] });
    await publish();
    expect(await work()).toMatchObject([{ kind: "fail" }]);
    expect((await endpoints.get(id)).disabled?.reason).toContain("410");
    expect(await publish("next")).toBe(0);
    const [failed] = await listDeliveries(queue, { limit: 1 });
    await expect(replayDelivery({ queue, endpoints }, failed!.id)).rejects.toMatchObject({ code: "endpoint_disabled" }); // prettier-ignore
    await endpoints.enable(id);
    await replayDelivery({ queue, endpoints }, failed!.id);
    expect(await work()).toMatchObject([{ kind: "done" }]);
    expect(got[1]!.headers["webhook-id"]).toBe(got[0]!.headers["webhook-id"]);
    await expect(replayDelivery({ queue, endpoints }, 99_999)).rejects.toMatchObject({ code: "no_delivery" }); // prettier-ignore
  });

  test("a receiver in trouble is asked again, later and later, and not before its Retry-After", async () => {
    const { url } = await openReceiver([[500], [429, { "retry-after": "900" }], [301], [500]]);
    const { id } = await endpoints.add({ url, events: [] });
    const delays: unknown[] = [];
    for (const attempt of [1, 2, 3]) {
      await publish(`x ${attempt}`);
      const [outcome] = await work(attempt);
      expect(outcome).toMatchObject({ kind: "retry" });
      delays.push(outcome?.["delayMs"]);
      await endpoints.list();
    }
    expect(delays[0]).toBeGreaterThan(4_000);
    expect(delays[0]).toBeLessThan(6_000);
    expect(delays[1]).toBe(900_000);
    expect(delays[2]).toBeGreaterThan(1_500_000);
    expect((await endpoints.get(id)).disabled).toBe(null);
    await publish("last");
    expect(await work(10)).toMatchObject([{ kind: "fail" }]);
    expect((await endpoints.get(id)).disabled?.reason).toContain("10 attempts failed");
  });

  test("a private address and a removed endpoint are not tried again", async () => {
    const refused = await endpoints.add({ url: "http://10.1.2.3/hook", events: [] });
    await publish();
    await expect(work()).rejects.toMatchObject({ code: "private_address" });
    await endpoints.remove(refused.id);
    const { url, got } = await openReceiver();
    const gone = await endpoints.add({ url, events: [] });
    await publish("b");
    await endpoints.remove(gone.id);
    expect(await work()).toMatchObject([{ kind: "skip" }]);
    expect(got).toEqual([]);
  });

  test.each(["ftp://x.example/", "https://u:p@x.example/", "nonsense"])(
    "the URL %s is refused",
    async (url) => {
      await expect(endpoints.add({ url, events: [] })).rejects.toMatchObject({ code: "bad_url" });
    },
  );

  test("a completed job and a campaign of which nothing is left are published once", async () => {
    const { url, got } = await openReceiver();
    await endpoints.add({ url, events: [] });
    const watcher = () =>
      createJobWatcher({
        queue: () => queue,
        stats: () => stats,
        endpoints,
        publisher: createEventPublisher({ endpoints, queue }),
        campaigns: async () => ["austin"],
        isCharged: false,
        isDraining: true,
        clock,
        log: silentLogger,
      });
    await queue.openJob("nightly");
    await queue.add([
      { kind: "page", job: "nightly" },
      { kind: "page", job: "austin" },
    ]);
    await queue.seal("nightly");
    let stats = await queue.stats();
    const [first, second] = [watcher(), watcher()];
    await first.look();
    expect(await queue.browse({ kind: deliveryKind })).toEqual([]);
    const { leases } = await queue.claim({ worker: "w", kinds: ["page"], limit: 2 });
    const outcome = { kind: "done" } as const;
    await queue.finish(leases.map(({ id, token }) => ({ id, token, outcome })));
    stats = await queue.stats();
    await first.look();
    await first.stop(); // it drains: the campaign need not stay quiet for a while
    await second.stop();
    await work();
    const bodies = got.map(({ body }) => JSON.parse(body) as { type: string; data: unknown });
    const sorted = bodies.toSorted((a, b) => a.type.localeCompare(b.type));
    expect(sorted).toMatchObject([
      { type: "campaign.finished", data: { campaign: "austin", done: 1 } },
      { type: "job.completed", data: { job: "nightly", done: 1 } },
    ]);
  });
});
