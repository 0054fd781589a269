import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { buildDist } from "../scripts/build-dist.ts";
import { root } from "../scripts/project.ts";
import { AppError } from "../src/base/app-error.ts";
import type { Bench } from "./frame/bench.ts";
import { interleave } from "./frame/interleave.ts";
import { difference } from "./frame/statistics.ts";

const mainFile = join(root, "dist", "cli", "main.js");
/** A start takes some 50 ms and varies much, so one repetition is several of them. */
const startsPerRepetition = 7;

export const bench: Bench = {
  name: "startup",
  summary: "how long `forager --help` takes, beside a Node that does nothing",
  bars: { helpMs: { max: 200 } },
  async run({ repetitions, log }) {
    await buildWhatIsMeasured(log);
    const starts = repetitions * startsPerRepetition;
    const { help, node } = await interleave({
      sides: { help: () => startMs([mainFile, "--help"]), node: () => startMs(["-e", "0"]) },
      repetitions: starts,
    });
    const [helpMs, nodeMs] = [help["ms"]!, node["ms"]!];
    return {
      values: { helpMs, nodeMs, helpOverNodeMs: difference(helpMs, nodeMs) },
      notes: [`medians of ${starts} starts each, one of each in turn, wall time until exit`],
    };
  },
};

/** From spawn to exit, as someone at a terminal waits for it. */
async function startMs(args: readonly string[]): Promise<{ ms: number }> {
  const startedMs = performance.now();
  const started = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "inherit"] });
  const [code, signal] = (await once(started, "exit")) as [number | null, string | null];
  const ms = performance.now() - startedMs;
  if (code === 0) return { ms };
  throw new AppError(
    "invalid",
    "bench_start_failed",
    `node ${args.join(" ")} ended with ${signal ?? `exit ${code}`}: run it by itself to see why`,
  );
}

async function buildWhatIsMeasured(log: (line: string) => void): Promise<void> {
  const { kind, output } = await buildDist();
  if (kind === "built") log("built dist");
  if (kind !== "failed") return;
  throw new AppError("invalid", "bench_build_failed", `dist could not be built:\n${output}`);
}
