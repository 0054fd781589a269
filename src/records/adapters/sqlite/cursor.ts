import { AppError } from "../../../base/app-error.ts";

/**
 * The position where a page ended: a record's value and not its number in the list, because lists
 * change.
 */
export interface Cursor {
  /** A cursor is valid only for the order it was created for. */
  readonly order: string;
  readonly phase: number;
  readonly value: string | number;
  readonly target: string;
}

export const encodeCursor = ({ order, phase, value, target }: Cursor): string =>
  Buffer.from(JSON.stringify([order, phase, value, target])).toString("base64url");

export function decodeCursor(text: string, order: string): Cursor {
  const found = parse(text);
  const [given, phase, value, target] = Array.isArray(found) ? (found as unknown[]) : [];
  const isWhole =
    typeof phase === "number" &&
    (typeof value === "string" || typeof value === "number") &&
    typeof target === "string";
  if (!isWhole || given !== order) {
    throw new AppError(
      "invalid",
      "index_cursor",
      `'${text.slice(0, 100)}' is not a valid position in this list: start without it`,
    );
  }
  return { order, phase, value, target };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, "base64url").toString("utf8"));
  } catch {
    return undefined; // the caller reports it, with the text
  }
}
