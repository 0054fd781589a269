import { AppError } from "../app-error.ts";
import { redactText } from "./redact.ts";
import type { LogFields } from "./logger.ts";

/**
 * Makes any value safe to print as JSON. It never throws and always ends. It replaces secrets by
 * `***`, and says in brackets what it left out because it is too deep, too long or circular.
 */
export function toLogFields(fields: LogFields): LogFields {
  const plain = Object.entries(toPlainObject(fields, []));
  return Object.fromEntries(
    plain.map(([key, value]) => [lineKeys.has(key) ? `${key}_` : key, value]),
  );
}

const textLengthMax = 20_000;

/** Hides secrets and limits the length: the text may come from a website or a file. */
export function toLogText(text: string): string {
  const left = text.length - textLengthMax;
  if (left <= 0) return redactText(text);
  return `${redactText(text).slice(0, textLengthMax)}… [${left} more]`;
}

const lineKeys = new Set(["level", "time", "msg"]); // every line has these keys already
const depthMax = 10;
const entriesMax = 200;

const secretWords = new Set(["password", "passwords", "secret", "secrets", "token", "tokens"]);

/** `apiToken`, `CLIENT_SECRET` and `db-password` count as secret, like `password`. */
function isSecretName(name: string): boolean {
  const words = name.replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase();
  return words.split(/[^a-z]+/).some((word) => secretWords.has(word));
}

/** `above`: the objects that contain this one, outermost first. */
function toPlain(value: unknown, above: readonly object[]): unknown {
  if (typeof value === "number") return Number.isFinite(value) ? value : `${value}`;
  if (typeof value === "bigint") return `${value}`;
  if (typeof value === "function" || typeof value === "symbol") return `[${typeof value}]`;
  if (typeof value === "string") return toLogText(value);
  if (typeof value !== "object" || value === null) return value;
  if (above.includes(value)) return "[circular]";
  if (above.length >= depthMax) return "[too deep]";
  return readSafely(() => toPlainStructure(value, [...above, value]));
}

function toPlainStructure(value: object, path: readonly object[]): unknown {
  if (value instanceof Error) return toPlainError(value, path);
  if (value instanceof URL) return toLogText(value.href);
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (value instanceof Map) return toPlainObject(Object.fromEntries(value), path);
  if (Array.isArray(value) || value instanceof Set) return toPlainArray([...value], path);
  if ("toJSON" in value && typeof value.toJSON === "function") return toPlain(value.toJSON(), path);
  return toPlainObject(value, path);
}

function toPlainArray(values: readonly unknown[], path: readonly object[]): readonly unknown[] {
  const plain = values.slice(0, entriesMax).map((value) => toPlain(value, path));
  const left = values.length - plain.length;
  return left > 0 ? [...plain, `[${left} more]`] : plain;
}

function toPlainObject(value: object, path: readonly object[]): object {
  const keys = Object.keys(value);
  const entries = keys.slice(0, entriesMax).map((key): [string, unknown] => {
    const read = () => toPlain((value as Record<string, unknown>)[key], path);
    return [key, isSecretName(key) ? "***" : readSafely(read)];
  });
  const left = keys.length - entries.length;
  if (left > 0) entries.push(["…", `[${left} more]`]);
  return Object.fromEntries(entries);
}

/** A getter or a toJSON may throw; the log line must be written nevertheless. */
function readSafely(read: () => unknown): unknown {
  try {
    return read();
  } catch {
    return "[unreadable]";
  }
}

function toPlainError(error: Error, path: readonly object[]): object {
  const code = error instanceof AppError ? error.code : "code" in error ? error.code : undefined;
  // The message of an expected error says everything; only a bug needs its stack.
  const isBug = !(error instanceof AppError) || error.kind === "internal";
  return {
    name: error.name,
    ...(error instanceof AppError && { kind: error.kind }),
    ...(code !== undefined && { code: toPlain(code, path) }),
    message: toLogText(error.message),
    ...(isBug && path.length === 1 && { stack: toLogText(error.stack ?? "") }),
    ...(error instanceof AggregateError && { errors: toPlainArray(error.errors, path) }),
    ...(error.cause !== undefined && { cause: toPlain(error.cause, path) }),
  };
}
