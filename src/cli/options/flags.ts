import { usageError } from "../../base/usage-error.ts";
import type { Flags, OptionSpec } from "../frame/command.ts";

/** Flags of every command, before or after its name. */
export interface GlobalFlags {
  readonly json: boolean;
  readonly quiet: boolean;
  readonly color: boolean;
  readonly pager: boolean;
  readonly verbose: boolean;
  readonly config?: string;
  readonly data?: string;
  readonly queue?: string;
}

export const globalOptions: readonly OptionSpec[] = [
  { flag: "--json", summary: "print the result as one JSON document" },
  { flag: "--quiet", summary: "print no notes and no progress, only results and errors" },
  { flag: "--no-color", summary: "print no colors (NO_COLOR does the same)" },
  { flag: "--no-pager", summary: "print long lists at once, also on a terminal" },
  { flag: "--config", value: "file", summary: "read this settings file", complete: "file" },
  { flag: "--data", value: "dir", summary: "keep data in this folder", complete: "directory" },
  { flag: "--queue", value: "address", summary: "use this queue, such as sqlite:FILE" },
  { flag: "--verbose", summary: "log more, and show the causes of an error" },
];

/** Flags that print something and end; commands never see them. */
export const answeringFlags: readonly string[] = ["--help", "--version"];

/** The value of a flag; undefined if it was not given. */
export function textFlag(flags: Flags, name: string): string | undefined {
  const value = flags[name];
  return typeof value === "string" ? value : undefined;
}

/** The values of a flag that may be repeated; one value can list several, separated by commas. */
export function listFlag(flags: Flags, name: string): readonly string[] | undefined {
  const value = flags[name];
  return Array.isArray(value) ? value.flatMap((text: string) => text.split(",")) : undefined;
}

/** A whole number of at least 1, for flags such as `--limit`. */
export function parseCount(flag: string, text: string): number {
  const count = Number(text);
  if (/^\d+$/.test(text) && count >= 1 && Number.isSafeInteger(count)) return count;
  throw usageError(`--${flag} takes a whole number from 1, not '${text}'`);
}

/** The encoding of a text file from `--encoding`; the default is UTF-8. */
export function encodingFlag(flags: Flags): string {
  const name = textFlag(flags, "encoding") ?? "utf-8";
  try {
    new TextDecoder(name);
    return name;
  } catch (cause) {
    const message = `--encoding takes a name such as windows-1252, not '${name}'`;
    throw usageError(message, { cause });
  }
}
