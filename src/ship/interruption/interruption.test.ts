import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { silentLogger } from "../../base/log/logger.ts";
import { createTestClock } from "../../base/testing/test-clock.ts";
import {
  graceAfterNotice,
  watchInterruption,
  type InterruptionNotice,
  type InterruptionSource,
} from "./interruption.ts";
import {
  createAwsInterruption,
  createAzureInterruption,
  createFileInterruption,
  createGcpInterruption,
  findProvider,
} from "./sources.ts";

type Answer = readonly [status: number, body: string];

/** A metadata service on loopback. */
async function serve(answer: (request: IncomingMessage) => Answer): Promise<string> {
  const server = createServer((request, response) => {
    const [status, body] = answer(request);
    response.writeHead(status).end(body);
  });
  onTestFinished(() => void server.close());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const clock = createTestClock(Date.parse("2026-05-01T10:00:00Z"));
const { signal } = new AbortController();

test("aws: a token first, 404 until the machine is taken away, a new token when it expires", async () => {
  let isDue = false;
  let tokens = 0;
  let expired = 1;
  const url = await serve(({ method, url: path, headers }) => {
    if (path === "/latest/api/token") {
      expect([method, headers["x-aws-ec2-metadata-token-ttl-seconds"]]).toEqual(["PUT", "21600"]);
      return [200, `token-${++tokens}`];
    }
    expect(path).toBe("/latest/meta-data/spot/instance-action");
    if (headers["x-aws-ec2-metadata-token"] !== `token-${tokens}` || tokens <= expired)
      return [401, ""];
    return isDue ? [200, '{"action":"terminate","time":"2026-05-01T10:02:00Z"}'] : [404, ""];
  });
  const source = createAwsInterruption({ url, clock });
  await expect(source.read(signal)).rejects.toMatchObject({ code: "metadata_away" });
  expect(await source.read(signal)).toBeUndefined();
  isDue = true;
  expect(await source.read(signal)).toEqual({ what: "terminate", leftMs: 120_000 });
  expect(tokens).toBe(2);
  // A notice that comes while the token is out of date is seen by the same request.
  expired = 2;
  expect(await source.read(signal)).toMatchObject({ what: "terminate" });
  expect(tokens).toBe(3);
});

test("gcp: TRUE, with the header that the service asks for", async () => {
  let body = "FALSE";
  const url = await serve(({ url: path, headers }) => {
    expect([path, headers["metadata-flavor"]]).toEqual([
      "/computeMetadata/v1/instance/preempted",
      "Google",
    ]);
    return [200, body];
  });
  const source = createGcpInterruption({ url, clock });
  expect(await source.read(signal)).toBeUndefined();
  body = "TRUE\n";
  expect(await source.read(signal)).toEqual({ what: "preempted", leftMs: 30_000 });
});

test("azure: an event of the kind Preempt or Terminate, and no other", async () => {
  let events: unknown = [{ EventType: "Freeze", NotBefore: "" }];
  const url = await serve(({ url: path, headers }) => {
    if (path?.startsWith("/metadata/instance/")) return [404, ""];
    expect(path).toMatch(/^\/metadata\/scheduledevents\?api-version=/);
    return headers["metadata"] === "true" ? [200, JSON.stringify({ Events: events })] : [400, ""];
  });
  const source = createAzureInterruption({ url, clock });
  expect(await source.read(signal)).toBeUndefined();
  events = [{ EventType: "Preempt", NotBefore: "Fri, 01 May 2026 10:00:30 GMT" }];
  expect(await source.read(signal)).toEqual({ what: "Preempt", leftMs: 30_000 });
  events = [{ EventType: "Terminate", NotBefore: "" }];
  expect(await source.read(signal)).toEqual({ what: "Terminate", leftMs: undefined });
});

test("azure: an event of another machine of the same scale set is not ours", async () => {
  let resources: readonly string[] = ["fleet_1", "fleet_2"];
  let name: Answer = [200, "fleet_0\n"];
  const url = await serve(({ url: path = "", headers }) => {
    if (headers["metadata"] !== "true") return [400, ""];
    if (path.startsWith("/metadata/instance/compute/name?")) return name;
    return [200, JSON.stringify({ Events: [{ EventType: "Preempt", Resources: resources }] })];
  });
  const source = createAzureInterruption({ url, clock });
  expect(await source.read(signal)).toBeUndefined();
  resources = ["fleet_1", "_FLEET_0"];
  expect(await source.read(signal)).toMatchObject({ what: "Preempt" });
  // If the service does not say what this machine is called, every event counts.
  resources = ["fleet_1"];
  name = [404, ""];
  expect(await createAzureInterruption({ url, clock }).read(signal)).toMatchObject({
    what: "Preempt",
  });
});

test("an answer that is not of a metadata service is not a notice", async () => {
  const url = await serve(() => [200, "<html>"]);
  const options = { url, clock };
  await expect(createAzureInterruption(options).read(signal)).rejects.toMatchObject({
    code: "metadata_wrong",
  });
  expect(await createGcpInterruption(options).read(signal)).toBeUndefined();
  const refusing = { url: await serve(() => [403, ""]), clock };
  for (const create of [createAwsInterruption, createGcpInterruption, createAzureInterruption])
    await expect(create(refusing).read(signal)).rejects.toMatchObject({ code: "metadata_away" });
});

test("file: that it exists, and its provider by what the firmware says", async () => {
  const folder = mkdtempSync(join(tmpdir(), "forager-notice-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "leave");
  const source = createFileInterruption(file);
  expect(await source.read(signal)).toBeUndefined();
  writeFileSync(file, "");
  expect(await source.read(signal)).toEqual({ what: `${file} exists`, leftMs: undefined });
  expect(await findProvider(folder)).toBeUndefined();
  for (const [vendor, product, provider] of [
    ["Amazon EC2", "c7g.medium", "aws"],
    ["Google", "Google Compute Engine", "gcp"],
    ["Microsoft Corporation", "Virtual Machine", "azure"],
    ["Microsoft Corporation", "Surface", undefined],
  ] as const) {
    writeFileSync(join(folder, "sys_vendor"), `${vendor}\n`);
    writeFileSync(join(folder, "product_name"), `${product}\n`);
    expect(await findProvider(folder)).toBe(provider);
  }
});

test("it is asked until it announces something; while it is away, every ten seconds", async () => {
  const time = createTestClock();
  const answers: (InterruptionNotice | undefined | Error)[] = [];
  let asked = 0;
  const source: InterruptionSource = {
    name: "test",
    everyMs: 5_000,
    async read() {
      asked += 1;
      const answer = answers.shift();
      if (answer instanceof Error) throw answer;
      return answer;
    },
  };
  const notices: InterruptionNotice[] = [];
  const onNotice = (notice: InterruptionNotice) => void notices.push(notice);
  const watch = watchInterruption({ source, onNotice, clock: time, log: silentLogger });
  await watch.start();
  await time.advance(10_000);
  expect(asked).toBe(3);
  answers.push(new Error("no route"), new Error("no route"));
  await time.advance(5_000);
  expect(asked).toBe(4);
  await time.advance(9_999);
  expect(asked).toBe(4);
  await time.advance(1);
  expect(asked).toBe(5);
  // Also while it is away, a notice of 30 seconds is seen in time.
  answers.push({ what: "terminate", leftMs: 1 });
  await time.advance(10_000);
  expect(notices).toEqual([{ what: "terminate", leftMs: 1 }]);
  const after = asked;
  await time.advance(60_000);
  expect(asked).toBe(after);
  await watch.stop();
});

test("tasks in progress get the time that is left, less what storing takes", () => {
  const notice = (leftMs?: number) => ({ what: "x", leftMs });
  expect(graceAfterNotice(notice(120_000), 25_000)).toBe(25_000);
  expect(graceAfterNotice(notice(30_000), 25_000)).toBe(15_000);
  expect(graceAfterNotice(notice(), 25_000)).toBe(15_000);
  expect(graceAfterNotice(notice(2_000), 25_000)).toBe(1_000);
  expect(graceAfterNotice(notice(120_000), 0)).toBe(0);
});
