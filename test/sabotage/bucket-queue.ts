import type { Sabotage } from "./sabotage.ts";

const seeds = "test/simulation/queue-simulation.test.ts > seeds keep Q1 to Q10";
const adapter = "src/queue/adapters/bucket";

/** How a write is known to have landed, and what it is built on. */
const inWrites: readonly Sabotage[] = [
  {
    name: "nonce only: a commit that others have built on is not recognised",
    file: "src/bucket/shared-object.ts",
    find: "if ((found.envelope?.commits[session]?.number ?? 0) >= commit.number) {",
    replace:
      "if (found.envelope && Buffer.compare(codec.encode(found.envelope), next.body) === 0) {",
    caughtBy: seeds,
  },
  {
    name: "a lost answer is retried as if nothing had landed",
    file: "src/bucket/shared-object.ts",
    find: "if ((found.envelope?.commits[session]?.number ?? 0) >= commit.number) {",
    replace: "if ((found.envelope?.commits[session]?.number ?? 0) > commit.number) {",
    caughtBy: seeds,
  },
  {
    name: "no rebase: what was made on the old head is written over the new one",
    file: "src/bucket/shared-object.ts",
    find: `      base = found;
      next = await prepare(base, commit);
    }
    last = undefined;`,
    replace: `      base = { ...found, envelope: base.envelope };
    }
    last = undefined;`,
    caughtBy: seeds,
  },
  {
    name: "a head is written without a condition",
    file: "src/bucket/shared-object.ts",
    find: ": await bucket.putIfMatch(key, next.body, base.etag);",
    replace: ": await bucket.put(key, next.body);",
    caughtBy: seeds,
  },
  {
    name: "a session begins its numbers anew, so an old commit stands for a new one",
    file: "src/bucket/shared-object.ts",
    find: "const commit = { number: ++lastNumber, change };",
    replace: "const commit = { number: (lastNumber = 1), change };",
    caughtBy: seeds,
  },
  {
    name: "the answers are those of the first attempt, not of the one that landed",
    file: `${adapter}/shard/shard-keeper.ts`,
    find: "last = await commitOn(base, operations, { archive: noting, history: notingHistory, now });",
    replace: `const made = await commitOn(base, operations, { archive: noting, history, now });
      last = last ? { ...made, answers: last.answers } : made;`,
    caughtBy: seeds,
  },
  {
    name: "a store that ignores conditions is trusted",
    file: "src/bucket/fitness.ts",
    find: "await requireFitBucket(options);",
    replace: `await requireFitBucket(options).catch((error: { code?: string }) => {
    if (error.code !== "bucket_unfit") throw error;
  });`,
    caughtBy: seeds,
  },
];

/** Where finished tasks go, and what stays known of them. */
const inLogs: readonly Sabotage[] = [
  {
    name: "a log is listed before it is written",
    file: `${adapter}/log/archive.ts`,
    find: "await bucket.put(`${folder}${name}`, writeDoneLog(tasks));",
    replace: "void bucket.put(`${folder}${name}`, writeDoneLog(tasks)).catch(() => {});",
    caughtBy: seeds,
  },
  {
    name: "a log is listed though its tasks have changed since it was written",
    file: `${adapter}/head/head-commit.ts`,
    find: "if (!moved.every(isThere) || !absorbed",
    replace: "if ((isThere as unknown) === undefined || !absorbed",
    caughtBy: seeds,
  },
  {
    name: "what is logged stays in the head",
    file: `${adapter}/head/head-commit.ts`,
    find: "shard: withoutTasks(base.shard, moved),",
    replace: "shard: withoutTasks(base.shard, moved.slice(1)),",
    caughtBy: seeds,
  },
  {
    name: "a log that went into another stays listed",
    file: `${adapter}/head/head-commit.ts`,
    find: "logs: [...base.logs.filter(({ name }) => !absorbed.includes(name)), refOf(log)],",
    replace: "logs: [...base.logs, refOf(log)],",
    caughtBy: seeds,
  },
  {
    name: "a log is removed before the head that drops it has landed",
    file: `${adapter}/head/head-commit.ts`,
    find: "return { log: await archive.write(base, tasks), absorbed, moved };",
    replace: `const log = await archive.write(base, tasks);
  await archive.remove(absorbed);
  return { log, absorbed, moved };`,
    caughtBy: seeds,
  },
  {
    name: "a log is removed at the end though a write that lists it may have landed",
    file: `${adapter}/log/log-keeper.ts`,
    find: "unresolved: () => void (prepared = undefined),",
    replace: "unresolved: () => {},",
    caughtBy: `${adapter}/log/logs.test.ts > what a write without an answer may have listed is left alone`,
  },
  {
    name: "the keys of logged tasks are forgotten",
    file: `${adapter}/head/recall.ts`,
    find: `if (operation.op === "add") operation.tasks.forEach(about);`,
    replace: `if (operation.op === "add") operation.tasks.slice(operation.tasks.length).forEach(about);`,
    caughtBy: seeds,
  },
  {
    name: "what is logged is not counted",
    file: `${adapter}/head/head-commit.ts`,
    find: "archived: recountArchived(base.archived, moved, 1),",
    replace: "archived: recountArchived(base.archived, moved.slice(1), 1),",
    caughtBy: seeds,
  },
];

/** Whose clock counts, and how much it is trusted. */
const inTime: readonly Sabotage[] = [
  {
    name: "a gate's next owner does not wait for the difference of two front ends",
    file: `${adapter}/storage/moment.ts`,
    find: "const frontEndsMs = 2_000;",
    replace: "const frontEndsMs = 0;",
    caughtBy: seeds,
  },
  {
    name: "the clock of a folder drops fractions and does not say so",
    file: `${adapter}/storage/moment.ts`,
    find: "isRough ? frontEndsMs : truncationMs",
    replace: "isRough ? frontEndsMs : 0",
    caughtBy: `${adapter}/storage/moment.test.ts > a clock of whole milliseconds: a wait begins one later`,
  },
  {
    name: "the sweep takes back a lease at its very end",
    file: `${adapter}/storage/moment.ts`,
    find: "graceMs: isRough ? graceMs : 0",
    replace: "graceMs: isRough ? 0 * graceMs - (wallMs - ms) - frontEndsMs - 1_000 : 0",
    caughtBy: seeds,
  },
  {
    name: "the time is that of the node's own clock",
    file: `${adapter}/bucket-queue-store.ts`,
    find: "const moment = createMoment(bucket, options.now);",
    replace: `const moment = createMoment(
    bucket,
    options.now ?? (() => ({ ms: clock.nowMs(), wallMs: clock.nowMs() })),
  );`,
    caughtBy: seeds,
  },
  {
    name: "a claim does not raise the token",
    file: "src/queue/model/claim.ts",
    find: "Math.max(lastToken + 1, Math.floor(nowMs) * 1024);",
    replace: "Math.max(1, lastToken, 0 * nowMs);",
    caughtBy: seeds,
  },
];

/** What several shards must agree on. */
const inShards: readonly Sabotage[] = [
  {
    name: "a shard does not apply what the shards agreed on",
    file: `${adapter}/storage/control.ts`,
    find: "if (head.control >= control.version) return head;",
    replace: "if (head.control >= 0) return head;",
    caughtBy: seeds,
  },
  {
    name: "a lease is looked for in another shard than its task's",
    file: `${adapter}/many/routing.ts`,
    find: "ofId: (id) => id % shards,",
    replace: "ofId: (id) => (id + 1) % shards,",
    caughtBy: seeds,
  },
];

/** That all get their turn, and that what is wrong can be put right. */
const inCare: readonly Sabotage[] = [
  {
    name: "a node that writes on and on leaves no room for others",
    file: `${adapter}/storage/commit-pace.ts`,
    find: "roomMs = isOver && !isContended ?",
    replace: "roomMs = isOver && isContended && !isOver ?",
    caughtBy: `${adapter}/fairness.test.ts > a node that writes on and on cannot keep another out for long`,
  },
  {
    name: "an idle node hears the bell and believes what it saw before",
    file: `${adapter}/many/reads.ts`,
    find: "lastReadMs = clock.monotonicMs();",
    replace: "lastReadMs = -Infinity;",
    caughtBy: `${adapter}/requests.test.ts > with many shards one wake-up is enough to notice work in any of them`,
  },
  {
    name: "a repair leaves what the logs hold as it was counted",
    file: `${adapter}/shard/reconcile.ts`,
    find: "archived: countLogs(logs),",
    replace: "archived: logs.length < 0 ? countLogs(logs) : head.archived,",
    caughtBy: `${adapter}/shard/reconcile.test.ts > of what is in logs is counted again from them`,
  },
  {
    name: "a repair does not give orphans their claim back",
    file: "src/queue/model/repair.ts",
    find: "if (!isOfNoClaim(draft, task)) continue;",
    replace: "if (task.id > 0 || !isOfNoClaim(draft, task)) continue;",
    caughtBy: `${adapter}/shard/reconcile.test.ts > are found, get it back, and can be had`,
  },
  {
    name: "a field of the stored shard has another name",
    file: `${adapter}/head/head-codec.ts`,
    find: "waits: [...waits].map(([kind, buckets]) => [kind, [...buckets]]),",
    replace: `waits: [...waits].map(([kind, buckets]) => [kind, [...buckets]]),
        ...({ delays: [] } as object),`,
    caughtBy: "test/docs/queue-format-bucket.test.ts > the objects are those that a queue writes",
  },
];

export const bucketQueueSabotages: readonly Sabotage[] = [
  ...inWrites,
  ...inCare,
  ...inLogs,
  ...inTime,
  ...inShards,
];
