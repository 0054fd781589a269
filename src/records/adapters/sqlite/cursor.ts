import { AppError } from "../../../base/app-error.ts";

/** Where a page ended. It names a record's value, not its number in a list: lists change. */
export interface Cursor {
  /** A cursor of one order says nothing in another. */
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
      `'${text.slice(0, 100)}' does not say where a page of this list ended: begin without it`,
    );
  }
  return { order, phase, value, target };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, "base64url").toString("utf8"));
  } catch {
    return undefined; // told by the caller, with the text
  }
}
