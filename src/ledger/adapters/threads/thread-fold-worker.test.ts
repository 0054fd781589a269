import { describe, expect, test } from "vitest";
import { watchThreads } from "../../../base/testing/watch-threads.ts";
import { nodeId, sessionId } from "../../testing/histories.ts";
import { createInlineFoldWorker } from "../../tiers/hub/fold-worker.ts";
import { cutSegment } from "../../tiers/segment.ts";
import { createThreadFoldWorker } from "./thread-fold-worker.ts";

const [node, session] = [nodeId(1), sessionId(1)];
const key = `${node}/${session}`;
const datagrams = Array.from({ length: 500 }, (_, index) => ({
  stamp: `2026-11-15T19:02:03.004Z-${index.toString(16).padStart(4, "0")}`,
  node,
  session,
  number: index + 1,
  commit: index + 1,
  target: `company/${index % 7}`,
  field: "fü",
  value: `"${index} ␟"`,
  source: "system",
  causality: "",
}));
const body = Buffer.from(cutSegment(datagrams).body);
/** A fold worker keeps the bytes it is given: each gets its own. */
const scanOf = (bytes: Uint8Array) => ({
  body: Uint8Array.from(bytes),
  key,
  first: 1,
  name: "segment",
  ahead: "2026-11-15T19:02:03.004Z-01e0",
});

describe("a fold worker in threads", () => {
  test("do what this thread does, and refuse what it refuses", async () => {
    await using threads = createThreadFoldWorker({ threads: 2, ownBytes: 0 });
    const own = createInlineFoldWorker();
    const scanned = await own.scan(scanOf(body));
    expect(scanned.early).toHaveLength(500 - 0x1e1);
    const answers = await Promise.all([1, 2, 3].map(() => threads.scan(scanOf(body))));
    for (const answer of answers) expect(answer).toEqual(scanned);

    const records = body.subarray(body.indexOf("\n") + 1);
    const sets = { heldBack: new Set<string>(), dropped: new Set([`${key}/500`]) };
    const fold = { index: 1, base: undefined, vector: new Map([[key, 500]]), ...sets };
    const folded = await own.fold({ ...fold, pieces: [Uint8Array.from(records)] });
    const inThread = await threads.fold({ ...fold, pieces: [Uint8Array.from(records)] });
    expect(Buffer.from(inThread.body).equals(folded.body)).toBe(true);
    expect(inThread.digest).toBe(folded.digest);

    const wrong = scanOf(body.subarray(0, -5));
    const refused = { name: "AppError", kind: "corrupt", code: "ledger_segment" };
    await expect(threads.scan(wrong)).rejects.toMatchObject(refused);
    expect((await threads.scan(scanOf(body))).last).toBe(500);
  });

  test("a small fold starts no thread", async () => {
    using seen = watchThreads();
    await using own = createThreadFoldWorker({ threads: 2 });
    expect((await own.scan(scanOf(body))).last).toBe(500);
    expect(seen.started()).toBe(0);
    await using threads = createThreadFoldWorker({ threads: 2, ownBytes: 0 });
    expect((await threads.scan(scanOf(body))).last).toBe(500);
    expect(seen.started()).toBe(2);
  });
});
