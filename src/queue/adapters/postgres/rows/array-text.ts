/**
 * Arrays in the text format of the server. The driver's conversion is several times slower: it
 * inspects every element and quotes numbers.
 */
export const numberArray = (values: readonly number[]): string => `{${values.join(",")}}`;

export function textArray(values: readonly (string | null)[]): string {
  const quoted = values.map((value) =>
    value === null ? "NULL" : `"${value.replaceAll(/["\\]/g, "\\$&")}"`,
  );
  return `{${quoted.join(",")}}`;
}
