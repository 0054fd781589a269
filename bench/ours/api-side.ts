import { strictEqual } from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { Agent, get } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Side } from "../frame/side.ts";
import { percentile } from "../frame/statistics.ts";
import { factsOf, fillLedger } from "./records-sides.ts";

export interface ApiInput {
  readonly companies: number;
  /** Of each form, one after the other. */
  readonly requests: number;
  /** As fast as it goes, over this many connections. */
  readonly reads: number;
  readonly connections: number;
}

const program = fileURLToPath(new URL("./api-server-program.ts", import.meta.url));

/** A server in a process of its own, asked over HTTP. */
export const api: Side<ApiInput> = async ({ companies, requests, reads, connections }, context) => {
  await fillLedger(context, companies);
  return {
    async run() {
      const server = spawn(process.execPath, [program, join(context.folder, "node")], {
        stdio: ["pipe", "pipe", "inherit"],
      });
      try {
        const origin = await firstLine(server);
        const agent = new Agent({ keepAlive: true, maxSockets: connections });
        const read = (path: string) => readOnce(`${origin}${path}`, agent);
        /** What the server has used so far, of all its threads. */
        const cpuMs = async () => {
          const text = await read("/metrics");
          const seconds = text.matchAll(/^forager_process_cpu_seconds\{.*\} (\S+)$/gm);
          return 1_000 * [...seconds].reduce((sum, [, value]) => sum + Number(value), 0);
        };
        // Index and files are made at the first start.
        await filled(read, companies);
        await idle(cpuMs);
        const one = async (pathOf: (at: number) => string) => {
          for (let at = 0; at < 20; at++) await read(pathOf(at));
          const times: number[] = [];
          const beforeMs = await cpuMs();
          for (let at = 0; at < requests; at++) {
            const startMs = performance.now();
            await read(pathOf(at));
            times.push(performance.now() - startMs);
          }
          return { p95Ms: percentile(times, 95), cpuMs: ((await cpuMs()) - beforeMs) / requests };
        };
        const search = await one(searchPath);
        const list = await one((at) => `/api/companies?limit=100&sort=name&city=${["Austin", "Waco", "Plano"][at % 3]!}`); // prettier-ignore
        const status = await one(() => "/api/status");
        const beforeMs = await cpuMs();
        const startMs = performance.now();
        let left = reads;
        const reader = async () => {
          while (left-- > 0) await read("/api/session");
        };
        await Promise.all(Array.from({ length: connections }, reader));
        const apiReadsPerS = (1_000 * reads) / (performance.now() - startMs);
        const apiReadsPerCpuS = (1_000 * reads) / ((await cpuMs()) - beforeMs);
        agent.destroy();
        return {
          apiSearchP95Ms: search.p95Ms,
          apiListP95Ms: list.p95Ms,
          apiStatusP95Ms: status.p95Ms,
          apiReadsPerS,
          apiSearchCpuMs: search.cpuMs,
          apiListCpuMs: list.cpuMs,
          apiStatusCpuMs: status.cpuMs,
          apiReadsPerCpuS,
        };
      } finally {
        server.stdin!.end();
        await once(server, "close");
      }
    },
  };
};

/** Words of one company, of a trade in a city, and the beginning of a word. */
function searchPath(at: number): string {
  const { own, city, trade } = factsOf(at * 97);
  const words = [own, `${trade} ${city}`, `${own.slice(0, 4)} ${city}`][at % 3]!;
  return `/api/companies?limit=50&words=${encodeURIComponent(words)}`;
}

async function firstLine(server: ChildProcess): Promise<string> {
  let text = "";
  for await (const chunk of server.stdout!.setEncoding("utf8") as AsyncIterable<string>) {
    text += chunk;
    if (text.includes("\n")) return text.trim();
  }
  throw new Error("the server ended");
}

async function filled(read: (path: string) => Promise<string>, companies: number): Promise<void> {
  for (let tries = 0; tries < 3_000; tries++) {
    const { count } = JSON.parse(await read("/api/companies/count")) as { count: number };
    if (count >= Math.min(companies, 100_000)) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error("the index was not filled within ten minutes");
}

/** Files are still written when the index is complete: that is not what is measured. */
async function idle(cpuMs: () => Promise<number>): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    const beforeMs = await cpuMs();
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    if ((await cpuMs()) - beforeMs < 100) return;
  }
  throw new Error("the server was not idle within ten minutes");
}

const readOnce = (url: string, agent: Agent) =>
  new Promise<string>((resolve, reject) => {
    get(url, { agent }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      response.on("end", () => {
        try {
          strictEqual(response.statusCode, 200, text);
          resolve(text);
        } catch (error) {
          reject(error as Error);
        }
      });
    }).on("error", reject);
  });
