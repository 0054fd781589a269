/**
 * The same claims and statistics on two queues that differ only in how many tasks wait behind
 * blocked gates, on any backend. Samples alternate between the two, so that whatever slows the
 * machine slows both.
 */
import { strictEqual } from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { percentile } from "../frame/statistics.ts";
import type { Side, SideContext } from "../frame/side.ts";
import { kinds, openSide } from "./open-side.ts";
import type { BenchQueue, QueueInput } from "./open-side.ts";

export interface ScaleInput {
  readonly few: Backlog;
  readonly many: Backlog;
  readonly gates: number;
  readonly claimSamples: number;
  readonly statsSamples: number;
}

export interface Backlog extends QueueInput {
  /** How many tasks wait behind the blocked gates. */
  readonly blocked: number;
}

/** What queue-scale-program.ts is told to do. */
export interface ScaleProgram {
  readonly part: "fill" | "crash";
  readonly input: ScaleInput;
  readonly context: SideContext;
  readonly claimable: number;
}

const programFile = fileURLToPath(new URL("./queue-scale-program.ts", import.meta.url));

/** Samples that are taken first and thrown away: compiled code and caches are then as usual. */
const warmUps = 100;
const worker = "scale";

export const scale: Side<ScaleInput> = async (input, context) => {
  const { few, many } = input;
  // In another process: this one is to open the queue for the first time, as after a restart.
  await runProgram({ part: "fill", input, context, claimable: claimable(input) });
  return {
    async run() {
      const startedMs = performance.now();
      const large = await openSide(many, context);
      await claimOne(large);
      const reopenMs = performance.now() - startedMs;

      const small = await openSide(few, context);
      await claimOne(small);
      const claims = await alternate(small, large, input.claimSamples, claimOne);
      const stats = await alternate(small, large, input.statsSamples, (queue) =>
        timed(() => queue.stats()),
      );
      strictEqual(
        (await small.stats()).states.pending,
        pendingAfter(input, few),
        "tasks that wait",
      );
      strictEqual(
        (await large.stats()).states.pending,
        pendingAfter(input, many),
        "tasks that wait",
      );
      await large[Symbol.asyncDispose]();
      await runProgram({ part: "crash", input, context, claimable: 0 });
      const crashedMs = await timed(async () => claimOne(await openSide(many, context)));
      return {
        reopenMs,
        reopenAfterCrashMs: crashedMs,
        ...growth("claim", claims),
        ...growth("stats", stats),
      };
    },
  };
};

/** What is claimable: a lane of its own, of the same kind and priority as what is blocked. */
const claimable = (input: ScaleInput) => input.claimSamples + warmUps + 10;
const pendingAfter = (input: ScaleInput, { blocked }: Backlog) =>
  blocked + claimable(input) - (input.claimSamples + warmUps + 1);

/** Measures a claim of one task; its finish is off the clock. */
async function claimOne(queue: BenchQueue): Promise<number> {
  const startedMs = performance.now();
  const { leases } = await queue.claim({ worker, kinds });
  const ms = performance.now() - startedMs;
  strictEqual(leases.length, 1, "tasks claimed");
  const { id, token, gate } = leases[0]!;
  strictEqual(gate, "", "gate of a claimed task");
  await queue.finish([{ id, token, outcome: { kind: "done" } }]);
  return ms;
}

interface Samples {
  readonly few: readonly number[];
  readonly many: readonly number[];
}

async function alternate(
  small: BenchQueue,
  large: BenchQueue,
  samples: number,
  sample: (queue: BenchQueue) => Promise<number>,
): Promise<Samples> {
  const few: number[] = [];
  const many: number[] = [];
  for (let index = 0; index < samples + warmUps; index++) {
    // Neither is always the one that runs after the other.
    const order = index % 2 === 0 ? [few, many] : [many, few];
    for (const list of order) list.push(await sample(list === few ? small : large));
  }
  return { few: few.slice(warmUps), many: many.slice(warmUps) };
}

function growth(name: string, { few, many }: Samples) {
  const at = (percent: number) => percentile(many, percent) / percentile(few, percent);
  return {
    [`${name}GrowthP50`]: at(50),
    [`${name}GrowthP99`]: at(99),
    [`${name}FewP50Ms`]: percentile(few, 50),
    [`${name}ManyP50Ms`]: percentile(many, 50),
    [`${name}ManyP99Ms`]: percentile(many, 99),
  };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}

/** Runs queue-scale-program.ts in a process of its own, which may end by a signal on purpose. */
async function runProgram(work: ScaleProgram): Promise<void> {
  const program = fork(programFile, [JSON.stringify(work)], {
    execArgv: process.execArgv,
    stdio: ["ignore", 2, 2, "ipc"],
  });
  const [code, signal] = (await once(program, "exit")) as [number | null, string | null];
  strictEqual(signal ?? code, work.part === "crash" ? "SIGKILL" : 0, `how "${work.part}" ended`);
}
