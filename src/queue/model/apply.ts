import { AppError } from "../../base/app-error.ts";
import type { Answer, Operation, Outcomes } from "../operation.ts";
import { add } from "./add.ts";
import { claim } from "./claim.ts";
import { block, setGate } from "./gates.ts";
import { cancel, openJob, pause, resume, seal } from "./jobs.ts";
import { extend, finish, release } from "./leases.ts";
import { forgetKeys, pruneLog, purge, raise, retry } from "./bulk.ts";
import type { ModelNow } from "./now.ts";
import { closeDraft, completeIfDone, openDraft, type ShardDraft, type Shard } from "./shard.ts";
import { sweep } from "./sweep.ts";

/**
 * The queue as a pure function; every backend is compared with it. A refused operation is answered
 * with its AppError and changes nothing; the other operations of the commit are applied.
 */
export function apply(
  shard: Shard,
  operations: readonly Operation[],
  now: ModelNow,
): { readonly shard: Shard; readonly answers: Outcomes } {
  const draft = openDraft(shard, now);
  const answers = operations.map((operation) => {
    try {
      return applyOne(draft, operation);
    } catch (error) {
      if (error instanceof AppError && error.kind === "invalid") return error;
      throw error;
    }
  });
  completeIfDone(draft);
  return { shard: closeDraft(draft), answers };
}

/** Applies one operation. Call `completeIfDone` after the last one of a commit. */
export function applyOne(draft: ShardDraft, operation: Operation): Answer<Operation> {
  switch (operation.op) {
    case "add":
      return add(draft, operation);
    case "claim":
      return claim(draft, operation);
    case "extend":
      return extend(draft, operation);
    case "finish":
      return finish(draft, operation);
    case "release":
      return release(draft, operation);
    case "sweep":
      return sweep(draft);
    case "block":
      return block(draft, operation);
    case "setGate":
      return setGate(draft, operation);
    case "openJob":
      return openJob(draft, operation);
    case "seal":
      return seal(draft, operation.job);
    case "pause":
      return pause(draft, operation.job);
    case "resume":
      return resume(draft, operation.job);
    case "cancel":
      return cancel(draft, operation.job);
    case "raise":
      return raise(draft, operation.raises);
    case "retry":
      return retry(draft, operation);
    case "purge":
      return purge(draft, operation);
    case "forgetKeys":
      return forgetKeys(draft, operation);
    case "pruneLog":
      return pruneLog(draft, operation);
  }
}
