import { fstatSync } from "node:fs";
import type { LogLevel } from "./logger.ts";

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
