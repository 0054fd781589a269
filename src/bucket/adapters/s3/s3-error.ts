import { AppError } from "../../../base/app-error.ts";
import { unanswered, unknownOutcome } from "../../bucket-error.ts";

export interface S3Request {
  /** For people: `s3://bucket`. */
  readonly place: string;
  readonly operation: "get" | "put" | "delete" | "list";
  readonly key: string;
}

/** The facts about a failed request, without depending on the error classes of the SDK. */
export interface S3Failure {
  readonly status: number | undefined;
  readonly name: string;
  readonly message: string;
}

export function readFailure(error: unknown): S3Failure {
  const {
    name = "",
    message = "",
    $metadata,
  } = error as Partial<Error> & {
    $metadata?: { httpStatusCode?: number };
  };
  return { status: $metadata?.httpStatusCode, name, message };
}

/** The only place that translates errors of the SDK. A permanent refusal becomes `invalid`. */
export function translateS3Error(error: unknown, request: S3Request): unknown {
  if (error instanceof AppError) return error;
  const failure = readFailure(error);
  const refusal = refusalOf(failure, request);
  if (refusal) {
    const [code, text] = refusal;
    return new AppError("invalid", code, `${text} (${failure.name})`, { cause: error });
  }
  const why = `${failure.status ?? "no answer"} ${failure.name}: ${failure.message}`.trim();
  const what = request.key === "" ? request.place : `${request.place}/${request.key}`;
  return request.operation === "get" || request.operation === "list"
    ? unanswered(what, why, error)
    : unknownOutcome(what, why, error);
}

function refusalOf(
  { status, name, message }: S3Failure,
  { place, operation }: S3Request,
): readonly [string, string] | undefined {
  switch (name) {
    case "NoSuchBucket":
      return [
        "bucket_missing",
        `there is no bucket ${place}: check its name, or create it with \`forager bucket create\` and the same address`,
      ];
    case "InvalidAccessKeyId":
    case "SignatureDoesNotMatch":
    case "InvalidToken":
    case "ExpiredToken":
    case "TokenRefreshRequired":
    case "CredentialsProviderError":
      return [
        "bucket_credentials",
        `${place} does not accept these credentials: check AWS_ACCESS_KEY_ID, ` +
          `AWS_SECRET_ACCESS_KEY and AWS_PROFILE`,
      ];
    case "RequestTimeTooSkewed":
      return [
        "bucket_clock_skewed",
        `${place} refuses requests of this machine because its clock is wrong: set it (NTP)`,
      ];
    case "NotImplemented":
      return ["bucket_unsupported", `${place} does not support conditional writes`];
    case "PermanentRedirect":
    case "AuthorizationHeaderMalformed":
      return ["bucket_region", `${place} is in another region: give ?region= in its address`];
  }
  // An error of the SDK itself, before anything is sent; it has no name or code of its own.
  if (status === undefined && message === "Region is missing") {
    return [
      "bucket_region",
      `no region for ${place}: add one to its address, such as ${place}?region=us-east-1, or &region=… after an endpoint`,
    ];
  }
  if (status === 401 || status === 403) {
    return ["bucket_forbidden", `no permission to ${operation} in ${place}: grant it to this user`];
  }
  if (status === 400 || status === 405 || status === 411 || status === 413 || status === 501) {
    return ["bucket_refused", `${place} refuses to ${operation}: the store is not fit for this`];
  }
  return undefined;
}
