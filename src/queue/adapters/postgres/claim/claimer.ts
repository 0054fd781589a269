import type { Claim, Claimed } from "../../../operation.ts";
import { claim, lockWorker } from "./claim.ts";
import type { Needs } from "./claim-needs.ts";
import type { Counted } from "../write/commit.ts";
import type { Database } from "../connection/database.ts";
import type { KnownLeases } from "./known-leases.ts";
import type { Moment } from "../connection/moment.ts";
import { claimFast } from "./fast-claim.ts";
import type { Stripes } from "./stripes.ts";
import { createTokens } from "./tokens.ts";

export interface ClaimerOptions {
  readonly db: Database;
  readonly moment: Moment;
  readonly stripes: Stripes;
  readonly counted: Counted;
  readonly known: KnownLeases;
  /**
   * Unthrottled finishes that are still running. A claim waits for them only if they affect its
   * answer.
   */
  readonly finishing: ReadonlySet<Promise<unknown>>;
  readonly isLazyClaim: boolean;
  readonly hasFastPath: boolean;
}

/** Does the maintenance that must come before a claim. */
export type Prepare = (needs: Needs) => Promise<void>;

/** Claims on the fast path if that would have served the last claim, otherwise on the slow path. */
export function createClaimer(
  options: ClaimerOptions,
): (request: Claim, prepare: Prepare) => Promise<Claimed> {
  const { db, moment, stripes, counted, known, finishing, hasFastPath } = options;
  const { isLazyClaim: isLazy } = options;
  const tokens = createTokens(db);
  let claims = 0;
  /** True if the fast path would have served the last claim that found something. */
  let usesFastPath = hasFastPath;

  async function claimOnFastPath(request: Claim, looksForComplete: boolean) {
    const answer = await stripes.lend((stripe) =>
      db.transaction(
        async (session) => {
          if (!tokens.isSameServer()) return undefined;
          lockWorker(session, request);
          return claimFast({ session, moment, stripe, looksForComplete }, request);
        },
        { isLazy, isOneWay: "repeatable" },
      ),
    );
    if (answer) known.note(answer.claimed.leases, answer.taken);
    return answer?.claimed;
  }

  return async (request, prepare) => {
    const looksForComplete = claims++ % completeEvery === 0;
    const before = [...finishing];
    let isConcurrent = before.length > 0;
    if (usesFastPath) {
      const claimed = await claimOnFastPath(request, looksForComplete);
      if (claimed) return claimed;
    }
    for (let isPrepared = false; ;) {
      const answer = await counted(
        (session, counts) =>
          claim(
            { session, moment, counts, tokens, isPrepared, isConcurrent, looksForComplete },
            request,
          ),
        { isLazy },
      );
      if ("claimed" in answer) {
        if (answer.taken) known.note(answer.claimed.leases, answer.taken);
        usesFastPath = hasFastPath && (answer.fitsFastPath ?? usesFastPath);
        return answer.claimed;
      }
      await Promise.allSettled(before);
      isConcurrent = false;
      if ("needs" in answer) {
        await prepare(answer.needs);
        isPrepared = true;
      }
    }
  };
}

/**
 * Once in this many claims, look for complete jobs: a process may have died after its last finish
 * and before it completed the job.
 */
const completeEvery = 20;
