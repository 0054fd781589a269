import Database from "better-sqlite3";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { queueSuite } from "../../testing/queue-suite.ts";
import type { StoreNow } from "../../queue-store.ts";
import { openSqliteQueueStore } from "./sqlite-queue-store.ts";

const open = (file: string, now: () => StoreNow) =>
  openSqliteQueueStore({ file, now, busyMs: 50, durability: "normal" });

queueSuite({
  name: "sqlite",
  open: async ({ now }) => {
    const folder = mkdtempSync(join(tmpdir(), "forager-queue-"));
    const file = join(folder, "queue.db");
    const store = open(file, now);
    return {
      store: {
        ...store,
        [Symbol.asyncDispose]: async () => {
          await store[Symbol.asyncDispose]();
          rmSync(folder, { recursive: true });
        },
      },
      openAnother: async () => open(file, now),
      backUp: async () => {
        const copy = join(folder, "backup.db");
        const db = new Database(file);
        db.prepare("vacuum into ?").run(copy);
        db.close();
        return { restore: async () => open(copy, now) };
      },
      cutOff: async () => {
        const db = new Database(file);
        db.exec("begin exclusive");
        return {
          reconnect: async () => {
            db.exec("rollback");
            db.close();
          },
        };
      },
    };
  },
});
