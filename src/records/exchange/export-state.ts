import { createHash } from "node:crypto";
import { AppError } from "../../base/app-error.ts";
import { refuseNewerName } from "../../base/text/formats.ts";
import type { Company } from "../fields/company.ts";
import { companyColumnNames, columnValues } from "./export-rows.ts";

/**
 * What an export of a name has given out: each company with a digest of its columns. It is compared with
 * what is known now, so a company that another node found last week and that arrived here today is new all
 * the same.
 */
export interface ExportState {
  /** When the export was made, ISO 8601. Undefined: there was none of this name. */
  readonly at: string | undefined;
  readonly digests: ReadonlyMap<string, string>;
}

export const emptyExportState: ExportState = { at: undefined, digests: new Map() };

const format = "forager-export-state/1";
const digestLength = 16;

/** `changed` alone is no change that anybody sees. */
const watched = companyColumnNames.filter((name) => name !== "changed" && name !== "slug");
const valuesOf = columnValues(watched);

export const companyDigest = (company: Company): string =>
  createHash("sha256")
    .update(JSON.stringify(valuesOf(company).map((value) => value ?? null)))
    .digest("hex")
    .slice(0, digestLength) + (isClosed(company) ? closedMark : "");

const closedMark = "c";
export const wasClosed = (digest: string): boolean => digest.endsWith(closedMark) && digest.length > digestLength; // prettier-ignore

/** `closed`, `CLOSED_PERMANENTLY`; not `closed_temporarily`. */
export const isClosed = ({ texts: { status } }: Company): boolean =>
  status !== undefined &&
  /(?:^|[^a-z])(?:permanently[ _-]?closed|closed|out of business)/i.test(status) &&
  !/temporar/i.test(status);

/** One JSON value a line: the head, to which more may be added, then `[target, digest]`. */
export function* exportStateLines(
  state: ExportState,
  more: Readonly<Record<string, unknown>> = {},
): Generator<string> {
  yield `${JSON.stringify({ format, at: state.at, count: state.digests.size, ...more })}\n`;
  for (const entry of state.digests) yield `${JSON.stringify(entry)}\n`;
}

/**
 * Throws `corrupt` for a file that is not whole, because exporting everything again must be a
 * person's wish, and `invalid` for one of a newer version.
 */
export function readExportState(text: string, file: string): ExportState {
  const damaged = (cause?: unknown) =>
    new AppError(
      "corrupt",
      "export_state",
      `${file} is damaged: put it back from a backup, or delete it to export everything once more`,
      { cause },
    );
  try {
    const [head = "", ...lines] = text.split("\n");
    const { format: kind, at, count } = JSON.parse(head) as Record<string, unknown>;
    refuseNewerName(kind, { newest: format, code: "export_state_newer", where: file });
    const digests = new Map(
      lines.filter((line) => line !== "").map((line) => JSON.parse(line) as [string, string]),
    );
    if (kind !== format || typeof at !== "string" || digests.size !== count) throw damaged();
    return { at, digests };
  } catch (cause) {
    throw cause instanceof AppError ? cause : damaged(cause);
  }
}
