import { describe, expect, test } from "vitest";
import type { Bucket } from "../bucket.ts";
import { faultClauses } from "./clauses/fault-clauses.ts";
import { listingClauses } from "./clauses/listing-clauses.ts";
import { objectClauses } from "./clauses/object-clauses.ts";
import { raceClauses } from "./clauses/race-clauses.ts";
import type { BucketClause } from "./suite-fixture.ts";

export interface OpenedBucket {
  readonly bucket: Bucket;
  /** A second opener of the same storage, as another process would be. The suite closes it. */
  readonly openAnother: () => Promise<Bucket>;
}

export interface BucketSuiteOptions {
  readonly name: string;
  /** Opens fresh, empty storage. The suite closes it. */
  readonly open: () => Promise<OpenedBucket>;
  /**
   * Clauses that this backend cannot keep: title → reason. Each needs a test of the actual
   * behaviour.
   */
  readonly deviations?: Readonly<Record<string, string>>;
}

const themes: Readonly<Record<string, (clause: BucketClause) => void>> = {
  objects: objectClauses,
  races: raceClauses,
  listing: listingClauses,
  faults: faultClauses,
};

/** The contract of Bucket, clause by clause. A bug in one backend becomes a clause here. */
export function bucketSuite({ name, open, deviations = {} }: BucketSuiteOptions): void {
  describe(`bucket: ${name}`, () => {
    const titles: string[] = [];
    const clause: BucketClause = (title, check) => {
      titles.push(title);
      test.skipIf(title in deviations)(title, async () => {
        const { bucket, openAnother } = await open();
        const opened: Bucket[] = [bucket];
        const another = async () => {
          const second = await openAnother();
          opened.push(second);
          return second;
        };
        try {
          await check({ bucket, another });
        } finally {
          for (const one of opened.reverse()) await one[Symbol.asyncDispose]();
        }
      });
    };
    for (const [theme, clauses] of Object.entries(themes)) describe(theme, () => clauses(clause));

    test("every title is there once, every deviation has a clause and a reason", () => {
      expect(new Set(titles).size).toBe(titles.length);
      for (const [title, reason] of Object.entries(deviations)) {
        expect(titles).toContain(title);
        expect(reason).not.toBe("");
      }
    });
  });
}
