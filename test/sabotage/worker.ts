import type { Sabotage } from "./sabotage.ts";

const worker = "src/worker/worker.test.ts";
const runs = "src/worker/tasks/leases-and-runs.test.ts";
const stop = "src/worker/stop.test.ts";
const polite = "src/worker/politeness.test.ts";
const scaler = "src/worker/processes/scaler.test.ts";
const supervisor = "src/worker/processes/supervisor.test.ts";

const dead = "src/worker/processes/end-leases.test.ts";

/** Of what a supervisor knows and does when a process of it dies. */
const ofCrashes: readonly Sabotage[] = [
  {
    name: "a start is not recorded",
    file: "src/worker/tasks/in-flight-tasks.ts",
    find: "record?.starting(batch);",
    replace: "",
    caughtBy: `${dead} > of a dead process, what has started is charged and suspect, the rest runs at once`,
  },
  {
    name: "a claim is recorded once it is answered",
    file: "src/worker/create-worker.ts",
    find: "onClaiming: (claim) => record?.claiming(claim),",
    replace: "onClaiming: () => {},",
    caughtBy: `${dead} > what a claim leased whose answer came too late is released`,
  },
  {
    name: "a dead process' tasks are all released",
    file: "src/worker/processes/end-leases.ts",
    find: "const waiting = [...leases.values()].filter(({ hasStarted }) => !hasStarted);",
    replace:
      "const waiting = [...leases.values()].filter(({ hasStarted }) => !hasStarted || started.splice(0));",
    caughtBy: `${dead} > of a dead process, what has started is charged and suspect, the rest runs at once`,
  },
  {
    name: "a record that could not be written is kept",
    file: "src/worker/processes/crash-record.ts",
    find: "ftruncateSync(fd, 0);",
    replace: "if (fd < 0) ftruncateSync(fd, 0);",
    caughtBy:
      "src/worker/processes/crash-record.test.ts > a record that could not be written says nothing, rather than something wrong",
  },
  {
    name: "the handler's limit does not hold for attempts that ended with their node",
    file: "src/worker/tasks/in-flight-tasks.ts",
    find: "if (task.lease.used > handler.retry.attempts) reason = noAttemptLeft(handler);",
    replace: "if (task.lease.used > 1_000) reason = noAttemptLeft(handler);",
    caughtBy: `${dead} > the lower of the two limits holds also when attempts ended with their node`,
  },
  {
    name: "what a dead process had counted since its last message is lost",
    file: "src/worker/processes/dead-processes.ts",
    find: "const missing = count - (known?.value ?? 0);",
    replace: "const missing = Math.min(0, count - (known?.value ?? 0));",
    caughtBy: `${supervisor} > the leases of a process that died are ended at once, and its tasks are counted`,
  },
];

/** Known-wrong variants of the worker and of what watches over it. */
export const workerSabotages: readonly Sabotage[] = [
  ...ofCrashes,
  {
    name: "slots are not counted",
    file: "src/worker/tasks/in-flight-tasks.ts",
    find: "const batch = ready.splice(0, slots.free()).filter(mayStart);",
    replace: "const batch = ready.splice(0, ready.length).filter(mayStart);",
    caughtBy: `${worker} > runs that come due together take turns for the slots`,
  },
  {
    name: "the worker polls instead of resting",
    file: "src/worker/tasks/dispatcher.ts",
    find: "await waker.wait(mark, stopping.signal);",
    replace: "await new Promise<void>((resolve) => void clock.setTimer(1_000, resolve));",
    caughtBy: `${worker} > work that comes later is begun at once, and idling asks for nothing`,
  },
  {
    name: "the claim goes before the finishes",
    file: "src/worker/create-worker.ts",
    find: `    reporter.flush();
    if (!reporter.isTroubled()) dispatcher.claim();`,
    replace: `    if (!reporter.isTroubled()) dispatcher.claim();
    reporter.flush();`,
    caughtBy: `${worker} > a finish and the next claim are one commit`,
  },
  {
    name: "what a handler adds is forgotten",
    file: "src/worker/tasks/result-reporter.ts",
    find: "...(add && { add }),",
    replace: "",
    caughtBy: `${worker} > new tasks and raises are stored together with the finish`,
  },
  {
    name: "a permanent error is tried again",
    file: "src/worker/failure.ts",
    find: `if (error instanceof PermanentError) return { kind: "fail", ...thrown };`,
    replace: "",
    caughtBy: `${worker} > what a handler throws decides: permanent fails, the rest is tried again`,
  },
  {
    name: "the attempts of a kind are not counted",
    file: "src/worker/queue-outcome.ts",
    find: `if (used >= policy.attempts) return { kind: "fail", reason, ...stackOf(outcome) };`,
    replace: "",
    caughtBy: `${worker} > the attempts of a kind are counted, and the wait doubles, with jitter`,
  },
  {
    name: "retries have no jitter",
    file: "src/worker/failure.ts",
    find: "Math.round(random.next() * longest)",
    replace: "Math.round((random.next(), longest))",
    caughtBy:
      "src/worker/failure.test.ts > full jitter: half of all waits are below half of the limit",
  },
  {
    name: "one bad result fails the whole batch",
    file: "src/worker/tasks/result-reporter.ts",
    find: "if (results.length > 1) return results.forEach((result) => send([result]));",
    replace: "",
    caughtBy: `${worker} > a result that is not JSON fails its own task and no other`,
  },
  {
    name: "local caps are not kept",
    file: "src/worker/tasks/cap-line.ts",
    find: "if (!cap || !task.kind.caps) return onReady(task);",
    replace: "if (!cap || task.kind.caps) return onReady(task);",
    caughtBy: `${worker} > local caps: at most that many of one key, and others pass by`,
  },
  {
    name: "a worker never empties its inFlightTasks for a suspect",
    file: "src/worker/tasks/dispatcher.ts",
    find: "if (clock.monotonicMs() >= drainFromMs && options.holdsAny()) return 0;",
    replace: "",
    caughtBy: `${worker} > a suspect is done by a worker that was busy, though work keeps coming`,
  },
  {
    name: "drained is said while something is due later",
    file: "src/worker/tasks/dispatcher.ts",
    find: "if ((await queue.wakeInMs(kinds, worker)) === undefined) return true;",
    replace: "if ((await queue.wakeInMs(kinds, worker)) !== 0) return true;",
    caughtBy: `${worker} > drain: it ends when nothing is left, also of others, and not before`,
  },
  {
    name: "leases are extended by a fixed minute",
    file: "src/worker/tasks/lease-keeper.ts",
    find: "const answers = await queue.extend(leases, leaseMs);",
    replace: "const answers = await queue.extend(leases, 60_000);",
    caughtBy: `${runs} > C4: a task outlives its lease`,
  },
  {
    name: "a lost lease does not end its handler",
    file: "src/worker/tasks/in-flight-tasks.ts",
    find: `if (wasWorking) slots.abortHandler(task, "lease_lost");`,
    replace: "void wasWorking;",
    caughtBy: `${runs} > a lost lease ends its handler through the signal, and its result is dropped`,
  },
  {
    name: "a lease that could not be extended is taken to be held",
    file: "src/worker/tasks/lease-keeper.ts",
    find: "if (leftMs <= 0) onLost(task);\n      else if",
    replace: "if",
    caughtBy: `${runs} > a queue that cannot be reached until a lease ended: its handler is ended then`,
  },
  {
    name: "a handler may take as long as it likes",
    file: "src/worker/tasks/in-flight-tasks.ts",
    find: "    timeouts.arm();\n",
    replace: "",
    caughtBy: `${runs} > lesson 23: a hung task is not kept by the extensions of its neighbours`,
  },
  {
    name: "a finish that failed is dropped",
    file: "src/worker/tasks/result-reporter.ts",
    find: "    collected.push(...results);\n",
    replace: "",
    caughtBy: `${runs} > what could not be stored is stored later, and nothing is claimed meanwhile`,
  },
  {
    name: "a repeated claim is a new request",
    file: "src/worker/tasks/dispatcher.ts",
    find: "const requestId = `${session}.${requests}`;",
    replace: "const requestId = `${session}.${requests++}`;",
    caughtBy: `${runs} > a claim whose answer was lost is repeated, and its tasks are not left to expire`,
  },
  {
    name: "a run is not paced",
    file: "src/worker/tasks/gate-run.ts",
    find: "return this.delayMs - (this.#clock.monotonicMs() - this.#lastStartMs);",
    replace: "return 0 * this.delayMs - (this.#clock.monotonicMs() - this.#lastStartMs);",
    caughtBy: `${runs} > start to start at least the delay apart, over many runs and the end of each`,
  },
  {
    name: "the queue is not told when the last start was",
    file: "src/worker/tasks/gate-run.ts",
    find: "return this.#clock.monotonicMs() - this.#lastStartMs;",
    replace: "return 86_000_000;",
    caughtBy: `${runs} > two workers never share a gate, and hand it over with its delay`,
  },
  {
    name: "a run's share of its job's cap is not kept",
    file: "src/worker/tasks/gate-run.ts",
    find: "const limitNow = Math.min(this.#limitMax, limit);",
    replace: "const limitNow = limit;",
    caughtBy: `${runs} > at most the gate's limit at once, and the job's share of it`,
  },
  {
    name: "a waiting run takes its slots",
    file: "src/worker/tasks/in-flight-tasks.ts",
    find: "const share = run.delayMs > 0 ? first.kind.meanMs / run.delayMs : run.limit;",
    replace: "const share = run.limit;",
    caughtBy: `${runs} > lesson 12: a run that waits takes no slot and none of its tasks' time`,
  },
  {
    name: "a changed gate is not followed",
    file: "src/worker/tasks/gate-run.ts",
    find: "    this.delayMs = delayMs;\n    this.limit",
    replace: "    this.limit",
    caughtBy: `${runs} > a gate that is changed meanwhile is followed at the next answer`,
  },
  {
    name: "a blocked gate keeps its run",
    file: "src/worker/tasks/in-flight-tasks.ts",
    find: "if (gate.blockedForMs > 0) {",
    replace: "if (gate.blockedForMs < 0) {",
    caughtBy: `${runs} > a gate that is blocked meanwhile gets the rest of its run back`,
  },
  {
    name: "a request that goes out late is not counted from there",
    file: "src/worker/tasks/in-flight-tasks.ts",
    find: "task.run?.markStart();",
    replace: "",
    caughtBy: `${runs} > markStart moves the moment the gap is counted from`,
  },
  {
    name: "what was not begun is kept until its lease ends",
    file: "src/worker/tasks/in-flight-tasks.ts",
    find: `        task.run?.takeWaiting();
        giveBack(task);`,
    replace: `        task.run?.takeWaiting();`,
    caughtBy: `${stop} > lesson 19: what it had not begun goes back at once, uncounted; the rest is finished`,
  },
  {
    name: "a stop does not wait for handlers",
    file: "src/worker/create-worker.ts",
    find: "if (!isAborted && !isFatal) await empty(graceMs);",
    replace: "",
    caughtBy: `${stop} > lesson 19: what it had not begun goes back at once, uncounted; the rest is finished`,
  },
  {
    name: "a second signal waits like the first",
    file: "src/worker/create-worker.ts",
    find: `      inFlightTasks.stopStarting();
      inFlightTasks.abortWorking();
      await (stopping`,
    replace: `      inFlightTasks.stopStarting();
      await (stopping`,
    caughtBy: `${stop} > a second signal does not wait: it ends and gives back at once`,
  },
  {
    name: "good answers do not shorten a delay",
    file: "src/worker/politeness.ts",
    find: "const shorten = 0.8;",
    replace: "const shorten = 1;",
    caughtBy: `${polite} > good answers in a row shorten it step by step, and never below its floor`,
  },
  {
    name: "a delay has no ceiling",
    file: "src/worker/politeness.ts",
    find: "const delayMs = Math.min(bounds.ceilingMs, longer);",
    replace: "const delayMs = longer;",
    caughtBy: `${polite} > each refusal doubles it, up to its ceiling; the attempt is tried again`,
  },
  {
    name: "refusals that were under way together count each",
    file: "src/worker/politeness.ts",
    find: "if (!bounds || startedAtMs < state.changedAtMs) return;",
    replace: "if (!bounds) return;",
    caughtBy: `${polite} > refusals of requests that were under way together count once`,
  },
  {
    name: "Retry-After does not block the gate",
    file: "src/worker/politeness.ts",
    find: "if (retryAfterMs !== undefined && retryAfterMs > 0) {",
    replace: "if (retryAfterMs !== undefined && retryAfterMs < 0) {",
    caughtBy: `${polite} > Retry-After blocks the gate for the whole fleet, for an hour at most`,
  },
  {
    name: "lag does not lower the concurrency",
    file: "src/worker/processes/scaler.ts",
    find: `if (reading.loopLagMs > lagMsMax) return fewer("event_loop_lag");`,
    replace: "",
    caughtBy: `${scaler} > the loop is late`,
  },
  {
    name: "what waits for gates is taken for a backlog",
    file: "src/worker/processes/scaler.ts",
    find: `if (claimable === 0 && gated > 0) return to(concurrency, concurrency, "gates");`,
    replace: "",
    caughtBy: `${scaler} > what waits, waits for gates`,
  },
  {
    name: "every evaluation is logged",
    file: "src/worker/processes/scaler.ts",
    find: `if (decided.decision !== "no_change" || decided.reason !== last?.reason) {`,
    replace: "if (decided.reason.length > 0) {",
    caughtBy: `${scaler} > a growing backlog is met in steps, and each change is logged and counted by reason`,
  },
  {
    name: "a process that keeps dying is replaced without a pause",
    file: "src/worker/processes/supervisor.ts",
    find: "place.deaths === 1 ? 0 :",
    replace: "place.deaths >= 1 ? 0 :",
    caughtBy: `${supervisor} > A9: what dies is replaced: at once, then later and later, until it has lasted`,
  },
  {
    name: "nobody watches for silence",
    file: "src/worker/processes/supervisor.ts",
    find: "const isSilent = nowMs - lastMessageAtMs > silentMs;",
    replace: "const isSilent = nowMs < lastMessageAtMs;",
    caughtBy: `${supervisor} > a process whose event loop is blocked says nothing, is killed and replaced`,
  },
  {
    name: "a process that takes long to start is killed as if it hung",
    file: "src/worker/processes/supervisor.ts",
    find: 'state === "starting" ? Math.max(watchdogMs, startMs) : watchdogMs;',
    replace: "watchdogMs;",
    caughtBy: `${supervisor} > one that takes long to start is let alone`,
  },
  {
    name: "a changed process is killed",
    file: "src/worker/processes/supervisor.ts",
    find: "if (place.child) stopPlace(place);",
    replace: "place.child?.kill();",
    caughtBy: `${supervisor} > changed live: concurrency by a message, a new version in good order, counts both ways`,
  },
  {
    name: "what a dead process counted is forgotten",
    file: "src/worker/processes/supervisor.ts",
    find: "gone = mergeSnapshots([gone, countedOnly(place.snapshot)]);",
    replace: "gone = mergeSnapshots([gone]);",
    caughtBy: `${supervisor} > what processes counted is added up, and survives them`,
  },
];
