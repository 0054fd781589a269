import { AppError } from "../base/app-error.ts";

/**
 * Checks of single values. Callers may be written in JavaScript, so no check trusts the declared
 * type. Each returns a value that every store can keep, or throws `invalid`.
 */
export const keyLengthMax = 2_048;
export const dayMs = 86_400_000;
const nameLengthMax = 255;
const shownLengthMax = 100;
const loneSurrogate = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;
const loneSurrogates = new RegExp(loneSurrogate, "g");

export const invalid = (code: string, message: string) => new AppError("invalid", code, message);

/** Any value as short text for people; never throws. */
export function shown(value: unknown): string {
  const text = asText(value);
  return text.length > shownLengthMax ? `${text.slice(0, shownLengthMax)}…` : text;
}

export function asText(value: unknown): string {
  try {
    return String(value);
  } catch {
    return `a ${typeof value}`; // an object that cannot be converted to text
  }
}

/** Databases cannot store NUL and lone surrogates unchanged. */
export const storable = (value: string): string =>
  value.replaceAll("\u0000", "\ufffd").replace(loneSurrogates, "\ufffd");

export function object<T extends object>(what: string, value: T): T {
  if (typeof value === "object" && value !== null) return value;
  throw invalid("bad_object", `${what} is ${shown(value)}: it must be an object`);
}

/** Checks each item, including holes of a sparse array. */
export function list<T, R>(what: string, values: readonly T[], check: (value: T) => R): R[] {
  if (!Array.isArray(values)) {
    throw invalid("bad_list", `${what} is ${shown(values)}: it must be an array`);
  }
  const checked: R[] = [];
  for (const value of values as readonly T[]) checked.push(check(value));
  return checked;
}

export function callback<F extends (...args: never[]) => void>(what: string, value: F): F {
  if (typeof value === "function") return value;
  throw invalid("bad_callback", `${what} is ${shown(value)}: it must be a function`);
}

export function flag(what: string, value: boolean): boolean {
  if (typeof value === "boolean") return value;
  throw invalid("bad_flag", `${what} is ${shown(value)}: it must be true or false`);
}

export function oneOf<T extends string>(what: string, value: T, known: readonly T[]): T {
  if (known.includes(value)) return value;
  throw invalid("bad_choice", `${what} is ${shown(value)}: it must be one of ${known.join(", ")}`);
}

export const count = (what: string, value: number) =>
  whole(what, value, 0, Number.MAX_SAFE_INTEGER);

export function whole(what: string, value: number, min: number, max: number): number {
  if (Number.isSafeInteger(value) && value >= min && value <= max) return value;
  throw invalid(
    "bad_number",
    `${what} is ${shown(value)}: it must be a whole number ${min}–${max}`,
  );
}

export const leaseMs = (value: number): number => whole("leaseMs", value, 10, dayMs);

/** A wait in whole milliseconds, rounded up, so that it is never shorter than requested. */
export const delay = (what: string, value: number): number => Math.ceil(span(what, value));

/** An elapsed time in whole milliseconds, rounded down, so that no wait ends early. */
export const elapsed = (what: string, value: number): number => Math.floor(span(what, value));

function span(what: string, value: number): number {
  if (Number.isFinite(value) && value >= 0 && value <= 366 * dayMs) return value;
  throw invalid("bad_delay", `${what} is ${shown(value)}: it must be from 0 to ${366 * dayMs} ms`);
}

/** Rounded up: exactly the same whole times are before the result and before `value`. */
export function moment(what: string, value: number): number {
  if (Number.isFinite(value)) {
    const max = Number.MAX_SAFE_INTEGER;
    return Math.min(Math.max(Math.ceil(value), -max), max);
  }
  throw invalid("bad_number", `${what} is ${shown(value)}: it must be a time in milliseconds`);
}

export const name = (what: string, value: string): string => text(what, value, nameLengthMax);

/** "" means no gate. */
export const gateOrNone = (value: string): string => (value === "" ? "" : name("gate", value));

export function text(what: string, value: string, lengthMax: number): string {
  if (typeof value !== "string" || value === "") {
    throw invalid("bad_text", `${what} is empty or not a text: give it a name`);
  }
  if (value.length > lengthMax) {
    throw invalid("too_long", `${what} has ${value.length} characters, the limit is ${lengthMax}`);
  }
  // eslint-disable-next-line no-control-regex -- it matches control characters on purpose
  if (/[\u0000-\u001f\u007f]/.test(value) || loneSurrogate.test(value)) {
    throw invalid("bad_text", `${what} ${JSON.stringify(value)} contains a control character`);
  }
  return value;
}

/** A search text: anything that stored text can contain, or empty. */
export function searched(what: string, value: string, lengthMax: number): string {
  if (typeof value !== "string") {
    throw invalid("bad_text", `${what} is ${shown(value)}: it must be a text`);
  }
  if (value.length > lengthMax) {
    throw invalid("too_long", `${what} has ${value.length} characters, the limit is ${lengthMax}`);
  }
  if (value.includes("\u0000") || loneSurrogate.test(value)) {
    throw invalid("bad_text", `${what} contains a character that cannot be stored`);
  }
  return value;
}
