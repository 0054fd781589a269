/** Words that mean "not known". */
const nothing = /^(?:none|null|nan|undefined|n\/a|-+)$/i;
const nothingLengthMax = "undefined".length;
// oxlint-disable-next-line no-control-regex -- control characters are what it is for
const [controls, allControls] = [/[\u0000-\u001f\u007f]/, /[\u0000-\u001f\u007f]+/g];

/** Undefined: not known. */
export function textOf(value: unknown, lengthMax = 2_000): string | undefined {
  const text = typeof value === "number" ? String(value) : value;
  if (typeof text !== "string") return undefined;
  const clean = (controls.test(text) ? text.replaceAll(allControls, " ") : text).trim();
  if (clean === "" || (clean.length <= nothingLengthMax && nothing.test(clean))) return undefined;
  return clean.length > lengthMax ? clean.slice(0, lengthMax) : clean;
}

/** Whether `textOf` would return a text. */
export function isSomething(value: unknown): boolean {
  if (typeof value !== "string" || value.length <= nothingLengthMax) return textOf(value) !== undefined; // prettier-ignore
  const first = value.charCodeAt(0);
  return (first > space && first < del) || textOf(value) !== undefined;
}

const [space, del] = [0x20, 0x7f];
const itemsMax = 50;
const separators = /[;|\n]/;

/** A list, or text whose items are separated by `;`, `|` or a line end. */
export function itemsOf(value: unknown): readonly string[] {
  if (typeof value === "string" && !separators.test(value)) {
    const only = textOf(value);
    return only === undefined ? [] : [only];
  }
  const items: readonly unknown[] = Array.isArray(value)
    ? value
    : typeof value === "string"
      ? value.split(/[;|\n]/)
      : [value];
  return items
    .map((item) => textOf(item))
    .filter((item) => item !== undefined)
    .slice(0, itemsMax);
}

/** `4.5`, `4,5`, `1 234`. Undefined: not a number. */
export function numberOf(value: unknown): number | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  const text = textOf(value)?.replace(/\s/g, "");
  if (text === undefined) return undefined;
  const point = /^[+-]?\d+,\d+$/.test(text) ? text.replace(",", ".") : text;
  return /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(point) ? Number(point) : undefined;
}

/** Degrees in the forms that files have: `48.137`, `48,137`, `48.137° N`, `48°8'14"N`, `W 97.7`. */
export function degreesOf(value: unknown): number | undefined {
  const plain = numberOf(value);
  if (plain !== undefined) return plain;
  const text = textOf(value);
  if (text === undefined) return undefined;
  const match =
    /^([NSEWO])?\s*(-?\d+(?:[.,]\d+)?)\s*°?\s*(?:(\d+(?:[.,]\d+)?)\s*['′’]\s*)?(?:(\d+(?:[.,]\d+)?)\s*(?:["″]|''))?\s*([NSEWO])?$/iu.exec(
      text,
    );
  if (!match) return undefined;
  const [, before, degrees, minutes, seconds, after] = match;
  const number = (part: string | undefined) => Number((part ?? "0").replace(",", "."));
  const size = Math.abs(number(degrees)) + number(minutes) / 60 + number(seconds) / 3_600;
  const side = (before ?? after ?? "").toUpperCase();
  return side === "S" || side === "W" || number(degrees) < 0 ? -size : size;
}
