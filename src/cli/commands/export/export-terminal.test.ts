// inputs: src/**
import { writeFileSync } from "node:fs";
import { PassThrough } from "node:stream";
import { join } from "node:path";
import { expect, test } from "vitest";
import { systemClock } from "../../../base/clock.ts";
import { createTempFolder } from "../../../config/testing/temp-folder.ts";
import { registry } from "../../registry.ts";
import { runCli } from "../../frame/run-cli.ts";
import { createTestStream } from "../../testing/test-stream.ts";

/** Sets the title, clears the screen, fills the clipboard; with both forms of escape sequences. */
const hostile = "Acme \u001b]0;owned\u0007\u001b[2J\u009b2J\u001b]52;c;aGk=\u0007 Ltd";

test("an export on a terminal shows what it would obey; in a pipe it is exact", async () => {
  const folder = createTempFolder();
  const forager = async (line: string, isTTY: boolean) => {
    const stdout = createTestStream({ isTTY, columns: 200 });
    const stderr = createTestStream({ isTTY, columns: 200 });
    const exitCode = await runCli({
      argv: [...line.split(" "), "--data", join(folder, "data")],
      registry,
      version: "1.2.3",
      stdin: Object.assign(new PassThrough(), { isTTY }),
      stdout,
      stderr,
      env: { TERM: "dumb" },
      cwd: folder,
      home: folder,
      clock: systemClock,
      signal: new AbortController().signal,
    });
    expect(exitCode, stderr.text()).toBe(0);
    return stdout.text();
  };
  const row = { name: hostile, website: "acme.example", email: "a@acme.example" };
  writeFileSync(join(folder, "in.jsonl"), `${JSON.stringify(row)}\n`);
  await forager("import companies in.jsonl", false);
  // oxlint-disable-next-line no-control-regex -- control characters are what it is for
  const obeyed = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/;
  const forms = ["--format csv", "--format jsonl", "--format vcf", "--json"];
  for (const what of ["companies", "emails"]) {
    for (const form of forms.filter((one) => what === "companies" || !one.includes("vcf"))) {
      const line = `export ${what} ${form}`;
      const [shown, exact] = [await forager(line, true), await forager(line, false)];
      expect(shown, line).toContain("acme.example");
      expect(shown, line).not.toMatch(obeyed);
      if (form === "--format csv") {
        expect(exact).toContain(hostile);
        expect(shown).toContain("Acme \\u001b]0;owned\\u0007\\u001b[2J\\u009b2J");
        expect(shown.match(/\r\n/g)).toEqual(exact.match(/\r\n/g));
      }
      if (form === "--json") expect(JSON.parse(shown)).toEqual(JSON.parse(exact));
    }
  }
});
