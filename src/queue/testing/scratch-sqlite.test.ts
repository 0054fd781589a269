import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { openSqliteQueueStore } from "../adapters/sqlite/sqlite-queue-store.ts";
import { queueSuite } from "./queue-suite.ts";
import { afterAll } from "vitest";

const folders: string[] = [];

afterAll(() => { for (const f of folders) rmSync(f, { recursive: true }); });
queueSuite({
  name: "sqlite",
  open: async (time) => {
    const folder = mkdtempSync(join(tmpdir(), "forager-suite-"));
    folders.push(folder);
    const file = join(folder, "queue.db");
    const open = (name: string) => openSqliteQueueStore({ file: name, now: time.now, busyMs: 50 });
    return {
      store: open(file),
      openAnother: async () => open(file),
      backUp: async () => {
        const copy = join(folder, "copy.db");
        const db = new Database(file);
        db.prepare("vacuum into ?").run(copy);
        db.close();
        return { restore: async () => open(copy) };
      },
      cutOff: async () => {
        const db = new Database(file);
        db.exec("begin exclusive");
        return { reconnect: async () => void db.close() };
      },
    };
  },
});
