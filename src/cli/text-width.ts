/**
 * How wide text is on a terminal, and text made safe for one. What we print was often written
 * by strangers (company names, page titles): it must not move the cursor or break a table.
 */

// C0, DEL, C1: the characters that terminals obey; and the marks that reverse reading order.
// oxlint-disable-next-line no-control-regex
const obeyed = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]+/g;
const wide =
  /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}]/u;
const invisible = /^[\p{Mn}\p{Me}\p{Cf}]+$/u;
const plain = /^[\x20-\x7e]*$/;
const segmenter = new Intl.Segmenter();

/** One line that no terminal obeys: runs of control characters become one space. */
export function toOneLine(text: string): string {
  return text.replace(obeyed, " ").trim();
}

export function textWidth(text: string): number {
  if (plain.test(text)) return text.length;
  let width = 0;
  for (const { segment } of segmenter.segment(text)) width += segmentWidth(segment);
  return width;
}

/** The longest beginning that fits, with … where something is missing. */
export function cutToWidth(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  let kept = "";
  let left = width - 1;
  for (const { segment } of segmenter.segment(text)) {
    left -= segmentWidth(segment);
    if (left < 0) break;
    kept += segment;
  }
  return width < 1 ? "" : `${kept}…`;
}

function segmentWidth(segment: string): number {
  if (invisible.test(segment)) return 0;
  return wide.test(segment) ? 2 : 1;
}
