import { AppError } from "../base/app-error.ts";
import { formats, isReadable } from "../base/text/formats.ts";
import { encodeRecord } from "../usv/index.ts";

/**
 * The kinds of our USV files. Each file begins with a record that names its kind and the version of
 * its format.
 */
export type FileKind = "journal" | "segment" | "segments" | "part";

export const headerRecord = (kind: FileKind, more: readonly string[] = []): string =>
  encodeRecord([`forager-${kind}`, String(formats.ledgerFile.newest), ...more]);

export const isHeaderOf = (kind: FileKind, units: readonly string[]): boolean =>
  units[0] === `forager-${kind}`;

/**
 * Throws unless the first record of a file is a header of this kind, of this version or an older
 * one.
 */
export function checkHeader(kind: FileKind, units: readonly string[], name: string): void {
  if (!isHeaderOf(kind, units)) {
    const message = `${name} is not a ${kind} of forager: another program wrote it; nothing was changed`;
    throw new AppError("corrupt", "ledger_not_ours", message);
  }
  if (isReadable("ledgerFile", { format: Number(units[1]) }, name)) return;
  throw new AppError("corrupt", "ledger_not_ours", `${name} has no format: it is damaged`);
}
