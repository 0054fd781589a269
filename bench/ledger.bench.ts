import type { Bench } from "./frame/bench.ts";
import { interleave } from "./frame/interleave.ts";
import { runSide } from "./frame/run-sides.ts";
import type {
  AppendInput,
  BootstrapInput,
  CompactingInput,
  FoldInput,
} from "./ours/ledger-sides.ts";

const module = new URL("./ours/ledger-sides.ts", import.meta.url);
const append: AppendInput = { datagrams: 300_000, fieldsPerCommit: 10, writers: 64 };
const fold: FoldInput = { datagrams: 5_000_000, targets: 100_000, fields: 10 };
const compacting: CompactingInput = { targets: 20_000, fields: 10, appends: 2_000 };
const bootstrap: BootstrapInput = { targets: 100_000, fields: 10 };

export const bench: Bench = {
  name: "ledger",
  summary: "append with group commit, fold five million datagrams part by part, bootstrap",
  bars: {
    appendPerS: { min: 50_000 },
    foldPerS: { min: 300_000 },
    foldRssMb: { max: 1_000 },
    compactingOverIdle: { max: 2 },
  },
  async run({ repetitions, log }) {
    const runs = await interleave({
      sides: {
        append: async () => {
          const { elapsedMs } = await runSide({ module, side: "append", input: append });
          return { perS: append.datagrams / (elapsedMs / 1_000) };
        },
        fold: async () => {
          const call = { module, side: "fold", input: fold, timeoutMs: 30 * 60_000 };
          const { elapsedMs, rssBytesMax } = await runSide(call);
          return { perS: fold.datagrams / (elapsedMs / 1_000), rssMb: rssBytesMax / 2 ** 20 };
        },
        compacting: async () => {
          const call = { module, side: "appendWhileCompacting", input: compacting };
          const { idleP99Ms = NaN, duringP99Ms = NaN } = (await runSide(call)).measured;
          return { idleP99Ms, duringP99Ms, overIdle: duringP99Ms / idleP99Ms };
        },
        bootstrap: async () => {
          const { elapsedMs } = await runSide({ module, side: "bootstrap", input: bootstrap });
          return { perS: (bootstrap.targets * bootstrap.fields) / (elapsedMs / 1_000) };
        },
      },
      repetitions,
      log,
    });
    return {
      values: {
        appendPerS: runs.append["perS"]!,
        foldPerS: runs.fold["perS"]!,
        foldRssMb: runs.fold["rssMb"]!,
        appendP99Ms: runs.compacting["idleP99Ms"]!,
        appendCompactingP99Ms: runs.compacting["duringP99Ms"]!,
        compactingOverIdle: runs.compacting["overIdle"]!,
        bootstrapPerS: runs.bootstrap["perS"]!,
      },
      notes: [
        `append: ${append.datagrams} datagrams in commits of ${append.fieldsPerCommit}, ` +
          `${append.writers} writers at once, each commit durable (fdatasync) before it counts`,
        `fold: ${fold.datagrams} datagrams over ${fold.targets} targets × ${fold.fields} fields, ` +
          `from segments in a folder to a checkpoint there, by a hub; the peak includes making them`,
        `compacting: p99 of appends one after the other, alone and while the same process folds ` +
          `${compacting.targets} targets into a checkpoint and goes over to it`,
        "bootstrap: a node that knows nothing fetches that checkpoint; datagrams of it per second",
      ],
    };
  },
};
