import type { Sabotage } from "./sabotage.ts";

const lease = "src/bucket/lease/lease.test.ts";
const rules = "src/bucket/lease/lease-rules.test.ts";
const probe = "src/bucket/probe.test.ts";
const wrappers = "src/bucket/bucket-wrappers.test.ts";
const shared = "src/bucket/shared-object.test.ts";
const statuses = "src/bucket/adapters/s3/s3-statuses.test.ts";
const memory = "src/bucket/adapters/memory/memory-bucket.test.ts";
const directory = "src/bucket/adapters/directory/directory-bucket.test.ts";
const race = "src/bucket/bucket-race.test.ts";
const simulation = "test/simulation/simulation.test.ts";
const seeds = `${simulation} > seeds keep O1, O2, O3, O8, O9 and O10`;

const inLeases: readonly Sabotage[] = [
  {
    name: "no nonce: every content of a lease looks like one's own",
    file: "src/bucket/lease/lease.ts",
    find: `    nonce: createId(random),
    ttlMs,`,
    replace: `    nonce: "same",
    ttlMs,`,
    caughtBy: `${lease} > lesson 2: of many who steal one stale lease, one gets it`,
  },
  {
    name: "a stale lease is stolen by deleting and creating it",
    file: "src/bucket/lease/lease.ts",
    find: ": await bucket.putIfMatch(key, body, base);",
    replace: ": (await bucket.delete(key), await bucket.putIfAbsent(key, body));",
    caughtBy: `${lease} > lesson 2: of many who steal one stale lease, one gets it`,
  },
  {
    name: "a renewal overwrites whatever is there",
    file: "src/bucket/lease/lease.ts",
    find: ": await bucket.putIfMatch(key, body, base);",
    replace: ": await bucket.put(key, body);",
    caughtBy: `${lease} > lesson 4: renewing keeps it for as long as one likes`,
  },
  {
    name: "the deadline counts from the answer",
    file: "src/bucket/lease/lease.ts",
    find: "untilMs: deadlineMs(sentMs, { ttlMs, marginMs }) });",
    replace: "untilMs: deadlineMs(Math.max(sentMs, clock.monotonicMs()), { ttlMs, marginMs }) });",
    caughtBy: `${lease} > the deadline counts from the sending, not from the answer`,
  },
  {
    name: "the deadline counts from the answer, seen by the simulation",
    file: "src/bucket/lease/lease.ts",
    find: "untilMs: deadlineMs(sentMs, { ttlMs, marginMs }) });",
    replace: "untilMs: clock.monotonicMs() + 0 * sentMs + ttlMs });",
    caughtBy: seeds,
  },
  {
    name: "a holder goes on after its deadline",
    file: "src/bucket/lease/lease.ts",
    find: "held !== undefined && clock.monotonicMs() < held.untilMs;",
    replace: "held !== undefined && held.untilMs > 0;",
    caughtBy: `${lease} > O9: the holder stops by its own deadline`,
  },
  {
    name: "a refusal is believed without reading back",
    file: "src/bucket/lease/lease-rules.ts",
    find: `if (answer === "accepted") return "held";`,
    replace: `if (answer === "accepted") return "held";
  if (answer === "refused") return "lost";`,
    caughtBy: `${lease} > a refusal after one's own success is resolved by reading`,
  },
  {
    name: "an error with nothing written is taken for a loss",
    file: "src/bucket/lease/lease-rules.ts",
    find: `    case "base":
    case undefined:
      return "again";`,
    replace: `    case "base":
      return "lost";
    case undefined:
      return "again";`,
    caughtBy: `${lease} > lesson 31: an error while nothing landed is tried again`,
  },
  {
    name: "no answer to the read back is taken for success",
    file: "src/bucket/lease/lease-rules.ts",
    find: `    case "other":
      return "lost";`,
    replace: `    case "other":
      return answer === "unknown" ? "held" : "lost";`,
    caughtBy: `${rules} > the table of outcomes, whole`,
  },
  {
    name: "the epoch begins again after a release",
    file: "src/bucket/lease/lease.ts",
    find: "recordOf((record?.epoch ?? 0) + 1)",
    replace: `recordOf((record?.state === "held" ? record.epoch : 0) + 1)`,
    caughtBy: `${lease} > lesson 32: a release frees it at once, and the epoch continues`,
  },
  {
    name: "a stranger does not wait for the holder's deadline",
    file: "src/bucket/lease/lease-rules.ts",
    find: `record.state === "released" ? 0 : record.ttlMs + marginMs;`,
    replace: `record.state === "released" ? 0 : record.ttlMs - 2 * marginMs;`,
    caughtBy: seeds,
  },
  {
    name: "age is judged by this machine's wall clock",
    file: "src/bucket/lease/lease.ts",
    find: `        const ageMs = got.seenAtMs - got.modifiedAtMs;
        const freeInMs`,
    replace: `        const ageMs = clock.nowMs() - got.modifiedAtMs;
        const freeInMs`,
    caughtBy: seeds,
  },
];

const inBuckets: readonly Sabotage[] = [
  {
    name: "the probe asks one by one only",
    file: "src/bucket/probe.ts",
    find: "const raceRounds = 2;",
    replace: "const raceRounds = 0;",
    caughtBy: `${probe} > a store that checks, then writes, passes one by one and fails the race`,
  },
  {
    name: "a probe without a clear answer trusts the store",
    file: "src/bucket/probe.ts",
    find: `state: "unknown", detail: "no clear answer`,
    replace: `state: "ok", detail: "no clear answer`,
    caughtBy: `${probe} > a store that never answers clearly is not trusted`,
  },
  {
    name: "409 is taken for: it exists",
    file: "src/bucket/adapters/s3/s3-bucket.ts",
    find: "const isRefused = status === 412 ||",
    replace: "const isRefused = status === 409 || status === 412 ||",
    caughtBy: `${statuses} > is taken for what it is, and asked once`,
  },
  {
    name: "the SDK repeats a conditional write",
    file: "src/bucket/adapters/s3/s3-client.ts",
    find: "maxAttempts: 1,",
    replace: "maxAttempts: 3,",
    caughtBy: `${statuses} > is taken for what it is, and asked once`,
  },
  {
    name: "the retrying bucket repeats a conditional write",
    file: "src/bucket/retrying-bucket.ts",
    find: "    put: (key, body, more) => again(() => bucket.put(key, body, more)),",
    replace: `    put: (key, body, more) => again(() => bucket.put(key, body, more)),
    putIfAbsent: (key, body) => again(() => bucket.putIfAbsent(key, body)),`,
    caughtBy: `${wrappers} > lesson 31: never repeats a conditional write by itself`,
  },
  {
    name: "a shared object forgets who committed what",
    file: "src/bucket/shared-object.ts",
    find: "if ((found.envelope?.commits[session]?.number ?? 0) >= commit.number) {",
    replace: "if ((found.envelope?.commits[session]?.number ?? 0) > commit.number) {",
    caughtBy: `${shared} > an own commit is recognised though another has built on it`,
  },
  {
    name: "changes of one session overlap",
    file: "src/bucket/shared-object.ts",
    find: "changes.run(() => apply(change))",
    replace: "apply(change)",
    caughtBy: `${shared} > is changed by all, each change once`,
  },
  {
    name: "keys are listed in JavaScript's order",
    file: "src/bucket/key.ts",
    find: "Buffer.compare(Buffer.from(a), Buffer.from(b));",
    replace: "a < b ? -1 : a > b ? 1 : 0;",
    caughtBy: `${memory} > keys are in the order of their UTF-8 bytes`,
  },
  {
    name: "a list starts at its starting point, not after it",
    file: "src/bucket/adapters/directory/directory-bucket.ts",
    find: "compareKeys(key, startAfter) > 0)",
    replace: "compareKeys(key, startAfter) >= 0)",
    caughtBy: `${directory} > a list starts after a key, which need not exist`,
  },
  {
    name: "a directory compares no ETag",
    file: "src/bucket/adapters/directory/directory-bucket.ts",
    find: "(current) => current() === expected);",
    replace: "(current) => current() !== undefined || expected === current());",
    caughtBy: `${directory} > lesson 30: of 32 who replace one content, one does`,
  },
  {
    name: "a directory takes no lock",
    file: "src/bucket/adapters/directory/directory-lock.ts",
    find: `db.exec("begin exclusive");`,
    replace: `db.exec("select 1");`,
    caughtBy: `${race} > killed and stopped: every register is linearizable`,
  },
  {
    name: "a directory's lock is made exclusive only at its end",
    file: "src/bucket/adapters/directory/directory-lock.ts",
    find: `db.exec("begin exclusive");`,
    replace: `db.exec("begin immediate");`,
    caughtBy: `${directory} > a reader of the lock's file delays a write`,
  },
  {
    name: "the age of a file follows the wall clock",
    file: "src/bucket/adapters/directory/directory-lock.ts",
    find: "Math.floor(anchor.wallMs) + machineMsSince(anchor.monotonicMs);",
    replace: "Math.floor(clock.nowMs() + 0 * machineMsSince(anchor.monotonicMs));",
    caughtBy: `${directory} > a step of the wall clock makes no object older`,
  },
];

export const bucketSabotages: readonly Sabotage[] = [...inLeases, ...inBuckets];
