import type { Claim, Claimed } from "../../operation.ts";
import { claim, lockWorker } from "./claim.ts";
import type { Needs } from "./claim-needs.ts";
import type { Counted } from "./commit.ts";
import type { Database } from "./database.ts";
import type { KnownLeases } from "./known-leases.ts";
import type { Moment } from "./moment.ts";
import { claimPlain } from "./plain-claim.ts";
import type { Stripes } from "./stripes.ts";
import { createTokens } from "./tokens.ts";

export interface ClaimerOptions {
  readonly db: Database;
  readonly moment: Moment;
  readonly stripes: Stripes;
  readonly counted: Counted;
  readonly known: KnownLeases;
  /** Free finishes that are under way. A claim goes beside them; where they would show, it waits. */
  readonly finishing: ReadonlySet<Promise<unknown>>;
  readonly isLazyClaim: boolean;
}

/** Does what has to be done before a claim. */
export type Prepare = (needs: Needs) => Promise<void>;

/** Claims the short way where the last claim would have fitted it, else with a closer look. */
export function createClaimer(
  options: ClaimerOptions,
): (request: Claim, prepare: Prepare) => Promise<Claimed> {
  const { db, moment, stripes, counted, known, finishing, isLazyClaim: isLazy } = options;
  const tokens = createTokens(db);
  let claims = 0;
  /** The last claim that had a choice would have fitted the short way. */
  let isShort = true;

  async function claimShort(request: Claim, looksForComplete: boolean) {
    const answer = await stripes.lend((stripe) =>
      db.transaction(
        async (session) => {
          if (!tokens.isSameServer()) return undefined;
          lockWorker(session, request);
          return claimPlain({ session, moment, stripe, looksForComplete }, request);
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
    let isBeside = before.length > 0;
    if (isShort) {
      const plain = await claimShort(request, looksForComplete);
      if (plain) return plain;
    }
    for (let isPrepared = false; ;) {
      const answer = await counted(
        (session, counts) =>
          claim(
            { session, moment, counts, tokens, isPrepared, isBeside, looksForComplete },
            request,
          ),
        { isLazy },
      );
      if ("claimed" in answer) {
        if (answer.taken) known.note(answer.claimed.leases, answer.taken);
        isShort = answer.isPlain ?? isShort;
        return answer.claimed;
      }
      await Promise.allSettled(before);
      isBeside = false;
      if ("needs" in answer) {
        await prepare(answer.needs);
        isPrepared = true;
      }
    }
  };
}

/** Whoever died between its last finish and the look after it left a job that is not ended. */
const completeEvery = 20;
