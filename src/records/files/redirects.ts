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

/** The folders that a record once had: a file there says where it went, so that links lead on. */
export interface Redirects {
  render(indexed: Indexed, options: { readonly isHasty?: boolean }): Promise<void>;
  /** Takes one away, because a record wants the folder. */
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
  /** Those that are nobody else's folder now. */
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
        // Whatever else is there is someone's, and shown when it is looked at.
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
