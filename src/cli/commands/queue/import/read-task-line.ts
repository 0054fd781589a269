import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { AppError } from "../../../../base/app-error.ts";
import type { Clock } from "../../../../base/clock.ts";
import { nearestHint } from "../../../../base/text/nearest.ts";
import { createValidator, type TaskInput } from "../../../../queue/index.ts";
import type { TextLine } from "../../../../base/files/read-lines.ts";

export const lineBytesMax = 1024 * 1024;

export type TaskLine =
  | { readonly kind: "task"; readonly task: TaskInput }
  | { readonly kind: "empty" }
  | { readonly kind: "wrong"; readonly text: string };

const fields = [
  "kind",
  "payload",
  "key",
  "job",
  "gate",
  "priority",
  "dueAtMs",
  "delayMs",
  "attemptsMax",
] as const satisfies readonly (keyof TaskInput)[];

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Reads one line of an import: a JSON object with the fields of a task, validated by the rules of
 * the queue. A task without a key gets a key derived from the text of the line, so importing the
 * same line again adds no second task.
 */
export function createTaskLineReader({ clock }: { readonly clock: Clock }) {
  const newId = () => "unused: every line has a key by then";
  const check = createValidator({ clock, newId });

  return ({ number, bytes }: TextLine): TaskLine => {
    if (!bytes) return wrong(`it is longer than ${lineBytesMax} bytes`);
    if (!isUtf8(bytes)) return wrong("it is not UTF-8");
    const hasMark = number === 1 && bytes.subarray(0, 3).equals(byteOrderMark);
    const text = bytes.toString("utf8", hasMark ? 3 : 0).trim();
    if (text === "") return { kind: "empty" };

    const value = parse(text);
    if (value instanceof SyntaxError) return wrong(`it is not JSON: ${value.message}`);
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      return wrong("it is not a JSON object");
    }
    const unknown = Object.keys(value).find((name) => !fields.some((field) => field === name));
    if (unknown !== undefined) {
      const shown = unknown.slice(0, 100); // the text can be a megabyte long
      const hint = nearestHint(unknown, fields, (close) => `: the nearest is ${close}`);
      return wrong(`unknown field '${shown}'${hint}`);
    }
    const task = { key: keyOf(text), ...value } as TaskInput;
    try {
      check.tasks([task]);
    } catch (error) {
      if (error instanceof AppError && error.kind === "invalid") return wrong(error.message);
      throw error;
    }
    return { kind: "task", task };
  };
}

const wrong = (text: string): TaskLine => ({ kind: "wrong", text });

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    return error as SyntaxError; // JSON.parse throws no other error
  }
}

const keyOf = (text: string) =>
  `line-${createHash("sha256").update(text).digest("hex").slice(0, 32)}`;
