import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startOwnService } from "../../../scripts/services/own-service.ts";
import { systemRandom } from "../../../src/base/random.ts";
import { createTestPlace } from "../../../src/bucket/testing/test-s3.ts";
import type { Job, Queue, Reconciled, Task, TaskInput } from "../../../src/queue/index.ts";
import { finishedOnce, leasesUnique, withinLimit } from "../../../src/queue/testing/race-checks.ts";
import { runFleetThroughChaos, type FleetChaos } from "./fleet-chaos.ts";
import { gateBreaks, lateStartsMax, worksOfFleet } from "./fleet-checks.ts";
import { costReport, openFleetQueue, type FleetPlace } from "./fleet-queue.ts";

export interface FleetSuiteOptions {
  readonly processes: number;
  readonly chaosMs: number;
  /** Behind a gate that one worker owns; there are many more without a gate. */
  readonly tasks: number;
}

/** With a delay or a limit of one a gate is owned by one worker at a time. */
const gates = [
  { gate: "one", delayMs: 0, limit: 1 },
  { gate: "slow", delayMs: 60, limit: 1 },
  { gate: "pair", delayMs: 30, limit: 2 },
  { gate: "many", delayMs: 0, limit: 3 },
] as const;
const cap = 4;

interface Fleet extends FleetChaos {
  readonly works: ReturnType<typeof worksOfFleet>;
  readonly tasks: readonly Task[];
  readonly jobs: readonly Job[];
  readonly reconciled: Reconciled;
}

/**
 * Real processes on a real S3 server: killed, stopped and continued at random moments, the server
 * restarted once. What they logged on one clock must show everything that a queue promises.
 */
export function fleetSuite({ processes, chaosMs, tasks }: FleetSuiteOptions): void {
  describe(`${processes} processes on S3, killed and stopped for ${chaosMs / 1_000} s`, () => {
    const folder = mkdtempSync(join(tmpdir(), "forager-fleet-"));
    const seed = systemRandom.below(2 ** 31);
    const giveUpMs = chaosMs * 2 + 300_000; // a busy machine takes minutes
    let fleet: Fleet;

    beforeAll(async () => {
      await using server = await startOwnService("s3");
      const { place, client } = await createTestPlace({
        endpoint: server.env["FORAGER_TEST_S3_ENDPOINT"]!,
        accessKey: server.env["FORAGER_TEST_S3_ACCESS_KEY"]!,
        secretKey: server.env["FORAGER_TEST_S3_SECRET_KEY"]!,
        region: server.env["FORAGER_TEST_S3_REGION"]!,
      });
      client.destroy();
      const shared: FleetPlace = { place, shards: 1 };
      await using queue = await openFleetQueue({
        ...shared,
        requestsFile: join(folder, "parent.requests"),
      });
      await prepare(queue, tasks);
      const isOver = async () => (await queue.jobs()).every((job) => job.ended !== null);
      const restartServer = () => server.restart();
      const chaos = await runFleetThroughChaos({
        place: shared,
        folder,
        processes,
        chaosMs,
        seed,
        restartServer,
        isOver,
        giveUpMs,
      });
      fleet = {
        ...chaos,
        works: worksOfFleet(chaos),
        tasks: await allTasks(queue),
        jobs: await queue.jobs(),
        reconciled: await queue.reconcile(),
      };
      const report = costReport(fleet.requestsFiles, fleet.tasks.length);
      process.stderr.write(`fleet: ${report}; seed ${seed}\n`);
    }, giveUpMs + 60_000);
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    test("every task is done, exactly once, and none is lost", () => {
      expect({ seed, isOver: fleet.isOver }).toEqual({ seed, isOver: true });
      expect(fleet.tasks.length).toBeGreaterThan(tasks * 24);
      expect(finishedOnce(fleet.tasks, fleet.events)).toEqual([]);
    });

    test("no lease is held by two workers", () => {
      expect(leasesUnique(fleet.events)).toEqual([]);
    });

    test("gates are held, but for one late start for each time a process was stopped", () => {
      const breaks = gates.flatMap((gate) => gateBreaks(fleet.works, gate));
      for (const { gate } of gates) {
        expect(fleet.works.some((work) => work.gate === gate)).toBe(true);
      }
      if (breaks.length > lateStartsMax(fleet.stops)) expect(breaks).toEqual([]);
    });

    test("a job never has more at work than its cap", () => {
      const works = fleet.works.filter((work) => work.job === "capped");
      const breaks = withinLimit("job capped", works, cap);
      if (breaks.length > lateStartsMax(fleet.stops)) expect(breaks).toEqual([]);
    });

    test("every job completes exactly once, and the counters have not drifted", () => {
      const ends = fleet.jobs.map(({ name, ended, completions }) => [name, { ended, completions }]);
      const once = { ended: "completed", completions: 1 };
      expect(Object.fromEntries(ends)).toEqual({ capped: once, free: once });
      expect(fleet.reconciled).toEqual({ drift: [], orphans: 0, repaired: false });
    });

    test("there was trouble: processes died and stood still, others took over", () => {
      const suspects = fleet.events.filter((one) => one.event === "claimed" && one.isSuspect);
      expect(fleet.kills).toBeGreaterThanOrEqual(3);
      expect(fleet.stops.length).toBeGreaterThanOrEqual(2);
      expect(suspects.length).toBeGreaterThan(0);
    });
  });
}

async function prepare(queue: Queue, count: number): Promise<void> {
  for (const { gate, ...settings } of gates) await queue.setGate(gate, settings);
  await queue.openJob("free");
  await queue.openJob("capped", { concurrency: cap });
  // A change of owner costs seconds, so what needs owners is little beside the rest.
  const sorts: readonly (Pick<TaskInput, "job" | "gate"> & { readonly share: number })[] = [
    { job: "free", gate: "one", share: 1 },
    { job: "free", gate: "slow", share: 1 },
    { job: "free", gate: "pair", share: 1 },
    { job: "capped", gate: "many", share: 6 },
    { job: "capped", share: 15 },
  ];
  for (const { share, ...sort } of sorts) {
    const keys = Array.from(
      { length: count * share },
      (_, index) => `${index}${index % 4 ? "" : "+"}`,
    );
    await queue.add(
      keys.map((key) => ({ ...sort, kind: "race", key, payload: null, attemptsMax: 1_000 })),
    );
  }
  for (const job of ["free", "capped"]) await queue.seal(job);
}

async function allTasks(queue: Queue): Promise<readonly Task[]> {
  const tasks: Task[] = [];
  for (;;) {
    const page = await queue.browse({ afterId: tasks.at(-1)?.id ?? 0, limit: 500 });
    if (page.length === 0) return tasks;
    tasks.push(...page);
  }
}
