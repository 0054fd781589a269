import { pino } from "pino";
import { systemClock, type Clock } from "../clock.ts";
import { toLogFields, toLogText } from "./log-fields.ts";
import { formatLogLine } from "./log-line.ts";
import type { LogFields, Logger, LogLevel } from "./logger.ts";
import { escapeControls } from "../text/terminal-text.ts";
import { fstatSync } from "node:fs";

export interface PinoLoggerOptions {
  /** The least serious level that is written. */
  readonly level: LogLevel;
  /** Where lines go; stderr when absent. */
  readonly destination?: LogDestination;
  /** Lines for people instead of JSON. Default: true if the destination is a terminal. */
  readonly pretty?: boolean;
  /** Gets every line too, always as JSON. */
  readonly kept?: LogDestination;
  readonly clock?: Clock;
}

export interface LogDestination {
  write(text: string): unknown;
  readonly isTTY?: boolean;
}

/**
 * The Logger of a running program. Only this file imports pino, which loads slowly: import this
 * file with `await import()`, and only if logs are written.
 */
export function createPinoLogger({
  level,
  destination,
  pretty,
  kept,
  clock = systemClock,
}: PinoLoggerOptions): Logger {
  const isPretty = pretty ?? (destination ?? process.stderr).isTTY ?? false;
  const target = destination ?? openStderr();
  const isJournal = destination === undefined && isJournalStream(process.env["JOURNAL_STREAM"]);
  const format = isPretty ? formatLogLine : isJournal ? toJournalLine : undefined;
  const lines = pino<never>(
    {
      level,
      base: null, // lines carry node and session instead of pid and host name
      timestamp: () => `,"time":"${new Date(clock.nowMs()).toISOString()}"`,
      formatters: {
        level: (label) => ({ level: label }),
        // Unwrapped only here, because pino treats an object with `method` and `headers` as a
        // request.
        log: ({ fields }) => fields as Record<string, unknown>,
      },
      serializers: { err: (value: unknown) => value }, // errors were already converted
    },
    {
      write(given) {
        // JSON does not escape C1 controls and marks that reverse the reading order, and terminals
        // obey them.
        const line = `${escapeControls(given.trimEnd())}\n`;
        target.write(format ? format(line) : line);
        kept?.write(line);
      },
    },
  );

  const withFields = (bound: LogFields): Logger => {
    const writer = (lineLevel: LogLevel) => (message: string, fields?: LogFields) => {
      if (!lines.isLevelEnabled(lineLevel)) return;
      // Merged here, because pino would print a key twice if both the child and the line have it.
      lines[lineLevel](
        { fields: { ...bound, ...(fields && toLogFields(fields)) } },
        toLogText(message),
      );
    };
    return {
      debug: writer("debug"),
      info: writer("info"),
      warn: writer("warn"),
      error: writer("error"),
      child: (fields) => withFields({ ...bound, ...toLogFields(fields) }),
    };
  };
  return withFields({});
}

/** Writes synchronously, so that the last lines of a process that exits are not lost. */
function openStderr(): LogDestination {
  const stderr = pino.destination({ dest: 2, sync: true });
  // If stderr is a closed pipe or on a full disk, the error cannot be reported, and must not end
  // the process.
  stderr.on("error", () => {});
  return stderr;
}

/**
 * Whether a file descriptor is connected to the systemd journal. The variable JOURNAL_STREAM alone
 * does not prove it, because a process can inherit the variable and have another stderr.
 */
export function isJournalStream(journalStream: string | undefined, fd = 2): boolean {
  if (!journalStream) return false;
  try {
    const { dev, ino } = fstatSync(fd, { bigint: true });
    return journalStream === `${dev}:${ino}`;
  } catch {
    return false; // closed
  }
}

/** The severities of syslog, as defined in sd-daemon(3). */
const severities: Readonly<Record<LogLevel, number>> = { error: 3, warn: 4, info: 6, debug: 7 };

/**
 * A log line in the format of the journal: with its severity, so that `journalctl -p err` works,
 * and without a time, because the journal adds its own.
 */
export function toJournalLine(line: string): string {
  const level = /^\{"level":"(\w+)"/.exec(line)?.[1];
  const severity = severities[level as LogLevel] ?? severities.info;
  return `<${severity}>${line.replace(/"time":"[^"]*",/, "")}`;
}
