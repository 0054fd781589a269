import type { FieldView } from "../../ledger/index.ts";
import { textsIn } from "./texts-in.ts";

/** The search that found a company: the tile and the phrase. */
export interface FoundBy {
  /** The id of the tile: `30.2_-97.7`. */
  readonly tile: string;
  readonly phrase: string;
  /**
   * The campaign that searched last. Other campaigns with this tile and phrase share the result,
   * unless it comes from a campaign's own file.
   */
  readonly campaign?: string;
  /** For a campaign's own file: the key of the file. */
  readonly file?: string;
  /** ISO moment. */
  readonly at?: string;
  /** The source as people name it: `file:places.jsonl`. */
  readonly source?: string;
  /** The filter of that campaign that rejects the company: it is kept but not visited. */
  readonly filtered?: string;
}

/**
 * One field per search: `found/<tile>/<phrase>`, and for a campaign's file `…/<key of the file>`.
 */
export const foundPrefix = "found/";

export const foundField = ({
  tile,
  phrase,
  file,
}: Pick<FoundBy, "tile" | "phrase"> & { readonly file?: string | undefined }): string =>
  `${foundPrefix}${tile}/${phrase}${file === undefined ? "" : `/${file}`}`;

export const foundByOf = (fields: readonly FieldView[]): readonly FoundBy[] =>
  fields.flatMap(({ field, value }) => {
    const [, tile, phrase, file] = /^found\/([^/]+)\/([^/]+)(?:\/(.+))?$/su.exec(field) ?? [];
    if (tile === undefined || phrase === undefined) return [];
    const rest = textsIn(value, ["campaign", "at", "source", "filtered"]);
    return [{ tile, phrase, ...rest, ...(file !== undefined && { file }) }];
  });
