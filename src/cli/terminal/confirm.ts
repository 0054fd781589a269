import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { AppError } from "../../base/app-error.ts";
import { toTerminalText } from "../../base/text/terminal-text.ts";
import { usageError } from "../../base/usage-error.ts";
import type { TextStream } from "./output.ts";

/**
 * Asks before a change that cannot be undone. True: continue. False: the user said no, or gave no
 * answer. `yes` is the command's --yes flag; it is required if there is no terminal.
 */
export type Confirm = (question: string, options: { readonly yes: boolean }) => Promise<boolean>;

/**
 * Asks for a value. An empty answer selects the `suggested` value; if there is none, it asks again.
 * Returns undefined if there is no terminal.
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

/** Ends the question after this many invalid answers. */
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

/**
 * Resolves with the empty text at the end of the input (Ctrl-D). The terminal echoes, and handles
 * Ctrl-C.
 */
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
