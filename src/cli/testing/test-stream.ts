import type { TextStream } from "../terminal/output.ts";

export interface TestStream extends TextStream {
  /** Each write on its own. */
  readonly writes: readonly string[];
  text(): string;
}

/** A stream that remembers, and is a terminal if told so. */
export function createTestStream(
  options: Pick<TextStream, "isTTY" | "columns" | "rows"> = {},
): TestStream {
  const writes: string[] = [];
  return { ...options, writes, write: (text) => writes.push(text), text: () => writes.join("") };
}
