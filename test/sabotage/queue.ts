import type { Sabotage } from "./sabotage.ts";

const memory = "src/queue/adapters/memory/memory-queue-store.test.ts";
const sqlite = "src/queue/adapters/sqlite/sqlite-queue-store.test.ts";
const model = "src/queue/adapters/sqlite/sqlite-queue-model.test.ts";
const race = "src/queue/adapters/sqlite/sqlite-queue-race.test.ts";

/** In the model, which is also the memory store. */
const inModel: readonly Sabotage[] = [
  {
    name: "a claim also returns what its worker already had",
    file: "src/queue/model/claim.ts",
    find: "return { leases, hasSuspect: suspect !== undefined && holdsAny };",
    replace: `const own = [...draft.claims.values()].filter((one) => one.worker === request.worker);
  const tasks = own.flatMap((one) => one.ids).map((id) => draft.tasks.get(id)!);
  return {
    leases: tasks.map((task) => toLease(task, request.leaseMs, paceOf(draft, task))),
    hasSuspect: suspect !== undefined && holdsAny,
  };`,
    caughtBy: `${memory} > lesson 1: a claim returns exactly the tasks it leased`,
  },
  {
    name: "finish, extend and release do not check the token",
    file: "src/queue/model/leases.ts",
    find: `if (task?.state !== "running" || task.token !== token) return undefined;`,
    replace: `if (task?.state !== "running" || token < 0) return undefined;`,
    caughtBy: `${memory} > lesson 3: a late worker can no longer finish, extend or release`,
  },
  {
    name: "only extend does not check the token",
    file: "src/queue/model/leases.ts",
    find: `  leases.map((lease) => {
    const task = heldTask(draft, lease);`,
    replace: `  leases.map((lease) => {
    const task = draft.tasks.get(lease.id);`,
    caughtBy: `${memory} > lesson 3: a late worker can no longer finish, extend or release`,
  },
  {
    name: "a task of a cancelled job can still be finished",
    file: "src/queue/model/leases.ts",
    find: `return jobOf(draft, task.job).ended === "cancelled" ? undefined : task;`,
    replace: "return task;",
    caughtBy: `${memory} > leases of a cancelled job are lost, and write nothing`,
  },
  {
    name: "a swept task is not suspect",
    file: "src/queue/model/sweep.ts",
    find: "isSuspect: true,",
    replace: "isSuspect: task.isSuspect,",
    caughtBy: `${memory} > a task whose lease was swept is handed out alone, before all others`,
  },
  {
    name: "a task that crashed its process is not suspect",
    file: "src/queue/model/leases.ts",
    find: "const suspect = { ...ended, attempts, isSuspect: true };",
    replace: "const suspect = { ...ended, attempts };",
    caughtBy: `${memory} > lesson 10: a crash is charged, keeps its reason and makes a suspect at once`,
  },
  {
    name: "the handler's limit does not hold for crashes",
    file: "src/queue/model/leases.ts",
    find: "Math.min(attemptsMax, crash.attemptsMax ?? Infinity)",
    replace: "(crash.attemptsMax === 0 ? 0 : attemptsMax)",
    caughtBy: `${memory} > lesson 10: a task that crashes its process ends as a dead letter`,
  },
  {
    name: "a worker with tasks in flight gets a suspect",
    file: "src/queue/model/claim.ts",
    find: "if (suspect && !holdsAny) {",
    replace: "if (suspect) {",
    caughtBy: `${memory} > a worker that holds anything does not get a suspect, but learns of it`,
  },
  {
    name: "a release does not refund the attempt",
    file: "src/queue/model/leases.ts",
    find: `state: "pending", used: task.used - 1, expiresAtMs: 0`,
    replace: `state: "pending", expiresAtMs: 0`,
    caughtBy: `${memory} > lesson 19: a released task is free at once, unharmed`,
  },
  {
    name: "a sweep does not count the delay from the end of the lease",
    file: "src/queue/model/sweep.ts",
    find: "patchGate(draft, gate.name, { opensAtMs });",
    replace: "patchGate(draft, gate.name, { opensAtMs: Math.min(opensAtMs, 0) });",
    caughtBy: `${memory} > a swept run opens its gate one delay after its lease ended`,
  },
  {
    name: "a gate is free when the first task of its run ends",
    file: "src/queue/model/leases.ts",
    find: "const running = gate.running - 1;",
    replace: "const running = gate.runSlots > 0 ? 0 : gate.running - 1;",
    caughtBy: `${memory} > a run that is swept in part stays owned`,
  },
  {
    name: "a run does not count against its job's cap",
    file: "src/queue/model/claim.ts",
    find: "{ slots: job.slots + slots, served: draft.served }",
    replace: "{ slots: job.slots + (isRun ? 0 : slots), served: draft.served }",
    caughtBy: `${memory} > a run counts against the cap what it may have at work`,
  },
  {
    name: "the next start does not wait for the delay",
    file: "src/queue/gate.ts",
    find: "Math.max(gate.opensAtMs, startedMs + gate.delayMs)",
    replace: "Math.max(gate.opensAtMs, startedMs)",
    caughtBy: `${memory} > a gate opens one delay after the last start`,
  },
  {
    name: "a run may be longer than its lease allows",
    file: "src/queue/gate.ts",
    find: "gate.delayMs > 0 ? Math.min(burst, Math.max(1, Math.floor(leaseMs / (2 * gate.delayMs)))) : burst",
    replace: "gate.delayMs > leaseMs ? 1 : burst",
    caughtBy: `${memory} > a run is short enough to start well inside its lease`,
  },
  {
    name: "a wait begins at the moment rounded down",
    file: "src/queue/model/now.ts",
    find: "lateMs: Math.ceil(ms),",
    replace: "lateMs: Math.floor(ms),",
    caughtBy: `${memory} > a block lasts the whole time that was asked for`,
  },
  {
    name: "a clock of whole milliseconds is taken to be exact",
    file: "src/queue/model/now.ts",
    find: "export const truncationMs = 1;",
    replace: "export const truncationMs = 0;",
    caughtBy: `${memory} > drops fractions: a wait begins with the next whole millisecond`,
  },
  {
    name: "a shorter block shortens a longer one",
    file: "src/queue/gate.ts",
    find: "Math.max(gate.blockedUntilMs, now.lateMs + forMs)",
    replace: "now.lateMs + forMs",
    caughtBy: `${memory} > a shorter block never shortens a longer one; zero lifts it`,
  },
  {
    name: "a budget is not kept",
    file: "src/queue/model/add.ts",
    find: "job.added >= job.budget",
    replace: "job.added >= job.budget * 1_000 + 1_000",
    caughtBy: `${memory} > what goes beyond a job's budget is counted and not stored`,
  },
  {
    name: "a sealed job takes tasks from anyone",
    file: "src/queue/model/add.ts",
    find: "(job.isSealed && !isOwnTask(draft, by, job.name))",
    replace: "(job.isSealed && isOwnTask(draft, by, job.name) && by === undefined)",
    caughtBy: `${memory} > a sealed job takes tasks only from its own running tasks`,
  },
  {
    name: "a job completes without being sealed",
    file: "src/queue/job.ts",
    find: "job.isSealed && job.ended === null && job.pending === 0",
    replace: "job.added > 0 && job.ended === null && job.pending === 0",
    caughtBy: `${memory} > lesson 17: a job that is not sealed does not complete`,
  },
  {
    name: "a duplicate lowers the priority",
    file: "src/queue/model/add.ts",
    find: "raiseTask(draft, known, { priority });",
    replace: "putTask(draft, { ...known, priority });",
    caughtBy: `${memory} > a duplicate never lowers a priority`,
  },
  {
    name: "raise changes a task that runs",
    file: "src/queue/model/bulk.ts",
    find: `task.state !== "pending" || (task.priority >= priority && !isSooner)`,
    replace: "task.priority >= priority && !isSooner",
    caughtBy: `${memory} > raise leaves running and finished tasks alone`,
  },
  {
    name: "a retried dead letter keeps its used attempts",
    file: "src/queue/model/bulk.ts",
    find: "used: 0,",
    replace: "used: task.used,",
    caughtBy: `${memory} > retry gives a dead letter all its attempts again and keeps its history`,
  },
  {
    name: "an ended job outlives its last task",
    file: "src/queue/model/bulk.ts",
    find: "const isEmpty = job.ended !== null && !jobs.has(job.name);",
    replace: `const isEmpty = job.ended !== null && !jobs.has(job.name) && job.name === "";`,
    caughtBy: `${memory} > an ended job goes with its last task, and its name is free again`,
  },
  {
    name: "a repeated request leases more",
    file: "src/queue/model/claim.ts",
    find: `  const repeated = repeatedClaim(draft, request);
  if (repeated) return repeated;
  sweep(draft);`,
    replace: "  sweep(draft);",
    caughtBy: `${memory} > the same request gets the same leases again`,
  },
  {
    name: "due times are read on the store's clock",
    file: "src/queue/model/claim.ts",
    find: "const wallMs = draft.now.wallMs;",
    replace: "const wallMs = draft.now.ms;",
    caughtBy: `${memory} > a due time follows the wall clock forward`,
  },
  {
    name: "a task that kills its worker is tried for ever",
    file: "src/queue/model/sweep.ts",
    find: "const isOut = task.used >= task.attemptsMax;",
    replace: "const isOut = task.used > task.attemptsMax + 1_000;",
    caughtBy: `${memory} > lesson 10: a task that kills its worker ends as a dead letter`,
  },
  {
    name: "equal priorities do not rotate over jobs",
    file: "src/queue/model/claim.ts",
    find: "jobOf(draft, a.job).served - jobOf(draft, b.job).served || a.id - b.id",
    replace: "jobOf(draft, a.job).served * 0 || a.id - b.id",
    caughtBy: `${memory} > equal priorities rotate over jobs, claim by claim`,
  },
  {
    name: "each kind is said to wait for what all wait for",
    file: "src/queue/read/stats.ts",
    find: "reasonStats(own, pending, now.ms)",
    replace: "reasonStats(counts.kinds, pending, now.ms)",
    caughtBy: `${memory} > each kind says for itself what it waits for`,
  },
];

/** In SQLite, which says the same in SQL. */
const inSqlite: readonly Sabotage[] = [
  {
    name: "sqlite: a lease is found by its id alone",
    file: "src/queue/adapters/sqlite/write/unit.ts",
    find: "select lane from task where id = ? and token = ?",
    replace: "select lane from task where id = ? and 0 < ?",
    caughtBy: `${sqlite} > lesson 3: a late worker can no longer finish, extend or release`,
  },
  {
    name: "sqlite: tokens only count",
    file: "src/queue/model/claim.ts",
    find: "Math.max(lastToken + 1, Math.floor(nowMs) * 1024)",
    replace: "Math.max(lastToken + 1, Math.floor(nowMs) * 0)",
    caughtBy: `${sqlite} > tokens rise above all that a restored backup has forgotten`,
  },
  {
    name: "sqlite: a release does not refund the attempt",
    file: "src/queue/adapters/sqlite/write/save-slice.ts",
    find: "    after.used,",
    replace: "    after.used + 1,",
    caughtBy: `${sqlite} > lesson 19: a released task is free at once, unharmed`,
  },
  {
    name: "sqlite: what another process wrote is not read again",
    file: "src/queue/adapters/sqlite/write/unit.ts",
    find: "if (version !== knownVersion) load();",
    replace: "if (knownVersion === undefined) load();",
    caughtBy: `${sqlite} > nobody gets a gate that is owned, whatever kind or job they ask for`,
  },
  {
    name: "sqlite: the job's counter does not follow its task",
    file: "src/queue/adapters/sqlite/write/unit.ts",
    find: "job[jobCounter(to)] += count;",
    replace: "job[jobCounter(to)] += 0;",
    caughtBy: `${sqlite} > a job's progress is one row, kept with every step`,
  },
  {
    name: "sqlite: a raise does not move its lane",
    file: "src/queue/adapters/sqlite/write/save-slice.ts",
    find: 'lane.isHeadStale ||= from === "ready" || to === "ready";',
    replace: "lane.isHeadStale ||= from !== to;",
    caughtBy: `${model} > random histories: the store answers as the model does`,
  },
  {
    name: "sqlite: a sweep looks at a claim again only when its last lease ends",
    file: "src/queue/adapters/sqlite/write/unit.ts",
    find: "coalesce((select min(expires_at) from task",
    replace: "coalesce((select max(expires_at) from task",
    caughtBy: `${sqlite} > leases of one claim that end one after the other are swept one by one`,
  },
  {
    name: "sqlite: a request id counts for every worker",
    file: "src/queue/adapters/sqlite/claim/claim.ts",
    find: "where request_id = ? and worker = ?",
    replace: "where request_id = ? and worker <> ? || '!'",
    caughtBy: `${sqlite} > a request id belongs to its worker`,
  },
  {
    name: "sqlite: a wall clock that steps back changes nothing",
    file: "src/queue/adapters/sqlite/claim/promote.ts",
    find: "if (now.wallMs < meta.readyDueMs) demote(unit);",
    replace: "if (now.wallMs < 0) demote(unit);",
    caughtBy: `${model} > random histories: the store answers as the model does`,
  },
  {
    name: "sqlite: the worse lane goes first",
    file: "src/queue/adapters/sqlite/claim/lane-walk.ts",
    find: "[-lane.top, job.served, lane.head]",
    replace: "[lane.top, job.served, lane.head]",
    caughtBy: `${model} > random histories: the store answers as the model does`,
  },
  {
    name: "sqlite: a gate that opens gives nobody a turn",
    file: "src/queue/adapters/sqlite/write/rows.ts",
    find: "            if (ready > 0) markTurnDirty({ kind, job });\n",
    replace: "",
    caughtBy: `${model} > random histories: the store answers as the model does`,
  },
  {
    name: "sqlite: a job's turn does not follow it",
    file: "src/queue/adapters/sqlite/write/rows.ts",
    find: "for (const job of dirtyJobs) turns.writeJob(job);",
    replace: "",
    caughtBy: `${model} > random histories: the store answers as the model does`,
  },
  {
    name: "sqlite: an owned gate lets a second run in",
    file: "src/queue/gate.ts",
    find: "isOwned(gate) ? gate.running === 0 :",
    replace: "isOwned(gate) ? gate.running <= 1 :",
    caughtBy: `${race} > a gate never has more at work than its limit`,
  },
  {
    name: "sqlite: a finish does not make its gate wait",
    file: "src/queue/adapters/sqlite/write/finish.ts",
    find: "gate.opensAtMs = opensSinceStart(gate, now, sinceStartMs);",
    replace: "",
    caughtBy: `${race} > no gap between starts of a gate is shorter than its delay`,
  },
  {
    name: "sqlite: a cap is not counted",
    file: "src/queue/adapters/sqlite/claim/claim.ts",
    find: "job.slots += slots;",
    replace: "job.slots += 0 * slots;",
    caughtBy: `${race} > a job never has more at work than its cap`,
  },
  {
    name: "sqlite: what a finish adds comes in a later commit that never happens",
    file: "src/queue/adapters/sqlite/write/save-slice.ts",
    find: "for (const one of changes.added) insertTask(unit, one);",
    replace: "",
    caughtBy: `${race} > every task is done, exactly once, and none is lost`,
  },
  {
    name: "sqlite: a block ends before its time",
    file: "src/queue/model/gates.ts",
    find: "blockEndMs(before, draft.now, forMs)",
    replace: "blockEndMs(before, draft.now, Math.floor(forMs / 4))",
    caughtBy: `${race} > nothing starts while its gate is blocked`,
  },
  {
    name: "sqlite: the clock drops fractions and does not say so",
    file: "src/queue/adapters/sqlite/connection/store-clock.ts",
    find: "import { truncatedNow, type ModelNow }",
    replace: "import { exactNow as truncatedNow, type ModelNow }",
    caughtBy:
      "src/queue/adapters/sqlite/connection/store-clock.test.ts > drops fractions: a wait begins with the next",
  },
];

export const queueSabotages: readonly Sabotage[] = [...inModel, ...inSqlite];
