// needs: s3 postgres
// inputs: src/** package.json tsconfig.json tsconfig.build.json
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createId } from "../../src/base/ids.ts";
import { systemRandom } from "../../src/base/random.ts";
import { createTestPlace } from "../../src/bucket/testing/test-s3.ts";
import { createSandbox, type Sandbox } from "../support/built-cli.ts";
import { needs } from "../support/services.ts";

interface Place {
  readonly address: string;
  readonly env: Readonly<Record<string, string>>;
}

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await createSandbox({ hasSharedProcess: true });
});
afterEach(() => sandbox.remove());

const inDirectory = async (): Promise<Place> => ({ address: "dir:some bucket", env: {} });

function bucketCommands(name: string, prepare: () => Promise<Place>): void {
  describe(`forager bucket, on ${name}`, () => {
    test("puts, lists, prints, counts and proves", async () => {
      const { address, env } = await prepare();
      const bucket = (verb: string, words: readonly string[] = [], input = "") =>
        sandbox.forager(["bucket", verb, address, ...words], { env, input });

      const put = await bucket("put", ["notes/grün.md"], "# Grün\n");
      expect(put).toEqual({ exitCode: 0, stdout: "notes/grün.md was written\n", stderr: "" });
      writeFileSync(join(sandbox.folder, "bytes"), Uint8Array.of(0, 255, 254));
      expect((await bucket("put", ["raw", "bytes", "--if-absent"])).exitCode).toBe(0);
      const again = await bucket("put", ["raw", "bytes", "--if-absent"]);
      expect(again).toMatchObject({ exitCode: 1, stdout: "raw exists\n" });

      expect((await bucket("cat", ["notes/grün.md"])).stdout).toBe("# Grün\n");
      expect(await bucket("cat", ["raw"])).toMatchObject({
        exitCode: 2,
        stderr: expect.stringContaining("--output FILE") as string,
      });
      expect((await bucket("cat", ["raw", "--output", "copy"])).exitCode).toBe(0);
      expect([...readFileSync(join(sandbox.folder, "copy"))]).toEqual([0, 255, 254]);
      const missing = await bucket("cat", ["nothing"]);
      expect(missing).toMatchObject({ exitCode: 1 });
      expect(missing.stderr).toContain("there is no object nothing");

      const listed = JSON.parse((await bucket("ls", ["--json"])).stdout) as { key: string }[];
      expect(listed.map(({ key }) => key)).toEqual(["notes/grün.md", "raw"]);
      const counted = JSON.parse((await bucket("usage", ["--json"])).stdout) as object[];
      expect(counted).toEqual([
        { folder: "notes/", objects: 1, bytes: 8 },
        { folder: "(here)", objects: 1, bytes: 3 },
      ]);

      const { etag } = JSON.parse((await bucket("cat", ["notes/grün.md", "--json"])).stdout) as {
        etag: string;
      };
      const change = () => bucket("put", ["notes/grün.md", "--if-match", etag], "new");
      expect((await change()).exitCode).toBe(0);
      expect(await change()).toMatchObject({ exitCode: 1, stdout: "notes/grün.md has changed\n" });

      const probe = await bucket("probe");
      expect(probe.stdout).toMatch(/fit for a fleet\n$/);
      expect(probe).toMatchObject({ exitCode: 0, stderr: "" });
      expect((await bucket("ls", ["probe/", "--json"])).stdout).toBe("[]\n");
      const doctor = await sandbox.forager(["doctor", "--bucket", address, "--json"], { env });
      const rows = JSON.parse(doctor.stdout) as { check: string; state: string }[];
      const own = rows.filter(({ check }) => check.startsWith("bucket"));
      expect(own).toHaveLength(9);
      expect(own.filter(({ state }) => state !== "ok")).toEqual([]);
    });
  });
}

bucketCommands("a folder", inDirectory);

test("a folder is created as a bucket, once, and bucket.url is the default", async () => {
  const create = (...words: string[]) => sandbox.forager(["bucket", "create", ...words]);
  expect(await create("dir:new")).toMatchObject({ stdout: "dir:new was created\n" });
  expect(await create("dir:new")).toMatchObject({ stdout: "dir:new already exists\n" });
  expect((await create("nowhere://x")).exitCode).toBe(2);
  writeFileSync(join(sandbox.folder, "forager.toml"), 'bucket.url = "dir:other"\n');
  expect((await create()).stdout).toMatch(/other was created\n$/);
});

test("what is wrong with an address or a key is a usage error", async () => {
  await sandbox.forager(["bucket", "create", "dir:b"]);
  for (const line of [
    ["bucket", "ls", "nowhere"],
    ["bucket", "ls", "s3://fleet?regoin=eu"],
    ["bucket", "cat", "dir:b", "a//b"],
    ["bucket", "put", "dir:b", "../out", "--if-absent"],
    ["bucket", "put", "dir:b", "a", "--if-absent", "--if-match", "e"],
  ]) {
    const { exitCode, stdout, stderr } = await sandbox.forager(line);
    expect({ exitCode, stdout }, line.join(" ")).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toMatch(/^forager: [^\n]+\n$/);
  }
});

test("doctor says when nobody answers, and what to check", async () => {
  const address = "s3://fleet?endpoint=http://127.0.0.1:9&region=us-east-1";
  const env = { AWS_ACCESS_KEY_ID: "a", AWS_SECRET_ACCESS_KEY: "b" };
  const { exitCode, stdout } = await sandbox.forager(["doctor", "--bucket", address], { env });
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(/bucket +fail .*did not answer|bucket +fail .*not known/);
});

needs(["s3", "postgres"], ({ s3, postgres }) => {
  const onS3 = async (): Promise<Place> => {
    const { place, client } = await createTestPlace(s3);
    client.destroy();
    return {
      address: `s3://${place.bucket}/fleet?endpoint=${s3.endpoint}&region=${s3.region}`,
      env: { AWS_ACCESS_KEY_ID: s3.accessKey, AWS_SECRET_ACCESS_KEY: s3.secretKey },
    };
  };
  const onPostgres = async (): Promise<Place> => ({
    address: `${postgres.url}?table=t_${createId(systemRandom, 12)}`,
    env: {},
  });
  bucketCommands("S3", onS3);
  bucketCommands("PostgreSQL", onPostgres);

  test("a bucket is created, once; without a region it says what to add", async () => {
    const env = { AWS_ACCESS_KEY_ID: s3.accessKey, AWS_SECRET_ACCESS_KEY: s3.secretKey };
    const bucket = `s3://t-${createId(systemRandom, 12)}`;
    const address = `${bucket}?endpoint=${s3.endpoint}&region=${s3.region}`;
    const run = (...words: string[]) => sandbox.forager(["bucket", ...words], { env });
    expect((await run("ls", address)).stderr).toContain("`forager bucket create`");
    const made = await run("create", address, "--json");
    expect(JSON.parse(made.stdout)).toMatchObject({ status: "created" });
    expect(await run("create", address)).toMatchObject({ exitCode: 0 });
    expect(await run("ls", address)).toMatchObject({ exitCode: 0 });
    const nowhere = await run("ls", `${bucket}?endpoint=${s3.endpoint}`);
    expect(nowhere).toMatchObject({ exitCode: 1 });
    expect(nowhere.stderr).toContain("add one to its address, such as s3://");
    expect(nowhere.stderr).not.toContain("try again");
  });

  test("wrong credentials, and a bucket that is not there, are reported as such", async () => {
    const { address, env } = await onS3();
    const wrong = { ...env, AWS_SECRET_ACCESS_KEY: "wrong" };
    const refused = await sandbox.forager(["bucket", "ls", address], { env: wrong });
    expect(refused).toMatchObject({ exitCode: 1, stdout: "" });
    expect(refused.stderr).toMatch(/^forager: .*does not accept these credentials.*\n$/);
    const other = address.replace("s3://", "s3://no-");
    const missing = await sandbox.forager(["bucket", "probe", other], { env });
    expect(missing).toMatchObject({ exitCode: 1, stdout: "" });
    expect(missing.stderr).toMatch(/^forager: there is no bucket s3:\/\/no-.*\n$/);
  });
});
