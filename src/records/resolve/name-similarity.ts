import { wordsOf } from "../../base/text/fold-text.ts";

/** A name, prepared for comparisons with many others. */
export interface ComparedName {
  readonly words: readonly string[];
  /** All words as one text: "auto haus" and "autohaus" are equal. */
  readonly joined: string;
  /** Words that identify the business, not its industry. */
  readonly telling: readonly string[];
}

const legalForms = new Set(
  ("gmbh mbh ag kg ohg ug ev gbr co cokg inc incorporated llc llp lp ltd limited corp corporation plc pllc pc " +
    "sa sas sarl sasu eurl srl spa snc sl slu bv nv vof oy ab as aps sp zoo spzoo kk pty the and und et y e & of")
    .split(" "),
); // prettier-ignore
const genericWords = new Set(
  ("restaurant cafe bar grill pizza pizzeria hotel shop store market supermarket salon hair beauty nails spa gym fitness " +
    "clinic dental dentist doctor dr practice pharmacy hospital center centre school bank church office services service " +
    "company group auto car repair garage parking station gas fuel insurance agency realty estate law firm lawyer " +
    "attorney plumbing plumber roofing electric electrician construction cleaning house home city street north south east " +
    "west new old saint st praxis apotheke zahnarzt baeckerei backerei metzgerei friseur salon autohaus kanzlei gasthaus " +
    "gasthof bureau agence boulangerie pharmacie boutique garage cabinet coiffure tienda panaderia farmacia clinica bar")
    .split(" "),
); // prettier-ignore
const genericWeight = 0.35;
const sameWord = 0.9;
const contained = 0.9;

export function comparedName(name: string): ComparedName {
  // "Pool @ Hotel Vogt" is another business in the same house.
  const at = name.indexOf("@");
  const own = at > 0 ? name.slice(0, at) : name;
  const all = wordsOf(own.replaceAll(/['’`.]/g, ""));
  const kept = all.filter((word) => !legalForms.has(word));
  const words = kept.length > 0 ? kept : all;
  return {
    words,
    joined: words.join(""),
    telling: words.filter((word) => !genericWords.has(word)),
  };
}

/** 0 to 1. Symmetric. */
export function nameSimilarity(a: ComparedName, b: ComparedName): number {
  if (a.words.length === 0 || b.words.length === 0) return 0;
  if (a.joined === b.joined) return 1;
  const mean = (covered(a, b) + covered(b, a)) / 2;
  const [less, more] = a.words.length <= b.words.length ? [a, b] : [b, a];
  const isPart = less.telling.length > 0 && less.words.every((word) => more.words.includes(word));
  return isPart ? Math.max(mean, contained) : mean;
}

/** True if they share a word that is neither generic nor a legal form. */
export const shareTellingWord = (a: ComparedName, b: ComparedName): boolean =>
  a.telling.some((word) => b.telling.some((other) => jaroWinkler(word, other) > sameWord));

/** The share of a's words that b contains; generic words have a low weight. */
function covered(a: ComparedName, b: ComparedName): number {
  let [sum, hit] = [0, 0];
  for (const word of a.words) {
    const weight = genericWords.has(word) ? genericWeight : 1;
    let best = 0;
    for (const other of b.words) best = Math.max(best, jaroWinkler(word, other));
    sum += weight;
    if (best > sameWord) hit += weight * best;
  }
  return sum === 0 ? 0 : hit / sum;
}

const lengthMax = 64;

export function jaroWinkler(first: string, second: string): number {
  if (first === second) return 1;
  const [a, b] = [first.slice(0, lengthMax), second.slice(0, lengthMax)];
  if (a.length === 0 || b.length === 0) return 0;
  const reach = Math.max(0, Math.floor(Math.max(a.length, b.length) / 2) - 1);
  const taken = new Uint8Array(b.length);
  const matched: string[] = [];
  for (let at = 0; at < a.length; at++) {
    for (
      let other = Math.max(0, at - reach);
      other <= Math.min(b.length - 1, at + reach);
      other++
    ) {
      if (taken[other] === 1 || a[at] !== b[other]) continue;
      taken[other] = 1;
      matched.push(a[at]!);
      break;
    }
  }
  const common = matched.length;
  if (common === 0) return 0;
  let [moved, at] = [0, 0];
  for (let other = 0; other < b.length; other++) {
    if (taken[other] === 1 && b[other] !== matched[at++]) moved += 1;
  }
  const jaro = (common / a.length + common / b.length + (common - moved / 2) / common) / 3;
  let prefix = 0;
  while (prefix < 4 && prefix < a.length && a[prefix] === b[prefix]) prefix += 1;
  return jaro + prefix * 0.1 * (1 - jaro);
}
