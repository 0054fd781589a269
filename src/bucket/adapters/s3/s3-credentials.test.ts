// needs: s3
// process: own
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { needs } from "../../../../test/support/services.ts";
import { systemClock } from "../../../base/clock.ts";
import { systemRandom } from "../../../base/random.ts";
import { bytes, textOf } from "../../testing/suite-fixture.ts";
import { createTestPlace } from "../../testing/test-s3.ts";
import { createS3Bucket } from "./s3-bucket.ts";

needs(["s3"], ({ s3 }) => {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "forager-keys-"));
    // Nothing of the machine that runs the test.
    for (const name of Object.keys(process.env).filter((one) => one.startsWith("AWS_")))
      vi.stubEnv(name, undefined);
    vi.stubEnv("HOME", folder);
    vi.stubEnv("AWS_EC2_METADATA_DISABLED", "true");
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });

  async function openWithoutKeys() {
    const { place } = await createTestPlace(s3);
    const { credentials: _, ...keyless } = place;
    return createS3Bucket({ place: keyless, clock: systemClock, random: systemRandom });
  }

  async function writeAndRead(bucket: Awaited<ReturnType<typeof openWithoutKeys>>) {
    await bucket.put("a", bytes("one"));
    expect(await textOf(bucket, "a")).toBe("one");
  }

  const writeProfile = (keyId: string, secret: string) => {
    const file = join(folder, "credentials");
    writeFileSync(
      file,
      `[fleet]\naws_access_key_id = ${keyId}\naws_secret_access_key = ${secret}\n`,
    );
    vi.stubEnv("AWS_SHARED_CREDENTIALS_FILE", file);
    vi.stubEnv("AWS_CONFIG_FILE", join(folder, "config"));
    vi.stubEnv("AWS_PROFILE", "fleet");
  };

  describe("B27: keys for S3 come from", () => {
    test("variables", async () => {
      vi.stubEnv("AWS_ACCESS_KEY_ID", s3.accessKey);
      vi.stubEnv("AWS_SECRET_ACCESS_KEY", s3.secretKey);
      await using bucket = await openWithoutKeys();
      await writeAndRead(bucket);
    });

    test("a profile file", async () => {
      writeProfile(s3.accessKey, s3.secretKey);
      await using bucket = await openWithoutKeys();
      await writeAndRead(bucket);
    });

    test("the role of the machine", async () => {
      const asked: string[] = [];
      const metadata = createServer(({ method, url = "" }, response) => {
        asked.push(`${method} ${url}`);
        const role = "/latest/meta-data/iam/security-credentials/";
        if (url === "/latest/api/token") return response.end("token");
        if (url === role) return response.end("forager-node");
        if (url !== `${role}forager-node`) return response.writeHead(404).end();
        return response.end(
          JSON.stringify({
            Code: "Success",
            AccessKeyId: s3.accessKey,
            SecretAccessKey: s3.secretKey,
            Expiration: new Date(Date.now() + 3_600_000).toISOString(),
          }),
        );
      }).listen(0, "127.0.0.1");
      onTestFinished(() => void metadata.close());
      await once(metadata, "listening");
      const { port } = metadata.address() as AddressInfo;
      vi.stubEnv("AWS_EC2_METADATA_DISABLED", undefined);
      vi.stubEnv("AWS_EC2_METADATA_SERVICE_ENDPOINT", `http://127.0.0.1:${port}`);
      await using bucket = await openWithoutKeys();
      // A role brings a session token, which this server does not know: what is asked is the point.
      await bucket.get("a").catch(() => {});
      expect(asked).toContain("PUT /latest/api/token");
      expect(asked.at(-1)).toContain("/iam/security-credentials/forager-node");
    });
  });

  test("B27: a key that was replaced in the profile file is used without a restart", async () => {
    writeProfile("REVOKED", "of-the-old-key");
    await using bucket = await openWithoutKeys();
    const refused = { kind: "invalid", code: "bucket_credentials" };
    await expect(bucket.put("a", bytes("one"))).rejects.toMatchObject(refused);
    writeProfile(s3.accessKey, s3.secretKey);
    await writeAndRead(bucket);
    writeProfile(s3.accessKey, "wrong");
    await writeAndRead(bucket); // the key that works stays in use
  });

  test("B27: a key that was refused after it had worked is worth another try", async () => {
    let accepted = "";
    const store = createServer(({ headers }, response) => {
      const key = /Credential=([^/]+)/.exec(headers.authorization ?? "")?.[1];
      if (key === accepted) return response.writeHead(200, { etag: '"1"' }).end();
      response.writeHead(403, { "content-type": "application/xml" });
      return response.end("<Error><Code>InvalidAccessKeyId</Code></Error>");
    }).listen(0, "127.0.0.1");
    onTestFinished(() => void store.close());
    await once(store, "listening");
    const { port } = store.address() as AddressInfo;
    writeProfile("FIRST", "one");
    const place = { bucket: "b", prefix: "", endpoint: `http://127.0.0.1:${port}`, region: "eu-1" };
    await using bucket = createS3Bucket({ place, clock: systemClock, random: systemRandom });
    const refused = (kind: string) => ({ kind, code: "bucket_credentials" });
    await expect(bucket.put("a", bytes("1"))).rejects.toMatchObject(refused("invalid"));
    accepted = "FIRST";
    await bucket.put("a", bytes("1"));
    accepted = "SECOND"; // the store knows the new key before the profile file has it
    await expect(bucket.put("a", bytes("1"))).rejects.toMatchObject(refused("unavailable"));
    writeProfile("SECOND", "two");
    await bucket.put("a", bytes("1"));
  });
});
