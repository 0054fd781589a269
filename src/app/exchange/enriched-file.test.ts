import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { writeEnrichedFile } from "./enriched-file.ts";

let folder = "";
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "forager-enriched-"))));
afterEach(() => rmSync(folder, { recursive: true }));

async function* bytesOf(text: string) {
  yield Buffer.from(text);
}

test("a row with fewer or more cells than the header keeps the columns of the result", async () => {
  const to = join(folder, "out.csv");
  const text = "name,website\nA\nB,b.example,extra,more\n";
  const rowAt = async () => undefined;
  const counts = await writeEnrichedFile({ chunks: bytesOf(text), encoding: "utf-8", to, rowAt });
  expect(counts).toMatchObject({ rows: 2, read: 0, reasons: { not_a_company: 2 } });
  const ours = "forager_company,forager_emails,forager_phones,forager_profiles,forager_visit";
  expect(readFileSync(to, "utf8")).toBe(
    `name,website,${ours},forager_reason\r\n` +
      "A,,,,,,,not_a_company\r\n" +
      "B,b.example,,,,,,not_a_company,extra,more\r\n",
  );
});
