import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { buildDist } from "../../scripts/build-dist.ts";
import { root } from "../../scripts/project.ts";
import { AppError } from "../../src/base/app-error.ts";
import { limitMemory, type MemoryLimit } from "../frame/memory-limit.ts";
import { factsOf, queryOf } from "./records-sides.ts";

export interface ProgramCostsOptions {
  readonly companies: number;
  readonly log: (line: string) => void;
}

export interface ProgramCosts {
  readonly values: Readonly<Record<string, number>>;
  readonly note: string;
}

const limitBytes = 2 ** 30;
const mainFile = join(root, "dist", "cli", "main.js");
const shows = 7;
const searches = 20;

/** What people run on a data folder with so many companies, each command as a process of its own. */
export async function programCosts({ companies, log }: ProgramCostsOptions): Promise<ProgramCosts> {
  const built = await buildDist();
  if (built.kind === "failed") throw failed("dist could not be built", built.output);
  const folder = mkdtempSync(join(tmpdir(), "forager-bench-"));
  const limit = limitMemory(limitBytes);
  using _limit = "inside" in limit ? limit : undefined;
  if ("reason" in limit) log(`without a limit of 1 GiB: ${limit.reason}`);
  try {
    const program = createProgram(folder, "inside" in limit ? limit : undefined);
    const file = join(folder, "companies.csv");
    await writeCsv(file, companies);
    log(`an import of ${companies} companies, twice`);
    const importing = ["import", "companies", file, "--country", "US"];
    const first = await program.run(importing);
    const again = await program.run(importing);
    log("company show, search, export, idle, rebuild");
    const showing = await several(shows, (at) => {
      const { domain } = factsOf((at * 7_919) % companies);
      return program.run(["company", "show", domain]);
    });
    const searching = await several(searches, (at) => {
      const { words } = queryOf(at % 5, companies);
      return program.run(["company", "search", words]);
    });
    const exported = await program.run(["export", "companies", "--to", join(folder, "out.csv")]);
    const idleRssMb = await program.idleRssMb();
    const rebuilt = await program.run(["records", "rebuild"]);
    return {
      values: {
        importCpuS: first.cpuS,
        importRssMb: first.rssMb,
        importAgainCpuS: again.cpuS,
        showMs: median(showing.map(({ ms }) => ms)),
        showRssMb: median(showing.map(({ rssMb }) => rssMb)),
        searchMs: median(searching.map(({ ms }) => ms)),
        exportProgramPerS: companies / (exported.ms / 1_000),
        exportRssMb: exported.rssMb,
        idleRssMb,
        rebuildS: rebuilt.ms / 1_000,
        rebuildRssMb: rebuilt.rssMb,
      },
      note:
        `the program on ${companies} companies, ` +
        ("inside" in limit ? "in a control group of 1 GiB" : `without a limit (${limit.reason})`) +
        "; wall time from start to exit, peak of resident memory",
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Cost {
  readonly ms: number;
  readonly cpuS: number;
  readonly rssMb: number;
}

interface Usage extends NodeJS.ResourceUsage {
  readonly rssBytesMax: number;
}

function createProgram(folder: string, limit: MemoryLimit | undefined) {
  const usageFile = join(folder, "usage.json");
  const peakMemory = new URL("../frame/peak-memory.ts", import.meta.url).href;
  const tell = [
    `import { writeFileSync } from "node:fs";`,
    `import { peakMemoryBytes } from ${JSON.stringify(peakMemory)};`,
    `process.on("exit", () => writeFileSync(${JSON.stringify(usageFile)},`,
    `  JSON.stringify({ ...process.resourceUsage(), rssBytesMax: peakMemoryBytes() })));`,
  ].join("\n");
  const start = (args: readonly string[]) => {
    const telling = ["--import", `data:text/javascript,${encodeURIComponent(tell)}`];
    const command = [process.execPath, ...telling, mainFile, ...args, "--quiet"];
    const [file, ...rest] = limit ? limit.inside(command) : command;
    const env = { ...process.env, HOME: folder, FORAGER_DATA: join(folder, "data") };
    return spawn(file!, rest, { cwd: folder, env, stdio: ["ignore", "ignore", "inherit"] });
  };
  return {
    async run(args: readonly string[]): Promise<Cost> {
      const startedMs = performance.now();
      const [code, signal] = (await once(start(args), "exit")) as [number | null, string | null];
      const ms = performance.now() - startedMs;
      if (code !== 0) throw failed(`forager ${args.join(" ")} ended`, signal ?? `exit ${code}`);
      const usage = JSON.parse(readFileSync(usageFile, "utf8")) as Usage;
      const cpuS = (usage.userCPUTime + usage.systemCPUTime) / 1e6;
      return { ms, cpuS, rssMb: usage.rssBytesMax / 2 ** 20 };
    },
    /** Of `forager up` without workers, once it has been quiet for a while. NaN without /proc. */
    async idleRssMb(): Promise<number> {
      const child = start(["up", "--no-workers"]);
      try {
        await wait(20_000);
        if (process.platform !== "linux") return NaN;
        const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
        return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1_024;
      } finally {
        const ended = once(child, "exit");
        child.kill("SIGTERM");
        await ended;
      }
    },
  };
}

async function writeCsv(file: string, companies: number): Promise<void> {
  const out = createWriteStream(file);
  out.write("Company,Website,E-Mail,Phone,Street,City,Category,Rating\r\n");
  for (let index = 0; index < companies; index++) {
    const { city, trade, name, domain } = factsOf(index);
    const phone = `(512) ${String(2_000_000 + (index % 7_000_000)).replace(/(...)(?=....$)/, "$1-")}`;
    const line = `"${name}",www.${domain},info@${domain},${phone},${index} Main St,${city},${trade},4.5`;
    if (!out.write(`${line}\r\n`)) await once(out, "drain");
  }
  out.end();
  await once(out, "finish");
}

async function several(count: number, work: (at: number) => Promise<Cost>) {
  const found: Cost[] = [];
  for (let at = 0; at < count; at++) found.push(await work(at));
  return found;
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;

const failed = (what: string, why: string) =>
  new AppError("unavailable", "bench_program_failed", `${what}: ${why}`);
