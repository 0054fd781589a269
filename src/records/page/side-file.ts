import { hash } from "node:crypto";
import type { FieldView } from "../../ledger/index.ts";
import type { Facts } from "./page.ts";

/**
 * `_fields.tsv` next to each record: who wrote what, when, and what the last eight renders showed.
 * A hand edit is compared with it: an editor may have replaced the render, but not this file. It is
 * written before the render that it describes, so that after a crash it has one render too many and
 * never one too few. Only Forager and people read it; nobody needs to edit it.
 */
export const sideFile = "_fields.tsv";
export const rendersKept = 8;
/** Its path for the file of a record. */
export const besides = (path: string): string => path.replace(/[^/]+$/, sideFile);
const firstLine = "# forager fields 1: field, stamp, write, source, shown, value\n";

/** The content of one render. */
export interface RenderBase {
  readonly rev: string;
  /** True if a user has formatted the file: then it is patched and not rendered from scratch. */
  readonly isHandmade: boolean;
  readonly fields: ReadonlyMap<string, BaseField>;
}

export interface BaseField {
  /** Identifies the write that the value came from. */
  readonly reference: string;
  /** The token of the value as shown in the file; "" if the file does not show the field. */
  readonly token: string;
}

/** Equal for equal values. */
export const tokenOf = (value: unknown): string =>
  value === true ? trueToken : hash("sha256", canonicalJson(value), "base64url").slice(0, 16);

/** The token of every list element. */
const trueToken = hash("sha256", "true", "base64url").slice(0, 16);

function canonicalJson(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  const parts = Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, one]) => `${JSON.stringify(key)}:${canonicalJson(one)}`);
  return `{${parts.join(",")}}`;
}

export interface RenderAnswer {
  readonly rev: string;
  readonly isHandmade: boolean;
  readonly fields: readonly FieldView[];
  readonly shown: Facts;
  /** Lines of earlier renders that must not stay. Absent: all stay. */
  readonly isErased?: ((line: Pick<FieldView, "field" | "stamp">) => boolean) | undefined;
}

/**
 * Adds the new render at the top, followed by the earlier ones in the old file. `inPlace` is the
 * rev of the file on disk: that render stays second, however many newer ones could not be put in
 * place.
 */
export function addRender(
  old: string | undefined,
  render: RenderAnswer,
  inPlace: string | undefined,
): string {
  const section = sectionText(render);
  // The usual case when existing files are checked.
  if (old?.startsWith(`${firstLine}\n${section}`) && isEnded(old, section)) return old;
  const others = sectionsOf(old)
    .filter((one) => revOf(one) !== render.rev)
    .map((one) => withoutErased(one, render.isErased));
  const isInPlace = (one: string) => revOf(one) === inPlace;
  const older = [...others.filter(isInPlace), ...others.filter((one) => !isInPlace(one))];
  const all = [section, ...older].slice(0, rendersKept);
  return `${firstLine}\n${all.join("\n")}`;
}

function withoutErased(section: string, isErased: RenderAnswer["isErased"]): string {
  if (!isErased) return section;
  const lines = section.split("\n").filter((line) => {
    const [field = "", stamp = ""] = line.split("\t");
    return field === "" || field === "rev" || !isErased({ field, stamp });
  });
  return lines.join("\n");
}

/** True if a file that begins with this section has no others. */
function isEnded(text: string, section: string): boolean {
  const end = firstLine.length + 1 + section.length;
  return text.length === end || text[end] === "\n";
}

function sectionText({ rev, isHandmade, fields, shown }: RenderAnswer): string {
  const lines = fields.map(({ field, value, source, stamp, dot }) => {
    const token = shown.has(field) ? tokenOf(shown.get(field)) : "";
    const text = shown.has(field) && typeof value !== "object" ? "" : shortValue(value);
    return `${field}\t${stamp}\t${dot}\t${source}\t${token}\t${text}\n`;
  });
  return `rev\t${rev}\t${isHandmade ? "handmade" : "own"}\n${lines.join("")}`;
}

const valueLengthMax = 200;

/** Values that the file does not show are included here if they are short. */
function shortValue(value: unknown): string {
  const json = JSON.stringify(value);
  return json.length <= valueLengthMax ? json : `${json.slice(0, valueLengthMax)}…`;
}

export function findBase(text: string | undefined, rev: string): RenderBase | undefined {
  const section = sectionsOf(text).find((one) => revOf(one) === rev);
  return section === undefined ? undefined : readSection(section);
}

export function newestBase(text: string | undefined): RenderBase | undefined {
  const section = sectionsOf(text)[0];
  return section === undefined ? undefined : readSection(section);
}

/**
 * A file in another format has no sections; then every edit has an unknown base, which is reported.
 */
function sectionsOf(text: string | undefined): readonly string[] {
  if (!text?.startsWith(firstLine)) return [];
  return text
    .slice(firstLine.length)
    .split("\n\n")
    .map((section) => `${section.replaceAll(/^\n+|\n+$/g, "")}\n`)
    .filter((section) => section.startsWith("rev\t"));
}

const revOf = (section: string): string => section.slice(4, section.indexOf("\t", 4));

function readSection(section: string): RenderBase {
  const [first = "", ...lines] = section.split("\n");
  const fields = new Map<string, BaseField>();
  for (const line of lines) {
    const [field = "", stamp = "", dot = "", , token = ""] = line.split("\t");
    if (dot !== "") fields.set(field, { reference: `${stamp}/${dot}`, token });
  }
  return { rev: revOf(section), isHandmade: first.endsWith("\thandmade"), fields };
}
