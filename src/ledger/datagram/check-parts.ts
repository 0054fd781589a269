import { AppError } from "../../base/app-error.ts";
import { stampWidth } from "./datagram.ts";

export const nodeIdLength = 13;
export const sessionIdLength = 26;
const nodePattern = /^[0-9a-hjkmnp-tv-z]{13}$/;
const sessionPattern = /^[0-9a-hjkmnp-tv-z]{26}$/;

/**
 * Ids that arrive become part of keys and file names, so they must have exactly the form that we
 * make.
 */
export const isNodeId = (text: unknown): text is string =>
  typeof text === "string" && nodePattern.test(text);
export const isSessionId = (text: unknown): text is string =>
  typeof text === "string" && sessionPattern.test(text);

export interface CheckedParts {
  readonly stamp: string;
  readonly node: string;
  readonly session: string;
  readonly number: number;
  readonly commit: number;
}

/** Throws `corrupt` for parts that we would not have written. */
export function checkParts({ stamp, node, session, number, commit }: CheckedParts): void {
  if (stamp.length !== stampWidth || !isStampAt(stamp, 0)) throw notOurs("its stamp is not valid");
  if (node !== lastNode || session !== lastSession) {
    if (!isNodeId(node) || !isSessionId(session)) throw notOurs("its ids are not valid");
    [lastNode, lastSession] = [node, session];
  }
  if (commit < number) throw notOurs("its commit ends before it");
}

export const notOurs = (why: string) =>
  new AppError("corrupt", "ledger_datagram", `a datagram cannot be read: ${why}`);

/** Many datagrams of one session come in a row, so its ids are checked once. */
let [lastNode, lastSession] = ["", ""];

const minuteWidth = "2026-11-15T19:02:".length;
const pattern = /^\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z-[0-9a-f]{4}$/;
let lastMinute = "?";

/** Many stamps of one minute come in a row too, so the calendar is checked once for each minute. */
export function isStampAt(text: string, from: number): boolean {
  return text.slice(from, from + minuteWidth) === lastMinute
    ? isTailAt(text, from + minuteWidth)
    : isStamp(text.slice(from, from + stampWidth));
}

function isStamp(text: string): boolean {
  if (!pattern.test(text)) return false;
  const day = text.slice(0, 10);
  const ms = Date.parse(day);
  if (Number.isNaN(ms) || new Date(ms).toISOString().slice(0, 10) !== day) return false;
  lastMinute = text.slice(0, minuteWidth);
  return true;
}

/** The rest of a stamp, at most `59.999Z-ffff`: seconds, milliseconds, counter. */
function isTailAt(text: string, at: number): boolean {
  return (
    isDigit(text, at, 0x35) &&
    isDigit(text, at + 1) &&
    text.charCodeAt(at + 2) === 0x2e &&
    isDigit(text, at + 3) &&
    isDigit(text, at + 4) &&
    isDigit(text, at + 5) &&
    text.charCodeAt(at + 6) === 0x5a &&
    text.charCodeAt(at + 7) === 0x2d &&
    isHexDigit(text, at + 8) &&
    isHexDigit(text, at + 9) &&
    isHexDigit(text, at + 10) &&
    isHexDigit(text, at + 11)
  );
}

function isDigit(text: string, at: number, most = 0x39): boolean {
  const code = text.charCodeAt(at);
  return code >= 0x30 && code <= most;
}

function isHexDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return (code >= 0x30 && code <= 0x39) || (code >= 0x61 && code <= 0x66);
}
