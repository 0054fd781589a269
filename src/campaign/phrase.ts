/** A longer phrase would not fit into a field name beside the id of a tile. */
const phraseBytesMax = 100;

/**
 * The stored form of a phrase. Witnesses are shared by all campaigns, so "Plumber" in one campaign
 * and " plumber" in another must be equal.
 */
export const toPhrase = (text: string): string =>
  text.normalize("NFC").trim().replace(/\s+/gu, " ").toLowerCase();

/** Why a text cannot be a phrase, as the end of "a phrase must …"; undefined if it can. */
export function phraseFault(text: string): string | undefined {
  const phrase = toPhrase(text);
  if (phrase === "") return "not be empty";
  if (Buffer.byteLength(phrase) > phraseBytesMax) return `have at most ${phraseBytesMax} bytes`;
  if (/[\p{Cc}\p{Surrogate}/]/u.test(phrase)) return "contain no / and no control character";
  // The phrase is a cell of the target index, where a leading = + - @ would be a formula.
  if (!/^[\p{L}\p{N}]/u.test(phrase)) return "begin with a letter or a digit";
  return undefined;
}
