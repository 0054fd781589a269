import { AppError } from "../base/app-error.ts";
import type { ProblemDocument } from "./contract/problem.ts";

const titles: Readonly<Record<number, string>> = {
  400: "The request is wrong",
  401: "Not signed in",
  403: "Not allowed",
  404: "Not found",
  405: "Wrong method",
  409: "Conflict",
  412: "Changed meanwhile",
  413: "Too large",
  415: "Wrong media type",
  421: "Wrong host",
  422: "Idempotency key used for something else",
  429: "Too many requests",
  431: "Headers too large",
  500: "Bug",
  503: "Unavailable",
};

/** An error with a specific HTTP status. */
export class ProblemError extends Error {
  override readonly name = "ProblemError";
  readonly status: number;
  readonly code: string;
  readonly errors: ProblemDocument["errors"];
  /** Seconds for the header `Retry-After`. */
  readonly retrySeconds: number | undefined;

  constructor(
    status: number,
    code: string,
    detail: string,
    errors?: ProblemDocument["errors"],
    retrySeconds?: number,
  ) {
    super(detail);
    this.status = status;
    this.code = code;
    this.errors = errors;
    this.retrySeconds = retrySeconds;
  }
}

/** Codes of `invalid` errors that mean: the object named by the path does not exist. */
const missing = new Set(["no_such_job", "no_such_task", "no_such_gate", "no_campaign", "no_schedule", "no_command", "record_unknown", "no_endpoint", "no_delivery", "no_user", "no_such_token", "no_runbook_page"]); // prettier-ignore

const statusOf = ({ kind, code }: AppError): number => {
  if (kind === "invalid") return missing.has(code) ? 404 : 400;
  if (kind === "conflict") return 409;
  if (kind === "unavailable" || kind === "aborted") return 503;
  return 500;
};

/** A bug is described by its request id only; the details are in the log. */
export function problemOf(error: unknown, requestId: string): ProblemDocument {
  if (error instanceof ProblemError) {
    const { status, code, message, errors } = error;
    return build({ status, code, detail: message, requestId, errors });
  }
  if (error instanceof AppError && error.kind !== "internal") {
    const { code, message } = error;
    return build({ status: statusOf(error), code, detail: message, requestId });
  }
  const detail = `something went wrong here; the log names it by ${requestId}`;
  return build({ status: 500, code: "internal", detail, requestId });
}

function build({
  status,
  code,
  detail,
  requestId,
  errors,
}: Omit<ProblemDocument, "type" | "title">): ProblemDocument {
  return {
    type: "about:blank",
    title: titles[status] ?? "Error",
    status,
    detail,
    code,
    requestId,
    ...(errors && { errors }),
  };
}

export const notFound = (what: string): ProblemError =>
  new ProblemError(404, "not_found", `there is no ${what}`);
