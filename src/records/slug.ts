import { createHash } from "node:crypto";

/**
 * The name of a record's folder: `a-z`, `0-9` and single dashes, so that it cannot lead out of its
 * folder, is one name on disks that do not tell upper from lower case, and needs no quotes.
 */
export const slugLengthMax = 80;

/** Names that Windows keeps for itself, and those that we do. */
const reserved =
  /^(?:con|prn|aux|nul|(?:com|lpt)[0-9]|index|notes|meetings|calls|companies|people|new)$/;

/** Never empty: where a text has no letter of ours, it is made of the id. */
export function slugOf(text: string, id: string): string {
  // oxlint-disable-next-line no-control-regex -- most text is, and has no accents
  const isAscii = /^[\u0000-\u007f]*$/.test(text);
  const plain = (isAscii ? text.toLowerCase() : withoutAccents(text))
    .replaceAll(/['’`]/g, "")
    .replaceAll("&", " and ")
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, slugLengthMax)
    .replaceAll(/^-+|-+$/g, "");
  if (plain === "") return `x-${idPiece(id, 8)}`;
  return reserved.test(plain) ? `${plain}-${idPiece(id, 4)}` : plain;
}

const withoutAccents = (text: string): string =>
  text
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll("ß", "ss")
    .replaceAll("æ", "ae")
    .replaceAll("ø", "o")
    .replaceAll("ł", "l")
    .replaceAll("đ", "d");

export const isSlug = (text: string): boolean =>
  /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(text) && text.length <= slugLengthMax + longestPiece + 1;

/** Told apart by some letters of their id: they are hashed, as ids often begin alike. */
export function idPiece(id: string, length: number): string {
  const digest = createHash("sha256").update(id).digest();
  return BigInt(`0x${digest.toString("hex")}`)
    .toString(32)
    .padStart(52, "0")
    .slice(-length);
}

const longestPiece = 32;

/** Where the name alone is another's: with more and more of its id, in the order of trying. */
export const foldersFor = (slugWanted: string, id: string): readonly string[] =>
  [4, 8, longestPiece].map((length) => `${slugWanted}-${idPiece(id, length)}`);
