import type { Logger } from "../../base/log/logger.ts";

/** For a command with a progress line: only warnings and errors are logged. */
export const warningsOf = (log: Logger): Logger => ({
  debug: () => {},
  info: () => {},
  warn: (message, fields) => log.warn(message, fields),
  error: (message, fields) => log.error(message, fields),
  child: (fields) => warningsOf(log.child(fields)),
});
