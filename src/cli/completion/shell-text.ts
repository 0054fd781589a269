/** Quotes any text as one word of any shell. */
export const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

export const indent = (lines: readonly string[], by: number) =>
  lines.map((line) => " ".repeat(by) + line).join("\n");
