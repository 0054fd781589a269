import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { locateQueue, queueOptions } from "../../../app/index.ts";
import { writeFileAtomic } from "../../../base/files/atomic-file.ts";
import { makeFolder } from "../../../base/files/make-folder.ts";
import { usageError } from "../../../base/usage-error.ts";
import type { Command, SettingsContext } from "../../frame/command.ts";
import { parseCount, textFlag } from "../../options/flags.ts";
import type { TableColumn } from "../../terminal/table.ts";
import {
  profileNames,
  profileOf,
  runLoadtest,
  type LoadCheck,
  type LoadtestResult,
  type ProfileName,
} from "../../../showcase/index.ts";

const timeScaleMax = 600;

export const loadtest: Command = {
  needs: "settings",
  options: [
    {
      flag: "--profile",
      value: "name",
      summary: "how much load",
      choices: profileNames,
      default: "baseline",
    },
    {
      flag: "--time-scale",
      value: "times",
      summary: "shorten all times by this factor",
      default: "60",
    },
    { flag: "--workers", value: "count", summary: "worker processes", default: "3" },
  ],
  examples: [
    { line: "forager loadtest", summary: "8 crawls of local fake sites, an hour made a minute" },
    {
      line: "forager loadtest --profile burst --time-scale 1",
      summary: "100 crawls within 5 minutes, in real time",
    },
    {
      line: "forager loadtest --queue postgres://db.example/forager?schema=loadtest",
      summary: "on PostgreSQL; also s3://BUCKET/PREFIX, dir:PATH and sqlite:FILE",
    },
  ],
  details: [
    "Sites are faked on this machine: latency, errors, 429 with Retry-After, slow bodies, resets. Nothing\n" +
      "leaves it. Workers are killed and replaced, stopped and continued meanwhile. The exit code is the verdict: 0 when all marks\n" +
      "are met, else 1. Each result is kept in the data folder and compared with the last of its kind.",
    "baseline: 8 jobs in 1 h. 2x: 20 jobs in 1 h. 5x: 50 jobs in 2 h. burst: 100 jobs in 5 min of 30.\n" +
      "The queue is a new SQLite file, or the empty one that --queue names. Processor and memory are\n" +
      "those of the workers: sites and database servers would be elsewhere. A call to the queue is slow\n" +
      "over a second, on a bucket over five; slow ones must end within 10 minutes of the last arrival.",
  ],

  async run(context) {
    const { flags, out, progress, clock, signal, paths } = context;
    const name = String(flags["profile"]) as ProfileName;
    const timeScale = parseCount("time-scale", String(flags["timeScale"]));
    if (timeScale > timeScaleMax) throw usageError(`--time-scale takes at most ${timeScaleMax}`);
    const workers = parseCount("workers", textFlag(flags, "workers") ?? "3");
    const folder = mkdtempSync(join(tmpdir(), "forager-loadtest-"));
    const address = queueAddress(context, folder);
    try {
      const result = await runLoadtest({
        folder,
        address,
        queueOptions: await queueOptions(context.settings),
        data: paths.root(),
        profile: profileOf(name),
        timeScale,
        workers,
        clock,
        signal,
        startProgress: (total) => progress.start({ label: "loadtest", total }),
        note: (text) => out.note(text),
      });
      const keptFolder = paths.resolve("loadtests");
      makeFolder(keptFolder, { mode: 0o700 });
      const keptFile = join(keptFolder, `${name}-${timeScale}-${schemeOf(address)}.json`);
      const last = readLast(keptFile);
      await writeFileAtomic(keptFile, JSON.stringify({ ...result, atMs: clock.nowMs() }));
      out.result({ ...result, last: last ?? null }, (layout) =>
        [
          summaryOf(result),
          layout.table(result.checks, columns(last)),
          result.isGood ? "all marks are met" : "NOT all marks are met",
        ].join("\n\n"),
      );
      return result.isGood ? undefined : "failed";
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

/** A new queue for this test, unless the command line names one. */
function queueAddress({ loaded, settings, paths }: SettingsContext, folder: string): string {
  const isNamed = loaded.values.some(
    ({ key, source }) => key === "queue.url" && source === "--queue",
  );
  return isNamed
    ? locateQueue(settings.queue.url, paths).address
    : `sqlite:${join(folder, "queue.db")}`;
}

/** Only results of the same backend are compared. */
const schemeOf = (address: string) => address.slice(0, address.indexOf(":"));

function readLast(file: string): LoadtestResult | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as LoadtestResult;
  } catch {
    return undefined; // the first result for this backend
  }
}

const summaryOf = (result: LoadtestResult) =>
  `${result.profile}: ${result.jobs} jobs, ${result.tasks} tasks in ` +
  `${(result.elapsedMs / 1_000).toFixed(1)} s (${result.tasksPerSecond.toFixed(0)}/s), ` +
  `${result.workers} workers, ${result.kills} killed, ${result.stops} stopped and continued`;

const columns = (last: LoadtestResult | undefined): readonly TableColumn<LoadCheck>[] => [
  { title: "what", value: ({ name }) => name },
  { title: "measured", value: (check) => shown(check) },
  { title: "must be", value: ({ bar }) => bar ?? "-" },
  {
    title: "last time",
    value: ({ name }) => {
      const before = last?.checks.find((check) => check.name === name);
      return before ? shown(before) : "-";
    },
  },
  {
    title: "verdict",
    value: ({ isGood, bar }) => (bar === undefined ? "" : isGood ? "ok" : "FAILED"),
    tint: ({ isGood }) => (isGood ? "good" : "bad"),
  },
];

function shown({ value, unit }: LoadCheck): string {
  if (unit === undefined) return String(value);
  const digits = value < 10 ? 2 : 0;
  return unit === "x" ? `${value.toFixed(2)} x` : `${value.toFixed(digits)} ${unit}`;
}
