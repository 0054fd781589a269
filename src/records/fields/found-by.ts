import type { FieldView } from "../../ledger/index.ts";
import { textsIn } from "./texts-in.ts";

/** The question that a company answers: which tile was searched, and for which phrase. */
export interface FoundBy {
  /** The id of the tile: `30.2_-97.7`. */
  readonly tile: string;
  readonly phrase: string;
  /** The campaign that asked last. Others with this tile and phrase share the answer, unless it is of a file. */
  readonly campaign?: string;
  /** Of the file of that campaign: the key of the file. */
  readonly file?: string;
  /** ISO moment. */
  readonly at?: string;
  /** What people call the source: `file:places.jsonl`. */
  readonly source?: string;
  /** The filter of that campaign that rejects it: it is kept, and not visited for it. */
  readonly filtered?: string;
}

/** One field for each question: `found/<tile>/<phrase>`, and of a campaign's file `…/<key of the file>`. */
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
