import type { Bench } from "./frame/bench.ts";
import { runSide } from "./frame/run-sides.ts";
import type { ApiInput } from "./ours/api-side.ts";

const module = new URL("./ours/api-side.ts", import.meta.url);
const input: ApiInput = { companies: 100_000, requests: 500, reads: 10_000, connections: 16 };

export const bench: Bench = {
  name: "api",
  summary: "the HTTP API over 100,000 companies: search, list, status, reads per second",
  bars: {
    apiSearchP95Ms: { max: 30 },
    apiListP95Ms: { max: 20 },
    apiStatusP95Ms: { max: 20 },
    apiReadsPerS: { min: 2_000 },
  },
  async run({ log }) {
    log("a pool of 100,000 companies is made and served; that takes some minutes");
    const { measured, rssBytesMax } = await runSide({ module, side: "api", input, timeoutMs: 30 * 60_000 }); // prettier-ignore
    const value = (name: string) => measured[name] ?? NaN;
    return {
      values: {
        apiSearchP95Ms: value("apiSearchP95Ms"),
        apiListP95Ms: value("apiListP95Ms"),
        apiStatusP95Ms: value("apiStatusP95Ms"),
        apiReadsPerS: value("apiReadsPerS"),
        apiSearchCpuMs: value("apiSearchCpuMs"),
        apiListCpuMs: value("apiListCpuMs"),
        apiStatusCpuMs: value("apiStatusCpuMs"),
        apiReadsPerCpuS: value("apiReadsPerCpuS"),
        rssMb: rssBytesMax / 2 ** 20,
      },
      notes: [
        `${input.requests} requests of each form over HTTP, one after the other; a search has three forms and pages of 50, a list pages of 100`,
        `reads: ${input.reads} of /api/session over ${input.connections} connections; the server is a process of its own`,
        "CPU: what the server has used for one request on average, and reads per second of it; a busy machine changes these little",
      ],
    };
  },
};
