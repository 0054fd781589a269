import { AppError } from "../../../base/app-error.ts";
import { unanswered, unknownOutcome } from "../../bucket-error.ts";

export interface PostgresRequest {
  readonly isWrite: boolean;
  readonly key: string;
}

/** The only place that translates errors of the driver. */
export function translatePostgresError(error: unknown, { isWrite, key }: PostgresRequest): unknown {
  if (error instanceof AppError) return error;
  const { code = "", message = String(error) } = error as { code?: string; message?: string };
  const refused = (name: string, text: string) =>
    new AppError("invalid", name, `${text} (${code}: ${message})`, { cause: error });
  // https://www.postgresql.org/docs/current/errcodes-appendix.html
  if (code.startsWith("28")) {
    return refused("bucket_credentials", "PostgreSQL does not accept these credentials");
  }
  if (code === "3D000") return refused("bucket_missing", "there is no such database: create it");
  if (code === "42501") {
    return refused("bucket_forbidden", "a right to the bucket's table is missing: grant it");
  }
  if (code.startsWith("42")) {
    return refused("not_a_bucket", "the table is another program's: give the bucket its own");
  }
  return isWrite ? unknownOutcome(key, message, error) : unanswered(key, message, error);
}
