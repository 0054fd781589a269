import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Closable } from "../../base/closable.ts";
import * as bucketEntry from "../bucket.ts";
import * as ledgerEntry from "../ledger.ts";
import * as queueEntry from "../queue.ts";

/** Everything that a user of the library can open, by entry point. */
const openers: Readonly<Record<string, (folder: string) => Promise<Closable>>> = {
  "openQueue of a SQLite file": (folder) => queueEntry.openQueue(`sqlite:${folder}/queue.db`),
  "openQueue of a bucket": (folder) => queueEntry.openQueue(`dir:${folder}/bucket`),
  "openQueue in memory": () => queueEntry.openQueue("memory:"),
  "openBucket of a folder": (folder) => bucketEntry.openBucket(`dir:${folder}/bucket`),
  openLedgerFolder: (folder) => ledgerEntry.openLedgerFolder({ folder }),
  "openLedgerFolder to read": async (folder) => {
    await (await ledgerEntry.openLedgerFolder({ folder })).close();
    return ledgerEntry.openLedgerFolder({ folder, isReader: true });
  },
};

test.each(Object.entries(openers))(
  "%s: close() is await using, and works twice",
  async (_, open) => {
    const folder = mkdtempSync(join(tmpdir(), "forager-closing-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const first = await open(folder);
    await Promise.all([first.close(), first.close()]);
    await first[Symbol.asyncDispose]();
    // All resources are released, so the same can be opened again.
    const second = await open(folder);
    await second[Symbol.asyncDispose]();
    await second.close();
  },
);

test("a waker is closed by close() too", async () => {
  const queue = await queueEntry.openQueue("memory:");
  const waker = queueEntry.createWaker({ queue, kinds: ["work"] });
  const waiting = waker.wait(waker.mark());
  waker.close();
  await expect(waiting).rejects.toMatchObject({ code: "wait_aborted" });
  await queue.close();
});
