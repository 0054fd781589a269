// needs: postgres
// inputs: src/queue/** src/base/**
import { describe, expect, test } from "vitest";
import { needs } from "../../../../../test/support/services.ts";
import { readPlace } from "./connection-options.ts";
import { openDatabase, queryOne } from "./database.ts";
import {
  momentColumns,
  momentValues,
  readMoment,
  toNow,
  withMoment,
  type Moment,
  type MomentRow,
} from "./moment.ts";

const limits = { statementMs: 60_000, lockMs: 20_000, connectMs: 10_000 };

needs(["postgres"], ({ postgres }) => {
  const place = readPlace(postgres.url, { schema: "none" });
  const open = () =>
    openDatabase({ place, connectionsMax: 1, idleMax: 1, names: "auto", ...limits });

  /** The two ways in which the store reads its clock. */
  async function readBoth(moment: Moment) {
    const db = open();
    try {
      const sql = `${withMoment} select ${momentColumns} from moment`;
      const row = await queryOne<MomentRow>(db, sql, momentValues(moment));
      return [toNow(row), await readMoment(db, moment)];
    } finally {
      await db.close();
    }
  }

  describe("the clock of a PostgreSQL queue", () => {
    test("is the server's, without fractions: a wait begins a millisecond later", async () => {
      for (const { ms, lateMs, wallMs, wallLateMs } of await readBoth(undefined)) {
        expect(Number.isInteger(ms)).toBe(true);
        expect({ lateMs, wallMs, wallLateMs }).toEqual({
          lateMs: ms + 1,
          wallMs: ms,
          wallLateMs: ms + 1,
        });
      }
    });

    test("is a test's own, rounded down and up", async () => {
      const rounded = { ms: 5_000, lateMs: 5_001, wallMs: 8_999, wallLateMs: 9_000 };
      const moment = () => ({ ms: 5_000.25, wallMs: 8_999.75 });
      expect(await readBoth(moment)).toEqual([rounded, rounded]);
    });
  });
});
