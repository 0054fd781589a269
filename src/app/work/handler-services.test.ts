import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { systemRandom } from "../../base/random.ts";
import { createPaths, type Settings } from "../../config/index.ts";
import { createHandlerServices } from "./handler-services.ts";
import { openQueue } from "../queue/open-queue.ts";

async function setUp({
  bucket = {},
  queueUrl = "sqlite:queue.db",
}: {
  readonly bucket?: Settings["bucket"];
  readonly queueUrl?: string;
} = {}) {
  const root = mkdtempSync(join(tmpdir(), "forager-handler-services-"));
  const queue = await openQueue("memory:");
  const opened = createHandlerServices({
    settings: { bucket, queue: { url: queueUrl } as Settings["queue"] },
    paths: createPaths(root),
    queue,
    clock: systemClock,
    random: systemRandom,
  });
  onTestFinished(async () => {
    await opened.close();
    await queue.close();
    rmSync(root, { recursive: true });
  });
  return { root, opened, ...opened.servicesFor(() => {}) };
}

const hello = Buffer.from("hello");

test.each(["sqlite:queue.db", "dir:work"])(
  "without bucket.url and with the queue %s it is a folder of the data folder",
  async (queueUrl) => {
    const { root, bucket } = await setUp({ queueUrl });
    expect(existsSync(join(root, "bucket"))).toBe(false); // opened by the first call
    await bucket.put("out/a.txt", hello);
    expect(readFileSync(join(root, "bucket/handlers/out/a.txt"), "utf8")).toBe("hello");
    expect(await bucket.get("out/a.txt")).toMatchObject({ status: "found", body: hello });
  },
);

test("bucket.url names it, and a relative folder is in the data folder", async () => {
  const { root, bucket } = await setUp({ bucket: { url: "dir:shared" } });
  await bucket.put("a", hello);
  expect(readFileSync(join(root, "shared/handlers/a"), "utf8")).toBe("hello");
});

test("where machines may share the queue, a bucket of this machine is refused", async () => {
  for (const queueUrl of ["postgres://db.example/work", "s3://fleet/work"]) {
    const { root, bucket } = await setUp({ queueUrl });
    const refused = { kind: "invalid", code: "bucket_not_set" };
    await expect(bucket.put("a", hello)).rejects.toMatchObject(refused);
    await expect(bucket.get("a")).rejects.toThrow("in the setting bucket.url");
    expect(existsSync(join(root, "bucket"))).toBe(false);
  }
});

test("objects of the fleet cannot be reached, and handlers cannot close what they share", async () => {
  const { root, bucket } = await setUp();
  for (const key of ["../../queue.json", "/fleet/desired.json", "a/../../wal/1"]) {
    const refused = { kind: "invalid", code: "bucket_key" };
    await expect(bucket.put(key, hello)).rejects.toMatchObject(refused);
    await expect(bucket.delete(key)).rejects.toMatchObject(refused);
  }
  expect(existsSync(join(root, "bucket"))).toBe(false);
  expect(Object.keys(bucket).sort()).toEqual(
    ["delete", "get", "list", "now", "put", "putIfAbsent", "putIfMatch"].sort(),
  );
  expect(Symbol.asyncDispose in bucket).toBe(false);
});

test("closing ends the calls of handlers that were given up", async () => {
  const silent = createServer((socket) => void socket.resume());
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void silent.close());
  vi.stubEnv("AWS_ACCESS_KEY_ID", "a");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "b");
  onTestFinished(() => void vi.unstubAllEnvs());
  const { port } = silent.address() as AddressInfo;
  const url = `s3://away/fleet?endpoint=http://127.0.0.1:${port}&region=none`;
  const { opened, bucket } = await setUp({ bucket: { url } });
  const got = bucket.get("a");
  const [answer] = await Promise.allSettled([got, opened.close()]);
  expect(answer).toMatchObject({ status: "rejected", reason: { kind: "aborted" } });
});
