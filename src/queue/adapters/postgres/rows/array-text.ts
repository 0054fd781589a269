/**
 * Arrays as the server reads them. The driver would write them too, several times slower: it
 * looks at every element anew, and quotes numbers.
 */
export const numberArray = (values: readonly number[]): string => `{${values.join(",")}}`;

export function textArray(values: readonly (string | null)[]): string {
  const quoted = values.map((value) =>
    value === null ? "NULL" : `"${value.replaceAll(/["\\]/g, "\\$&")}"`,
  );
  return `{${quoted.join(",")}}`;
}
