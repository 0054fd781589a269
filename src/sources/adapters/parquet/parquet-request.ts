import type { Box } from "../../grid.ts";

/** What the process that reads Parquet is asked. */
export interface ParquetRequest {
  /** `chunks`: where columns are in the file, by its footer alone. */
  readonly op: "chunks" | "rows";
  readonly file: string;
  /** The only folder that DuckDB may read in. */
  readonly folder: string;
  readonly memoryMb: number;
  /** Rows that are surely outside of all of them are left out; one that is in two comes twice. None: all rows. */
  readonly boxes: readonly Box[];
  /** Of Overture: how sure it is that the place exists. */
  readonly minConfidence: number;
}

export type ParquetAnswer =
  /** A row as JSON, and its geometry as WKB in hex ("": none). */
  | { readonly kind: "rows"; readonly rows: readonly (readonly [string, string])[] }
  | { readonly kind: "chunks"; readonly chunks: readonly ChunkInfo[] }
  | { readonly kind: "end"; readonly rssBytes: number }
  | { readonly kind: "failed"; readonly code: string; readonly message: string };

/** Where one column of one group of rows is. */
export interface ChunkInfo {
  readonly group: number;
  /** `bbox, xmin`. */
  readonly column: string;
  /** NaN or undefined: not known, or no number. */
  readonly min: number | undefined;
  readonly max: number | undefined;
  readonly offset: number;
  readonly bytes: number;
}
