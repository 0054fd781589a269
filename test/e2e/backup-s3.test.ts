// needs: s3
// inputs: src/** package.json tsconfig.json tsconfig.build.json
import { expect, test } from "vitest";
import { createTestPlace } from "../../src/bucket/testing/test-s3.ts";
import { createRecordsSandbox } from "../support/records-sandbox.ts";
import { needs } from "../support/services.ts";

needs(["s3"], ({ s3 }) => {
  test("backups in a bucket: create, list, keep the newest, verify, restore as of a moment, kill -9", async () => {
    const sandbox = await createRecordsSandbox();
    const env = { AWS_ACCESS_KEY_ID: s3.accessKey, AWS_SECRET_ACCESS_KEY: s3.secretKey };
    const { place } = await createTestPlace(s3);
    const target = `s3://${place.bucket}/backups?endpoint=${s3.endpoint}&region=${s3.region}`;
    const run = async (...args: readonly string[]) => {
      const result = await sandbox.forager(args, { env });
      expect(result.exitCode, result.stderr).toBe(0);
      return result.stdout;
    };
    const names = async (data: string) => await run("company", "list", "--data", data);
    const listed = async () =>
      JSON.parse(await run("backup", "list", target, "--json")) as readonly { at: string }[];

    await sandbox.good("company", "add", "First", "--website", "first.example");
    await run("backup", "create", target, "--data", "data");
    const [{ at } = { at: "" }] = await listed();
    await sandbox.good("company", "add", "Second", "--website", "second.example");
    await run("backup", "create", target, "--data", "data");
    expect(await listed()).toHaveLength(2);
    await run("backup", "verify", target);

    // Killed while it uploads: there is a whole backup more, or none.
    for (const killMs of [200, 500]) {
      await sandbox.forager(["backup", "create", target, "--data", "data"], {
        env,
        onStart: (kill) => void setTimeout(() => kill("SIGKILL"), killMs),
      });
      expect((await listed()).length).toBeGreaterThanOrEqual(2);
      await run("backup", "verify", target);
    }
    await run("backup", "restore", target, "--data", "newest");
    expect(await names("newest")).toMatch(/first[\s\S]*second/);
    await run("backup", "restore", target, "--at", at, "--data", "older");
    expect(await names("older")).toMatch(/first/);
    expect(await names("older")).not.toMatch(/second/);
    await sandbox.forager(["backup", "restore", target, "--at", at, "--yes", "--data", "newest"], {
      env,
      onStart: (kill) => void setTimeout(() => kill("SIGKILL"), 400),
    });
    expect(await run("company", "add", "After", "--data", "newest")).toContain("after");
    expect(await names("newest")).toMatch(/first/);

    await run("backup", "create", target, "--keep-newest", "1", "--data", "data");
    expect(await listed()).toHaveLength(1);
    const wrong = await sandbox.forager(["backup", "verify", `s3://${place.bucket}/none?endpoint=${s3.endpoint}&region=${s3.region}`], { env }); // prettier-ignore
    expect(wrong.exitCode).not.toBe(0);
    sandbox.remove();
  });
});
