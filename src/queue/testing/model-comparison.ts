import fc from "fast-check";
import { describe, test } from "vitest";
import { AppError } from "../../base/app-error.ts";
import { systemClock } from "../../base/clock.ts";
import { systemRandom } from "../../base/random.ts";
import { applyOne } from "../model/apply.ts";
import { closeDraft, completeIfDone, emptyShard, openDraft, type Shard } from "../model/shard.ts";
import { exactNow, storeNow, type ModelNow } from "../model/now.ts";
import type { Claimed, Operation, Outcomes } from "../operation.ts";
import type { QueueStore, StoreNow } from "../queue-store.ts";
import { takeChosen } from "./model-comparison-claim.ts";
import { checkInvariants } from "./model-comparison-invariants.ts";
import { compareReads, compareReconcile, same } from "./model-comparison-read.ts";
import { createResolver } from "./model-comparison-resolve.ts";
import {
  history,
  openersMax,
  plainHistory,
  type ComparisonStep,
} from "./model-comparison-steps.ts";

export interface ModelComparisonOptions {
  readonly name: string;
  /** Creates empty storage; the comparison opens it several times. Times have fractions. */
  readonly storage: (now: () => StoreNow) => Promise<ComparedStorage>;
  /** Default "any"; "plain": mostly one lane, to test fast paths. */
  readonly histories?: "any" | "plain";
  /** The least number of histories, however slow the machine is. Default 40: fewer prove little. */
  readonly runsMin?: number;
  /** How long to generate more histories. */
  readonly timeLimitMs: number;
  /** Repeats a failure: the seed and path from its message. */
  readonly replay?: { readonly seed: number; readonly path: string } | undefined;
}

export interface ComparedStorage extends AsyncDisposable {
  /** Opens the same storage again, as another process would. */
  open(): Promise<QueueStore>;
}

/** Parses "seed" or "seed:path", as a failure prints it; throws if it is malformed. */
export function parseReplay(text: string | undefined): ModelComparisonOptions["replay"] {
  if (text === undefined) return undefined;
  const [, seed, path = ""] = /^(-?\d+)(?::([\d:]+))?$/.exec(text) ?? [];
  if (seed === undefined) throw new Error(`"${text}" is not seed:path, as a failure prints them`);
  return { seed: Number(seed), path };
}

/**
 * Runs random histories on a store and on the pure model, and after every step compares all answers
 * and reads. A claim is checked against the rules, then the model applies the store's choice;
 * everything else must be equal.
 */
export function modelComparison(options: ModelComparisonOptions): void {
  const { name, storage, histories = "any", runsMin = 40, timeLimitMs, replay } = options;
  const seed = replay?.seed ?? systemRandom.below(2 ** 31);

  const isPlain = histories === "plain";

  describe(`the queue's model and ${name}`, () => {
    test(
      isPlain
        ? "plain histories: the store answers as the model does"
        : "random histories: the store answers as the model does",
      async ({ annotate }) => {
        await annotate(`seed ${seed}`);
        const property = fc.asyncProperty(isPlain ? plainHistory : history, (steps) =>
          compareHistory(steps, storage),
        );
        if (replay) {
          await fc.assert(property, { ...replay, endOnFailure: true });
          return;
        }
        const endMs = systemClock.monotonicMs() + timeLimitMs;
        let numRuns = runsMin;
        for (let round = 0; round === 0 || systemClock.monotonicMs() < endMs; round++) {
          // Without a limit it would shrink a failure forever. The limit is long enough for one
          // history on a busy machine: if it interrupts the first history of a round, that counts
          // as a failure.
          await fc.assert(property, {
            seed: seed + round,
            numRuns,
            interruptAfterTimeLimit: shrinkMsMax,
          });
          numRuns = runsOfRound;
        }
      },
      timeLimitMs + 2 * shrinkMsMax + 20_000,
    );
  });
}

const shrinkMsMax = 100_000;
const runsOfRound = 10;

/** Runs one history. If the two disagree, throws with all operations that were sent. */
export async function compareHistory(
  steps: readonly ComparisonStep[],
  makeStorage: ModelComparisonOptions["storage"],
): Promise<void> {
  let now: StoreNow = { ms: startMs, wallMs: startMs };
  await using storage = await makeStorage(() => now);
  const stores: QueueStore[] = [];
  const crashed: QueueStore[] = [];
  for (let index = 0; index < openersMax; index++) stores.push(await storage.open());
  const resolver = createResolver();
  const trace: unknown[] = [];
  let shard = emptyShard();

  try {
    for (const step of steps) {
      now = {
        ms: now.ms + step.advanceMs,
        wallMs: now.wallMs + step.advanceMs + step.wallStepMs,
      };
      let store = stores[step.opener]!;
      if (step.reopen !== "no") {
        if (step.reopen === "closed") await store[Symbol.asyncDispose]();
        else crashed.push(store);
        store = stores[step.opener] = await storage.open();
      }
      const at = exactNow(now);
      const operations = resolver.resolve(step.wants, shard, at);
      trace.push({ now, opener: step.opener, reopen: step.reopen, operations });
      const answers = await store.commit(operations);
      trace.push({ answers });
      shard = follow(shard, operations, answers, at);
      operations.forEach(({ op }, index) => {
        if (op === "claim") resolver.note((answers[index] as Claimed).leases);
      });
      checkInvariants(shard);
      await compareReads(store, shard, storeNow(at), step);
    }
    for (const store of stores) await compareReconcile(store, shard);
  } catch (cause) {
    const sent = trace.map((line) => JSON.stringify(line)).join("\n");
    throw new Error(`${(cause as Error).message}\nall that was sent:\n${sent}`, { cause });
  } finally {
    for (const store of [...crashed, ...stores]) await store[Symbol.asyncDispose]();
  }
}

const startMs = Date.UTC(2026, 0, 1);

/** Applies a commit to the model as the store did, and compares the answers. */
function follow(
  shard: Shard,
  operations: readonly Operation[],
  answers: Outcomes,
  now: ModelNow,
): Shard {
  const draft = openDraft(shard, now);
  same("the number of answers", answers.length, operations.length);
  operations.forEach((operation, index) => {
    const answer = answers[index];
    const expected =
      operation.op === "claim" && !(answer instanceof AppError)
        ? takeChosen(draft, operation, answer as Claimed)
        : orRefused(() => applyOne(draft, operation));
    same(`the answer to ${operation.op}`, speakable(answer), speakable(expected));
  });
  completeIfDone(draft);
  return closeDraft(draft);
}

function orRefused<T>(work: () => T): T | AppError {
  try {
    return work();
  } catch (error) {
    if (error instanceof AppError && error.kind === "invalid") return error;
    throw error;
  }
}

const speakable = (answer: unknown) =>
  answer instanceof AppError ? { kind: answer.kind, code: answer.code } : answer;
