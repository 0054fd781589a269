import { inspect } from "node:util";
import { AppError } from "../app-error.ts";
import { redactText } from "./redact.ts";
import { clearLine, escapeControls, toOneLine } from "../text/terminal-text.ts";

export interface ReportOptions {
  readonly stderr: { write(text: string): unknown; readonly isTTY?: boolean | undefined };
  readonly isJson: boolean;
  readonly isVerbose: boolean;
}

/** Prints one line for people or one JSON object for programs; --verbose adds the stack. */
export function reportError(error: unknown, { stderr, isJson, isVerbose }: ReportOptions): void {
  const { kind, code, message: whole } = describe(error);
  const message = redactText(whole);
  if (isJson) {
    const trace = isVerbose ? { trace: formatTrace(error) } : {};
    stderr.write(
      `${escapeControls(JSON.stringify({ error: { kind, code, message, ...trace } }))}\n`,
    );
    return;
  }
  stderr.write(`${clearLine(stderr)}forager: ${toLines(message)}\n`);
  if (isVerbose)
    stderr.write(
      formatTrace(error)
        .map((line) => `  ${escapeControls(line)}\n`)
        .join(""),
    );
}

/**
 * A message may contain a list: indented lines after the first one. All other line breaks are
 * removed.
 */
const toLines = (message: string) =>
  message
    .split(/\n(?= {2})/)
    .map(toOneLine)
    .join("\n  ");

function describe(error: unknown): { kind: string; code: string; message: string } {
  if (error instanceof AppError) return error;
  const what = error instanceof Error ? `${error.name}: ${error.message}` : inspect(error);
  return {
    kind: "internal",
    code: "unexpected",
    message: `unexpected ${what} - this is a bug: run it again with --verbose and report the output`,
  };
}

const causesMax = 16; // a chain of causes may be circular

function formatTrace(error: unknown): string[] {
  const lines: string[] = [];
  let current = error;
  for (let depth = 0; current !== undefined && depth < causesMax; depth++) {
    const text = current instanceof Error ? (current.stack ?? current.message) : inspect(current);
    const [first = "", ...rest] = redactText(text).split("\n");
    lines.push(depth === 0 ? first : `caused by ${first}`, ...rest);
    current = current instanceof Error ? current.cause : undefined;
  }
  return lines;
}
