import type { Sabotage } from "./sabotage.ts";

const folder = "src/queue/adapters/postgres";
const store = `${folder}/postgres-queue-store.test.ts`;
const plans = `${folder}/statement-plans.test.ts`;
const model = `${folder}/postgres-queue-model.test.ts > plain histories`;
const watch = `${folder}/connection/change-watch.test.ts`;
const overlap = `${folder}/postgres-overlap.test.ts`;
const arrays = `${folder}/rows/array-text.test.ts`;
const groups = "src/queue/group-commit.test.ts";

/** In the adapter for PostgreSQL, and in what lets its commits overlap. */
export const postgresCommitSabotages: readonly Sabotage[] = [
  {
    name: "a claim that waits for what others hold",
    file: `${folder}/claim/fast-claim.ts`,
    find: "limit $7::int for no key update skip locked",
    replace: "limit $7::int for no key update",
    caughtBy: `${overlap} > a claim skips what another is taking`,
  },
  {
    name: "the fast claim takes again what a repeated request had",
    file: `${folder}/claim/fast-claim.ts`,
    find: `repeats is null and not "holdsSuspect"`,
    replace: `not "holdsSuspect"`,
    caughtBy: model,
  },
  {
    name: "the fast claim forgets the suspect its worker holds",
    file: `${folder}/claim/fast-claim.ts`,
    find: `and not "holdsSuspect" and`,
    replace: "and",
    caughtBy: `${store} > a worker that holds a suspect gets nothing else until that ends`,
  },
  {
    name: "the fast claim passes over suspects",
    file: `${folder}/claim/fast-claim.ts`,
    find: "and not exists (select 1 from @task where state = ${taskStates.suspect})",
    replace: "",
    caughtBy: model,
  },
  {
    name: "the fast claim passes over gates that are open",
    file: `${folder}/claim/fast-claim.ts`,
    find: "and not exists (select 1 from @lane where is_open and is_ready)",
    replace: "",
    caughtBy: model,
  },
  {
    name: "the fast claim goes beyond a job's cap",
    file: `${folder}/claim/fast-claim.ts`,
    find: "and count(concurrency) = 0",
    replace: "",
    caughtBy: model,
  },
  {
    name: "the fast claim does not count the slots",
    file: `${folder}/claim/fast-claim.ts`,
    find: "on conflict (job, stripe) do update set slots = c.slots + excluded.slots,\n      pending",
    replace: "on conflict (job, stripe) do update set pending",
    caughtBy: model,
  },
  {
    name: "the fast claim counts waits into other buckets",
    file: `${folder}/claim/fast-claim.ts`,
    find: "greatest(0, least(d.ms - t.created_at, d.wall - t.due_at)),",
    replace: "1 + greatest(0, least(d.ms - t.created_at, d.wall - t.due_at)),",
    caughtBy: model,
  },
  {
    name: "the fast add takes tasks for a sealed job",
    file: `${folder}/write/fast-add.ts`,
    find: "and not j.is_sealed and",
    replace: "and",
    caughtBy: `${store} > a seal stops a row of single adds`,
  },
  {
    name: "the fast add goes beyond a budget",
    file: `${folder}/write/fast-add.ts`,
    find: " and j.budget is null",
    replace: "",
    caughtBy: model,
  },
  {
    name: "the fast add counts only the first of a lane",
    file: `${folder}/write/fast-add.ts`,
    find: "do update set ready = c.ready + excluded.ready)",
    replace: "do nothing)",
    caughtBy: model,
  },
  {
    name: "tasks that were added are no news",
    file: `${folder}/connection/change-watch.ts`,
    find: "      call(isNews);",
    replace: "      call();",
    caughtBy: `${watch} > added tasks are news to those who wait in the same process`,
  },
  {
    name: "the fast finish does not check the token",
    file: `${folder}/write/fast-finish.ts`,
    find: "where t.id = any($4::bigint[]) and t.token = $3 and",
    replace: "where t.id = any($4::bigint[]) and t.token >= $3 and",
    caughtBy: `${store} > lesson 3: a late worker can no longer finish, extend or release`,
  },
  {
    name: "the fast finish forgets who is left in the claim",
    file: `${folder}/write/fast-finish.ts`,
    find: "  leaveClaims(session, finishes);",
    replace: "",
    caughtBy: `${overlap} > of finishes that overlap, none is lost or counted twice`,
  },
  {
    name: "the fast finish does not count what is done",
    file: `${folder}/write/fast-finish.ts`,
    find: `counts.move(lane, "running", "done", count);`,
    replace: "void [lane, count];",
    caughtBy: `${overlap} > of finishes that overlap, none is lost or counted twice`,
  },
  {
    name: "the fast finish does not give the slot back",
    file: `${folder}/write/fast-finish.ts`,
    find: `counts.job(name, "slots", slots);`,
    replace: "void [name, slots];",
    caughtBy: `${store} > a job never has more at work than its cap`,
  },
  {
    name: "the fast finish leaves the gate as it was",
    file: `${folder}/write/fast-finish.ts`,
    find: "  writeGates(session, [...slice.draft.gates.values()], ended.ms);",
    replace: "",
    caughtBy: `${store} > a gate opens one delay after the last start`,
  },
  {
    name: "the server's clock drops fractions and does not say so",
    file: `${folder}/connection/moment.ts`,
    find: "($1::bigint[])[2], at.ms + ${truncationMs})",
    replace: "($1::bigint[])[2], at.ms)",
    caughtBy: `${folder}/connection/moment.test.ts > is the server's, without fractions`,
  },
  {
    name: "the fast finish a task of a cancelled job",
    file: `${folder}/write/fast-finish.ts`,
    find: `const noRest = "not exists (select 1 from @job where has_rest)";`,
    replace: `const noRest = "true";`,
    caughtBy: `${overlap} > a finish between a cancel and the sweep after it is lost`,
  },
  {
    name: "a finish that did not find its task is answered as held",
    file: `${folder}/write/fast-finish.ts`,
    find: "if (ended.count < finishes.length || gates.length < gateNames.length) return undefined;",
    replace: "",
    caughtBy: `${store} > lesson 3: a late worker can no longer finish, extend or release`,
  },
  {
    name: "a claim does not mind that its worker is finishing a suspect",
    file: `${folder}/claim/claim.ts`,
    find: "if (isConcurrent && (needs.holdsSuspect || suspects.length > 0)) return { waits: true };",
    replace: "",
    caughtBy: `${store} > a claim sees what its worker finished in the same breath`,
  },
  {
    name: "a claim does not count itself to its gate",
    file: `${folder}/claim/claim-rows.ts`,
    find: "{ ...gate, running: gate.running + size, runSlots: isRun ? slots : 0 }",
    replace: "{ ...gate, running: gate.running, runSlots: 0 }",
    caughtBy: `${store} > nobody gets a gate that is owned, whatever kind or job they ask for`,
  },
  {
    name: "others are not told of new work",
    file: `${folder}/postgres-queue-store.ts`,
    find: "changes.notify({ mayWake, isNews",
    replace: "changes.notify({ mayWake: false && mayWake, isNews",
    caughtBy: `${folder}/connection/change-watch.test.ts > lesson 25: what one opener adds, raises or opens wakes another`,
  },
  {
    name: "a cancelled job's rest is found by reading all tasks",
    file: `${folder}/write/sweep.ts`,
    find: `cross join lateral (select r.id from @task r where r.lane = l.id and \${states} limit $1) t`,
    replace: `join @task r on r.lane = l.id and \${states} cross join lateral (select r.id) t`,
    caughtBy: `${plans} > nothing that workers or the dashboard do reads through all tasks`,
  },
  {
    name: "a claim is planned anew whenever the server thinks that cheaper",
    file: `${folder}/connection/database.ts`,
    find: `"set local plan_cache_mode = force_generic_plan",`,
    replace: "",
    caughtBy: `${plans} > what writes is planned once for all values, however many tasks there are`,
  },
  {
    name: "text in an array is not escaped",
    file: `${folder}/rows/array-text.ts`,
    find: `value.replaceAll(/["\\\\]/g, "\\\\$&")`,
    replace: "value",
    caughtBy: `${arrays} > the server reads what was written, whatever the text`,
  },
  {
    name: "what may not overlap runs concurrently with what may",
    file: "src/queue/group-commit.ts",
    find: "if (waiting.length > 0 && !waiting[0]!.overlaps && isIdle()) {",
    replace: "if (waiting.length > 0 && !waiting[0]!.overlaps) {",
    caughtBy: `${groups} > what may not overlap waits for all before it, and keeps back all after it`,
  },
];
