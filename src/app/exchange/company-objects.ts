import { createCardReader, type ReadCard } from "../../records/index.ts";
import { featureTexts } from "../../sources/index.ts";

/** One company of a file, as an object keyed by headers. */
export type CompanyObject = ReadCard;

/** The cards of a vCard file. */
export async function* cardObjects(
  texts: AsyncIterable<string>,
): AsyncGenerator<readonly CompanyObject[]> {
  const reader = createCardReader();
  let rest = "";
  let number = 0;
  const push = (lines: readonly string[]) =>
    lines.flatMap((line) => {
      number += 1;
      const card = reader.push(line.replace(/^\ufeff/, ""), number);
      return card ? [card] : [];
    });
  for await (const text of texts) {
    const lines = `${rest}${text}`.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? "";
    yield push(lines);
  }
  yield push([rest.replace(/\r$/, "")]);
  const last = reader.end();
  if (last) yield [last];
}

/** The objects of a JSON array, or the features of GeoJSON with their points. */
export async function* listedObjects(
  texts: AsyncIterable<string>,
): AsyncGenerator<readonly CompanyObject[]> {
  for await (const batch of featureTexts(texts)) {
    yield batch.map(({ line, text }) => {
      if (text === undefined) return { line, fault: "it is too long" };
      try {
        return { line, value: flat(JSON.parse(text) as Readonly<Record<string, unknown>>) };
      } catch (error) {
        return { line, fault: `it is not JSON: ${(error as Error).message}` };
      }
    });
  }
}

interface Feature {
  readonly properties?: Readonly<Record<string, unknown>> | null;
  readonly geometry?: { readonly type?: string; readonly coordinates?: readonly unknown[] } | null;
}

function flat(value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (value["type"] !== "Feature") return value;
  const { properties, geometry } = value as Feature;
  const [longitude, latitude] = geometry?.type === "Point" ? (geometry.coordinates ?? []) : [];
  const point = typeof latitude === "number" && typeof longitude === "number" ? { latitude, longitude } : {}; // prettier-ignore
  return { ...point, ...properties };
}
