// needs: postgres
// inputs: docs/guides/postgres.md src/** tsconfig.build.json
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createTestSchema } from "../../src/queue/adapters/postgres/testing/test-schema.ts";
import { builtCli, createSandbox } from "../support/built-cli.ts";
import { fencedBlocks, firstMissingLine } from "../support/markdown.ts";
import { repositoryRoot } from "../support/repository.ts";
import { needs } from "../support/services.ts";

const blocks = fencedBlocks(readFileSync(join(repositoryRoot, "docs/guides/postgres.md"), "utf8"));
const address = "postgres://forager@db.example/work";
const at = blocks.findIndex(({ language, body }) => language === "sh" && body.includes(address));

needs(["postgres"], ({ postgres }) => {
  test("the commands of the guide run on a server, and print what it shows", async () => {
    const schema = await createTestSchema(postgres.url);
    onTestFinished(() => schema[Symbol.asyncDispose]());
    const sandbox = await createSandbox();
    onTestFinished(() => sandbox.remove());
    const bin = join(sandbox.folder, "bin");
    mkdirSync(bin);
    mkdirSync(join(sandbox.folder, "bucket"));
    const start = `#!/bin/sh\nexec "${process.execPath}" "${await builtCli()}" "$@"\n`;
    writeFileSync(join(bin, "forager"), start, { mode: 0o755 });
    const script = blocks[at]!.body.replaceAll(address, '"$ADDRESS"');
    expect(script).toContain("ADDRESS");
    const { exitCode, stdout, stderr } = await sandbox.run(
      "bash",
      ["-euo", "pipefail", "-c", script],
      {
        env: {
          PATH: [bin, process.env["PATH"] ?? ""].join(delimiter),
          // Otherwise it would be a table beside the schema, which other tests could meet.
          FORAGER_BUCKET_URL: `dir:${join(sandbox.folder, "bucket")}`,
          ADDRESS: `${postgres.url}?schema=${encodeURIComponent(schema.name)}`,
        },
      },
    );
    expect(exitCode, stderr).toBe(0);
    const expected = blocks[at + 1]!.body.split("\n");
    expect(firstMissingLine(expected, stdout), `in this output:\n${stdout}`).toBeUndefined();
  });
});
