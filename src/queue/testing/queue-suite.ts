import { describe, expect, test } from "vitest";
import { addingClauses } from "./clauses/adding-clauses.ts";
import { bulkClauses } from "./clauses/bulk-clauses.ts";
import { claimingClauses } from "./clauses/claiming-clauses.ts";
import { closingClauses } from "./clauses/closing-clauses.ts";
import { crashClauses } from "./clauses/crash-clauses.ts";
import { faultClauses } from "./clauses/fault-clauses.ts";
import { fractionClauses } from "./clauses/fraction-clauses.ts";
import { gateClauses } from "./clauses/gate-clauses.ts";
import { gateChangeClauses } from "./clauses/gate-change-clauses.ts";
import { jobClauses } from "./clauses/job-clauses.ts";
import { jobEndClauses } from "./clauses/job-end-clauses.ts";
import { leaseClauses } from "./clauses/lease-clauses.ts";
import { logClauses } from "./clauses/log-clauses.ts";
import { outcomeClauses } from "./clauses/outcome-clauses.ts";
import { priorityClauses } from "./clauses/priority-clauses.ts";
import { readingClauses } from "./clauses/reading-clauses.ts";
import { suspectClauses } from "./clauses/suspect-clauses.ts";
import { timeClauses } from "./clauses/time-clauses.ts";
import { waitingClauses } from "./clauses/waiting-clauses.ts";
import { openFixture, type QueueClause, type OpenStore } from "./suite-fixture.ts";
import { expectExactCounters } from "./suite-recount.ts";
import { createSuiteTime } from "./suite-time.ts";

export interface QueueSuiteOptions {
  readonly name: string;
  /** Opens a store on fresh, empty storage. The suite closes it. */
  readonly open: OpenStore;
  /**
   * Clauses that this backend cannot keep: title → reason. Each needs a test of the actual
   * behaviour.
   */
  readonly deviations?: Readonly<Record<string, string>>;
  /** For a store whose clauses mostly wait for a server: some clauses run at the same time. */
  readonly concurrent?: boolean;
}

const themes: Readonly<Record<string, (clause: QueueClause) => void>> = {
  adding: addingClauses,
  claiming: claimingClauses,
  leases: leaseClauses,
  outcomes: outcomeClauses,
  suspects: suspectClauses,
  crashes: crashClauses,
  gates: gateClauses,
  "changing gates": gateChangeClauses,
  jobs: jobClauses,
  "how jobs end": jobEndClauses,
  waiting: waitingClauses,
  priorities: priorityClauses,
  bulk: bulkClauses,
  "the log": logClauses,
  reading: readingClauses,
  time: timeClauses,
  "fractions of a millisecond": fractionClauses,
  faults: faultClauses,
  closing: closingClauses,
};

/**
 * The contract of QueueStore, clause by clause; a bug in one backend becomes a clause here. After
 * every clause, all counters are compared with the tasks. A title that starts with "lesson n"
 * describes a failure of a real system of this kind.
 */
export function queueSuite({
  name,
  open,
  deviations = {},
  concurrent = false,
}: QueueSuiteOptions): void {
  describe(`queue store: ${name}`, () => {
    const titles: string[] = [];
    const clause: QueueClause = (title, check) => {
      titles.push(title);
      const reason = deviations[title];
      if (reason !== undefined) {
        test(`deviation: ${title}`, () => expect(reason.trim(), "the reason").not.toBe(""));
        return;
      }
      test(title, { concurrent }, async () => {
        const time = createSuiteTime();
        await using at = await openFixture(open, time);
        await check(at);
        await expectExactCounters(at.store);
      });
    };
    for (const [theme, clauses] of Object.entries(themes)) describe(theme, () => clauses(clause));

    test("every title is there once, every deviation has a clause and a reason", () => {
      expect(suiteMistakes(titles, deviations)).toEqual([]);
    });
  });
}

/** Lists mistakes in the declared deviations of a suite. */
export function suiteMistakes(
  titles: readonly string[],
  deviations: Readonly<Record<string, string>>,
): readonly string[] {
  const known = new Set(titles);
  const twice = titles.filter((title, index) => titles.indexOf(title) !== index);
  return [
    ...twice.map((title) => `two clauses are called "${title}"`),
    ...Object.entries(deviations).flatMap(([title, reason]) => [
      ...(known.has(title) ? [] : [`stale deviation, no such clause: "${title}"`]),
      ...(reason.trim() === "" ? [`the deviation "${title}" gives no reason`] : []),
    ]),
  ];
}
