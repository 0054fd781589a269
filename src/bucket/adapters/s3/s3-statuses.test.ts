import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, describe, onTestFinished, test } from "vitest";
import { systemClock } from "../../../base/clock.ts";
import { systemRandom } from "../../../base/random.ts";
import { bytes } from "../../testing/suite-fixture.ts";
import { createS3Bucket } from "./s3-bucket.ts";

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A bucket on a server that gives the configured answer to every request, and counts them. */
async function onServer(answer: Answer, requestMs = 5_000) {
  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    request.resume().on("end", () => answer(request, response));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const credentials = { accessKeyId: "a", secretAccessKey: "b" };
  const place = { bucket: "b", prefix: "", endpoint, region: "us-east-1", credentials };
  const bucket = createS3Bucket({ place, clock: systemClock, random: systemRandom, requestMs });
  onTestFinished(() => bucket[Symbol.asyncDispose]());
  return { bucket, requests: () => requests };
}

const status =
  (code: number, name: string): Answer =>
  (_, response) => {
    response.writeHead(code, { "content-type": "application/xml" });
    response.end(`<?xml version="1.0"?><Error><Code>${name}</Code><Message>m</Message></Error>`);
  };

describe("what S3 answers to a conditional write", () => {
  test.each([
    [412, "PreconditionFailed", "exists"],
    [409, "ConditionalRequestConflict", "bucket_outcome_unknown"],
    [429, "TooManyRequests", "bucket_outcome_unknown"],
    [500, "InternalError", "bucket_outcome_unknown"],
    [503, "SlowDown", "bucket_outcome_unknown"],
    [404, "NoSuchBucket", "bucket_missing"],
    [403, "AccessDenied", "bucket_forbidden"],
    [403, "InvalidAccessKeyId", "bucket_credentials"],
    [501, "NotImplemented", "bucket_unsupported"],
  ])("lesson 31: %i %s is taken for what it is, and asked once", async (code, name, outcome) => {
    const { bucket, requests } = await onServer(status(code, name));
    const got = await bucket.putIfAbsent("a", bytes("x")).then(
      (answer) => answer.status,
      (error: { code: string }) => error.code,
    );
    expect(got).toBe(outcome);
    expect(requests()).toBe(1);
  });

  test("an answer that never comes, and a connection that breaks, leave it open", async () => {
    const silent = await onServer(() => {}, 200);
    const unknown = { code: "bucket_outcome_unknown" };
    await expect(silent.bucket.putIfAbsent("a", bytes("x"))).rejects.toMatchObject(unknown);
    const broken = await onServer((request) => request.socket.destroy());
    await expect(broken.bucket.putIfAbsent("a", bytes("x"))).rejects.toMatchObject(unknown);
    expect(silent.requests() + broken.requests()).toBe(2);
    await expect(silent.bucket.get("a")).rejects.toMatchObject({ code: "bucket_unavailable" });
  });

  test("a body that breaks off is not an object", async () => {
    const { bucket } = await onServer((_, response) => {
      response.writeHead(200, { "content-length": "100", etag: '"e"' });
      response.write("half");
      setTimeout(() => response.destroy(), 20);
    });
    await expect(bucket.get("a")).rejects.toMatchObject({ code: "bucket_unavailable" });
  });

  test("a server that takes no If-Match, in either form, is not built on", async () => {
    const { bucket } = await onServer((request, response) => {
      if (request.headers["if-match"]) return status(412, "PreconditionFailed")(request, response);
      response.writeHead(request.method === "DELETE" ? 204 : 200, { etag: '"e"' });
      response.end();
    });
    const put = bucket.putIfMatch("a", bytes("x"), '"e"');
    await expect(put).rejects.toMatchObject({ code: "bucket_unsupported" });
  });
});

describe("what is sent to S3", () => {
  test("A4: never over more than 50 connections at once", async () => {
    let open = 0;
    let most = 0;
    const { bucket } = await onServer((_, response) => {
      most = Math.max(most, ++open);
      setTimeout(() => {
        open -= 1;
        status(404, "NoSuchKey")(_, response);
      }, 30);
    });
    await Promise.all(Array.from({ length: 200 }, (_, index) => bucket.get(`k${index}`)));
    expect(most).toBeLessThanOrEqual(50);
    expect(most).toBeGreaterThan(10); // on a busy machine the first are answered before the last are sent
  });

  test("no checksum that nobody asked for, and the body as it is", async () => {
    const seen: IncomingMessage["headers"][] = [];
    const { bucket } = await onServer((request, response) => {
      seen.push(request.headers);
      response.writeHead(200, { etag: '"e"' });
      response.end();
    });
    await bucket.putIfAbsent("a", bytes("12345"));
    expect(seen[0]).toMatchObject({ "content-length": "5", "if-none-match": "*" });
    const extra = Object.keys(seen[0]!).filter((name) => /checksum|trailer/.test(name));
    expect(extra).toEqual([]);
    expect(seen[0]!["content-encoding"]).toBeUndefined();
  });
});
