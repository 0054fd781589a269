import type { FieldView } from "../../ledger/index.ts";
import { textsIn } from "./texts-in.ts";

/** The search that found a company: the tile and the phrase. */
export interface FoundBy {
  /** The id of the tile: `30.2_-97.7`. */
  readonly tile: string;
  readonly phrase: string;
  /**
   * The campaign that searched last. All campaigns that search this tile for this phrase share the
   * result. A result from a campaign's own file belongs to that campaign only.
   */
  readonly campaign?: string;
  /** The key of the campaign's own file, if the company was found in one. */
  readonly file?: string;
  /** ISO 8601. */
  readonly at?: string;
  /** The name of the source, as shown to users: `file:places.jsonl`. */
  readonly source?: string;
  /** The campaign's filter that rejected the company. Such a company is stored but not visited. */
  readonly filtered?: string;
}

/**
 * Each search has one field: `found/<tile>/<phrase>`. If the source is a campaign's own file, the
 * field is `found/<tile>/<phrase>/<key of the file>`.
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
