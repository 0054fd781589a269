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
            "its binary is missing or made for another platform: run npm install again on " +
            "this machine (64-bit Linux, macOS or Windows)",
        };
      }
    },
  };
}

/** Opens a database, because the native module is loaded only then. */
async function readSqliteVersion(): Promise<string> {
  const { default: Database } = await import("better-sqlite3");
  const db = new Database(":memory:");
  try {
    return String(db.prepare("select sqlite_version()").pluck().get());
  } finally {
    db.close();
  }
}
