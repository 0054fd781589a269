// needs: s3
// inputs: docs/guides/handler-bucket.md src/** package.json tsconfig.build.json
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { createTestPlace } from "../../src/bucket/testing/test-s3.ts";
import { builtCli, createSandbox } from "../support/built-cli.ts";
import { fencedBlocks, heredocs } from "../support/markdown.ts";
import { repositoryRoot } from "../support/repository.ts";
import { needs } from "../support/services.ts";

// test/docs/commands.test.ts runs the commands for one machine.
const page = readFileSync(join(repositoryRoot, "docs/guides/handler-bucket.md"), "utf8");
const blocks = fencedBlocks(page);
const [handlers] = blocks.flatMap(({ body }) => heredocs(body));
const onS3 = blocks.find(({ body }) => body.includes('"s3://my-bucket/fleet"'))?.body ?? "";
const program = blocks.findLast(({ language }) => language === "ts")?.body ?? "";
const loader = pathToFileURL(join(repositoryRoot, "node_modules/tsx/dist/loader.mjs")).href;

/** An empty project with this package in it, as `npm link` makes it. */
async function setUp() {
  const sandbox = await createSandbox();
  onTestFinished(() => sandbox.remove());
  mkdirSync(join(sandbox.folder, "node_modules"));
  symlinkSync(repositoryRoot, join(sandbox.folder, "node_modules/forager"), "dir");
  writeFileSync(join(sandbox.folder, "package.json"), '{ "private": true, "type": "module" }');
  return sandbox;
}

describe("the guide to buckets in handlers", () => {
  test("its handlers file has types, by its comment alone", async () => {
    const sandbox = await setUp();
    const check = (text: string) => {
      writeFileSync(join(sandbox.folder, "handlers.mjs"), text);
      const compiler = join(repositoryRoot, "node_modules/typescript/bin/tsc");
      const options = ["--strict", "--noEmit", "--allowJs", "--checkJs", "--ignoreConfig"];
      const modules = ["--module", "nodenext", "--target", "es2023", "--lib", "es2023,esnext"];
      const types = ["--typeRoots", join(repositoryRoot, "node_modules/@types"), "--types", "node"];
      const args = [compiler, ...options, ...modules, ...types, "handlers.mjs"];
      return sandbox.run(process.execPath, args);
    };
    expect(handlers?.name).toBe("handlers.mjs");
    expect(await check(handlers!.text)).toMatchObject({ exitCode: 0, stdout: "" });
    const wrong = handlers!.text.replace("text.body", "text.boddy");
    expect((await check(wrong)).stdout).toContain("Property 'boddy' does not exist");
    const noBytes = handlers!.text.replace("Buffer.from(JSON.stringify({ name, words }))", "name");
    expect((await check(noBytes)).stdout).toContain("'string' is not assignable");
  });

  test("its program stores an object below the prefix", async () => {
    const sandbox = await setUp();
    writeFileSync(join(sandbox.folder, "program.ts"), program);
    const ran = await sandbox.run(process.execPath, ["--import", loader, "program.ts"]);
    expect(ran).toEqual({ exitCode: 0, stdout: "", stderr: "" });
    const stored = join(sandbox.folder, "bucket/handlers/out/a");
    expect(readFileSync(stored, "utf8")).toBe("stored");
  });
});

needs(["s3"], ({ s3 }) => {
  test("its commands for several machines run on an S3 bucket", async () => {
    const { place, client } = await createTestPlace(s3);
    client.destroy();
    const sandbox = await setUp();
    writeFileSync(join(sandbox.folder, "handlers.mjs"), handlers!.text);
    const bin = join(sandbox.folder, "bin");
    mkdirSync(bin);
    const start = `#!/bin/sh\nexec "${process.execPath}" "${await builtCli()}" "$@"\n`;
    writeFileSync(join(bin, "forager"), start, { mode: 0o755 });
    const address = `s3://${place.bucket}/fleet?endpoint=${s3.endpoint}&region=${s3.region}`;
    const script = onS3.replaceAll("s3://my-bucket/fleet", address);
    const { exitCode, stdout, stderr } = await sandbox.run(
      "bash",
      ["-euo", "pipefail", "-c", script],
      {
        env: {
          PATH: [bin, process.env["PATH"] ?? ""].join(delimiter),
          FORAGER_DATA: join(sandbox.folder, "data"),
          FORAGER_GOSSIP_ON: "no",
          AWS_ACCESS_KEY_ID: s3.accessKey,
          AWS_SECRET_ACCESS_KEY: s3.secretKey,
        },
      },
    );
    expect(exitCode, stderr).toBe(0);
    expect(stdout).toContain("1 done, 0 skipped, 0 retried, 0 failed");
    expect(stdout.trimEnd().split("\n").at(-1)).toBe('{"name":"hello","words":3}');
  });
});
