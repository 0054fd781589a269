import { openOrMakeQueue } from "../../../app/index.ts";
import { AppError } from "../../../base/app-error.ts";
import { countOf, countTasks, formatCount } from "../../../base/text/count-words.ts";
import type { Command, SettingsContext } from "../../frame/command.ts";
import { toOneLine } from "../../../base/text/terminal-text.ts";
import { openSource, spool, type ImportSource } from "./import/import-source.ts";
import {
  importTasks,
  type TaskImportReport,
  type TaskImportProblem,
} from "./import/import-tasks.ts";

export const queueImport: Command = {
  needs: "settings",
  arguments: [{ name: "file", summary: "one JSON object per line; - reads standard input" }],
  options: [
    {
      flag: "--on-error",
      value: "action",
      summary: "if a line is wrong: stop imports nothing, skip imports the others",
      choices: ["stop", "skip"],
      default: "stop",
    },
    { flag: "--dry-run", summary: "only check if every line is valid" },
  ],
  examples: [
    { line: "forager queue import tasks.jsonl", summary: "import all lines, or none" },
    { line: "forager queue import tasks.jsonl --on-error skip", summary: "import all valid lines" },
    { line: "zcat tasks.jsonl.gz | forager queue import -", summary: "from another program" },
  ],
  details: [
    "A line is a JSON object with kind and, if you like, payload, key, job, gate, priority, dueAtMs\n" +
      "or delayMs, attemptsMax. Empty lines are skipped; a line may have 1 MiB.\n" +
      'For example: {"kind":"fetch","payload":{"page":1},"key":"page-1","gate":"example.org"}',
    "A task is known by job, gate and key, so an import can be repeated: after Ctrl-C or a crash run\n" +
      "it again: tasks in the queue count as duplicates. A line without a key gets one derived from\n" +
      "its text: the same line is the same task, and two equal lines are one task.",
    "Exit code 0 if every task is in the queue; 3 if some are and some were wrong or refused\n" +
      "(over_budget, closed, full); 1 if none is.",
  ],

  async run(context) {
    const { args, flags, out, stdin, cwd, signal } = context;
    const name = args[0]!;
    const label = name === "-" ? "standard input" : name;
    const isDryRun = flags["dryRun"] === true;
    const isStrict = flags["onError"] === "stop";
    await using given = await openSource({ name, cwd, stdin, signal });
    // The input is read twice: a wrong line must be found before the first task is added.
    await using copy =
      isStrict && !given.canReread && !isDryRun ? await spool(given, signal) : undefined;
    const source = copy ?? given;

    let bytesMax: number | undefined;
    if (isStrict || isDryRun) {
      const checked = await readAll(context, { source, label: `check ${label}`, isStrict });
      if (checked.isStopped) throw stopped("nothing was imported");
      if (isStrict && checked.invalid > 0) throw invalidLines(label, checked);
      bytesMax = checked.bytesRead;
      if (isDryRun) return printReport(context, { name: label, report: checked, isDryRun });
    }
    await using queue = await openOrMakeQueue(context);
    const report = await readAll(context, {
      source,
      label: `import ${label}`,
      isStrict,
      queue,
      bytesMax,
    });
    const outcome = printReport(context, { name: label, report, isDryRun });
    if (report.isStopped) {
      out.note(`stopped after line ${report.lastLine}: run the same import again to continue`);
      throw stopped("the import was stopped");
    }
    if (isStrict && report.invalid > 0) {
      out.note(
        "the rest was not imported: correct the line and run it again, or use --on-error skip",
      );
    }
    return outcome;
  },
};

interface Reading {
  readonly source: ImportSource;
  readonly label: string;
  readonly isStrict: boolean;
  readonly queue?: Parameters<typeof importTasks>[0]["queue"];
  readonly bytesMax?: number | undefined;
}

/** A smaller file is read so fast that it needs no progress bar. */
const quietBytesMax = 1e6;

async function readAll(context: SettingsContext, reading: Reading): Promise<TaskImportReport> {
  const { source, label, isStrict, queue, bytesMax } = reading;
  const { sizeBytes } = source;
  const progress =
    sizeBytes !== undefined && sizeBytes <= quietBytesMax
      ? undefined
      : context.progress.start({
          label,
          unit: "bytes",
          ...(sizeBytes === undefined ? {} : { total: sizeBytes }),
        });
  try {
    return await importTasks({
      chunks: source.read(bytesMax),
      queue,
      stopsOnError: isStrict,
      clock: context.clock,
      signal: context.signal,
      onRead: (bytes, lines) => {
        progress?.note(countOf(lines, "line"));
        progress?.advance(bytes);
      },
    });
  } finally {
    progress?.done();
  }
}

interface Printing {
  readonly name: string;
  readonly report: TaskImportReport;
  readonly isDryRun: boolean;
}

function printReport({ out }: SettingsContext, { name, report, isDryRun }: Printing) {
  const { lines, answers, invalid, problems, isStopped } = report;
  const value = {
    file: name,
    isDryRun,
    isStopped,
    lines,
    ...answers,
    invalid,
    problems,
  };
  const right = lines - invalid;
  const parts = isDryRun
    ? [`${countTasks(right)} would be imported`]
    : Object.entries(answers)
        .filter(([answer, count]) => answer === "added" || count > 0)
        .map(([answer, count]) => `${formatCount(count)} ${answer}`);
  if (invalid > 0) parts.push(`${formatCount(invalid)} invalid`);
  const summary = `${name}: ${countOf(lines, "line")}, ${parts.join(", ")}`;
  out.result(value, [summary, ...describeProblems(problems, invalid)].join("\n"));

  const stored = isDryRun ? right : answers.added + answers.duplicate;
  if (isStopped || stored === lines) return undefined;
  return stored === 0 ? "failed" : "partial";
}

function describeProblems(
  problems: readonly TaskImportProblem[],
  count: number,
): readonly string[] {
  const listed = problems.map(({ line, text }) => `  line ${line}: ${toOneLine(text)}`);
  const rest = count - problems.length;
  return rest > 0 ? [...listed, `  and ${countOf(rest, "more line")}`] : listed;
}

function invalidLines(name: string, { problems, invalid }: TaskImportReport): AppError {
  const [first] = problems;
  const message =
    invalid === 1
      ? `${name} line ${first!.line}: ${first!.text}; nothing was imported`
      : [
          `${name} has ${formatCount(invalid)} wrong lines; nothing was imported`,
          ...describeProblems(problems, invalid),
        ].join("\n");
  return new AppError("invalid", "import_invalid", message);
}

const stopped = (what: string) => new AppError("aborted", "import_stopped", what);
