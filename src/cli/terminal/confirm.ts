import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { AppError } from "../../base/app-error.ts";
import { toTerminalText } from "../../base/terminal-text.ts";
import { usageError } from "../../base/usage-error.ts";
import type { TextStream } from "./output.ts";

/**
 * Asks before something that cannot be undone. True = go on; false = the person said no, or
 * nothing. `yes` is the command's --yes flag. Where nobody can answer, --yes is demanded.
 */
export type Confirm = (question: string, options: { readonly yes: boolean }) => Promise<boolean>;

/**
 * Asks for a value. An empty answer means the `suggested` value; without one it asks again.
 * Undefined: nobody is here to answer.
 */
export type AskUser = (
  question: string,
  options: { readonly suggested?: string },
) => Promise<string | undefined>;

export interface ConfirmOptions {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stderr: TextStream;
  readonly signal: AbortSignal;
}

export function createConfirm({ stdin, stderr, signal }: ConfirmOptions): Confirm {
  return async (question, { yes }) => {
    if (yes) return true;
    if (!stdin.isTTY || !stderr.isTTY) {
      throw usageError(`${question} Not a terminal: pass --yes to confirm`);
    }
    stderr.write(`${toTerminalText(question)} [y/N] `);
    const answer = await readLine(stdin, signal);
    return /^y(es)?$/i.test(answer.trim());
  };
}

/** Nobody types the wrong thing that often. */
const asksMax = 5;

export function createAsk({ stdin, stderr, signal }: ConfirmOptions): AskUser {
  return async (question, { suggested }) => {
    if (!stdin.isTTY || !stderr.isTTY) return undefined;
    for (let asked = 0; asked < asksMax; asked += 1) {
      const hint = suggested === undefined || suggested === "" ? "" : ` [${suggested}]`;
      stderr.write(`${toTerminalText(`${question}${hint}`)}: `);
      const answer = (await readLine(stdin, signal)).trim();
      if (answer !== "") return answer;
      if (suggested !== undefined) return suggested;
    }
    throw usageError(`${question}: no answer was given`);
  };
}

/** The empty text when the input ends (Ctrl-D). The terminal does the echo, and keeps Ctrl-C. */
function readLine(stdin: Readable, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const lines = createInterface({ input: stdin, terminal: false });
    const onAbort = () => {
      reject(new AppError("aborted", "question_aborted", "stopped before an answer was given"));
      lines.close();
    };
    lines.once("line", (line) => {
      resolve(line);
      lines.close();
    });
    lines.once("close", () => {
      signal.removeEventListener("abort", onAbort);
      resolve("");
    });
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
  });
}
