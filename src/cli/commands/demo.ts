import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createId } from "../../base/ids.ts";
import { systemRandom } from "../../base/random.ts";
import type { Command, SettingsContext } from "../command.ts";
import { formatReasons, formatReport } from "../demo/report.ts";
import { runDemo } from "../demo/run-demo.ts";
import { sizeMin } from "../demo/scenario.ts";
import { parseCount } from "../flags.ts";
import { usageError } from "../usage-error.ts";

const sizeMax = 100_000;

export const demo: Command = {
  needs: "settings",
  options: [
    { flag: "--size", value: "tasks", summary: "how many tasks, about", default: "120" },
    { flag: "--keep", summary: "keep the queue and the workers' logs to look at" },
  ],
  examples: [
    { line: "forager demo", summary: "the queue at work: gates, priorities, a killed worker" },
    { line: "forager demo --size 5000 --keep", summary: "more of it, and keep what it made" },
    { line: "forager demo --data ./here", summary: "keep it in a folder of its own in ./here" },
    { line: "forager demo --json", summary: "what was measured, for a program" },
  ],

  async run(context) {
    const { flags, out, progress, clock, signal } = context;
    const size = parseSize(String(flags["size"]));
    const { folder, isKept } = makeFolder(context);
    try {
      out.note(`3 worker processes on one SQLite queue in ${folder}; nothing leaves this machine`);
      const result = await runDemo({
        folder,
        size,
        clock,
        signal,
        startProgress: (total) => progress.start({ label: "demo", total }),
        note: (text) => out.note(text),
        showReasons: (stats) => out.note(formatReasons(stats)),
      });
      const file = join(folder, "queue.db");
      const kept = isKept ? { folder, queue: `sqlite:${file}` } : {};
      out.result({ ...result, ...kept }, formatReport(result, nextLines(isKept, file)));
      return result.verdict.isGood ? undefined : "failed";
    } finally {
      if (!isKept) rmSync(folder, { recursive: true, force: true });
    }
  },
};

function parseSize(text: string): number {
  const size = parseCount("size", text);
  if (size >= sizeMin && size <= sizeMax) return size;
  throw usageError(`--size takes a number from ${sizeMin} to ${sizeMax}, not '${text}'`);
}

/** A new folder each time: an old queue remembers its keys. With --data it is the user's to keep. */
function makeFolder({ flags, loaded, paths }: SettingsContext) {
  const isNamed = loaded.values.some(({ key, source }) => key === "data" && source === "--data");
  if (!isNamed) {
    const folder = mkdtempSync(join(tmpdir(), "forager-demo-"));
    return { folder, isKept: flags["keep"] === true };
  }
  const folder = paths.resolve(`demo-${createId(systemRandom, 6)}`);
  mkdirSync(folder, { recursive: true });
  return { folder, isKept: true };
}

function nextLines(isKept: boolean, file: string): readonly string[] {
  if (!isKept) {
    return [
      "npm start -- --keep            keeps the queue, and says how to look into it",
      "npm start -- --size 5000       the same with more tasks",
      "docs/guides/queue.md           use the queue in your own program",
    ];
  }
  return [
    `forager queue stats --queue sqlite:${file}`,
    `forager queue list --state failed --queue sqlite:${file}`,
    "docs/guides/queue.md           use the queue in your own program",
  ];
}
