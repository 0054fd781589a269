import { crc32 } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AppError } from "../../base/app-error.ts";
import { encodeDatagram } from "../datagram/datagram-record.ts";
import type { Datagram } from "../datagram/datagram.ts";
import { openTestLedger } from "../testing/test-ledger.ts";
import type { RecordRange } from "./exchange.ts";
import { joinCommits } from "./open-commits.ts";

const node = "n".repeat(13);
const session = "s".repeat(26);
const origin = `${node}/${session}`;
const good: Datagram = {
  stamp: "1970-01-01T00:00:00.000Z-0001",
  node,
  session,
  number: 1,
  commit: 1,
  target: "company/a",
  field: "f",
  value: '"v"',
  source: "site:https://a.b",
  causality: "",
};
const bytesOf = (change: Partial<Datagram> = {}) =>
  Buffer.from(encodeDatagram({ ...good, ...change }));

async function offer(
  records: readonly Uint8Array[],
  claim: { origin?: string; from?: number } = {},
) {
  const files = new Map<string, Uint8Array>();
  await using ledger = await openTestLedger({ files });
  const outcome = await ledger.exchange.receive({ origin, from: 1, ...claim, records }).then(
    () => "taken" as const,
    (error: unknown) => error,
  );
  const names = [...files.keys()].filter((name) => name.startsWith("wal/"));
  return { outcome, names, vector: [...ledger.exchange.vector()] };
}
async function expectRefused(...given: Parameters<typeof offer>): Promise<void> {
  const { outcome, names, vector } = await offer(...given);
  expect(outcome).toBeInstanceOf(AppError);
  expect(["invalid", "corrupt"]).toContain((outcome as AppError).kind);
  expect([names, vector]).toEqual([[], []]);
}

describe("records that are none", () => {
  test("the good one, which the others differ from, is taken", async () => {
    expect(await offer([bytesOf()])).toEqual({
      outcome: "taken",
      names: [`wal/${node}/19700101.usv`],
      vector: [[origin, 1]],
    });
  });

  test("any byte changed, left out or added: refused, and nothing is kept", async () => {
    const record = bytesOf();
    const anyEdit = fc.record({
      at: fc.nat({ max: record.length - 1 }),
      byte: fc.nat({ max: 255 }),
      how: fc.constantFrom("change", "leave out", "add"),
    });
    await fc.assert(
      fc.asyncProperty(anyEdit, async ({ at, byte, how }) => {
        const next = how === "add" ? at : at + 1;
        const put = how === "leave out" ? [] : [byte];
        const edited = Buffer.from([...record.subarray(0, at), ...put, ...record.subarray(next)]);
        if (edited.equals(record)) return;
        await expectRefused([edited]);
      }),
      { numRuns: 300 },
    );
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), (bytes) => expectRefused([bytes])),
      { numRuns: 50 },
    );
  });

  test("of another session, or with another number than it is said to have", async () => {
    await expectRefused([bytesOf()], { from: 2 });
    await expectRefused([bytesOf()], { origin: `${node}/${"t".repeat(26)}` });
    await expectRefused([bytesOf()], { origin: "../../etc" });
    await expectRefused([bytesOf({ commit: 2 }), bytesOf({ commit: 2 })]);
    await expectRefused([Buffer.concat([bytesOf(), bytesOf({ number: 2, commit: 2 })])]);
  });

  test("lesson 45: names that would be paths, whatever checksum they bring", async () => {
    for (const bad of ["../../etc/passwd", "..", "a\u001fb", "a/b/../c", "\u0000".repeat(13)]) {
      await expectRefused([bytesOf({ node: bad })], { origin: `${bad}/${session}` });
      await expectRefused([bytesOf({ session: bad })], { origin: `${node}/${bad}` });
      await expectRefused([bytesOf({ target: bad })]);
    }
    await expectRefused([bytesOf({ stamp: "../../../../../../etc/passwd9" })]);
    await expectRefused([bytesOf({ field: "a/../b" })]);
  });

  test("what no write may contain: values that are not JSON or too long, commits without an end", async () => {
    await expectRefused([bytesOf({ value: "{" })]);
    await expectRefused([bytesOf({ value: JSON.stringify("x".repeat(2 ** 20)) })]);
    await expectRefused([bytesOf({ source: "nobody" })]);
    await expectRefused([bytesOf({ causality: "yes" })]);
    await expectRefused([bytesOf({ commit: 10_001 })]);
    await expectRefused([bytesOf({ number: 2, commit: 1 })], { from: 2 });
  });

  test("a right checksum over another way of writing the same is not the same", async () => {
    const content = bytesOf().toString().split("\u001f").slice(0, 10);
    content[3] = "01";
    const sum = crc32(content.join("\u001f")).toString(16).padStart(8, "0");
    await expectRefused([Buffer.from(`${content.join("\u001f")}\u001f${sum}\u001f\u001e\n`)]);
  });

  test("commits that never end: what waits for the rest is bounded", async () => {
    await using ledger = await openTestLedger();
    const { exchange } = ledger;
    const take = (range: RecordRange) => exchange.receive(range);
    const joined = joinCommits({ ...exchange, take }, { openBytesMax: 10_000 });
    const value = JSON.stringify("x".repeat(1_000));
    const outcomes: string[] = [];
    for (let number = 1; number <= 12; number++) {
      const records = [bytesOf({ number, commit: 9_000, value })];
      const outcome = joined.receive({ origin, from: number, records });
      outcomes.push(
        await outcome.then(
          () => "waits",
          () => "refused",
        ),
      );
    }
    expect(outcomes.filter((one) => one === "refused")).toHaveLength(1);
    expect([...joined.vector()]).toEqual([]);
  });
});
