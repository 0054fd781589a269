import pg from "pg";
import { AppError } from "../../../../base/app-error.ts";

/** The only place that translates errors of PostgreSQL and of the driver. */
export function translateError(cause: unknown, place: string): unknown {
  if (cause instanceof AppError) return cause;
  if (cause instanceof pg.DatabaseError) {
    const [kind, code, message] = describe(cause.code ?? "", place);
    // The server's own text may quote values, so it is only in `cause`.
    return new AppError(kind, code, `${message} (SQLSTATE ${cause.code})`, { cause });
  }
  if (!(cause instanceof Error)) return cause;
  const reason = connectionFailure(cause);
  if (reason === undefined) return cause;
  return new AppError(
    "unavailable",
    "queue_unreachable",
    `the queue ${place} cannot be reached (${reason}): check that the server runs and that this ` +
      `machine may connect to it, then try again`,
    { cause },
  );
}

const networkCodes = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ECONNABORTED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EPIPE",
  "ENOENT", // a missing socket file
]);
/** The driver's own errors have no code. */
const driverMessages =
  /terminated|timeout|closed|ended|not queryable|SSL|socket|after calling end|SASL|password/i;

function connectionFailure(error: Error & { code?: unknown }): string | undefined {
  if (typeof error.code === "string") {
    if (networkCodes.has(error.code) || error.code.startsWith("ERR_SSL")) return error.code;
    if (/CERT|TLS|SIGNATURE/.test(error.code)) return error.code;
  }
  if (error instanceof AggregateError && error.errors.length > 0) {
    return connectionFailure(error.errors[0] as Error);
  }
  return driverMessages.test(error.message) ? error.message : undefined;
}

function describe(code: string, place: string): [AppError["kind"], string, string] {
  const is = (...prefixes: readonly string[]) => prefixes.some((prefix) => code.startsWith(prefix));
  if (is("28")) {
    return [
      "unavailable",
      "queue_login_refused",
      `the queue ${place} refused the login: check user and password, or PGUSER and PGPASSWORD`,
    ];
  }
  if (is("3D000")) {
    return ["unavailable", "queue_no_database", `there is no such database: ${place}: create it`];
  }
  if (is("08", "57P", "25P03")) {
    return [
      "unavailable",
      "queue_unreachable",
      `the server of the queue ${place} ended the session, because it stops or starts, because somebody ` +
        `ended the session, or because this process was suspended for too long: try again in a moment`,
    ];
  }
  if (is("42501")) {
    return [
      "unavailable",
      "queue_rights",
      `the user lacks rights on the queue ${place}: grant it CREATE on the database, or let the ` +
        `owner of the schema open the queue once`,
    ];
  }
  if (is("53300", "53400")) {
    return [
      "unavailable",
      "queue_pool_exhausted",
      `the server of the queue ${place} has no connection left: close some, or raise its ` +
        `max_connections`,
    ];
  }
  if (is("53100")) {
    return [
      "unavailable",
      "disk_full",
      `the disk of the queue ${place} is full: free some space; nothing acknowledged was lost`,
    ];
  }
  if (is("55P03", "57014")) {
    return [
      "unavailable",
      "queue_busy",
      `the queue ${place} took too long to answer: try again, and look for a transaction that ` +
        `stays open (pg_stat_activity)`,
    ];
  }
  if (is("25006")) {
    return [
      "unavailable",
      "queue_read_only",
      `the queue ${place} cannot be written: this server is a standby or set to read only`,
    ];
  }
  if (is("XX001", "XX002")) {
    return [
      "corrupt",
      "queue_corrupt",
      `the server reports damaged data in the queue ${place}: keep a copy, then restore a backup`,
    ];
  }
  if (is("42P01", "42703", "3F000")) {
    return [
      "unavailable",
      "queue_schema_missing",
      `the tables of the queue ${place} are gone: restore them, or open the queue again`,
    ];
  }
  return [
    "unavailable",
    "queue_store_failed",
    `the queue ${place} failed: check the server's log, then try again`,
  ];
}

/** A transaction pooler used another session than the one that knows the prepared statement. */
export const isStatementLost = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && (error.code === "26000" || error.code === "42P05");

/** Also true for an idle session that the server, a network or an operator ended earlier. */
export const isSessionLost = (error: unknown): boolean =>
  error instanceof pg.DatabaseError
    ? /^(?:57P|08|25P03)/.test(error.code ?? "") // a pooler sends class 08
    : error instanceof Error && connectionFailure(error) !== undefined;
