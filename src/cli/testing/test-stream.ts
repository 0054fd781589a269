import type { TextStream } from "../terminal/output.ts";

export interface TestStream extends TextStream {
  /** Each write separately. */
  readonly writes: readonly string[];
  text(): string;
}

/** A stream that stores what is written; it is a terminal if the options say so. */
export function createTestStream(
  options: Pick<TextStream, "isTTY" | "columns" | "rows"> = {},
): TestStream {
  const writes: string[] = [];
  return { ...options, writes, write: (text) => writes.push(text), text: () => writes.join("") };
}
