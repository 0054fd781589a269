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
 * Known by name and not by class: the program and the library are two copies of our modules, and a
 * handler that the program runs throws errors of the library.
 */
export function isErrorNamed(value: unknown, name: string): boolean {
  try {
    return value instanceof Error && value.name === name;
  } catch {
    return false; // handlers throw anything, also what throws when it is looked at
  }
}

/** For what cannot happen unless we made a mistake. Never for input, disk or network. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new AppError("internal", "assertion_failed", `bug: ${message}`);
}
