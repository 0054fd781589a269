/**
 * How a queue of several shards differs from the conformance suite, by reason. For each reason,
 * many-shards.test.ts tests what holds instead. Most clauses of the first group test something
 * else, but assume that the first of two claimed tasks is the one that was added first.
 */
const otherwise: Readonly<Record<string, readonly string[]>> = {
  "order is per shard: a claim takes the best of one shard, then of the next": [
    "lesson 1: a claim returns exactly the tasks it leased",
    "a repeated request gets what is left of its leases, and nothing else",
    "a request id belongs to its worker",
    "until it is swept an expired lease can be finished and released",
    "lesson 18: a process that starts leaves the leases of others alone",
    "done keeps its result, its moment and no attempt",
    "each suspect needs a worker of its own",
    "a suspect that is swept again does not keep its worker from claiming",
    "a run takes as many slots of its worker as it may have at work",
    "a big job does not make a later one wait for all its tasks",
    "runs of owned gates rotate over jobs too",
    "a finish that came before the cancel may be repeated after it",
    "the highest priority goes first, the oldest among equals",
    "one claim takes the same tasks in the same order",
    "the best lane goes first, and no longer than it is the best",
    "the gate whose best task is best goes first",
    "the oldest age is exact when the oldest have gone",
    "a job does not rotate past a higher priority of another",
    "raise moves a pending task forward",
    "raise reaches tasks that are due later, retried or suspect",
    "a task that becomes due takes its place by priority",
    "finishedBeforeMs takes what had finished before that moment",
    "one bulk step changes no more rows than it was allowed",
    "browse filters by state, kind, job, gate, key and payload",
    "browse pages in order of id, each task once, also while others are added",
    "wakeInMs counts a waiting suspect for a worker without tasks in flight alone",
    "lesson 19: of a dead worker, what has not begun runs at once and uncharged",
  ],
  "order is per shard: tokens rise for each task, and are compared for one task only": [
    "tokens rise with every claim, across openers",
    "tokens rise also while no time passes, and when the wall clock steps back",
  ],
  "order is per shard: a claim that has 64 leases does not go on to the next shard": [
    "retry and purge go through any number of rows in chunks",
  ],
  "a job with a cap or a budget is refused, unless it is bound to one gate": [
    "what goes beyond a job's budget is counted and not stored",
    "a duplicate costs no budget",
    "a budget counts what was ever stored, also when it was purged since",
    "a job never has more at work than its cap",
    "lesson 14: openers that claim at once do not exceed the cap together",
    "the cap covers all kinds and gates of a job",
    "a run counts against the cap what it may have at work",
    "lesson 16: a slot comes back when its worker died",
    "a cap that is lowered binds what comes later",
    "a job's progress is one row, kept with every step",
    "opening a job again changes its settings and keeps its progress",
    "a share that one job cannot use goes to the others",
    "a job at its cap is a concurrency_limit",
    "everything of a paused job is paused, whatever else holds it",
    "what is not due is scheduled before its gate or its job counts",
    "a closed gate counts before a full job",
    "all reasons at once add up, each with its share and its oldest",
    "wakeInMs does not wake for what only others can set free",
    "a crash frees its gate and its job's slots, and keeps the gap",
  ],
  "a batch is one per shard: what ends in one does not yet show to a claim in another": [
    "a claim sees what its worker finished in the same breath",
  ],
  "a batch is one per shard: each has the bound for itself": [
    "a sweep is bounded and says when there is more",
    "the rows of a cancelled job follow in chunks",
  ],
};

export const manyShardsDeviations: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(otherwise).flatMap(([reason, titles]) => titles.map((title) => [title, reason])),
);
