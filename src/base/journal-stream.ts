import { fstatSync } from "node:fs";
import type { LogLevel } from "./logger.ts";

/**
 * Whether a file descriptor leads to the journal of systemd. The variable alone does not say it: a
 * process may have another stderr than the service that started it.
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

/** The severities of syslog, as sd-daemon(3) has them. */
const severities: Readonly<Record<LogLevel, number>> = { error: 3, warn: 4, info: 6, debug: 7 };

/**
 * A log line as the journal takes it: with its severity, so that `journalctl -p err` works, and
 * without a time, because the journal has its own.
 */
export function toJournalLine(line: string): string {
  const level = /^\{"level":"(\w+)"/.exec(line)?.[1];
  const severity = severities[level as LogLevel] ?? severities.info;
  return `<${severity}>${line.replace(/"time":"[^"]*",/, "")}`;
}
