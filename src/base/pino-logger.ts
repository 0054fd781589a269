import { pino } from "pino";
import { systemClock, type Clock } from "./clock.ts";
import { isJournalStream, toJournalLine } from "./journal-stream.ts";
import { toLogFields, toLogText } from "./log-fields.ts";
import { formatLogLine } from "./log-line.ts";
import type { LogFields, Logger, LogLevel } from "./logger.ts";
import { escapeControls } from "./terminal-text.ts";

export interface PinoLoggerOptions {
  /** The least serious level that is written. */
  readonly level: LogLevel;
  /** Where lines go; stderr when absent. */
  readonly destination?: LogDestination;
  /** Lines for people instead of JSON. Absent: whether the destination is a terminal. */
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
 * The Logger of a running program. pino takes a while to load, so this file alone imports it:
 * load it with `await import()` where logs are really written.
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
      base: null, // a fleet's lines are told apart by node and session, not by pid and host name
      timestamp: () => `,"time":"${new Date(clock.nowMs()).toISOString()}"`,
      formatters: {
        level: (label) => ({ level: label }),
        // Wrapped until here: pino takes a bare object with method and headers for a request.
        log: ({ fields }) => fields as Record<string, unknown>,
      },
      serializers: { err: (value: unknown) => value }, // errors are plain already
    },
    {
      write(given) {
        // JSON leaves C1 controls and marks that reverse reading as they are: a terminal obeys them.
        const line = `${escapeControls(given.trimEnd())}\n`;
        target.write(format ? format(line) : line);
        kept?.write(line);
      },
    },
  );

  const withFields = (bound: LogFields): Logger => {
    const writer = (lineLevel: LogLevel) => (message: string, fields?: LogFields) => {
      if (!lines.isLevelEnabled(lineLevel)) return;
      // Merged here: pino would print a key twice that is both the child's and the line's.
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

/** Written before the call returns, so that the last words of a process that exits are not lost. */
function openStderr(): LogDestination {
  const stderr = pino.destination({ dest: 2, sync: true });
  // A full disk or a closed pipe under stderr leaves no place to tell, and must not end the work.
  stderr.on("error", () => {});
  return stderr;
}
