import { AppError } from "../../base/app-error.ts";
import type { Ledger } from "../../ledger/index.ts";
import { aliasesField } from "../fields/fields.ts";
import { bodyField, type RecordLayout } from "../files/layout.ts";
import { changesOf } from "./hand-edit.ts";
import { factsOf, type Facts, type Links } from "../page/page.ts";
import {
  conflictFault,
  hasConflict,
  PageFault,
  parsePage,
  type ParsedPage,
} from "../page/parse-page.ts";
import { findBase, newestBase, tokenOf, type RenderBase } from "../page/side-file.ts";
import { idOf } from "../fields/company.ts";

/** The result for a file that is not an unedited render. */
export type FileIngest =
  /** An editor or a power cut has emptied it. */
  | { readonly kind: "nothing" }
  | { readonly kind: "broken"; readonly reason: string }
  | { readonly kind: "ingested"; readonly parsed: ParsedPage; readonly fields: readonly string[] };

export interface EditedFile {
  readonly layout: RecordLayout;
  readonly target: string;
  readonly bytes: Uint8Array;
  /** The text of the side file. */
  readonly side: string | undefined;
  readonly source: string;
}

/** Writes the manual changes in a file as facts. */
export async function ingestFile(
  ledger: Pick<Ledger, "read" | "write">,
  links: Links,
  { layout, target, bytes, side, source }: EditedFile,
): Promise<FileIngest> {
  if (isEmpty(bytes)) return { kind: "nothing" };
  try {
    const parsed = parsePage(layout, bytes);
    if (parsed.id !== "" && parsed.id !== idOf(target)) {
      throw new PageFault(
        `its id is ${parsed.id}, and the folder is that of ${idOf(target)}: put the id back, or ` +
          `make a folder of its own for a new one, without id and rev`,
      );
    }
    const base = baseOf(parsed, side);
    const facts = withoutOldName(readFacts(layout, parsed, links), base);
    checkBody(parsed, base);
    const view = await ledger.read(target);
    const changes = changesOf({ target, base, facts, view });
    if (changes.length > 0) await ledger.write({ source, changes });
    return { kind: "ingested", parsed, fields: changes.map(({ field }) => field) };
  } catch (error) {
    const isRefused = error instanceof AppError && error.kind === "invalid";
    if (!(error instanceof PageFault) && !isRefused) throw error;
    return { kind: "broken", reason: error.message };
  }
}

/** Throws PageFault for a link to a record that does not exist. */
export function readFacts(layout: RecordLayout, { page }: ParsedPage, links: Links): Facts {
  return factsOf(layout, page, links, ({ key, text }) => {
    throw new PageFault(`${key} names ${text.slice(0, 80)}, which is not known: add it first`);
  });
}

/** A user who changed the name may have left the old one in `aliases`, where Forager had put it. */
function withoutOldName(facts: Facts, base: RenderBase): Facts {
  const aliases = facts.get(aliasesField) as readonly string[] | undefined;
  const oldName = base.fields.get("name")?.token;
  const added = aliases?.filter((one) => tokenOf(one) !== oldName);
  if (!aliases || added?.length === aliases.length) return facts;
  const others = [...facts].filter(([field]) => field !== aliasesField);
  return new Map(added?.length === 0 ? others : [...others, [aliasesField, added]]);
}

function baseOf({ rev }: ParsedPage, side: string | undefined): RenderBase {
  const base = rev === undefined ? undefined : findBase(side, rev);
  if (base) return base;
  const newest = newestBase(side)?.rev;
  const remedy =
    newest === undefined
      ? "move it away, and a new one is written"
      : `if you began with the newest text, set it to \`rev: ${newest}\``;
  throw new PageFault(
    rev === undefined
      ? `its rev: line is gone, so your changes cannot be distinguished from old text: ${remedy}`
      : `it comes from a render that is too old (${rev}), so your changes cannot be determined: ` +
          remedy,
  );
}

/** Existing text may contain what looks like conflict marks; an edit must not add them. */
function checkBody({ page }: ParsedPage, base: RenderBase): void {
  if (page.body === undefined || !hasConflict(page.body)) return;
  if (base.fields.get(bodyField)?.token !== tokenOf(page.body)) throw conflictFault();
}

/** A power cut leaves nothing, or zeros. */
export const isEmpty = (bytes: Uint8Array): boolean => bytes.every((byte) => byte === 0);
