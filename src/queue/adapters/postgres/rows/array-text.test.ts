// needs: postgres
import fc from "fast-check";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { needs } from "../../../../../test/support/services.ts";
import { numberArray, textArray } from "./array-text.ts";

needs(["postgres"], ({ postgres }) => {
  const client = new pg.Client({ connectionString: postgres.url });
  beforeAll(() => client.connect());
  afterAll(() => client.end());

  /** Compared with the driver's own arrays, which are known to be right. */
  test("the server reads what was written, whatever the text", async () => {
    const text = fc.string({ unit: "binary" }).map((value) => value.replaceAll("\0", ""));
    const odd = fc.constantFrom("", "NULL", "null", '"', "\\", "{}", ",", ' "a\\b" ', "\n");
    const values = fc.array(fc.oneof(text, odd, fc.constant(null)));
    await fc.assert(
      fc.asyncProperty(values, fc.array(fc.maxSafeInteger()), async (texts, numbers) => {
        const { rows } = await client.query<{ texts: boolean; numbers: boolean }>(
          `select $1::text[] is not distinct from $2::text[] as texts,
             $3::bigint[] is not distinct from $4::bigint[] as numbers`,
          [textArray(texts), texts, numberArray(numbers), numbers],
        );
        expect(rows).toEqual([{ texts: true, numbers: true }]);
      }),
      { numRuns: 200 },
    );
  });
});
