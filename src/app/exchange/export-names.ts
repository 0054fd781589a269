import { createHash } from "node:crypto";
import { dirname } from "node:path";
import { AppError } from "../../base/app-error.ts";
import { makeFolder } from "../../base/make-folder.ts";
import { readRegularFileSync } from "../../base/regular-file.ts";
import type { Paths } from "../../config/index.ts";
import {
  companyDigest,
  emptyExportState,
  exportStateLines,
  readExportState,
  type Company,
  type EmailRow,
  type ExportState,
} from "../../records/index.ts";
import { openWholeFile } from "./whole-file.ts";

/** An export that leaves out what those of its name have given out before. */
export interface NamedExport {
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

/** Throws `invalid` for what is no name, and `corrupt` for a state that cannot be read. */
export function openNamedExport(paths: Pick<Paths, "resolve">, name: string): NamedExport {
  const file = exportStateFile(paths, name);
  const before = readState(file);
  const digests = new Map(before.digests);
  return {
    since: before.at,
    companies: {
      isWanted: ({ target }) => !digests.has(target),
      onWritten: (company) => void digests.set(company.target, companyDigest(company)),
    },
    emails: {
      isWanted: ({ contact }) => !digests.has(emailKey(contact.value)),
      onWritten: ({ contact }) => void digests.set(emailKey(contact.value), ""),
    },
    commit: (nowMs) => writeState(file, { at: new Date(nowMs).toISOString(), digests }),
  };
}

/** By a hash: an address that is deleted must not stay here. */
const emailKey = (address: string): string =>
  `email/${createHash("sha256").update(address).digest("hex").slice(0, 32)}`;

export function exportStateFile(paths: Pick<Paths, "resolve">, name: string): string {
  if (!/^[a-z0-9][a-z0-9-]{0,62}$/.test(name)) {
    const words = `'${name.slice(0, 80)}' is no name of an export: use a-z, 0-9 and dashes, such as hubspot-weekly`;
    throw new AppError("invalid", "export_name", words);
  }
  return paths.resolve("exports", `${name}.jsonl`);
}

export function readState(file: string): ExportState {
  const bytes = readRegularFileSync(file);
  return bytes ? readExportState(bytes.toString(), file) : emptyExportState;
}

export async function writeState(file: string, state: ExportState): Promise<void> {
  makeFolder(dirname(file), { mode: 0o700 });
  const whole = openWholeFile(file);
  try {
    for (const line of exportStateLines(state)) await whole.write(line);
    await whole.commit();
  } catch (error) {
    await whole.discard();
    throw error;
  }
}
