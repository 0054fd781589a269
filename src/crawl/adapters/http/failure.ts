import { errors } from "./undici-parts.ts";
import type { FailureReason } from "../../fetcher.ts";
import { BodyError } from "../../unpack.ts";
import { PrivateAddressError } from "./guarded-lookup.ts";

/** A fetch took longer than its total limit. */
export class OutOfTimeError extends Error {}

const reasonsByCode: Readonly<Record<string, FailureReason>> = {
  ENOTFOUND: "dns",
  EAI_AGAIN: "dns",
  EAI_FAIL: "dns",
  ENODATA: "dns",
  ESERVFAIL: "dns",
  ETIMEOUT: "dns", // a timeout of the resolver; a connection's is ETIMEDOUT
  EBADNAME: "dns",
  ECONNREFUSED: "refused",
  EHOSTUNREACH: "refused",
  ENETUNREACH: "refused",
  EADDRNOTAVAIL: "refused",
  EACCES: "refused",
  ECONNRESET: "reset",
  EPIPE: "reset",
  UND_ERR_SOCKET: "reset",
  UND_ERR_DESTROYED: "reset",
  UND_ERR_CLOSED: "reset",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "reset",
  ETIMEDOUT: "timeout",
  UND_ERR_CONNECT_TIMEOUT: "timeout",
  UND_ERR_HEADERS_TIMEOUT: "timeout",
  UND_ERR_BODY_TIMEOUT: "timeout",
  UND_ERR_HEADERS_OVERFLOW: "headers_too_large",
  UND_ERR_RES_EXCEEDED_MAX_SIZE: "too_large",
  UND_ERR_INVALID_ARG: "bad_url",
  EPROTO: "tls",
};

/** The only place that turns errors of sockets, TLS and HTTP into reasons. */
export function reasonOf(error: unknown): FailureReason | undefined {
  if (error instanceof BodyError) return error.reason;
  if (error instanceof PrivateAddressError) return "private_address";
  if (error instanceof OutOfTimeError) return "timeout";
  if (error instanceof AggregateError) return reasonOf(error.errors[0]);
  if (error instanceof errors.HTTPParserError) {
    // Parse errors have no code. `data` is what could not be parsed; it is empty if the connection
    // ended in the middle of an answer.
    const { data } = error as { readonly data?: unknown };
    return data === "" ? "reset" : "bad_response";
  }
  const { code } = (error ?? {}) as { readonly code?: unknown };
  if (typeof code !== "string") return undefined;
  const known = reasonsByCode[code];
  if (known) return known;
  if (code.startsWith("UND_ERR_NOT_SUPPORTED")) return "bad_response";
  return /^ERR_(?:TLS|SSL|OSSL)_|CERT|SIGNED|VERIFY|ISSUER|CRL/.test(code) ? "tls" : undefined;
}

/**
 * The message of an error. An AggregateError without message has the message of its first error.
 */
export function textOfError(error: unknown): string {
  if (error instanceof AggregateError && error.message === "") return textOfError(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}
