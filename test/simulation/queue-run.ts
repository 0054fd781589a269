import type { MemoryObject } from "../../src/bucket/adapters/memory/memory-bucket.ts";
import { openBucketQueueStore } from "../../src/queue/adapters/bucket/bucket-queue-store.ts";
import type { QueueStore } from "../../src/queue/index.ts";
import { createDatedBucket } from "./dated-bucket.ts";
import { Violation } from "./lease-run.ts";
import { createQueueHistory, type Sending } from "./queue-history.ts";
import { queuePrefix, type LandedHead } from "./queue-heads.ts";
import { rollPlan, type QueuePlan } from "./queue-plan.ts";
import { liveAsWorker } from "./queue-worker.ts";
import { createWorkChecker } from "./queue-works.ts";
import type { SimNode } from "./sim-node.ts";
import { createVerdict } from "./verdict.ts";
import { makeTrouble } from "./trouble.ts";
import { lateMsMax, type World } from "./world.ts";

/** How long the calm may take to bring everything to its end, in steps that are looked at. */
const calmMsMax = 240_000;
const calmStepMs = 4_000;

/**
 * A fleet works through a queue on a bucket, through trouble; then comes the calm, and everything
 * must come to its end. Throws a Violation, which begins with the name of the check:
 *
 * Q1 no task is lost, none is stored twice · Q2 a task is completed once · Q3 a lease is held by one
 * worker, and no two leases of a task are valid at once · Q4 gates and Q5 caps are kept in
 * true time · Q6 the history of every shard is linearizable · Q7 a finished task is in its head or
 * in exactly one listed log · Q8 counters are right · Q9 a store that ignores conditions is
 * refused · Q10 in the calm all work comes to its end.
 */
export async function runQueue(world: World): Promise<void> {
  const { scheduler, random } = world;
  const plan = rollPlan(random);
  world.tell(`${plan.nodes.length} nodes, ${plan.shards} shards`);
  if (plan.shards > 1) world.note("severalShards");
  if (plan.nodes.length > 5) world.note("largeFleet");
  prove(world);
  const verdict = createVerdict(world);
  const { fail, check } = verdict;
  const history = createQueueHistory({ world, shards: plan.shards, fail });
  const works = createWorkChecker({ world, fail, leasedAtMs: history.leasedAtMs });
  let isCalm = false;
  const open = openStore({ world, plan, onSending: (sent) => history.sending(sent) });
  const run = (node: SimNode) =>
    void liveAsWorker({ world, plan, node, works, history, isCalm: () => isCalm, open }).catch(
      verdict.crash,
    );
  const pauseMsMax = 2 * plan.leaseMs;
  const names = plan.nodes;
  const trouble = makeTrouble({ world, names, run, untilMs: plan.chaosMs, pauseMsMax });
  await scheduler.runUntil(plan.chaosMs, check);
  world.calm();
  trouble.end();
  isCalm = true;
  // Pauses and cuts that began before the calm end within their longest time.
  for (let passedMs = 0; passedMs < calmMsMax; passedMs += calmStepMs) {
    if (passedMs > lateMsMax && isOver(history.heads(), plan)) return;
    await scheduler.runUntil(plan.chaosMs + passedMs + calmStepMs, check);
  }
  throw new Violation(`Q10: after ${calmMsMax} ms of calm: ${leftOver(history.heads())}`);
}

/** Somebody proved this store today: the proof itself has a simulation of its own. */
function prove({ objects, storeClock }: World): void {
  const fitAtMs = Math.floor(storeClock.nowMs() / 1_000) * 1_000;
  const body = Buffer.from(JSON.stringify({ format: 1, fitAtMs }));
  const written = objects as Map<string, MemoryObject>;
  written.set("probe/fit.json", { body, etag: "fit", modifiedAtMs: fitAtMs });
}

interface OpenOptions {
  readonly world: World;
  readonly plan: QueuePlan;
  readonly onSending: (sent: Sending) => void;
}

const openStore =
  ({ world: { random, note }, plan, onSending }: OpenOptions) =>
  (node: SimNode, session: string): Promise<QueueStore> =>
    openBucketQueueStore({
      bucket: createDatedBucket(node),
      prefix: queuePrefix,
      shards: plan.shards,
      session,
      clock: node.clock,
      random,
      probe: "daily",
      finishedKept: plan.finishedTasksMax,
      onEvent(event) {
        if (event.event === "sending") onSending(event);
        if (event.event === "archived") note(event.joined > 0 ? "joinedLogs" : "archived");
      },
    });

function isOver(heads: readonly LandedHead[], { shards }: QueuePlan): boolean {
  return heads.length === shards && heads.every((head) => leftOver([head]) === "");
}

/** What has not come to its end. */
function leftOver(heads: readonly LandedHead[]): string {
  return heads
    .flatMap(({ shard }) => [
      ...[...shard.tasks.values()]
        .filter(({ finishedAtMs }) => finishedAtMs === 0)
        .map(
          ({ id, key, state, job, gate }) => `task ${id} (${key}) of ${job} ${gate} is ${state}`,
        ),
      ...[...shard.jobs.values()]
        .filter(({ name, ended }) => (name === "doomed" || name === "site") && ended === null)
        .map(({ name }) => `job ${name} is open`),
    ])
    .join(", ");
}
