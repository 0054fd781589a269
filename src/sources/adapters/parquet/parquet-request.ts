import type { Box } from "../../grid.ts";

/** A request to the process that reads Parquet. */
export interface ParquetRequest {
  /** `chunks`: the positions of columns in the file, from its footer alone. */
  readonly op: "chunks" | "rows";
  readonly file: string;
  /** The only folder that DuckDB may read in. */
  readonly folder: string;
  readonly memoryMb: number;
  /**
   * Omits rows that are certainly outside all boxes; a row in two boxes comes twice. No boxes: all
   * rows.
   */
  readonly boxes: readonly Box[];
  /** Overture's confidence that the place exists. */
  readonly minConfidence: number;
}

export type ParquetAnswer =
  /** A row as JSON, and its geometry as WKB in hex ("": none). */
  | { readonly kind: "rows"; readonly rows: readonly (readonly [string, string])[] }
  | { readonly kind: "chunks"; readonly chunks: readonly ChunkInfo[] }
  | { readonly kind: "end"; readonly rssBytes: number }
  | { readonly kind: "failed"; readonly code: string; readonly message: string };

/** The position of one column in one group of rows. */
export interface ChunkInfo {
  readonly group: number;
  /** `bbox, xmin`. */
  readonly column: string;
  /** NaN or undefined: unknown, or not a number. */
  readonly min: number | undefined;
  readonly max: number | undefined;
  readonly offset: number;
  readonly bytes: number;
}
