import type { Queue } from "../../queue/index.ts";
import type { KindState } from "../tasks/kind-state.ts";
import type { ProcessLoad } from "./process-load.ts";
import type { ScalerReading } from "./scaler.ts";

export interface ScalerReaderOptions {
  readonly queue: Pick<Queue, "stats">;
  readonly kinds: ReadonlyMap<string, KindState>;
  readonly atWork: () => number;
  readonly concurrency: () => number;
  readonly load: ProcessLoad;
}

/** With fewer attempts, the share of failures means nothing. */
const attemptsMin = 10;

/** Reads the state of the queue and of this process, for a decision. */
export function createScalerReader(options: ScalerReaderOptions): () => Promise<ScalerReading> {
  const { queue, kinds, atWork, concurrency, load } = options;
  let good = 0;
  let bad = 0;

  function errorShare(): number | undefined {
    const states = [...kinds.values()];
    const count = (ends: readonly ("done" | "skipped" | "retried" | "failed")[]) =>
      states.reduce((sum, state) => sum + ends.reduce((all, end) => all + state.count(end), 0), 0);
    const goodNow = count(["done", "skipped"]);
    const badNow = count(["retried", "failed"]);
    const ended = goodNow - good + badNow - bad;
    const share = ended < attemptsMin ? undefined : (badNow - bad) / ended;
    if (share !== undefined) [good, bad] = [goodNow, badNow];
    return share;
  }

  return async () => {
    const { reasons, kinds: all } = await queue.stats();
    const of = (reason: string) => reasons.find((one) => one.reason === reason)?.count ?? 0;
    const own = all
      .filter(({ kind }) => kinds.has(kind))
      .reduce((sum, { pending }) => sum + pending, 0);
    return {
      concurrency: concurrency(),
      atWork: atWork(),
      claimable: Math.min(own, of("worker_capacity")),
      gated: Math.min(own, of("domain_delay") + of("concurrency_limit")),
      loopLagMs: load.loopLagMs(),
      memoryShare: load.memoryShare(),
      errorShare: errorShare(),
    };
  };
}
