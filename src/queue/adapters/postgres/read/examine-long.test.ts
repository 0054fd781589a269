// needs: postgres15 pgbouncer
// long: pooler
import { expect, test } from "vitest";
import { needs } from "../../../../../test/support/services.ts";
import { examinePostgres } from "./examine.ts";
import { expectExamined } from "../testing/expect-examined.ts";

needs(["postgres15", "pgbouncer"], ({ postgres15, pgbouncer }) => {
  test("looks at the oldest supported version, and makes nothing", async () => {
    await expectExamined(postgres15.url, 15);
  });

  test("behind a pooler a session gets no notification of another, but does with a direct connection", async () => {
    const { url, directUrl } = pgbouncer;
    expect(await examinePostgres({ url })).toMatchObject({ hearsOthers: false });
    expect(await examinePostgres({ url, listenUrl: directUrl })).toMatchObject({
      hearsOthers: true,
    });
  });
});
