import type { Change } from "../../ledger/index.ts";

/** An error in the records. */
export interface RecordFinding {
  /**
   * - `file`: a file cannot be used, is missing, or differs from the stored data;
   * - `schema`: a field has an invalid name or type;
   * - `reference`: a link to a record that does not exist;
   * - `encoding`: text that was decoded with the wrong character set, or lost characters.
   */
  readonly kind: "file" | "schema" | "reference" | "encoding";
  /** A file or folder, relative to the data folder. */
  readonly path: string;
  readonly target?: string | undefined;
  readonly field?: string;
  /** What is wrong, and what to do if it cannot be repaired automatically. */
  readonly reason: string;
  /** What `records repair` does. Absent: a user has to decide. */
  readonly repair?: Repair;
}

export type Repair =
  /** The file is read, or rendered again from the stored data. */
  | { readonly kind: "render"; readonly folder: string }
  /** The file is moved to quarantine; if it belongs to a record, it is rendered again. */
  | { readonly kind: "move file"; readonly folder: string }
  /** The value can be derived from stored data. */
  | { readonly kind: "write"; readonly changes: readonly Change[] }
  /** The value is moved to quarantine. */
  | { readonly kind: "move value"; readonly value: unknown };

export const repairWords: Readonly<Record<Repair["kind"], string>> = {
  render: "write the file again",
  "move file": "move it to quarantine",
  write: "correct the value",
  "move value": "move it to quarantine",
};
