/**
 * Another process on the same file. It executes the messages of its parent one after the other and
 * answers each. See `StoreRequest`.
 */
import Database from "better-sqlite3";
import { systemClock } from "../../../../base/clock.ts";
import { machineMonotonicMs } from "../../../../base/machine-clock.ts";
import type { Operation } from "../../../operation.ts";
import type { QueueStore } from "../../../queue-store.ts";
import { openSqliteQueueStore } from "../sqlite-queue-store.ts";

export type StoreRequest =
  /** The wall clock of this process is wrong by this much. */
  | { readonly ask: "open"; readonly file: string; readonly wallOffsetMs?: number }
  | { readonly ask: "commit"; readonly operations: readonly Operation[] }
  /** Answers with the bounds of (store's clock - machine's clock). */
  | { readonly ask: "clock" }
  /** Answers once it has a write transaction on the file, and keeps that until "release". */
  | { readonly ask: "hold"; readonly file: string }
  | { readonly ask: "release" };

export type StoreReply = { readonly result: unknown } | { readonly error: string };

let opened: QueueStore | undefined;
let held: Database.Database | undefined;
const store = (): QueueStore => {
  if (!opened) throw new Error("open it first");
  return opened;
};

async function answer(request: StoreRequest): Promise<unknown> {
  switch (request.ask) {
    case "open": {
      const { file, wallOffsetMs = 0 } = request;
      const clock = { ...systemClock, nowMs: () => systemClock.nowMs() + wallOffsetMs };
      opened = openSqliteQueueStore({ file, clock });
      return "open";
    }
    case "commit":
      return store().commit(request.operations);
    case "clock": {
      const beforeMs = machineMonotonicMs();
      const { now } = await store().counts();
      return { min: now.ms - machineMonotonicMs(), max: now.ms + 1 - beforeMs };
    }
    case "hold": {
      held = new Database(request.file);
      held.exec("begin immediate");
      return "holding";
    }
    case "release":
      held?.exec("rollback");
      return "released";
  }
}

process.on("message", (request: StoreRequest) => {
  answer(request).then(
    (result) => process.send?.({ result } satisfies StoreReply),
    (error: unknown) => process.send?.({ error: String(error) } satisfies StoreReply),
  );
});
process.on("disconnect", () => process.exit(1)); // end with the parent
process.send?.({ result: "started" } satisfies StoreReply);
