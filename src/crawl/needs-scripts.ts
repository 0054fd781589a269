/**
 * Whether a page is an empty shell without its scripts: almost no text, and scripts that would
 * create it. One pass, without regular expressions over the whole text, because pages are untrusted
 * input.
 */

/** A page with less text is empty; a cookie notice or a footer alone is about that long. */
const lettersMin = 200;
const unread = ["script", "style", "noscript", "template", "svg", "head"];

export function needsScripts(html: string): boolean {
  const lower = html.toLowerCase();
  let letters = 0;
  let scripts = 0;
  for (let at = 0; at < lower.length && letters < lettersMin;) {
    const tag = lower.indexOf("<", at);
    letters += countLetters(lower, at, tag === -1 ? lower.length : tag);
    if (tag === -1) break;
    if (lower.startsWith("<script", tag)) scripts += 1;
    at = endOf(lower, tag);
    // Scripts in the head count too, although its text does not.
    if (lower.startsWith("<head", tag)) scripts += countScripts(lower, tag, at);
  }
  return letters < lettersMin && scripts > 0;
}

function endOf(lower: string, tag: number): number {
  if (lower.startsWith("<!--", tag)) return after(lower, "-->", tag);
  const name = unread.find((one) => {
    const next = lower[tag + 1 + one.length];
    return lower.startsWith(one, tag + 1) && (next === ">" || next === " " || next === "\n");
  });
  return after(lower, name ? `</${name}` : ">", tag);
}

function after(text: string, end: string, from: number): number {
  const found = text.indexOf(end, from);
  return found === -1 ? text.length : found + end.length;
}

function countScripts(lower: string, from: number, to: number): number {
  let count = 0;
  for (let at = lower.indexOf("<script", from); at !== -1 && at < to; count++) {
    at = lower.indexOf("<script", at + 1);
  }
  return count;
}

function countLetters(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to && count < lettersMin; at++) {
    const code = text.charCodeAt(at);
    if (code > 0x40 || (code >= 0x30 && code <= 0x39)) count += 1;
  }
  return count;
}
