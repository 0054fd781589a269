/** More would not fit a field's name beside a tile's. */
const phraseBytesMax = 100;

/**
 * A phrase as it is stored and compared: witnesses are everybody's, so "Plumber" of one campaign
 * and " plumber" of another are one.
 */
export const toPhrase = (text: string): string =>
  text.normalize("NFC").trim().replace(/\s+/gu, " ").toLowerCase();

/** Why it cannot be one, as the end of "a phrase must …"; undefined where it can. */
export function phraseFault(text: string): string | undefined {
  const phrase = toPhrase(text);
  if (phrase === "") return "not be empty";
  if (Buffer.byteLength(phrase) > phraseBytesMax) return `have at most ${phraseBytesMax} bytes`;
  if (/[\p{Cc}\p{Surrogate}/]/u.test(phrase)) return "hold no / and no control character";
  // It is a cell of the target index, and there a leading = + - @ would be a formula.
  if (!/^[\p{L}\p{N}]/u.test(phrase)) return "begin with a letter or a digit";
  return undefined;
}
