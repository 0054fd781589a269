/**
 * `npm run bench -- NAME [--quick] [--json]`. Exit code 0 when the bench ran (a missed bar is
 * shown, not an error), 1 when it failed, 2 for wrong usage, 130 when interrupted.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { repetitionsFull, repetitionsQuick } from "../bench/frame/bench.ts";
import { benchNames, loadBench } from "../bench/frame/catalogue.ts";
import { machine } from "../bench/frame/machine.ts";
import { installPeers } from "../bench/frame/peers.ts";
import { renderTable, reportOf } from "../bench/frame/report.ts";
import { AppError } from "../src/base/app-error.ts";
import { formatTable } from "../src/cli/terminal/table.ts";
import { root } from "./project.ts";
import { onStopSignal } from "./stop-signals.ts";

const usage = `usage: npm run bench -- NAME [--quick] [--json]
       npm run bench -- list [--json]

  --quick        ${repetitionsQuick} repetitions instead of ${repetitionsFull}; the sizes stay the same
  --json         everything for people on stderr; the last line of stdout is one JSON object
  --from FOLDER  look for <name>.bench.ts there instead of in bench/`;

const usageCodes = new Set(["bench_usage", "bench_unknown"]);

const log = (line: string): void => void process.stderr.write(`${line}\n`);
const print = (text: string): void => void process.stdout.write(`${text}\n`);

// Exiting runs the clean-up of run-sides.ts: no process and no scratch folder stays behind.
onStopSignal((exitCode) => process.exit(exitCode));

try {
  await main();
} catch (error) {
  if (!(error instanceof AppError)) throw error;
  log(`bench: ${error.message}`);
  process.exitCode = usageCodes.has(error.code) ? 2 : 1;
}

async function main(): Promise<void> {
  const { name, flags } = readArguments();
  if (flags.help) return print(usage);
  const folder = flags.from ?? join(root, "bench");
  if (!existsSync(folder)) throw usageError(`there is no folder ${folder}`);
  if (name === undefined) throw usageError(`which bench? ${benchNames(folder).join(", ")}`);
  if (name === "list") return list(folder, flags.json);

  const bench = await loadBench(folder, name);
  await installPeers(bench.peers ?? [], log);
  const repetitions = flags.quick ? repetitionsQuick : repetitionsFull;
  const result = await bench.run({ quick: flags.quick, repetitions, log });

  const measuredOn = machine(result.node);
  const report = reportOf(bench, result, measuredOn);
  const hasColor = !flags.json && hasColorTerminal();
  const table = renderTable({ bench, result, machine: measuredOn, hasColor });
  if (!flags.json) return print(table);
  log(table);
  print(JSON.stringify(report));
}

async function list(folder: string, json: boolean): Promise<void> {
  const loaded = await Promise.all(benchNames(folder).map((name) => loadBench(folder, name)));
  const benches = loaded.map(({ name, summary }) => ({ name, summary }));
  if (json) return print(JSON.stringify({ benches }));
  const columns = [
    { title: "bench", value: (row: { name: string }) => row.name },
    { title: "what it measures", value: (row: { summary: string }) => row.summary },
  ];
  print(formatTable(benches, columns, { hasColor: hasColorTerminal() }));
}

function hasColorTerminal(): boolean {
  return process.stdout.isTTY && !process.env["NO_COLOR"];
}

function readArguments() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        quick: { type: "boolean", default: false },
        json: { type: "boolean", default: false },
        help: { type: "boolean", default: false },
        from: { type: "string" },
      },
    });
    if (positionals.length > 1)
      throw new TypeError(`one bench at a time: ${positionals.join(", ")}`);
    return { name: positionals[0], flags: values };
  } catch (error) {
    throw usageError(error instanceof Error ? error.message : String(error));
  }
}

function usageError(message: string): AppError {
  return new AppError("invalid", "bench_usage", `${message}\n${usage}`);
}
