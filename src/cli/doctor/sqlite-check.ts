import type { Check } from "./check.ts";

export function createSqliteCheck(readVersion = readSqliteVersion): Check {
  return {
    name: "sqlite",
    async run() {
      try {
        return { state: "ok", detail: `version ${await readVersion()}` };
      } catch (error) {
        return {
          state: "fail",
          detail: `better-sqlite3 does not load: ${(error as Error).message}`,
          advice:
            "install what compiles it (on Debian: apt install python3 make g++), " +
            "then run: npm rebuild better-sqlite3",
        };
      }
    },
  };
}

/** Opens a database, because the native part is loaded then and not on import. */
async function readSqliteVersion(): Promise<string> {
  const { default: Database } = await import("better-sqlite3");
  const db = new Database(":memory:");
  try {
    return String(db.prepare("select sqlite_version()").pluck().get());
  } finally {
    db.close();
  }
}
