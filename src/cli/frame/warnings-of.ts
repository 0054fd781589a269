import type { Logger } from "../../base/logger.ts";

/** For a command whose progress line says how it goes: only what goes wrong is logged beside it. */
export const warningsOf = (log: Logger): Logger => ({
  debug: () => {},
  info: () => {},
  warn: (message, fields) => log.warn(message, fields),
  error: (message, fields) => log.error(message, fields),
  child: (fields) => warningsOf(log.child(fields)),
});
