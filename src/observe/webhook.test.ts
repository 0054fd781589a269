import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { toLogFields } from "../base/log-fields.ts";
import type { LogFields, Logger } from "../base/logger.ts";
import { createSeededRandom } from "../base/random.ts";
import { createTestClock } from "../base/testing/test-clock.ts";
import { createWebhook } from "./webhook.ts";

interface Got {
  readonly body: string;
  readonly headers: NodeJS.Dict<string | string[]>;
}

/** A receiver that answers with these codes, one after another, and the last one for ever. */
async function setUp(codes: readonly number[], secret?: string, user = "") {
  const got: Got[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      got.push({ body, headers: request.headers });
      response.writeHead(codes[Math.min(got.length, codes.length) - 1]!).end("thanks");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const lines: string[] = [];
  const logged: string[] = [];
  const write = (message: string, fields: LogFields = {}) => {
    lines.push(message);
    logged.push(JSON.stringify(toLogFields(fields)));
  };
  const logger: Logger = {
    debug: write,
    info: write,
    warn: write,
    error: write,
    child: () => logger,
  };
  const clock = createTestClock();
  const { port } = server.address() as AddressInfo;
  const webhook = createWebhook({
    url: async () => `http://${user}127.0.0.1:${port}/hook?token=t0ken`,
    secret: secret === undefined ? undefined : async () => secret,
    clock,
    random: createSeededRandom(3),
    logger,
  });
  /** Posts, and lets virtual time pass until it is over. */
  async function post(event: object): Promise<void> {
    let isOver = false;
    const posted = webhook.post(event).then(() => (isOver = true));
    for (let turn = 0; turn < 2_000 && !isOver; turn++) {
      await new Promise((resolve) => setTimeout(resolve, 2));
      await clock.advance(1_000);
    }
    await posted;
  }
  return { got, lines, logged, post };
}

test("what is sent is signed over its moment and its body", async () => {
  const { got, post } = await setUp([200], "s3cret");
  await post({ event: "stall_began", part: "page" });
  const { body, headers } = got[0]!;
  expect(JSON.parse(body)).toEqual({ event: "stall_began", part: "page" });
  const timestamp = String(headers["x-forager-timestamp"]);
  expect(Number(timestamp)).toBeGreaterThan(1_700_000_000);
  const expected = createHmac("sha256", "s3cret").update(`${timestamp}.${body}`).digest("hex");
  expect(headers["x-forager-signature"]).toBe(`sha256=${expected}`);
});

test("a user and a password in the address are sent, and never logged", async () => {
  const { got, logged, post } = await setUp([200, 401], undefined, "ann:p%40ss@");
  await post({ event: "stall_began" });
  const expected = `Basic ${Buffer.from("ann:p@ss").toString("base64")}`;
  expect(got[0]!.headers["authorization"]).toBe(expected);
  await post({ event: "stall_ended" });
  expect(logged).toHaveLength(1);
  expect(logged[0]).not.toMatch(/p@ss|p%40ss|t0ken/);
});

test("without a secret nothing is signed", async () => {
  const { got, post } = await setUp([200]);
  await post({ event: "stall_began" });
  expect(got[0]!.headers["x-forager-signature"]).toBe(undefined);
});

test("a receiver in trouble is asked again, five times at most, and then it is logged", async () => {
  const recovering = await setUp([503, 429, 200]);
  await recovering.post({ event: "stall_began" });
  expect(recovering.got).toHaveLength(3);
  expect(recovering.lines).toEqual([]);
  const down = await setUp([500]);
  await down.post({ event: "stall_began" });
  expect(down.got).toHaveLength(5);
  expect(down.lines).toEqual(["an alert could not be posted"]);
});

test("a receiver that refuses is not asked again", async () => {
  const { got, lines, post } = await setUp([401]);
  await post({ event: "stall_began" });
  expect(got).toHaveLength(1);
  expect(lines).toEqual(["an alert could not be posted"]);
});
