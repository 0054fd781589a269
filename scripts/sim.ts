/**
 * `npm run sim -- [bucket|queue|ledger|gossip] --seeds N [--from SEED]`: simulates that many worlds
 * and counts their faults. `npm run sim -- [bucket|queue|ledger|gossip] --seed SEED` prints the trace of
 * one. Exits 1 when an obligation was broken.
 */
import { parseArgs } from "node:util";
import { simulateGossip } from "../test/simulation/gossip-simulate.ts";
import { simulateLedger } from "../test/simulation/ledger-simulate.ts";
import { simulate } from "../test/simulation/simulate.ts";
import { simulateQueue } from "../test/simulation/simulate-queue.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seeds: { type: "string", default: "2000" },
    from: { type: "string", default: "1" },
    seed: { type: "string" },
  },
});
const [world = "bucket", ...others] = positionals;
const worlds = {
  bucket: simulate,
  queue: simulateQueue,
  ledger: simulateLedger,
  gossip: simulateGossip,
};
const run = Object.hasOwn(worlds, world) ? worlds[world as keyof typeof worlds] : undefined;
if (!run || others.length > 0)
  throw new Error(
    `simulate what? ${Object.keys(worlds).join(", ")}, not '${positionals.join(" ")}'`,
  );
const print = (line: string) => void process.stdout.write(`${line}\n`);

if (values.seed !== undefined) {
  const { trace, violation } = await run(whole("seed", values.seed));
  for (const line of trace) print(line);
  process.exitCode = violation ? 1 : 0;
} else {
  await simulateMany(run, whole("from", values.from), whole("seeds", values.seeds));
}

async function simulateMany(runSeed: typeof simulate, from: number, count: number): Promise<void> {
  const seen = new Map<string, number>();
  let moments = 0;
  let failures = 0;
  for (let seed = from; seed < from + count; seed++) {
    const result = await runSeed(seed);
    moments += result.moments;
    for (const [kind, times] of result.faultCounts) seen.set(kind, (seen.get(kind) ?? 0) + times);
    if (!result.violation) continue;
    failures += 1;
    print(`seed ${seed}: ${result.violation}`);
  }
  const faults = [...seen].map(([kind, times]) => `${kind} ${times}`).join(", ");
  print(`${count} seeds, ${moments} moments, ${failures} violations; ${faults}`);
  process.exitCode = failures > 0 ? 1 : 0;
}

function whole(name: string, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new Error(`--${name} takes a whole number, not '${text}'`);
}
