import type { Change } from "../../ledger/index.ts";

/** Something that is wrong with the records. */
export interface RecordFinding {
  /**
   * - `file`: a file cannot be used, is missing, or does not say what is stored;
   * - `schema`: a field has a name or a type that it cannot have;
   * - `reference`: a link to a record that does not exist;
   * - `encoding`: text that was decoded with the wrong character set, or lost characters.
   */
  readonly kind: "file" | "schema" | "reference" | "encoding";
  /** A file or folder below the data folder. */
  readonly path: string;
  readonly target?: string | undefined;
  readonly field?: string;
  /** What is wrong, and what to do if there is no repair. */
  readonly reason: string;
  /** What `records repair` does. Absent: only a person can decide. */
  readonly repair?: Repair;
}

export type Repair =
  /** The file is read, or written again, from what is stored. */
  | { readonly kind: "render"; readonly folder: string }
  /** The file is moved into quarantine; if it belongs to a record, it is written again. */
  | { readonly kind: "move file"; readonly folder: string }
  /** The value can be derived from what is stored. */
  | { readonly kind: "write"; readonly changes: readonly Change[] }
  /** The value is moved into quarantine. */
  | { readonly kind: "move value"; readonly value: unknown };

export const repairWords: Readonly<Record<Repair["kind"], string>> = {
  render: "write the file again",
  "move file": "move it to quarantine",
  write: "correct the value",
  "move value": "move it to quarantine",
};
