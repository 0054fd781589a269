/** What the caller should do about a failure. A new kind needs an ADR; a new code does not. */
export type ErrorKind =
  | "invalid" //     the input or a setting is wrong: fix it, retrying cannot help
  | "conflict" //    someone else won the race: read again, then decide
  | "unavailable" // a backend or the network is down: retry with backoff
  | "corrupt" //     stored bytes are not what we wrote: quarantine, stop
  | "aborted" //     we were asked to stop: unwind quietly
  | "internal"; //   a bug: crash

/**
 * The only error our modules throw on purpose. `code` is stable and meant for programs;
 * `message` is for people: what happened, to what, and what to do next.
 */
export class AppError extends Error {
  override readonly name = "AppError";
  readonly kind: ErrorKind;
  readonly code: string;

  constructor(kind: ErrorKind, code: string, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.kind = kind;
    this.code = code;
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return isErrorNamed(value, "AppError");
  }
}

/**
 * Compares names instead of using `instanceof`: the program and the library each have a copy of
 * these classes, and handlers that the program runs throw errors of the library's copy.
 */
export function isErrorNamed(value: unknown, name: string): boolean {
  try {
    return value instanceof Error && value.name === name;
  } catch {
    return false; // handlers can throw any value, even one whose properties throw when read
  }
}

/** For conditions that can only be false because of a bug. Never for input, disk or network. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new AppError("internal", "assertion_failed", `bug: ${message}`);
}
