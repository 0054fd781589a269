/**
 * Text made safe for a terminal. What we print was often written by strangers (company names, page
 * titles, errors of servers): it must not move the cursor, set the title, write to the clipboard or
 * turn the reading order round. Everything that is written to a terminal passes through here.
 */

/** C0, DEL, C1: the characters that terminals obey; line separators; marks that reverse reading. */
const obeyed = "\\p{Cc}\\p{Zl}\\p{Zp}\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069";
const control = new RegExp(`[${obeyed}]`, "gu");
const controlRun = new RegExp(`[${obeyed}]+`, "gu");
/** Line ends, tabs, and the colours that our own tables use: all that may reach a terminal. */
const keptOrControl = new RegExp(`\\r\\n|\\u001b\\[(?:0|1|31|32|33)m|[${obeyed}]`, "gu");

/** Each control character as `\u001b`, line ends and tabs too. In JSON this changes no value. */
export const escapeControls = (text: string): string => text.replaceAll(control, escaped);

/** Lines of text: as `escapeControls`, but for line ends, tabs and our own colours. */
export const toTerminalText = (text: string): string =>
  text.replaceAll(keptOrControl, (found) =>
    found.length > 1 || found === "\n" || found === "\t" ? found : escaped(found),
  );

/** One line, for a cell of a table: runs of control characters become one space. */
export const toOneLine = (text: string): string => text.replaceAll(controlRun, " ").trim();

/** A progress bar may stand on the line; it draws itself again below what is written here. */
export const clearLine = ({ isTTY }: { readonly isTTY?: boolean | undefined }): string =>
  isTTY ? "\r\u001b[K" : "";

const escaped = (character: string): string =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
