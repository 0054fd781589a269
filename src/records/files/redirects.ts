import { idOf } from "../fields/company.ts";
import { folderOf } from "./folders.ts";
import { isAsWritten, joinSheet, textOf } from "../page/front-matter.ts";
import { recordOf, type GatheringIndex } from "../search/gathering-index.ts";
import { recordFile } from "./layout.ts";
import { linkTo } from "../page/links.ts";
import type { RecordDisk } from "./record-disk.ts";
import type { Indexed } from "../search/record-index.ts";
import { isSlug } from "./slug.ts";
import { yamlLines } from "../page/yaml-text.ts";

/**
 * The former folders of a record: a file in each says where the record is now, so that links work.
 */
export interface Redirects {
  render(indexed: Indexed, options: { readonly isHasty?: boolean }): Promise<void>;
  /** Removes a redirect, because a record needs the folder. */
  clear(folder: string): void;
  removeAll(indexed: Indexed): void;
}

export function createRedirects(
  disk: RecordDisk,
  index: Pick<GatheringIndex, "find" | "bySlug">,
): Redirects {
  const read = (folder: string) => textOf(disk.read(`${folder}/${recordFile}`));
  const clear = (folder: string) => {
    const text = read(folder);
    if (text === undefined || !isRedirect(text)) return;
    disk.remove(`${folder}/${recordFile}`);
    disk.removeFolder(folder);
  };
  /** Former folders that do not belong to another record. */
  const foldersOf = (indexed: Indexed) => {
    const { target, slug, aliases } = recordOf(indexed);
    return aliases
      .filter((alias) => alias !== slug && isSlug(alias))
      .filter((alias) => {
        const holder = index.bySlug(indexed.kind, alias);
        return holder === undefined || holder === target;
      })
      .map((alias) => folderOf(indexed.kind, alias));
  };
  return {
    clear,
    async render(indexed, how) {
      for (const folder of foldersOf(indexed)) {
        const text = redirectText(indexed);
        const found = read(folder);
        if (found === text) continue;
        // Other content belongs to a user; it is reported when the folder is checked.
        if (found !== undefined ? !isRedirect(found) : disk.fault(`${folder}/${recordFile}`))
          continue;
        await disk.overwrite(`${folder}/${recordFile}`, text, how);
      }
    },
    removeAll(indexed) {
      for (const folder of foldersOf(indexed)) clear(folder);
    },
  };
}

const isRedirect = (text: string): boolean => text.startsWith("---\nmovedTo:") && isAsWritten(text);

function redirectText(indexed: Indexed): string {
  const link = linkTo(indexed);
  const head = yamlLines("movedTo", link) + yamlLines("id", idOf(recordOf(indexed).target));
  return joinSheet({ bom: "", lineEnd: "\n", head, body: `This is now ${link}.` });
}
