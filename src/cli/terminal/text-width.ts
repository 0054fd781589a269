/** The width of text on a terminal. */

const wide =
  /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}]/u;
const invisible = /^[\p{Mn}\p{Me}\p{Cf}]+$/u;
const plain = /^[\x20-\x7e]*$/;
let segmenter: Intl.Segmenter | undefined;

export function textWidth(text: string): number {
  if (plain.test(text)) return text.length;
  let width = 0;
  for (const segment of segmentsOf(text)) width += segmentWidth(segment);
  return width;
}

/** The longest beginning that fits, with … at the end if something was cut. */
export function cutToWidth(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  let kept = "";
  let left = width - 1;
  for (const segment of segmentsOf(text)) {
    left -= segmentWidth(segment);
    if (left < 0) break;
    kept += segment;
  }
  return width < 1 ? "" : `${kept}…`;
}

/** Yields what a reader sees as one character. */
function* segmentsOf(text: string): Generator<string> {
  // Created at its first use, because that takes 10 ms and most commands print only ASCII.
  segmenter ??= new Intl.Segmenter();
  for (const { segment } of segmenter.segment(text)) yield segment;
}

function segmentWidth(segment: string): number {
  if (invisible.test(segment)) return 0;
  return wide.test(segment) ? 2 : 1;
}
