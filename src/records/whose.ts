import { revIn, textOf } from "./front-matter.ts";
import type { GatheringIndex } from "./gathering-index.ts";
import type { Layout } from "./layout.ts";
import { PageFault, parsePage } from "./parse-page.ts";
import type { RecordDisk } from "./record-disk.ts";
import { besides, findBase, sideFile } from "./side-file.ts";

export interface FoundFile {
  readonly layout: Layout;
  /** Whose folder it was found in; undefined: nobody's by now. */
  readonly holder: string | undefined;
  /** Where it was found. */
  readonly from: string;
  /** Its side file as it was when the file was taken away, if it was. */
  readonly sideThen?: string;
  readonly bytes: Uint8Array;
}

export interface Owner {
  readonly target: string;
  /** The text of the side file that tells of the render the file began with, if one does. */
  readonly side: string | undefined;
}

/**
 * Whose text a file holds. Folders change hands when records of one name come and go, and an editor
 * saves what it read before: so a file that names another record, and a render of that record, is
 * an edit of that one. Whatever else it says, it is for the holder of the folder to judge.
 */
export function ownerOf(
  { disk, index }: { readonly disk: RecordDisk; readonly index: Pick<GatheringIndex, "render"> },
  { layout, holder, from, sideThen, bytes }: FoundFile,
): Owner | undefined {
  const rev = revIn(textOf(bytes)) ?? "";
  const id = idIn(layout, bytes);
  const named = id === "" ? undefined : `${layout.kind}/${id}`;
  const sideOf = (target: string) => {
    const folder = index.render(target)?.folder;
    const texts = [
      // Who held the folder then may be another: it is used for the record that the file names.
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

/** "" where it tells none, or cannot be read. */
function idIn(layout: Layout, bytes: Uint8Array): string {
  try {
    return parsePage(layout, bytes).id;
  } catch (error) {
    if (error instanceof PageFault) return "";
    throw error;
  }
}
