import type { Bench } from "./frame/bench.ts";
import { interleave } from "./frame/interleave.ts";
import { runSide, runSides } from "./frame/run-sides.ts";
import type { GossipInput, IdleInput } from "./ours/gossip-sides.ts";

const module = new URL("./ours/gossip-sides.ts", import.meta.url);
const names = ["writer", "reader1", "reader2", "reader3", "reader4"];
const loopback = { records: 1_500, perS: 300, loss: 0 };
const lossy = { records: 1_500, perS: 300, loss: 0.1 };
const sustained = { records: 8_000, perS: 1_000, loss: 0 };
const idle: IdleInput = { nodes: 10, ms: 10_000 };

export const bench: Bench = {
  name: "gossip",
  summary: "from one node to four others over UDP on loopback: latency, loss, CPU; rest of ten",
  bars: {
    loopbackP50Ms: { max: 5 },
    loopbackP99Ms: { max: 50 },
    lossyP99Ms: { max: 1_500 },
    cpuPercentAt1000PerS: { max: 30 },
    idleBytesPerS: { max: 1_000 },
  },
  async run({ repetitions, log }) {
    const runs = await interleave({
      sides: {
        loopback: () => spreadOf(loopback),
        lossy: () => spreadOf(lossy),
        sustained: () => spreadOf(sustained),
        idle: async () => (await runSide({ module, side: "idle", input: idle })).measured,
      },
      repetitions,
      log,
    });
    return {
      values: {
        loopbackP50Ms: runs.loopback["p50Ms"]!,
        loopbackP99Ms: runs.loopback["p99Ms"]!,
        lossyP99Ms: runs.lossy["p99Ms"]!,
        lossyP50Ms: runs.lossy["p50Ms"]!,
        cpuPercentAt1000PerS: runs.sustained["cpuPercent"]!,
        idleBytesPerS: runs.idle["bytesPerS"]!,
      },
      notes: [
        `five processes; from the write of a record of 250 bytes until it is stored by a reader, the slowest ` +
          `of four readers counts; ${loopback.records} records at ${loopback.perS}/s, replicas in memory`,
        `lossy: every node loses ${lossy.loss * 100} % of what it sends`,
        `CPU: of one core, of the process that used most; ${sustained.records} records at ${sustained.perS}/s, each ` +
          "written by itself and sent to four",
        `idle: what each of ${idle.nodes} nodes sends a second, IP and UDP headers included`,
      ],
    };
  },
};

/** The worst of the readers, and the most that any process worked. */
async function spreadOf(input: Omit<GossipInput, "name" | "names">) {
  const { outcomes } = await runSides(
    names.map((name) => {
      const side = name === "writer" ? "writer" : "reader";
      return { module, side, input: { ...input, name, names } satisfies GossipInput };
    }),
  );
  const most = (value: string) =>
    Math.max(...outcomes.map(({ measured }) => measured[value] ?? -Infinity));
  return { p50Ms: most("p50Ms"), p99Ms: most("p99Ms"), cpuPercent: most("cpuPercent") };
}
