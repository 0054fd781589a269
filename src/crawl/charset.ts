/**
 * Decodes bytes to text, as browsers do. In this order: a byte order mark, the server's header, the
 * declaration in the page's first bytes, a guess from the bytes. A declaration of UTF-8 that the
 * bytes contradict is ignored.
 */
import { isUtf8 } from "node:buffer";

export interface PageBytes {
  readonly body: Uint8Array;
  readonly contentType: string | undefined;
}

export interface PageText {
  readonly text: string;
  /** The name in the Encoding Standard: "utf-8", "windows-1252", "shift_jis". */
  readonly charset: string;
}

/** Never throws: what cannot be decoded becomes U+FFFD. */
export function textOf({ body, contentType }: PageBytes): PageText {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const charset = charsetOf(bytes, contentType);
  if (charset === "utf-8") {
    const from = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
    return { text: bytes.toString("utf8", from), charset };
  }
  if (charset === "windows-1252") return { text: decodeWindows1252(bytes), charset };
  return { text: new TextDecoder(charset).decode(bytes), charset };
}

/** 0x80 to 0x9f; unassigned codes stay control characters. */
const windows1252 = "€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ";

/** Node decodes these 32 as control characters, but they are quotes, dashes and the euro. */
const decodeWindows1252 = (bytes: Buffer): string =>
  bytes
    .toString("latin1")
    .replaceAll(/[\u0080-\u009f]/g, (letter) => windows1252[letter.charCodeAt(0) - 0x80]!);

const sniffedBytes = 1_024;
const guessedBytes = 32 * 1_024;

export function charsetOf(bytes: Buffer, contentType: string | undefined): string {
  const marked = markOf(bytes);
  if (marked) return marked;
  const head = bytes.toString("latin1", 0, sniffedBytes);
  for (const label of [headerLabel(contentType), metaLabel(head)]) {
    const declared = label && standardName(label);
    if (!declared) continue;
    if (declared === "utf-8" && !isNearlyUtf8(bytes)) continue;
    return declared;
  }
  return guess(bytes);
}

function markOf(bytes: Buffer): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return "utf-8";
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  return bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : undefined;
}

const headerLabel = (contentType: string | undefined): string | undefined =>
  /charset\s*=\s*["']?([\w.:-]{1,40})/i.exec(contentType ?? "")?.[1];

function metaLabel(head: string): string | undefined {
  const text = head.replaceAll(/<!--[^]{0,1024}?-->/g, "");
  const found =
    /<meta\b[^>]{0,300}?charset\s*=\s*["']?\s*([\w.:-]{1,40})/i.exec(text) ??
    /^\s*<\?xml\b[^>]{0,200}?encoding\s*=\s*["']([\w.:-]{1,40})/i.exec(text);
  // The declaration was readable byte by byte, so the page cannot be UTF-16.
  return found?.[1]?.replace(/^utf-?16.*$/i, "utf-8");
}

function standardName(label: string): string | undefined {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}

/** A few broken bytes, for example in a truncated comment, do not make a page Latin. */
function isNearlyUtf8(bytes: Buffer): boolean {
  if (isUtf8(bytes)) return true;
  const sample = bytes.toString("utf8", 0, guessedBytes);
  let broken = 0;
  let foreign = 0;
  for (let at = 0; at < sample.length; at++) {
    const code = sample.charCodeAt(at);
    if (code === 0xfffd) broken += 1;
    else if (code > 0x7f) foreign += 1;
  }
  return broken <= 1 + foreign / 20;
}

interface Guess {
  readonly charset: string;
  readonly letters: RegExp;
  /** Text without any of these is something else that decodes by chance. */
  readonly proof?: RegExp;
  /** Its letters are pairs of bytes above 0x7f; accented Latin letters mostly are single bytes. */
  readonly isPaired?: boolean;
}

/** The most reliable guesses come first. */
const guesses: readonly Guess[] = [
  { charset: "euc-jp", letters: /[ぁ-んァ-ヶ一-龠]/g, proof: /[ぁ-んァ-ヶ]/g, isPaired: true },
  { charset: "shift_jis", letters: /[ぁ-んァ-ヶ一-龠]/g, proof: /[ぁ-んァ-ヶ]/g },
  { charset: "gb18030", letters: /[一-鿿，。、]/g, isPaired: true },
  { charset: "big5", letters: /[一-鿿，。、]/g, isPaired: true },
  { charset: "euc-kr", letters: /[가-힣]/g, isPaired: true },
  { charset: "windows-1251", letters: /(?<=[А-яё]{2})[А-яё]|[А-яё](?=[А-яё]{2})/g },
];

function guess(bytes: Buffer): string {
  const wide = zeroBytes(bytes);
  if (wide) return wide;
  const sample = bytes.subarray(0, guessedBytes);
  if (isUtf8(bytes)) {
    const hasEscapes = sample.includes("\u001b$B") || sample.includes("\u001b$@");
    return hasEscapes ? "iso-2022-jp" : "utf-8";
  }
  const isLatin = aloneShare(sample) > 0.6;
  let best = { charset: "windows-1252", score: 0.6 };
  for (const { charset, letters, proof, isPaired } of guesses) {
    if (isPaired && isLatin) continue;
    const text = new TextDecoder(charset).decode(sample);
    const count = (pattern: RegExp) => text.match(pattern)?.length ?? 0;
    const own = count(letters);
    if (proof && count(proof) < own / 5) continue;
    const faults = Math.max(0, count(/[\ufffd\u0080-\u009f\ue000-\uf8ff]/g) - 1);
    const score = (own - 5 * faults) / Math.max(1, count(/[\u0080-\uffff]/g));
    if (score > best.score) best = { charset, score };
  }
  return best.charset;
}

/** The share of bytes above 0x7f that have no neighbour above 0x7f. */
function aloneShare(bytes: Buffer): number {
  let high = 0;
  let alone = 0;
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at]! < 0x80) continue;
    high += 1;
    if (!(bytes[at - 1]! >= 0x80) && !(bytes[at + 1]! >= 0x80)) alone += 1;
  }
  return alone / Math.max(1, high);
}

/** If every second byte is zero, it is UTF-16 without a byte order mark. */
function zeroBytes(bytes: Buffer): string | undefined {
  const pairs = Math.min(bytes.length >> 1, 512);
  if (pairs < 8) return undefined;
  let even = 0;
  let odd = 0;
  for (let at = 0; at < pairs * 2; at += 2) {
    if (bytes[at] === 0) even += 1;
    if (bytes[at + 1] === 0) odd += 1;
  }
  if (odd > pairs * 0.7 && even < pairs * 0.1) return "utf-16le";
  return even > pairs * 0.7 && odd < pairs * 0.1 ? "utf-16be" : undefined;
}
