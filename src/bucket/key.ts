import { types } from "node:util";
import { AppError, assert } from "../base/app-error.ts";
import { asUnsent } from "./bucket-error.ts";
import { bodyBytesMax, listLimitMax, type ListOptions } from "./bucket.ts";

/** S3 allows 1,024 including the prefix; the path of a directory bucket needs some room too. */
export const keyBytesMax = 900;

/**
 * Refuses a key that some store or intermediary would change: an HTTP client resolves `.` and `..`,
 * XML cannot hold control characters, and a lone surrogate has no UTF-8.
 */
export function checkKey(key: string): void {
  const fault = key === "" ? "it is empty" : (textFault(key) ?? partFault(key.split("/")));
  if (fault) throw refused("key", key, fault);
}

/**
 * Checks the prefix of a list like a key, except that its last part may be incomplete. The starting
 * point of a list may be any text.
 */
export function checkListing(prefix: string, { startAfter = "", limit }: ListOptions): void {
  const prefixFault = textFault(prefix) ?? partFault(prefix.split("/").slice(0, -1));
  if (prefixFault) throw refused("prefix", prefix, prefixFault);
  const startFault = textFault(startAfter);
  if (startFault) throw refused("startAfter", startAfter, startFault);
  assert(
    limit === undefined || (Number.isInteger(limit) && limit >= 1 && limit <= listLimitMax),
    `a list takes a limit of 1 to ${listLimitMax}, not ${limit}`,
  );
}

export function checkBody(key: string, body: Uint8Array): void {
  checkKey(key);
  if (!types.isUint8Array(body)) {
    const is = `must be a Uint8Array, such as Buffer.from(text), and is ${nameOf(body)}`;
    throw asUnsent(new AppError("invalid", "bucket_body", `the body of ${key} ${is}`));
  }
  if (body.byteLength <= bodyBytesMax) return;
  const size = `${key} would have ${body.byteLength} bytes`;
  const message = `${size}; an object holds at most ${bodyBytesMax}: split it`;
  throw asUnsent(new AppError("invalid", "bucket_body_too_big", message));
}

/** Negative if `a` comes before `b` in a listing. UTF-16 order differs above U+FFFF. */
export const compareKeys = (a: string, b: string): number =>
  Buffer.compare(Buffer.from(a), Buffer.from(b));

function textFault(text: string): string | undefined {
  if (typeof text !== "string") return "it is not a string";
  if (Buffer.byteLength(text) > keyBytesMax) return `it is over ${keyBytesMax} bytes`;
  // oxlint-disable-next-line no-control-regex -- it matches control characters on purpose
  if (/[\u0000-\u001f\u007f-\u009f]/.test(text)) return "it contains a control character";
  if (/[\ufffe\uffff]|\p{Surrogate}/u.test(text)) return "it is not well-formed Unicode";
  return undefined;
}

function partFault(parts: readonly string[]): string | undefined {
  if (parts.includes("")) return "it begins or ends with /, or contains //";
  if (parts.some((part) => part === "." || part === "..")) return "a part of it is . or ..";
  return undefined;
}

function refused(what: string, text: string, fault: string): AppError {
  const shown = typeof text === "string" ? JSON.stringify(text.slice(0, 200)) : nameOf(text);
  return asUnsent(new AppError("invalid", "bucket_key", `${what} ${shown} is refused: ${fault}`));
}

/** Describes a value of a wrong type, because callers in JavaScript are not type-checked. */
function nameOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
