import { createHash } from "node:crypto";
import { companyDigest, type Company, type EmailRow } from "../../records/index.ts";
import {
  openExportPosition,
  type ExportPosition,
  type ExportPositionOptions,
} from "./export-position.ts";

/** An export that leaves out what those of its name have given out before. */
export interface NamedExport extends Pick<ExportPosition, "check" | "confirm">, AsyncDisposable {
  /** The export before this one. Undefined: this is the first, and everything is new. */
  readonly since: string | undefined;
  readonly companies: RowChoice<Company>;
  readonly emails: RowChoice<EmailRow>;
  /** Keeps what was given out. To be called when the export is where it belongs. */
  commit(nowMs: number): Promise<void>;
}

/** Which rows an export has. */
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

/** By a hash: an address that is deleted must not stay here. */
const emailKey = (address: string): string =>
  `email/${createHash("sha256").update(address).digest("hex").slice(0, 32)}`;
