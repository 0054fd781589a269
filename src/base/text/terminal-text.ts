/**
 * Makes text safe for a terminal. Much of what we print was written by strangers (company names,
 * page titles, errors of servers). It must not move the cursor, set the title, write to the
 * clipboard or reverse the reading order. All output to a terminal passes through here.
 */

/** C0, DEL and C1 control characters, line separators, and marks that reverse the reading order. */
const obeyed = "\\p{Cc}\\p{Zl}\\p{Zp}\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069";
const control = new RegExp(`[${obeyed}]`, "gu");
const controlRun = new RegExp(`[${obeyed}]+`, "gu");
/**
 * Control sequences that may reach a terminal (line ends, tabs, the colours of our tables), or any
 * control character.
 */
const keptOrControl = new RegExp(`\\r\\n|\\u001b\\[(?:0|1|31|32|33)m|[${obeyed}]`, "gu");

/**
 * Replaces each control character by `\u001b` and the like, also line ends and tabs. In JSON this
 * changes no value.
 */
export const escapeControls = (text: string): string => text.replaceAll(control, escaped);

/** Text of several lines: like `escapeControls`, but keeps line ends, tabs and our own colours. */
export const toTerminalText = (text: string): string =>
  text.replaceAll(keptOrControl, (found) =>
    found.length > 1 || found === "\n" || found === "\t" ? found : escaped(found),
  );

/** For one cell of a table: runs of control characters become one space. */
export const toOneLine = (text: string): string => text.replaceAll(controlRun, " ").trim();

/**
 * Clears a progress bar on the current line. The bar draws itself again below the text that is
 * printed next.
 */
export const clearLine = ({ isTTY }: { readonly isTTY?: boolean | undefined }): string =>
  isTTY ? "\r\u001b[K" : "";

const escaped = (character: string): string =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
