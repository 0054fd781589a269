import type { FoundEmail } from "./found.ts";

/**
 * Finds addresses by walking outwards from each "@" of a text, in linear time. A result only has
 * the shape of an address; check-address.ts decides.
 */
const localMax = 64;
const domainMax = 190;

/** `seams`: positions where inline elements begin or end, see Line. */
export function findAddresses(text: string, seams: readonly number[] = []): readonly FoundEmail[] {
  const found: FoundEmail[] = [];
  for (let at = text.indexOf("@"); at !== -1; at = text.indexOf("@", at + 1)) {
    const one = addressAt(text, at, seams);
    if (one) found.push(one);
    if (found.length >= 200) break;
  }
  return found;
}

function addressAt(text: string, at: number, seams: readonly number[]): FoundEmail | undefined {
  let start = at;
  while (start > 0 && at - start < localMax + 30 && isLocal(text.charCodeAt(start - 1))) start -= 1;
  let end = at + 1;
  while (end < text.length && end - at < domainMax && isDomain(text, end)) end += 1;
  const before = start > 0 ? text.charCodeAt(start - 1) : 32;
  // An accented letter directly before, as in "büro@": the address would begin in the middle of a
  // word.
  if (isForeignLatin(before)) return undefined;
  // "@me@host" is an account; "//user:word@host" and "?to=a@b" are parts of a URL.
  if (before === atSign || isInUrl(text, start)) return undefined;
  start = afterSeam(text, start, at, seams);
  end = beforeSeam(text, at, end, seams);
  while (start < at && !isAlphanumeric(text.charCodeAt(start)) && text[start] !== "_") start += 1;
  while (
    end > at + 1 &&
    !isAlphanumeric(text.charCodeAt(end - 1)) &&
    text.charCodeAt(end - 1) < 128
  )
    end -= 1;
  if (start === at || end - at < 4) return undefined;
  if (isPath(text, end)) return undefined;
  const domain = withoutGlue(text.slice(at + 1, end));
  const local = withoutNumber(text.slice(start, at));
  return { local, domain, start: at - local.length, end: at + 1 + domain.length };
}

/** If a text node contains a whole address, the text before it is not part of it. */
function afterSeam(text: string, start: number, at: number, seams: readonly number[]): number {
  let last = start;
  for (const seam of seams) {
    if (seam <= start || seam >= at) continue;
    const next = text.charCodeAt(seam);
    const previous = text.charCodeAt(seam - 1);
    if (!isAlphanumeric(next) || !isAlphanumeric(previous)) continue;
    // Parts that are joined again have more seams before the "@": `in<b>fo</b>@x.com`.
    if (seams.some((other) => other > seam && other <= at)) continue;
    last = seam;
  }
  return last;
}

function beforeSeam(text: string, at: number, end: number, seams: readonly number[]): number {
  for (const seam of seams) {
    if (seam <= at + 1 || seam >= end) continue;
    const isWhole = /\.[a-z]{2,}$/i.test(text.slice(at + 1, seam));
    const goesOn = text[seam] === "." || text[seam] === "-" || text[seam - 1] === ".";
    if (isWhole && !goesOn) return seam;
  }
  return end;
}

/** "x.comFollow us", "x.comTel": removes a word that is joined to the end. */
function withoutGlue(domain: string): string {
  const turn = /^(.{0,180}\.[a-z]{2,6})(?:[A-Z][a-z]|[A-Z]{2,}$)/.exec(domain)?.[1];
  if (turn !== undefined && /[a-z]/.test(domain)) return turn;
  const word =
    /^(.{0,180}\.(?:com|net|org|de|fr|it|es|nl|at|ch|pl|uk|us|eu|info|biz))(?:phone|tel|fax|call|follow|web|www|http|https|address|mobile|telefon|copyright|view|click|email)$/.exec(
      domain,
    )?.[1];
  if (word !== undefined) return word;
  // "x.com.Please": the next sentence.
  return domain.replace(/\.[A-Z][a-z]{2,20}$/, (last) =>
    domain.indexOf(".") < domain.length - last.length ? "" : last,
  );
}

/** "878-5717info@x.com": removes a telephone number that is joined to the front. */
function withoutNumber(local: string): string {
  const glued = /^\+?[\d().-]{6,40}\d(?=[a-z])/i.exec(local)?.[0];
  return glued !== undefined && /[-.()]/.test(glued) ? local.slice(glued.length) : local;
}

const atSign = 64;

function isInUrl(text: string, start: number): boolean {
  const from = Math.max(0, start - 300);
  const space = text.lastIndexOf(" ", start);
  const before = text.slice(Math.max(from, space + 1), start);
  return before.includes("://") && !/mailto:\/{0,3}$/i.test(before);
}

/** `git@host:path`. */
const isPath = (text: string, end: number): boolean =>
  /^:[\w~/][\w.~-]{0,60}\//.test(text.slice(end, end + 64));

const isAlphanumeric = (code: number): boolean =>
  (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122);

// . _ % + - & ' beside letters and digits
const isLocal = (code: number): boolean =>
  isAlphanumeric(code) ||
  code === 46 ||
  code === 95 ||
  code === 37 ||
  code === 43 ||
  code === 45 ||
  code === 38 ||
  code === 39;

/** Letters of Latin, Greek and Cyrillic domains; not of scripts written without spaces. */
function isDomain(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  return (
    isAlphanumeric(code) ||
    code === 45 ||
    code === 46 ||
    isForeignLatin(code) ||
    (code >= 0x370 && code < 0x530)
  );
}

const isForeignLatin = (code: number): boolean =>
  (code >= 0xc0 && code <= 0x24f && code !== 0xd7 && code !== 0xf7) ||
  (code >= 0x1e00 && code <= 0x1eff);
