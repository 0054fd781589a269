import { AppError } from "../../src/base/app-error.ts";
import { sleep } from "../../src/base/clock.ts";
import { createId } from "../../src/base/ids.ts";
import type { Claim, Claimed, Operation, Outcomes, QueueStore } from "../../src/queue/index.ts";
import type { SimNode } from "./sim-node.ts";
import type { QueueHistory } from "./queue-history.ts";
import { createInFlight } from "./queue-in-flight.ts";
import { kinds, preludeOf, rollOrder, rollTask, type QueuePlan } from "./queue-plan.ts";
import type { WorkChecker } from "./queue-works.ts";
import type { World } from "./world.ts";

export interface WorkerOptions {
  readonly world: World;
  readonly plan: QueuePlan;
  readonly node: SimNode;
  readonly works: WorkChecker;
  readonly history: QueueHistory;
  readonly isCalm: () => boolean;
  readonly open: (node: SimNode, session: string) => Promise<QueueStore>;
}

const slots = 3;

/** One life of one process: works through the queue, and now and then orders something. */
export async function liveAsWorker(options: WorkerOptions): Promise<never> {
  const { world, plan, node, works, history, isCalm } = options;
  const { random } = world;
  const { clock } = node;
  const session = `${node.name}-${createId(random, 6)}`;
  const store = await patiently(options, () => options.open(node, session));
  const inFlight = createInFlight({ node, random, leaseMs: plan.leaseMs, works });

  const commit = async (operations: readonly Operation[]): Promise<Outcomes | undefined> => {
    const call = history.call(operations);
    const sentMs = world.scheduler.nowMs();
    try {
      const answers = await store.commit(operations);
      call.answered(answers);
      for (const refused of answers.filter(isError)) {
        world.tell(`${session} ${refused.code}`);
      }
      operations.forEach((operation, index) => {
        if (operation.op !== "block" || answers[index] instanceof AppError) return;
        works.blocked(operation.gate, sentMs + operation.forMs);
      });
      return answers;
    } catch (error) {
      if (!(error instanceof AppError) || error.kind !== "unavailable") throw error;
      world.tell(`${session} ${error.code}`);
      world.note("unresolved");
      return undefined;
    }
  };

  for (const operations of preludeOf(plan, node.name)) {
    for (;;) {
      const answers = await commit(operations.map((one) => ({ ...one })));
      if (answers && !answers.some(isError)) break;
      await sleep(clock, 2_000 * random.next());
    }
  }
  // A request that is repeated gets the leases of its first sending.
  let request = { id: createId(random, 8), sentMs: -1 };
  let isLetGo = false;
  for (;;) {
    const gathered = inFlight.gather();
    const free = slots - inFlight.count();
    const claim: Claim = {
      op: "claim",
      worker: session,
      kinds,
      limit: Math.max(1, free),
      burst: 3,
      leaseMs: plan.leaseMs,
      requestId: request.id,
    };
    const claims = free > 0 ? [claim] : [];
    const adds = !isCalm() && random.next() < 0.15 ? [rollAdd(options)] : [];
    const reported = gathered?.operations ?? [];
    const sentMs = clock.monotonicMs();
    if (claims.length > 0 && request.sentMs < 0) request.sentMs = sentMs;
    // Two calls at once now and then: a store joins them, and each gets its own answers.
    const isCalmTurn = isCalm();
    const rolled = random.next() < 0.25 ? [rollOrder(random)] : [];
    const orders = isCalmTurn ? (isLetGo ? [] : calmOrders()) : rolled;
    const separate = [...adds, ...orders];
    const [answers, ordered] = await Promise.all([
      reported.length + claims.length > 0 ? commit([...reported, ...claims]) : [],
      separate.length > 0 ? commit(separate) : [],
    ]);
    if (isCalmTurn && ordered && !ordered.some(isError)) isLetGo = true;
    // Of several shards one may not answer while others do.
    const heard = answers?.slice(0, reported.length);
    if (!heard || heard.some(isError)) gathered?.repeat();
    else gathered?.reported(heard, sentMs);
    const claimed = claims.length > 0 ? answers?.[reported.length] : undefined;
    if (claimed && !isError(claimed)) {
      const { leases } = claimed as Claimed;
      for (const lease of leases) works.hold(node, lease, request.sentMs + plan.leaseMs);
      inFlight.take(leases, request.sentMs);
      request = { id: createId(random, 8), sentMs: -1 };
    }
    const idleMs = isCalm() ? 9_000 : 5_000;
    await sleep(clock, 600 + random.next() * (inFlight.count() > 0 ? 1_500 : idleMs));
  }
}

const isError = (answer: unknown): answer is AppError => answer instanceof AppError;

/** In the calm everything is let go, so that all work can come to its end. */
const calmOrders = (): readonly Operation[] => [
  { op: "resume", job: "free" },
  { op: "cancel", job: "doomed" },
  { op: "seal", job: "site" },
];

function rollAdd({ world: { random }, plan }: WorkerOptions): Operation {
  const number = random.below(4);
  return { op: "add", tasks: [rollTask(random, `x${number}`, plan.shards)] };
}

/** What a program does while its store cannot be reached at its start: it tries again. */
async function patiently<T>({ world, node }: WorkerOptions, run: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof AppError) || error.kind !== "unavailable") throw error;
      await sleep(node.clock, 500 + world.random.next() * 2_000);
    }
  }
}
