import type { Bench } from "./frame/bench.ts";
import { interleave } from "./frame/interleave.ts";
import { withPostgres } from "./frame/postgres.ts";
import { runSide } from "./frame/run-sides.ts";
import type { GatesInput } from "./ours/queue-gates-side.ts";

const module = new URL("./ours/queue-gates-side.ts", import.meta.url);
const input: GatesInput = {
  address: "sqlite:queue.db",
  gates: 100,
  tasksPerGate: 200,
  handlerMs: 1,
  slots: 100,
  burst: 50,
};

export const bench: Bench = {
  name: "queue-gates",
  summary: "many gates that let one task through at a time: how fast, and that none ever overlap",
  bars: {
    sqliteGatesPerS: { min: 15_000 },
    postgresGatesPerS: { min: 10_000 },
    overlapMax: { max: 1 },
  },
  async run({ repetitions, log }) {
    const { runs, single, postgres } = await withPostgres(log, ({ url, fresh }) =>
      interleave({
        sides: {
          runs: () => gatesPerS(input),
          single: () => gatesPerS({ ...input, burst: 1 }),
          postgres: fresh(() => gatesPerS({ ...input, address: url })),
        },
        repetitions,
        log,
      }),
    );
    const all = [runs, single, postgres];
    return {
      values: {
        sqliteGatesPerS: runs["perS"]!,
        postgresGatesPerS: postgres["perS"]!,
        overlapMax: Math.max(...all.map((side) => side["overlapMax"]!.max)),
        sqliteWithoutRunsPerS: single["perS"]!,
        handlerMs: runs["handlerMs"]!,
        postgresHandlerMs: postgres["handlerMs"]!,
      },
      notes: [
        `${input.gates} gates × ${input.tasksPerGate} tasks, added gate by gate, limit 1; one ` +
          `process with ${input.slots} slots, runs of up to ${input.burst}; without runs: of 1`,
        `a handler waits ${input.handlerMs} ms by timer; handlerMs is what that took`,
        "each task is finished by a call of its own as it ends; overlap as the handlers saw it",
      ],
    };
  },
};

async function gatesPerS(gates: GatesInput) {
  const { elapsedMs, measured } = await runSide({ module, side: "gates", input: gates });
  return { perS: ((gates.gates * gates.tasksPerGate) / elapsedMs) * 1000, ...measured };
}
