import { revIn, textOf } from "../page/front-matter.ts";
import type { GatheringIndex } from "../search/gathering-index.ts";
import type { RecordLayout } from "./layout.ts";
import { PageFault, parsePage } from "../page/parse-page.ts";
import type { RecordDisk } from "./record-disk.ts";
import { besides, findBase, sideFile } from "../page/side-file.ts";

export interface FoundFile {
  readonly layout: RecordLayout;
  /** The record whose folder it was found in; undefined if the folder belongs to none now. */
  readonly holder: string | undefined;
  /** The path where it was found. */
  readonly from: string;
  /** The copy of its side file, if the file was held back. */
  readonly sideThen?: string;
  readonly bytes: Uint8Array;
}

export interface FileOwner {
  readonly target: string;
  /**
   * The text of the side file that contains the render on which the file is based, if there is one.
   */
  readonly side: string | undefined;
}

/**
 * Determines the record to which the text of a file belongs. A folder can pass from one record to
 * another while an editor has the file open. So a file that names another record and one of its
 * renders is an edit of that record. Any other text belongs to the record that has the folder.
 */
export function ownerOf(
  { disk, index }: { readonly disk: RecordDisk; readonly index: Pick<GatheringIndex, "render"> },
  { layout, holder, from, sideThen, bytes }: FoundFile,
): FileOwner | undefined {
  const rev = revIn(textOf(bytes)) ?? "";
  const id = idIn(layout, bytes);
  const named = id === "" ? undefined : `${layout.kind}/${id}`;
  const sideOf = (target: string) => {
    const folder = index.render(target)?.folder;
    const texts = [
      // Another record may have had the folder then, so this is used only for the record that the
      // file names.
      ...(target === named && sideThen !== undefined ? [sideThen] : []),
      ...(target === holder ? [besides(from)] : []),
      ...(folder === undefined ? [] : [`${folder}/${sideFile}`]),
    ].flatMap((name) => textOf(disk.read(name)) ?? []);
    return texts.find((side) => findBase(side, rev)) ?? texts[0];
  };
  if (named !== undefined && named !== holder && index.render(named)) {
    const side = sideOf(named);
    if (findBase(side, rev)) return { target: named, side };
  }
  return holder === undefined ? undefined : { target: holder, side: sideOf(holder) };
}

/** "" if it has none, or cannot be read. */
function idIn(layout: RecordLayout, bytes: Uint8Array): string {
  try {
    return parsePage(layout, bytes).id;
  } catch (error) {
    if (error instanceof PageFault) return "";
    throw error;
  }
}
