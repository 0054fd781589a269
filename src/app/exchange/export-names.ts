import { createHash } from "node:crypto";
import { companyDigest, type Company, type EmailRow } from "../../records/index.ts";
import {
  openExportPosition,
  type ExportPosition,
  type ExportPositionOptions,
} from "./export-position.ts";

/** An export that leaves out rows of earlier exports with the same name. */
export interface NamedExport extends Pick<ExportPosition, "check" | "confirm">, AsyncDisposable {
  /**
   * The time of the previous export. Undefined if this is the first one; then everything is new.
   */
  readonly since: string | undefined;
  readonly companies: RowChoice<Company>;
  readonly emails: RowChoice<EmailRow>;
  /** Stores which rows were exported. Call it when the export has been delivered. */
  commit(nowMs: number): Promise<void>;
}

/** Decides which rows an export contains. */
export interface RowChoice<Row> {
  isWanted(row: Row): boolean;
  onWritten(row: Row): void;
}

export async function openNamedExport(
  options: ExportPositionOptions,
  name: string,
): Promise<NamedExport> {
  const position = await openExportPosition(options, name);
  const { before } = position;
  const digests = new Map(before.digests);
  return {
    since: before.at,
    check: () => position.check(),
    confirm: () => position.confirm(),
    companies: {
      isWanted: ({ target }) => !digests.has(target),
      onWritten: (company) => void digests.set(company.target, companyDigest(company)),
    },
    emails: {
      isWanted: ({ contact }) => !digests.has(emailKey(contact.value)),
      onWritten: ({ contact }) => void digests.set(emailKey(contact.value), ""),
    },
    commit: (nowMs) => position.commit({ at: new Date(nowMs).toISOString(), digests }),
    [Symbol.asyncDispose]: () => position[Symbol.asyncDispose](),
  };
}

/** Hashed, because a deleted address must not remain here. */
const emailKey = (address: string): string =>
  `email/${createHash("sha256").update(address).digest("hex").slice(0, 32)}`;
