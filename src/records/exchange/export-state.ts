import { createHash } from "node:crypto";
import { AppError } from "../../base/app-error.ts";
import { refuseNewerName } from "../../base/text/formats.ts";
import type { Company } from "../fields/company.ts";
import { companyColumnNames, columnValues } from "./export-rows.ts";

/**
 * What exports with a name have delivered: a digest of each company's columns. It is compared with
 * the current state and not with dates, so a company that another node found last week and that was
 * replicated today counts as new.
 */
export interface ExportState {
  /** The time of the export, ISO 8601. Undefined if there was no export with this name. */
  readonly at: string | undefined;
  readonly digests: ReadonlyMap<string, string>;
}

export const emptyExportState: ExportState = { at: undefined, digests: new Map() };

const format = "forager-export-state/1";
const digestLength = 16;

/** A different `changed` alone is not a visible change. */
const watched = companyColumnNames.filter((name) => name !== "changed" && name !== "slug");
const valuesOf = columnValues(watched);

export const companyDigest = (company: Company): string =>
  createHash("sha256")
    .update(JSON.stringify(valuesOf(company).map((value) => value ?? null)))
    .digest("hex")
    .slice(0, digestLength) + (isClosed(company) ? closedMark : "");

const closedMark = "c";
export const wasClosed = (digest: string): boolean => digest.endsWith(closedMark) && digest.length > digestLength; // prettier-ignore

/** Matches `closed`, `CLOSED_PERMANENTLY`; not `closed_temporarily`. */
export const isClosed = ({ texts: { status } }: Company): boolean =>
  status !== undefined &&
  /(?:^|[^a-z])(?:permanently[ _-]?closed|closed|out of business)/i.test(status) &&
  !/temporar/i.test(status);

/** One JSON value per line: the head, which may get more fields, then `[target, digest]`. */
export function* exportStateLines(
  state: ExportState,
  more: Readonly<Record<string, unknown>> = {},
): Generator<string> {
  yield `${JSON.stringify({ format, at: state.at, count: state.digests.size, ...more })}\n`;
  for (const entry of state.digests) yield `${JSON.stringify(entry)}\n`;
}

/**
 * Throws `corrupt` for an incomplete file, because exporting everything again must be the user's
 * decision, and `invalid` for a file of a newer version.
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
