import { idOf } from "../fields/company.ts";
import { layoutOf, layoutOfTarget } from "../files/layout.ts";
import type { Links } from "./page.ts";
import type { Indexed, RecordIndex } from "../search/record-index.ts";

/**
 * Links between records in the format of Obsidian. They follow a record when its folder changes.
 */
export function createLinks(index: Pick<RecordIndex, "find" | "bySlug">): Links {
  return {
    textOf(target) {
      const found = index.find(target);
      return found ? linkTo(found) : target;
    },
    targetOf(to, text) {
      const { folder, kind } = layoutOf(to);
      if (text.startsWith(`${kind}/`)) return text;
      const inner = /^\[\[([^\]|]+)(?:\|[^\]]*)?\]\]$/.exec(text)?.[1] ?? text;
      const slug = inner.replace(`${folder}/`, "").replace(/\/_index(?:\.md)?$/, "");
      return index.bySlug(to, slug);
    },
  };
}

export function linkTo(found: Indexed): string {
  const record = found.kind === "company" ? found.company : found.person;
  const { folder } = layoutOfTarget(record.target)!;
  // Characters that close a link or separate its text cannot be part of the name.
  const name = record.name.replaceAll(/[[\]|\p{Cc}]/gu, " ").trim() || idOf(record.target);
  return `[[${folder}/${record.slug}/_index|${name}]]`;
}
