import type { Readable } from "node:stream";
import { AppError } from "../../base/app-error.ts";

/** A command to run on another machine. Each call uses a connection of its own. */
export interface RemoteCommand {
  /**
   * POSIX shell. Its arguments are `$1`, `$2` and so on; they are never inserted into the script.
   */
  readonly script: string;
  readonly args: readonly string[];
  /** Standard input; it is closed after this. */
  readonly input: string | Readable;
  /** Runs the command with `sudo -n`. */
  readonly hasSudo: boolean;
  /** After this time the connection counts as lost. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * `lost`: there was no connection, or it was cut, or no answer came in time. The command may have
 * run partly or completely.
 */
export type RemoteResult =
  | {
      readonly kind: "ended";
      readonly exitCode: number;
      readonly stdout: string;
      readonly stderr: string;
    }
  | { readonly kind: "lost"; readonly why: string };

/** Runs commands on hosts. Rejects only if the signal fires, with `aborted`. */
export type RunRemotely = (host: string, command: RemoteCommand) => Promise<RemoteResult>;

/** Builds a command line that any login shell interprets the same way. */
export function remoteLine({
  script,
  args,
  hasSudo,
}: Pick<RemoteCommand, "script" | "args" | "hasSudo">): string {
  const words = ["sh", "-c", script, "forager-deploy", ...args].map(shellQuote);
  return [...(hasSudo ? ["sudo", "-n"] : []), ...words].join(" ");
}

/** Quotes a word so that any shell takes it literally. */
export function shellQuote(word: string): string {
  if (/[\0\r\n]/.test(word)) {
    throw new AppError("invalid", "deploy_argument", `a command for a host has a line break: ${JSON.stringify(word)}`); // prettier-ignore
  }
  return `'${word.replaceAll("'", `'"'"'`)}'`;
}

const hostRule = /^(?:[a-z0-9_][a-z0-9_.-]{0,31}@)?[a-z0-9_[][a-z0-9_.:%\]-]{0,252}$/i;

/** Whether `ssh` accepts this as a host: a name of its configuration, HOST or USER@HOST. */
export const isHostName = (text: string): boolean => hostRule.test(text);
