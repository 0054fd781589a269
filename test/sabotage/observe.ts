import type { Sabotage } from "./sabotage.ts";

const worker = "src/worker/worker.test.ts";
const stall = "src/observe/stall.test.ts";
const alerts = "src/observe/alerts.test.ts";
const observer = "src/observe/node-observer.test.ts";
const marks = "src/config/settings-marks.test.ts";
const stats = "src/queue/stats.test.ts";
const webhook = "src/observe/webhook.test.ts";
const judge = "src/showcase/loadtest/judge.test.ts";

/** Known-wrong variants of what watches over the workers, and of what judges them. */
export const observeSabotages: readonly Sabotage[] = [
  {
    name: "work behind gates is called stalled",
    file: "src/observe/stall.ts",
    find: "const isStalled = claimable > 0 && forMs >= stallMs();",
    replace: "const isStalled = forMs >= stallMs() || nowMs >= 2 * stallMs();",
    caughtBy: `${stall} > is not one when all that waits, waits for its gates, its moment or a paused job`,
  },
  {
    name: "what is posted is signed without its moment",
    file: "src/observe/webhook.ts",
    find: "update(`${timestamp}.${body}`)",
    replace: "update(timestamp && body)",
    caughtBy: `${webhook} > what is sent is signed over its moment and its body`,
  },
  {
    name: "a receiver in trouble is asked for ever",
    file: "src/observe/webhook.ts",
    find: "const attempts = 5;",
    replace: "const attempts = 50;",
    caughtBy: `${webhook} > a receiver in trouble is asked again, five times at most, and then it is logged`,
  },
  {
    name: "a load test does not look at gaps",
    file: "src/showcase/loadtest/judge.ts",
    find: "if (before && startMs - before.startMs < delayMs) count += 1;",
    replace: "",
    caughtBy: `${judge} > gate violations`,
  },
  {
    name: "shards are looked at together",
    file: "src/observe/node-observer.ts",
    find: "return [...ofKinds, ...ofShards];",
    replace: "return [...ofKinds, ...ofShards.slice(0, 1)];",
    caughtBy: `${observer} > looks every five seconds, beats each time, and tells of each trouble once`,
  },
  {
    name: "a task that came due just now is called stuck",
    file: "src/observe/stall.ts",
    find: "const stuckSeenShare = 0.1;",
    replace: "const stuckSeenShare = 0;",
    caughtBy: `${stall} > is not one that came due just now, though it was added long ago`,
  },
  {
    name: "waiting for a gate counts as waiting for a worker",
    file: "src/queue/counts.ts",
    find: "const sinceMs = Math.max(lane.oldestReadyAtMs, gate ? openFromMs(gate) : 0);",
    replace: "const sinceMs = Math.min(lane.oldestReadyAtMs, gate ? openFromMs(gate) : 1e15);",
    caughtBy: `${stats} > what waited for its gate has waited for a worker since the gate is open`,
  },
  {
    name: "a worker full of long tasks is called a zombie",
    file: "src/observe/zombie.ts",
    find: "claimable > 0 && atWork < concurrency && completed",
    replace: "claimable > 0 && atWork <= concurrency && completed",
    caughtBy: `${alerts} > is not one whose slots are full of long tasks`,
  },
  {
    name: "a few tasks that bring nothing are an alarm",
    file: "src/observe/yield-stall.ts",
    find: "if (fruitless < fruitlessMin || forMs",
    replace: "if (fruitless < 1 || forMs",
    caughtBy: `${alerts} > is not one where nothing is done, nor of a few tasks`,
  },
  {
    name: "a node is compared with itself",
    file: "src/observe/differences.ts",
    find: "beat[key] !== usual[key]",
    replace: "beat[key] !== beat[key]",
    caughtBy: `${alerts} > are named with what differs, by what most have`,
  },
  {
    name: "a trouble is told at each look",
    file: "src/observe/alert-book.ts",
    find: "[...known].filter(([key]) => !before.has(key))",
    replace: "[...known].filter(([key]) => key.length > 0)",
    caughtBy: `${alerts} > a trouble is told once when it begins and once when it ends`,
  },
  {
    name: "a changed secret looks like the old one",
    file: "src/config/settings-marks.ts",
    find: "isSecret(value) ? await markOf(name, value, isAsked) : JSON.stringify(value)",
    replace:
      "isSecret(value) && isAsked ? await markOf(name, value, isAsked) : JSON.stringify(value)",
    caughtBy: `${marks} > a changed secret is seen, and is not in what is kept`,
  },
  {
    name: "a command that gives a secret is run at every look",
    file: "src/config/settings-marks.ts",
    find: "const commandEveryMs = 60_000;",
    replace: "const commandEveryMs = 0;",
    caughtBy: `${marks} > a command is run once a minute at most, or when it is asked for`,
  },
  {
    name: "what tasks bring is not counted",
    file: "src/worker/in-flight-tasks.ts",
    find: `if (outcome.kind === "done") task.kind.brought(outcome.result);`,
    replace: "",
    caughtBy: `${worker} > what tasks bring is counted where their kind says how`,
  },
  {
    name: "a load test does not ask for memory afterwards",
    file: "src/showcase/loadtest/judge.ts",
    find: "evidence.memoryAfterTimes < memoryAfterTimesMax,",
    replace: "evidence.memoryAfterTimes > 0,",
    caughtBy: `${judge} > memory afterwards`,
  },
  {
    name: "a load test does not ask how long slow calls last",
    file: "src/showcase/loadtest/judge.ts",
    find: "evidence.recoveryMs <= evidence.recoveryMsMax,",
    replace: "evidence.recoveryMs >= 0,",
    caughtBy: `${judge} > recovery after arrivals`,
  },
];
