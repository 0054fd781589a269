/** The named properties that exist and are text. */
export function textsIn<Key extends string>(
  value: unknown,
  keys: readonly Key[],
): { readonly [key in Key]?: string } {
  if (typeof value !== "object" || value === null) return {};
  const found = keys.flatMap((key) => {
    const one = (value as Readonly<Record<string, unknown>>)[key];
    return typeof one === "string" && one !== "" ? [[key, one]] : [];
  });
  return Object.fromEntries(found) as { readonly [key in Key]?: string };
}
