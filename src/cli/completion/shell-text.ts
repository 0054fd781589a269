/** One word for any shell, whatever is in it. */
export const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

export const indent = (lines: readonly string[], by: number) =>
  lines.map((line) => " ".repeat(by) + line).join("\n");
